"""Kernels of the gradient as sums over pairs of paths. Neural path kernel, section 3; deep gated networks, 2 and 7."""

from fractions import Fraction
from itertools import product
from math import isqrt

import sympy
from sympy import Eq, FiniteSet, Integer, Mul, Piecewise, Symbol

from theory.claims.areas.path import _networks
from theory.claims.areas.path._networks import (
    FIRST,
    INPUTS,
    LAST,
    SECOND,
    SMALL,
    R,
    U,
    W,
    X,
    g1,
    g2,
    gate,
    h1,
    h2,
    r1,
    u11,
    u12,
    w11,
    y1,
    y2,
)
from theory.claims.areas.path.output import exactly
from theory.claims.areas.path.overlap import p1, p2, q1, q2
from theory.claims.documents import DEEP_GATED_NETWORKS, NEURAL_PATH_KERNEL
from theory.claims.misprints import SWITCHES
from theory.claims.model import Claim, Kind, Level, Param
from theory.claims.rational import rational_by_name
from theory.claims.slips import DIFFERENT_INPUT_NODES, charged
from theory.claims.sources import Says, Source
from theory.paths import (
    feature_change,
    interaction,
    path_kernel,
    tangent_kernel,
    tangent_kernel_over_paths,
    value_gradients,
    value_tangent_kernel,
    weighted,
)
from theory.proof.derivation import Derivation, Step

_K = Symbol("K(x, x')", real=True)
_OTHER = tuple(Param(own, sympy.S.Reals, "entry of the other input $x'$", likely=SMALL) for own in (y1, y2))

# The gradient of a path's value: one path with a weight in each of three layers, and a weight beside it.
n = Symbol("n", integer=True, positive=True)
_SLOPE = Piecewise((w11 * r1, Eq(n, 1)), (u11 * r1, Eq(n, 2)), (u11 * w11, Eq(n, 3)), (0, True))


def _by_difference(at: dict[str, Fraction]) -> Fraction:
    """The product of the path's weights, where one weight is one larger, less the product as it is."""
    names = ("u11", "w11", "r1", "u12")
    raised = {name: at[name] + (number == at["n"]) for number, name in enumerate(names, 1)}
    return raised["u11"] * raised["w11"] * raised["r1"] - at["u11"] * at["w11"] * at["r1"]


def _slope_of_the_library(n: int, **values: float) -> float:
    at = exactly(**values)
    net = weighted([[1, 1]], [[[1]], [[1]]], [[[at["u11"], at["u12"]]], [[at["w11"]]], [[at["r1"]]]])
    weight = {1: (0, 0, 0), 2: (1, 0, 0), 3: (2, 0, 0), 4: (0, 0, 1)}[int(n)]
    return float(value_gradients(net)[0].get(weight, 0))


SENSITIVITY = Claim(
    id="path.kernel.sensitivity",
    title="The slope of a path's value by a weight",
    protocol="The slope of a path's value by a weight is the product of the path's other weights, and 0 off the path",
    kind=Kind.EQUATION,
    statement=Eq(Symbol(r"\partial v(p, n)", real=True), _SLOPE, evaluate=False),
    params=(
        Param(n, FiniteSet(1, 2, 3, 4), "number of the weight", (Integer(1), Integer(2), Integer(3), Integer(4))),
        *(FIRST[0], FIRST[1], SECOND[0], LAST[0]),
    ),
    assumptions=(
        "a path of three layers with the weights $u_{11}$, $w_{11}$, $r_1$, which have the numbers 1 to 3; the weight "
        "$u_{12}$ from another input node has the number 4 and is not on it",
    ),
    sources=(Source(DEEP_GATED_NETWORKS, "(3)", printed=_SLOPE),),
    **rational_by_name(_by_difference),
    numeric=_slope_of_the_library,
    drawn=12,
    unchecked={Level.SYMBOLIC: "the product rule for one monomial; differences give it exactly"},
)

# K = Phi^T V Phi for one input node and two hidden levels of two nodes.
_FOUR = tuple(product(range(2), repeat=2))  # nodes of both hidden levels


def _weights_on(path: tuple[int, int]) -> dict[str, sympy.Symbol]:
    a, b = path
    return {f"u{a}": U[a][0], f"w{b}{a}": W[b][a], f"r{b}": R[b]}


def _tangent_of_values(one: tuple[int, int], other: tuple[int, int]) -> sympy.Expr:
    first, second = _weights_on(one), _weights_on(other)
    return sum(
        Mul(*(w for name, w in first.items() if name != shared), *(w for name, w in second.items() if name != shared))
        for shared in first.keys() & second.keys()
    )


x, y = sympy.symbols("x y", real=True)
_ONE = {path: (g1, g2)[path[0]] * (h1, h2)[path[1]] for path in _FOUR}
_TWO = {path: (p1, p2)[path[0]] * (q1, q2)[path[1]] for path in _FOUR}
_QUADRATIC = sum(
    x * _ONE[p] * y * _TWO[q] * _tangent_of_values(p, q) for p, q in product(_FOUR, _FOUR) if _tangent_of_values(p, q)
)
_SIXTEEN = (
    Param(x, sympy.S.Reals, "the input $x$", likely=SMALL),
    Param(y, sympy.S.Reals, "the other input $x'$", likely=SMALL),
    *(
        gate(symbol, level, of)
        for of, levels in (("$x$", ((g1, g2), (h1, h2))), ("$x'$", ((p1, p2), (q1, q2))))
        for level, pair in enumerate(levels, 1)
        for symbol in pair
    ),
    FIRST[0],
    FIRST[2],
    *SECOND,
    *LAST,
)


def _four_paths(at: dict[str, Fraction]) -> tuple[_networks.Layers, tuple]:
    layers = _networks.three_layers({**at, "u12": Fraction(0), "u22": Fraction(0)})
    layers[0] = [row[:1] for row in layers[0]]
    gates = tuple([[at[f"{a}1"], at[f"{a}2"]], [at[f"{b}1"], at[f"{b}2"]]] for a, b in ("gh", "pq"))
    return layers, gates


def _by_slopes(at: dict[str, Fraction]) -> Fraction:
    layers, (one, other) = _four_paths(at)
    return _networks.inner(_networks.slopes(layers, one, [at["x"]]), _networks.slopes(layers, other, [at["y"]]))


def _tangent_of_the_library(**values: float) -> float:
    at = exactly(**values)
    layers, gates = _four_paths(at)
    net = weighted([[at["x"]], [at["y"]]], list(zip(*gates, strict=True)), layers)
    return float(tangent_kernel_over_paths(net)[0][1])


def _derive_tangent() -> Derivation:
    result = Eq(_K, _QUADRATIC, evaluate=False)
    at_level = tuple(x * g * u[0] for g, u in zip((g1, g2), U, strict=True))
    at_other = tuple(y * p * u[0] for p, u in zip((p1, p2), U, strict=True))
    second = tuple(h * (row[0] * at_level[0] + row[1] * at_level[1]) for h, row in zip((h1, h2), W, strict=True))
    second_of_other = tuple(
        q * (row[0] * at_other[0] + row[1] * at_other[1]) for q, row in zip((q1, q2), W, strict=True)
    )
    back = tuple(g * sum(W[b][a] * h * R[b] for b, h in enumerate((h1, h2))) for a, g in enumerate((g1, g2)))
    back_of_other = tuple(p * sum(W[b][a] * q * R[b] for b, q in enumerate((q1, q2))) for a, p in enumerate((p1, p2)))
    by_layers = (
        x * y * sum(a * b for a, b in zip(back, back_of_other, strict=True))
        + sum(a * b for a, b in zip(at_level, at_other, strict=True)) * (h1 * q1 * R[0] ** 2 + h2 * q2 * R[1] ** 2)
        + sum(a * b for a, b in zip(second, second_of_other, strict=True))
    )
    steps = (
        Step(
            Eq(_K, by_layers, evaluate=False),
            "the chain rule, layer by layer: value of the source times slope at the target, for both inputs",
            "definition",
        ),
        Step(result, "multiplied out, ordered by the two paths", "identity"),
    )
    return Derivation("path.kernel.tangent", result, steps)


TANGENT = Claim(
    id="path.kernel.tangent",
    title=r"The tangent kernel is a quadratic form in path features: $K = \Phi^\top V \Phi$",
    kind=Kind.EQUATION,
    statement=Eq(_K, _QUADRATIC, evaluate=False),
    params=_SIXTEEN,
    assumptions=(
        "one input node, two hidden levels of two nodes, one output: four paths",
        r"gates do not depend on the weights, or are 0 and 1 and no pre-activation is 0, so that they do not change "
        r"with the weights to first order; $V$ has the inner products of the gradients of the path values",
    ),
    sources=(
        Source(NEURAL_PATH_KERNEL, "Proposition 3.1", printed=_QUADRATIC),
        Source(
            NEURAL_PATH_KERNEL,
            "section 3.2",
            says=Says.READ_AS,
            words=r"$K_{\Theta_t}$ changes during training (i) continuously at all $t \geq 0$ due to "
            r"$\mathcal{V}_{\Theta_t}$, and (ii) at switching instants $T_i$, $i = 0, \ldots, \infty$ due to the "
            r"change in $\Phi_{\Theta_{T_i}}$.",
            note="the remark on the proposition: between switching instants $V$ alone moves",
        ),
    ),
    **rational_by_name(_by_slopes),
    derive=_derive_tangent,
    numeric=_tangent_of_the_library,
)

# Signal and wire: two input nodes, one hidden level of two nodes.
_SIGNAL_GATES = (*(gate(own, 1) for own in (g1, g2)), *(gate(own, 1, "$x'$") for own in (p1, p2)))
_Y = (y1, y2)


def _kappa(i: int, j: int) -> sympy.Expr:
    """The sum over the paths from i and from j: they share the last weight at one hidden node, and all where i = j."""
    return sum((g1, g2)[a] * (p1, p2)[a] * (U[a][i] * U[a][j] + (R[a] ** 2 if i == j else 0)) for a in range(2))


_WIRE = sum(X[i] * _Y[j] * _kappa(i, j) for i, j in product(range(2), repeat=2))
_DIAGONAL = sum(X[i] * _Y[i] * _kappa(i, i) for i in range(2))


def _two_layers(at: dict[str, Fraction]) -> _networks.Layers:
    return [[[at["u11"], at["u12"]], [at["u21"], at["u22"]]], [[at["r1"], at["r2"]]]]


def _wire_by_slopes(at: dict[str, Fraction]) -> Fraction:
    layers = _two_layers(at)
    one = _networks.slopes(layers, [[at["g1"], at["g2"]]], [at["x1"], at["x2"]])
    return _networks.inner(one, _networks.slopes(layers, [[at["p1"], at["p2"]]], [at["y1"], at["y2"]]))


def _wire_of_the_library(**values: float) -> float:
    at = exactly(**values)
    rows = [[at["x1"], at["x2"]], [at["y1"], at["y2"]]]
    net = weighted(rows, [[[at["g1"], at["g2"]], [at["p1"], at["p2"]]]], _two_layers(at))
    kappa = interaction(net, 0, 1)
    return float(sum(rows[0][i] * rows[1][j] * kappa[i][j] for i, j in product(range(2), repeat=2)))


SIGNAL_WIRE = Claim(
    id="path.kernel.signal_wire",
    title="The tangent kernel as a double sum over input nodes",
    protocol="The tangent kernel is a double sum over input nodes: paths from different input nodes share later "
    "weights",
    kind=Kind.EQUATION,
    statement=Eq(_K, _WIRE, evaluate=False),
    params=(*INPUTS, *_OTHER, *_SIGNAL_GATES, *FIRST, *LAST),
    assumptions=(
        "two input nodes, one hidden level of two nodes, one output; gates do not change with the weights",
        r"$\kappa(i, j)$ is the sum over the paths $p$ from node $i$ and $q$ from node $j$ of $A(x, p) A(x', q)$ times "
        "the inner product of the gradients of their values",
    ),
    sources=tuple(
        Source(
            DEEP_GATED_NETWORKS,
            label,
            printed=_DIAGONAL,
            note=note,
            **charged(DIFFERENT_INPUT_NODES, label, _WIRE),
        )
        for label, note in (
            ("(4)", r"$\kappa_t(s, s', i)$ as (9) and Lemma 7.1 define it, paths that both start at node $i$"),
            ("Lemma 2.1", "the statement of (4), said to apply to all gated networks and at all times"),
            ("(9)", "the proof drops the pairs from different input nodes between its fourth and its fifth line"),
            (
                "Lemma 7.1",
                "as (9); it holds for one input node, and for the mean where the gates do not depend on the weights",
            ),
            ("section 1", "Conceptual Gain III, the same formula"),
        )
    ),
    **rational_by_name(_wire_by_slopes),
    numeric=_wire_of_the_library,
    unchecked={Level.SYMBOLIC: "slopes by differences at drawn points; `path.kernel.tangent` has the chain of steps"},
)

# Conditioning: z^T (rho_max(V) H - K) z is a square, for two input nodes and one hidden node.
z1, z2 = sympy.symbols("z1 z2", real=True)
_COMBINED = tuple(z1 * a + z2 * b for a, b in zip(X, _Y, strict=True))
_SQUARE = (u11 * _COMBINED[1] - u12 * _COMBINED[0]) ** 2


def _slack(at: dict[str, Fraction]) -> Fraction:
    """rho_max(V) z^T H z - z^T K z, with V, H and K from values, features and slopes of the two paths."""
    layers = [[[at["u11"], at["u12"]]], [[at["r1"]]]]
    values = [at["u11"] * at["r1"], at["u12"] * at["r1"]]
    gradients = []
    for which, raised in enumerate((("u11", 0), ("u12", 1), ("r1", None))):
        name, only = raised
        moved = {**at, name: at[name] + 1}
        changed = [moved["u11"] * moved["r1"] - values[0], moved["u12"] * moved["r1"] - values[1]]
        if only is not None and changed[1 - only]:
            raise ArithmeticError(f"weight {which} moved another path")
        gradients.append(changed)
    kernel = [[sum(row[p] * row[q] for row in gradients) for q in range(2)] for p in range(2)]
    trace, determinant = kernel[0][0] + kernel[1][1], kernel[0][0] * kernel[1][1] - kernel[0][1] * kernel[1][0]
    largest = (trace + _root(trace**2 - 4 * determinant)) / 2
    inputs = [[at["x1"], at["x2"]], [at["y1"], at["y2"]]]
    slopes = [_networks.slopes(layers, [[Fraction(1)]], row) for row in inputs]
    z = (at["z1"], at["z2"])
    return sum(
        z[s] * z[t] * (largest * _networks.inner(inputs[s], inputs[t]) - _networks.inner(slopes[s], slopes[t]))
        for s, t in product(range(2), repeat=2)
    )


def _root(square: Fraction) -> Fraction:
    """The root of the square of a fraction."""
    root = Fraction(isqrt(square.numerator), isqrt(square.denominator))
    if root**2 != square:
        raise ArithmeticError(f"{square} is not the square of a fraction")
    return root


def _slack_of_the_library(**values: float) -> float:
    at = exactly(**values)
    inputs = [[at["x1"], at["x2"]], [at["y1"], at["y2"]]]
    net = weighted(inputs, [[[1], [1]]], [[[at["u11"], at["u12"]]], [[at["r1"]]]])
    kernel = value_tangent_kernel(net)
    # A matrix r^2 1 + u u^T: its largest eigenvalue is the trace less the double one r^2.
    largest = kernel[0][0] + kernel[1][1] - at["r1"] ** 2
    z = (at["z1"], at["z2"])
    h, k = path_kernel(net), tangent_kernel(net)
    return float(sum(z[s] * z[t] * (largest * h[s][t] - k[s][t]) for s, t in product(range(2), repeat=2)))


def _derive_slack() -> Derivation:
    result = Eq(Symbol(r"\rho_{max}(V) z^\top H z - z^\top K z", real=True), _SQUARE, evaluate=False)
    c = _COMBINED
    steps = (
        Step(
            Eq(
                result.lhs,
                (r1**2 + u11**2 + u12**2) * (c[0] ** 2 + c[1] ** 2)
                - (r1**2 * (c[0] ** 2 + c[1] ** 2) + (u11 * c[0] + u12 * c[1]) ** 2),
                evaluate=False,
            ),
            r"$V = r_1^2 1 + u u^\top$ has the largest eigenvalue $r_1^2 + u \cdot u$, $H = X^\top X$ and "
            r"$K = X^\top V X$ with the inputs as columns of $X$",
            "definition",
        ),
        Step(result, "Lagrange's identity", "identity"),
    )
    return Derivation("path.kernel.conditioning", result, steps)


CONDITIONING = Claim(
    id="path.kernel.conditioning",
    title="The tangent kernel bounded by the path kernel",
    protocol=r"The tangent kernel is at most $\rho_{max}(V)$ times the path kernel: here the difference is a square",
    kind=Kind.EQUATION,
    statement=Eq(Symbol(r"\rho_{max}(V) z^\top H z - z^\top K z", real=True), _SQUARE, evaluate=False),
    params=(
        *INPUTS,
        *_OTHER,
        *(Param(own, sympy.S.Reals, "coefficient of an input", likely=SMALL) for own in (z1, z2)),
        FIRST[0],
        FIRST[1],
        LAST[0],
    ),
    assumptions=(
        "two inputs, two input nodes, one hidden node with an open gate, one output",
        r"in any network $z^\top K z = (\Phi z)^\top V (\Phi z) \leq \rho_{max}(V) z^\top H z$; with the eigenvector "
        r"of $H$ at $\rho_{min}(H)$ as $z$ this gives $\rho_{min}(K) \leq \rho_{min}(H) \rho_{max}(V)$",
    ),
    sources=(
        Source(
            NEURAL_PATH_KERNEL,
            "Proposition 3.3",
            note=r"the inequality $\rho_{min}(K) \leq \rho_{min}(H) \rho_{max}(V)$, by the sign of a square",
        ),
        Source(
            NEURAL_PATH_KERNEL,
            "section 3.2",
            says=Says.READ_AS,
            words="For the NTK to be well conditioned, it is necessary for the NPK to be well conditioned. This is "
            "quite intuitive, in that, the closer two inputs are, the closer are their NPFs",
            note="the remark on Proposition 3.3; the features of two close inputs that open different gates need not "
            "be close",
            condition=r"$\rho_{max}(V)$ is bounded, and close inputs open the same gates",
        ),
    ),
    **rational_by_name(_slack),
    derive=_derive_slack,
    numeric=_slack_of_the_library,
    cites=("path.kernel.tangent",),
)

# A gate that switches.
_BEFORE, _AFTER = g1, g2
_JUMP = (X[0] ** 2 + X[1] ** 2) * (h1**2 + h2**2) * (_AFTER - _BEFORE) ** 2


def _jump(at: dict[str, Fraction]) -> Fraction:
    """The squared distance of the features of all eight paths before and after, the other gate of level 1 at 1."""
    total = Fraction(0)
    for i, a, b in product(range(2), repeat=3):
        before, after = ((own, Fraction(1))[a] * at[f"h{b + 1}"] * at[f"x{i + 1}"] for own in (at["g1"], at["g2"]))
        total += (after - before) ** 2
    return total


def _jump_of_the_library(**values: float) -> float:
    at = exactly(**values)
    level_2 = [[at["h1"], at["h2"]]]
    before, after = (
        weighted([[at["x1"], at["x2"]]], [[[at[own], 1]], level_2], [[[1, 1]] * 2, [[1, 1]] * 2, [[1, 1]]])
        for own in ("g1", "g2")
    )
    return float(feature_change(before, after, 0))


SWITCH = Claim(
    id="path.kernel.switch",
    title="A gate that switches changes no feature of an input on which the other hidden level is closed",
    kind=Kind.EQUATION,
    statement=Eq(Symbol(r"\lvert \Delta \phi \rvert^2", real=True), _JUMP, evaluate=False),
    params=(
        *INPUTS,
        Param(g1, sympy.Interval(0, 1), "gate of level 1 before", (Integer(0), Integer(1))),
        Param(g2, sympy.Interval(0, 1), "the same gate after", (Integer(0), Integer(1))),
        gate(h1, 2),
        gate(h2, 2),
    ),
    assumptions=(
        "two input nodes, two hidden levels of two nodes; the second node of level 1 keeps its gate",
        "with $h_1 = h_2 = 0$ the features stay as they are, so a switch of a gate need not be a switching instant",
    ),
    sources=(
        Source(
            NEURAL_PATH_KERNEL,
            "section 3.1",
            note="Definition 3.3, which Proposition 3.2 uses, asks for a feature that changes",
            says=Says.UNSTATED,
            misprint=SWITCHES,
        ),
    ),
    **rational_by_name(_jump),
    numeric=_jump_of_the_library,
    drawn=10,
    unchecked={Level.SYMBOLIC: "the features of all paths are listed; no chain of steps adds them up"},
)

CLAIMS = (SENSITIVITY, TANGENT, SIGNAL_WIRE, CONDITIONING, SWITCH)
