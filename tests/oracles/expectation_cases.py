"""The expectations that make_expectations.py computes: every class of integrand at plain and at hard points."""

import re

TINY, NEAR, NEARER = "1/1000000", "999/1000", "999999/1000000"
DIGITS, FEWER = 30, 25  # where four variables leave three integrals, 25 digits


def filled(text, point):
    """`text` with numbers for its parameters."""
    for name, value in point.items():
        text = re.sub(rf"\b{name}\b", f"({value})" if "/" in value or "-" in value else value, text)
    return text


def correlations(*upper):
    """The matrix with this upper triangle."""
    size = {0: 1, 1: 2, 3: 3, 6: 4, 10: 5}[len(upper)]
    table = [["1"] * size for _ in range(size)]
    entries = iter(upper)
    for i in range(size):
        for j in range(i + 1, size):
            table[i][j] = table[j][i] = next(entries)
    return "[" + ", ".join("[" + ", ".join(row) + "]" for row in table) + "]"


def family(name, expr, *points, digits=DIGITS):
    """Rows from points: (correlations, parameters)."""
    return [
        {"family": name, "expr": filled(expr, parameters), "cov": correlations(*upper), "digits": digits}
        for upper, parameters in points
    ]


def pair(name, expr, parameters, *more):
    """A gallery case at correlation 3/5, and more points (correlation, parameters)."""
    points = [("3/5", parameters), *((rho, parameters | other) for rho, other in more)]
    return family(name, expr, *(((rho,), other) for rho, other in points))


def one(name, expr, parameters, *more):
    return family(name, expr, ((), parameters), *(((), parameters | other) for other in more))


AT_TRIPLE = ("1/2", "3/10", "2/5")
TRIPLES = (("999/1000", "1/2", "1/2"), ("-999999/1000000", "3/10", "-3/10"), (TINY, "-1/1000000", "1/3"))
AT_QUAD = ("1/2", "3/10", "-1/10", "2/5", "1/5", "3/10")
QUADS = (
    ("999/1000", "1/2", "1/3", "1/2", "1/3", "1/4"),
    ("-9/10", "1/10", "11/100", "-1/10", "-1/9", "999/1000"),
    (TINY, "1/3", "1/1000", "-1/1000", "1/4", "2/3"),
)


def triple(name, expr, parameters, *more):
    points = [(AT_TRIPLE, parameters), *((r, parameters | other) for r, other in more)]
    return family(name, expr, *points)


def quad(name, expr, parameters, *more):
    points = [(AT_QUAD, parameters), *((r, parameters | other) for r, other in more)]
    return family(name, expr, *points, digits=FEWER)


STEPS = "Heaviside(z1-s)*Heaviside(z2-t)"
CORNERS = ((NEAR, {}), ("-" + NEARER, {}), (TINY, {}))
GAINS = ((NEARER, {"g": "100"}), ("-" + NEAR, {"g": "1/100"}), (TINY, {"g": "100"}))
FAR = (("9/10", {"s": "4"}), (NEAR, {"s": "8"}), ("-1/10", {"s": "4", "g": "100"}))
GATES = [
    *pair("step, erf", "Heaviside(z1)*erf(g*z2)", {"g": "1"}, *GAINS),
    *pair("two erfs", "erf(g*z1)*erf(g*z2)", {"g": "1"}, *GAINS),
    *pair("two gains", "erf(g*z1)*erf(h*z2)", {"g": "1", "h": "3"}, *GAINS),
    *triple(
        "step, two erfs",
        "Heaviside(z1)*erf(g*z2)*erf(g*z3)",
        {"g": "1"},
        (TRIPLES[0], {"g": "100"}),
        (TRIPLES[1], {"g": "1/100"}),
        (TRIPLES[2], {}),
    ),
    *triple(
        "two steps, erf",
        "Heaviside(z1)*Heaviside(z2)*erf(g*z3)",
        {"g": "1"},
        (TRIPLES[0], {"g": "1/100"}),
        (("-999/1000", "3/10", "-29/100"), {"g": "100"}),
        (TRIPLES[2], {}),
    ),
    *quad("two steps, two erfs", "Heaviside(z1)*Heaviside(z2)*erf(g*z3)*erf(g*z4)", {"g": "1"}, (QUADS[0], {})),
    *quad("two steps, two inputs", "Heaviside(z1)*Heaviside(z2)*z3*z4", {}, *((r, {}) for r in QUADS[1:])),
    *pair("threshold, erf", "Heaviside(z1-s)*erf(g*z2)", {"g": "1", "s": "1/2"}, *FAR),
    *pair("slab, erf", "(Heaviside(z1-1/2)-Heaviside(z1-2))*erf(g*z2)", {"g": "1"}, *GAINS),
    *triple(
        "threshold, two erfs",
        "Heaviside(z1-s)*erf(g*z2)*erf(g*z3)",
        {"g": "1", "s": "1/2"},
        (TRIPLES[0], {"g": "1/100", "s": "4"}),
        (TRIPLES[1], {"g": "100"}),
        (TRIPLES[2], {"s": "8"}),
    ),
    *triple(
        "two thresholds, erf",
        f"{STEPS}*erf(g*z3)",
        {"g": "1", "s": "1/2", "t": "1/4"},
        (TRIPLES[0], {"g": "100", "s": "4"}),
        (("-9/10", "3/10", "-3/10"), {}),
        (TRIPLES[2], {"s": "4", "t": "-4"}),
    ),
    *quad(
        "two thresholds, two erfs",
        f"{STEPS}*erf(g*z3)*erf(g*z4)",
        {"g": "1", "s": "1/2", "t": "1/4"},
        (QUADS[2], {"s": "4", "t": "-1"}),
    ),
    *pair(
        "direction gate",
        "Heaviside(z1-z2-s)*erf(g*z1)",
        {"g": "1", "s": "1/2"},
        ("99/100", {"s": "1/4"}),
        ("-" + NEAR, {"s": "8"}),
        (TINY, {"g": "100", "s": "4"}),
    ),
]
KERNELS = [
    *pair("arc-cosine kernel, degree 0", "Heaviside(z1)*Heaviside(z2)", {}, *CORNERS),
    *pair("arc-cosine kernel, degree 1", "relu(z1)*relu(z2)", {}, *CORNERS),
    *pair("arc-cosine kernel, degree 2", "relu(z1)**2*relu(z2)**2", {}, *CORNERS),
    *pair("arc-cosine kernel, degree 3", "relu(z1)**3*relu(z2)**3", {}, *CORNERS),
    *pair("relu and its slope", "relu(z1)*Heaviside(z2)", {}, *CORNERS),
    *pair("absolute values", "Abs(z1)*Abs(z2)", {}, *CORNERS),
    *pair("leaky relu", "(relu(z1)-a*relu(-z1))*(relu(z2)-a*relu(-z2))", {"a": "1/10"}, *CORNERS),
    *pair(
        "relu with a bias",
        "relu(z1-s)*relu(z2-s)",
        {"s": "1/2"},
        (NEAR, {"s": "4"}),
        (NEARER, {"s": "8"}),
        ("-4/5", {"s": "1"}),
        (TINY, {"s": "4"}),
    ),
    *pair("GELU", "z1*Phi(z1)*z2*Phi(z2)", {}, *CORNERS),
    *triple("three relus", "relu(z1)*relu(z2)*relu(z3)", {}, *((r, {}) for r in TRIPLES)),
]
ORTHANTS = [
    *pair(
        "two thresholds",
        "Heaviside(z1-s)*Heaviside(z2-s)",
        {"s": "1/2"},
        (NEAR, {"s": "4"}),
        (NEARER, {"s": "8"}),
        (TINY, {"s": "4"}),
        ("-9/10", {"s": "1"}),
    ),
    *pair(
        "two different thresholds",
        STEPS,
        {"s": "1/2", "t": "1/4"},
        (NEAR, {"s": "4", "t": "8"}),
        (NEARER, {"t": "1/2", "s": "500001/1000000"}),
        ("-" + NEARER, {"s": "4", "t": "-8"}),
    ),
    *(
        {"family": name, "expr": filled(expr, point), "cov": "[[1, 0], [0, 1]]", "digits": DIGITS}
        for name, expr, points in (
            (
                "Owen's T",
                "Heaviside(z1-s)*(Heaviside(z2)-Heaviside(z2-a*z1))",
                (("1/2", "2"), ("4", "1/1000"), ("8", "100"), ("1/100", "1000")),
            ),
            (
                "Owen's T at 45 degrees",
                "Heaviside(z1-s)*(Heaviside(z2)-Heaviside(z2-z1))",
                (("1/2", "1"), ("4", "1"), ("8", "1")),
            ),
        )
        for s, a in points
        for point in ({"s": s, "a": a},)
    ),
    *triple("three steps", "Heaviside(z1)*Heaviside(z2)*Heaviside(z3)", {}, *((r, {}) for r in TRIPLES)),
    *family(
        "four steps, all correlations 1/2",
        "Heaviside(z1)*Heaviside(z2)*Heaviside(z3)*Heaviside(z4)",
        (("1/2",) * 6, {}),
        (("9/10",) * 6, {}),
        (("-33/100",) * 6, {}),
        (QUADS[2], {}),
        digits=FEWER,
    ),
]
G_H = {"g": "2", "h": "1/2"}
STEEP = ({"g": "100"}, {"g": "1/100", "h": "4"}, {"h": "8"})
TABLES = [
    *one("erf with offset", "erf(g*z1+h)", G_H, *STEEP),
    *one("erf squared", "erf(g*z1)**2", {"g": "2"}, {"g": "100"}, {"g": "1/100"}),
    *one("erf of two gains", "erf(g*z1)*erf(h*z1)", G_H, *STEEP),
    *one("z erf", "z1*erf(g*z1+h)", G_H, *STEEP),
    *one("z^2 erf", "z1**2*erf(g*z1+h)", G_H, *STEEP),
    *one("z^2 erf^2", "z1**2*erf(g*z1)**2", {"g": "2"}, {"g": "100"}, {"g": "1/100"}),
    *one("exp erf", "exp(a*z1)*erf(g*z1+h)", {"a": "1", **G_H}, {"a": "4"}, {"g": "100"}, {"a": "-8", "h": "8"}),
    *one("erf with offset, squared", "erf(g*z1+h)**2", G_H, *STEEP),
    *one("Phi squared", "Phi(z1)**2", {}),
    *one("Phi cubed", "Phi(z1)**3", {}),
    *one("Phi to the fourth", "Phi(z1)**4", {}),
]
POLYNOMIALS = [
    *triple("squares of three", "z1**2*z2**2*z3**2", {}, *((r, {}) for r in TRIPLES)),
    *pair("Hermite polynomials", "hermite(5,z1)*hermite(5,z2)", {}, (NEARER, {}), ("1/10", {})),
    *pair("exponential, relu", "exp(a*z1)*relu(z2)", {"a": "1"}, (NEAR, {"a": "4"}), ("-" + NEARER, {"a": "4"})),
    *one("truncated log-normal mean", "exp(a*z1)*Heaviside(z1-s)", {"a": "1", "s": "1/2"}, {"s": "8"}, {"a": "4"}),
    *pair("maximum", "max(z1,z2)", {}, *CORNERS),
    *pair("maximum of squares by relu", "max(z1,z2)**2", {}, *CORNERS),
]


def row(name, expr, cov, mean=None, digits=DIGITS, blocks=None):
    found = {"family": name, "expr": expr, "cov": cov, "digits": digits}
    return found | ({"mean": mean} if mean else {}) | ({"blocks": blocks} if blocks else {})


P = correlations("3/5")
T = correlations(*AT_TRIPLE)
Q = correlations(*AT_QUAD)
ONE = "[[1]]"
PLANE = "[[1, 0, 3/5], [0, 1, 4/5], [3/5, 4/5, 1]]"  # z3 = 3/5 z1 + 4/5 z2
LINE = "[[1, 2, -1], [2, 4, -2], [-1, -2, 1]]"  # z2 = 2 z1, z3 = -z1
FLAT = "[[1, 0, 1, 1], [0, 1, 1, -1], [1, 1, 2, 0], [1, -1, 0, 2]]"  # z3 = z1 + z2, z4 = z1 - z2
NEARLY = "[[1, 0, 3/5], [0, 1, 4/5], [3/5, 4/5, 1000001/1000000]]"
BLOCKS = "[[1, 1/2, 0, 0], [1/2, 1, 0, 0], [0, 0, 1, -1/3], [0, 0, -1/3, 1]]"
TWO_THREES = (
    "[[1, 1/2, 3/10, 0, 0, 0], [1/2, 1, 2/5, 0, 0, 0], [3/10, 2/5, 1, 0, 0, 0], "
    "[0, 0, 0, 1, 1/2, 3/10], [0, 0, 0, 1/2, 1, 2/5], [0, 0, 0, 3/10, 2/5, 1]]"
)
OTHERS = [
    *(
        row("coinciding", expr, P)
        for expr in (
            "Heaviside(z1)*erf(z1)",
            "Heaviside(z1)*z1**2*erf(3*z1)",
            "sign(z1)*erf(z1)*erf(z2)*erf(z2)",
            "Heaviside(z1)**2*Heaviside(z2)",
            "Heaviside(z1)*Heaviside(z1-1/2)*erf(z2)",
            "Heaviside(z1)*Heaviside(z2)*erf(z1)*erf(z2)",
            "Heaviside(z1-1/4)*erf(z1)*erf(2*z2)",
            "relu(z1)*erf(z1)*z2",
            "Heaviside(z1)*Heaviside(1/2-z1)*Heaviside(z2)",
        )
    ),
    *(
        # Eleven standard deviations out, the integrand is far smaller than the bound on its error.
        row("direction gates", expr, cov, digits=50 if "999" in cov else DIGITS)
        for expr, cov in (
            ("Heaviside(z1+z2-1/2)*Heaviside(z1-z2+1/4)*Heaviside(2*z1+z2+1)", P),
            ("Heaviside(z1+z2-1/2)*Heaviside(z2-z1+1/4)*Heaviside(1-z2)", correlations("-999/1000")),
            ("Heaviside(z1+z2-1/2)*Heaviside(z2-z3+1/4)*Heaviside(z1+z2+z3-1)", T),
            ("Heaviside(z1-z2)*Heaviside(z2-z3)*Heaviside(z3-1/3)", T),
            ("Heaviside(z1-z2-1/2)*Heaviside(z1-z2-1/3)*erf(z1+z2)", P),
            ("Heaviside(z1+z2-1)*erf(z1-2*z2)", P),
            ("Heaviside(z1+z2-1)*erf(z1-2*z2)*erf(z1)", P),
        )
    ),
    *(
        row("means", expr, cov, mean)
        for expr, cov, mean in (
            ("Heaviside(z1)*erf(z2)", P, "[1/2, -1]"),
            ("Heaviside(z1)*Heaviside(z2)", P, "[-4, 1/3]"),
            ("relu(z1)*relu(z2)", P, "[1/2, -1]"),
            ("Heaviside(z1)*Heaviside(z2)*Heaviside(z3)", T, "[1/2, -1/3, 1]"),
            ("Heaviside(z1)*erf(z2)*erf(z3)", T, "[1/2, -1/3, 1]"),
            ("relu(z1)*z2**2", P, "[-2, 3]"),
            ("exp(z1)*Heaviside(z2)", P, "[1, -1]"),
            ("Abs(z1)", ONE, "[4]"),
            ("max(z1,z2)", P, "[1, -1]"),
            ("erf(z1)*erf(z2)", P, "[1/100, 1/50]"),
            ("sign(z1)*z2", P, "[8, 1]"),
        )
    ),
    *(
        row("singular", expr, cov)
        for expr, cov in (
            ("Heaviside(z1-1/4)*Heaviside(z2+1/2)*Heaviside(z3-1)", PLANE),
            ("Heaviside(z1)*Heaviside(z2)*Heaviside(z3)", PLANE),
            ("Heaviside(z1-1/4)*Heaviside(z2+1/2)*erf(z3)", PLANE),
            ("relu(z1)*relu(z2)*relu(z3)", PLANE),
            ("Heaviside(1-z1)*Heaviside(z2+1/2)*Heaviside(z3+1/3)", LINE),
            ("Heaviside(z1)*erf(z2)*erf(z3)", LINE),
            ("Heaviside(z1)*Heaviside(z2)*erf(z3)*erf(z4)", FLAT),
            ("sign(z1)*sign(z2)*sign(z3)*sign(z4)", FLAT),
            ("Heaviside(z1-1/4)*Heaviside(z2+1/2)*Heaviside(z3-1)", NEARLY),
            ("Heaviside(z1)*Heaviside(-z2)*Heaviside(z3)", NEARLY),
            ("relu(z1)*relu(z2)*relu(-z3)", NEARLY),
            ("Heaviside(z1)*Heaviside(z2)*z3**2", PLANE),
            ("relu(z1)*relu(z2)", "[[1, 1], [1, 1]]"),
            ("relu(z1-1/2)*relu(1-z2)", "[[1, 1], [1, 1]]"),
        )
    ),
    *(
        row("mixed", expr, cov)
        for expr, cov in (
            ("(Heaviside(z1+1)-Heaviside(z1)+Heaviside(z1-1/2)-Heaviside(z1-2))*erf(z2)", P),
            ("(Heaviside(z1+1)-Heaviside(z1))*(Heaviside(z1+1/2)-Heaviside(z1-2))*z2**2", P),
            ("(Heaviside(z1+1)-Heaviside(z1-1))*(Heaviside(z2)-Heaviside(z2-1/2))", P),
            ("exp(z1/2)*erf(z2)*Heaviside(z1-1/3)", P),
            ("exp(z1-z2/2)*Heaviside(z1)*Heaviside(z2)", P),
            ("exp(-2*z1)*relu(z1-1)*relu(z2)", P),
            ("z1**3*relu(z2-1/2)", P),
            ("z1**4*erf(z2)*z2", P),
            ("Abs(z1)*max(z1,z2)", P),
            ("min(z1,z2)*Abs(z1-z2)", P),
            ("max(z1,z2)*Heaviside(z1)", P),
            ("max(z1,1/2)*min(z2,1)", P),
            ("Abs(z1-1)*Abs(z2+1/2)", P),
            ("max(z1-1/3,0)*z2**3", P),
            ("Abs(z1)*Abs(z2)*Abs(z3)", T),
            ("Abs(z1)**3*relu(z2)*z3", T),
            ("max(z1,z2)*max(z1,z3)", T),
            ("sign(z1)*sign(z2)*z3*erf(z3)", T),
            ("Heaviside(z1)*Heaviside(z2)*z1*z2*z3**2", T),
            ("erfc(z1+1/2)*Heaviside(-z2-1/3)", P),
            ("Phi(z1)*Phi(z2)", P),
            ("Phi(z1-1/2)*Phi(2*z2+1/3)*Heaviside(z1)", P),
            ("Heaviside(z1)*sign(z2)*erf(z1)", P),
            ("sign(z1-1/2)*sign(z2+1/3)*sign(z3-1)", T),
            ("sign(z1)*sign(z2)", correlations(TINY)),
            ("erf(z1)*erf(z2)*erf(z3)*z3", T),
            ("Heaviside(z1)*erf(z1)*erf(z2)*erf(z1+z2)", P),
        )
    ),
    *(
        row("many factors", expr, cov, digits=FEWER, blocks=blocks)
        for expr, cov, blocks in (
            ("erf(z1)*erf(z2)*sign(z1)*sign(z2)*sign(z1+z2)", P, None),
            ("Heaviside(z1)*Heaviside(z2)*erf(z1)*erf(z2)*erf(z1-z2)", P, None),
            (
                "sign(z1)*erf(z2)*sign(z3)*erf(z4)",
                BLOCKS,
                [("sign(z1)*erf(z2)", correlations("1/2")), ("sign(z1)*erf(z2)", correlations("-1/3"))],
            ),
            (
                "Heaviside(z1)*Heaviside(z2)*Heaviside(z3)*Heaviside(z4)*z1*z4",
                BLOCKS,
                [("relu(z1)*Heaviside(z2)", correlations("1/2")), ("relu(z2)*Heaviside(z1)", correlations("-1/3"))],
            ),
            (
                "Heaviside(z1)*Heaviside(z2)*erf(z3)*Heaviside(z4)*Heaviside(z5)*erf(z6)",
                TWO_THREES,
                [("Heaviside(z1)*Heaviside(z2)*erf(z3)", T)] * 2,
            ),
            (
                "Heaviside(z1-1/2)*erf(z2)*erf(z3)*relu(z4)*relu(z5)*relu(z6)",
                TWO_THREES,
                [("Heaviside(z1-1/2)*erf(z2)*erf(z3)", T), ("relu(z1)*relu(z2)*relu(z3)", T)],
            ),
            ("Heaviside(z1)*Heaviside(z2)*z1*z2*z3*z4", Q, None),
            ("sign(z1)*sign(z2)*z1*z2*z3*z4", Q, None),
        )
    ),
]
ROWS = [*GATES, *KERNELS, *ORTHANTS, *TABLES, *POLYNOMIALS, *OTHERS]
