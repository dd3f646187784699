"""A gallery of Gaussian expectations for the comparison of the engine with SymPy, on pages and in `gdln bench`."""

from dataclasses import dataclass

PAIR = "[[1, rho], [rho, 1]]"
TRIPLE = "[[1, r12, r13], [r12, 1, r23], [r13, r23, 1]]"
QUADRUPLE = "[[1, r12, r13, r14], [r12, 1, r23, r24], [r13, r23, 1, r34], [r14, r24, r34, 1]]"
ONE = "[[1]]"


@dataclass(frozen=True)
class Case:
    """E[expr] under N(0, cov), parameters in the domains `where`, its digits certified at `point`."""

    name: str
    group: str
    expr: str
    cov: str
    where: str = ""
    point: tuple[tuple[str, str], ...] = ()


GATES = "gates and erf units (localization notes; small-bump note)"
KERNELS = "kernels of wide networks (Cho and Saul 2009; Williams 1997; Hendrycks and Gimpel 2016)"
ORTHANTS = "orthants and Owen's T (Owen 1956)"
TABLES = "integrals of erf with Gaussian weights (Ng and Geller 1969)"
POLYNOMIALS = "polynomials, exponentials and extremes"

G = "g>0"
R = "-1<rho<1"
R3 = "-1<r12<1, -1<r13<1, -1<r23<1"
R4 = R3 + ", -1<r14<1, -1<r24<1, -1<r34<1"
AT_PAIR = (("rho", "3/5"),)
AT_TRIPLE = (("r12", "1/2"), ("r13", "3/10"), ("r23", "2/5"))
AT_QUADRUPLE = (*AT_TRIPLE, ("r14", "-1/10"), ("r24", "1/5"), ("r34", "3/10"))
AT_G = (("g", "1"),)


def _pair(name: str, group: str, expr: str, where: str = R, **point: str) -> Case:
    return Case(name, group, expr, PAIR, where, (*AT_PAIR, *point.items()))


def _one(name: str, group: str, expr: str, where: str = "", **point: str) -> Case:
    return Case(name, group, expr, ONE, where, tuple(point.items()))


STEPS = "Heaviside(z1-s)*Heaviside(z2-t)"
CASES = (
    _pair("step, erf", GATES, "Heaviside(z1)*erf(g*z2)", f"{G}, {R}", g="1"),
    _pair("two erfs", GATES, "erf(g*z1)*erf(g*z2)", f"{G}, {R}", g="1"),
    _pair("two gains", GATES, "erf(g*z1)*erf(h*z2)", f"{G}, h>0, {R}", g="1", h="3"),
    Case("step, two erfs", GATES, "Heaviside(z1)*erf(g*z2)*erf(g*z3)", TRIPLE, f"{G}, {R3}", (*AT_TRIPLE, *AT_G)),
    Case("two steps, erf", GATES, "Heaviside(z1)*Heaviside(z2)*erf(g*z3)", TRIPLE, f"{G}, {R3}", (*AT_TRIPLE, *AT_G)),
    Case(
        "two steps, two erfs",
        GATES,
        "Heaviside(z1)*Heaviside(z2)*erf(g*z3)*erf(g*z4)",
        QUADRUPLE,
        f"{G}, {R4}",
        (*AT_QUADRUPLE, *AT_G),
    ),
    Case("two steps, two inputs", GATES, "Heaviside(z1)*Heaviside(z2)*z3*z4", QUADRUPLE, R4, AT_QUADRUPLE),
    _pair("threshold, erf", GATES, "Heaviside(z1-s)*erf(g*z2)", f"{G}, s>0, {R}", g="1", s="1/2"),
    _pair("slab, erf", GATES, "(Heaviside(z1-1/2)-Heaviside(z1-2))*erf(g*z2)", f"{G}, {R}", g="1"),
    Case(
        "threshold, two erfs",
        GATES,
        "Heaviside(z1-s)*erf(g*z2)*erf(g*z3)",
        TRIPLE,
        f"{G}, s>0, {R3}",
        (*AT_TRIPLE, *AT_G, ("s", "1/2")),
    ),
    Case(
        "two thresholds, erf",
        GATES,
        f"{STEPS}*erf(g*z3)",
        TRIPLE,
        f"{G}, s>0, t>0, {R3}",
        (*AT_TRIPLE, *AT_G, ("s", "1/2"), ("t", "1/4")),
    ),
    Case(
        "two thresholds, two erfs",
        GATES,
        f"{STEPS}*erf(g*z3)*erf(g*z4)",
        QUADRUPLE,
        f"{G}, s>0, t>0, {R4}",
        (*AT_QUADRUPLE, *AT_G, ("s", "1/2"), ("t", "1/4")),
    ),
    _pair("direction gate", GATES, "Heaviside(z1-z2-s)*erf(g*z1)", f"{G}, s>0, {R}", g="1", s="1/2"),
    _pair("arc-cosine kernel, degree 0", KERNELS, "Heaviside(z1)*Heaviside(z2)"),
    _pair("arc-cosine kernel, degree 1", KERNELS, "relu(z1)*relu(z2)"),
    _pair("arc-cosine kernel, degree 2", KERNELS, "relu(z1)**2*relu(z2)**2"),
    _pair("arc-cosine kernel, degree 3", KERNELS, "relu(z1)**3*relu(z2)**3"),
    _pair("relu and its slope", KERNELS, "relu(z1)*Heaviside(z2)"),
    _pair("absolute values", KERNELS, "Abs(z1)*Abs(z2)"),
    _pair("leaky relu", KERNELS, "(relu(z1)-a*relu(-z1))*(relu(z2)-a*relu(-z2))", f"a>0, {R}", a="1/10"),
    _pair("relu with a bias", KERNELS, "relu(z1-s)*relu(z2-s)", f"s>0, {R}", s="1/2"),
    _pair("GELU", KERNELS, "z1*Phi(z1)*z2*Phi(z2)"),
    Case("three relus", KERNELS, "relu(z1)*relu(z2)*relu(z3)", TRIPLE, R3, AT_TRIPLE),
    _pair("two thresholds", ORTHANTS, "Heaviside(z1-s)*Heaviside(z2-s)", f"s>0, {R}", s="1/2"),
    _pair("two different thresholds", ORTHANTS, STEPS, f"s>0, t>0, {R}", s="1/2", t="1/4"),
    Case(
        "Owen's T",
        ORTHANTS,
        "Heaviside(z1-s)*(Heaviside(z2)-Heaviside(z2-a*z1))",
        "[[1, 0], [0, 1]]",
        "s>0, a>0",
        (("s", "1/2"), ("a", "2")),
    ),
    Case(
        "Owen's T at 45 degrees",
        ORTHANTS,
        "Heaviside(z1-s)*(Heaviside(z2)-Heaviside(z2-z1))",
        "[[1, 0], [0, 1]]",
        "s>0",
        (("s", "1/2"),),
    ),
    Case("three steps", ORTHANTS, "Heaviside(z1)*Heaviside(z2)*Heaviside(z3)", TRIPLE, R3, AT_TRIPLE),
    Case(
        "four steps, all correlations 1/2",
        ORTHANTS,
        "Heaviside(z1)*Heaviside(z2)*Heaviside(z3)*Heaviside(z4)",
        "[[1, 1/2, 1/2, 1/2], [1/2, 1, 1/2, 1/2], [1/2, 1/2, 1, 1/2], [1/2, 1/2, 1/2, 1]]",
    ),
    _one("erf with offset", TABLES, "erf(g*z1+h)", "g>0, h>0", g="2", h="1/2"),
    _one("erf squared", TABLES, "erf(g*z1)**2", G, g="2"),
    _one("erf of two gains", TABLES, "erf(g*z1)*erf(h*z1)", "g>0, h>0", g="2", h="1/2"),
    _one("$z$ times an erf", TABLES, "z1*erf(g*z1+h)", "g>0, h>0", g="2", h="1/2"),
    _one("$z^2$ times an erf", TABLES, "z1**2*erf(g*z1+h)", "g>0, h>0", g="2", h="1/2"),
    _one("$z^2$ times a squared erf", TABLES, "z1**2*erf(g*z1)**2", G, g="2"),
    _one("exp erf", TABLES, "exp(a*z1)*erf(g*z1+h)", "a>0, g>0, h>0", a="1", g="2", h="1/2"),
    _one("erf with offset, squared", TABLES, "erf(g*z1+h)**2", "g>0, h>0", g="2", h="1/2"),
    _one("Phi squared", TABLES, "Phi(z1)**2"),
    _one("Phi cubed", TABLES, "Phi(z1)**3"),
    _one("Phi to the fourth", TABLES, "Phi(z1)**4"),
    Case("squares of three", POLYNOMIALS, "z1**2*z2**2*z3**2", TRIPLE, R3, AT_TRIPLE),
    _pair("Hermite polynomials", POLYNOMIALS, "hermite(5,z1)*hermite(5,z2)"),
    _pair("exponential, relu", POLYNOMIALS, "exp(a*z1)*relu(z2)", f"a>0, {R}", a="1"),
    _one("truncated log-normal mean", POLYNOMIALS, "exp(a*z1)*Heaviside(z1-s)", "a>0, s>0", a="1", s="1/2"),
    _pair("maximum", POLYNOMIALS, "max(z1,z2)"),
    _pair("maximum of squares by relu", POLYNOMIALS, "max(z1,z2)**2"),
)
