"""Gates that learn: the tangent kernel of the strengths and that of the activations. Deep gated networks, section 3."""

from fractions import Fraction
from itertools import product

import sympy
from sympy import Eq, Integer, Interval, Symbol

from theory.claims.areas.path._networks import SMALL, SOFT, Dual, derivative
from theory.claims.areas.path.output import exactly
from theory.claims.documents import DEEP_GATED_NETWORKS, NEURAL_PATH_KERNEL
from theory.claims.model import Claim, Kind, Level, Param
from theory.claims.rational import rational_by_name
from theory.claims.sources import Says, Source
from theory.paths import adaptation_kernel, sensitivity_overlap, tangent_kernel, weighted

x, y = sympy.symbols("x y", real=True)
u, w, r, f, e = sympy.symbols("u w r f e", real=True)
# Of the input x: gates g1, g2 of both levels and their slopes s1, s2 by the pre-activation; of x': h and t.
g1, g2, s1, s2, h1, h2, t1, t2 = sympy.symbols("g1 g2 s1 s2 h1 h2 t1 t2", real=True)

_INPUTS = tuple(
    Param(own, sympy.S.Reals, doc, likely=SMALL) for own, doc in ((x, "the input $x$"), (y, "the other input $x'$"))
)
_WEIGHTS = tuple(Param(own, sympy.S.Reals, f"weight of layer {k}", likely=SMALL) for k, own in enumerate((u, w, r), 1))
_GATING = tuple(
    Param(own, sympy.S.Reals, f"weight of the gating network, layer {k}", likely=SMALL)
    for k, own in enumerate((f, e), 1)
)
_SOFT = tuple(
    Param(own, domain, f"{kind} of level {level} on {of}", likely=likely)
    for of, symbols in (("$x$", (g1, g2, s1, s2)), ("$x'$", (h1, h2, t1, t2)))
    for own, domain, kind, level, likely in zip(
        symbols,
        (Interval(0, 1), Interval(0, 1), sympy.S.Reals, sympy.S.Reals),
        ("gate", "gate", "slope of the gate by its pre-activation,", "slope of the gate by its pre-activation,"),
        (1, 2, 1, 2),
        (SOFT, SOFT, SMALL, SMALL),
        strict=True,
    )
)
_ONE_NODE = "one input node, two hidden levels of one node, one output"
_SOFT_GATES = (
    "gates are smooth functions of the pre-activations of the gating network; their values and slopes at the weights "
    "are given, and nothing else of them enters the gradient"
)


def _activation_slopes(input_: sympy.Symbol, gates: tuple, slopes: tuple, first, second) -> tuple:
    """The slopes of the product of both gates by the two weights of the gating network."""
    inner = input_ * (gates[0] + first * input_ * slopes[0])  # of z_1 = q_1 G_1(q_1) by the first weight
    by_first = slopes[0] * input_ * gates[1] + gates[0] * slopes[1] * second * inner
    by_second = gates[0] * slopes[1] * first * input_ * gates[0]
    return by_first, by_second


def _strength(input_: sympy.Symbol, gates: tuple) -> tuple:
    """The slopes of the output by the weights of the path, gates fixed."""
    return tuple(input_ * gates[0] * gates[1] * own for own in (w * r, u * r, u * w))


def _activation(input_: sympy.Symbol, gates: tuple, slopes: tuple, first, second) -> tuple:
    """The slopes of the output by the weights of the gating network, path values fixed."""
    return tuple(input_ * u * w * r * own for own in _activation_slopes(input_, gates, slopes, first, second))


def _dot(one: tuple, other: tuple) -> sympy.Expr:
    return sum(a * b for a, b in zip(one, other, strict=True))


_DECOUPLED = _dot(_strength(x, (g1, g2)), _strength(y, (h1, h2))) + _dot(
    _activation(x, (g1, g2), (s1, s2), f, e), _activation(y, (h1, h2), (t1, t2), f, e)
)
_TWIN_X = tuple(
    a + b for a, b in zip(_strength(x, (g1, g2)), (*_activation(x, (g1, g2), (s1, s2), u, w), 0), strict=True)
)
_TWIN_Y = tuple(
    a + b for a, b in zip(_strength(y, (h1, h2)), (*_activation(y, (h1, h2), (t1, t2), u, w), 0), strict=True)
)
_COUPLED = _dot(_TWIN_X, _TWIN_Y)


def _gradient(at: dict[str, Fraction], of: str) -> list[Fraction]:
    """dy/d(u, w, r, f, e) in dual numbers, with gates that are straight lines of the given values and slopes."""
    input_, gate, slope = {"x": ("x", "g", "s"), "y": ("y", "h", "t")}[of]
    given = at[input_]
    reached = [at["f"] * given, at["e"] * at["f"] * given * at[f"{gate}1"]]

    def opened(q: Dual, level: int) -> Dual:
        change = q + Dual(-reached[level - 1])
        return Dual(at[f"{gate}{level}"]) + Dual(at[f"{slope}{level}"]) * change

    def output(weights: list[Dual]) -> Dual:
        first, second, last, gating, following = weights
        q = gating * Dual(given)
        one = opened(q, 1)
        two = opened(following * (q * one), 2)
        return last * (two * (second * (one * (first * Dual(given)))))

    numbers = [at[name] for name in "uwrfe"]
    return [derivative(output, numbers, which) for which in range(5)]


def _decoupled(at: dict[str, Fraction]) -> Fraction:
    return sum((a * b for a, b in zip(_gradient(at, "x"), _gradient(at, "y"), strict=True)), start=Fraction(0))


def _coupled(at: dict[str, Fraction]) -> Fraction:
    """The same network, whose gating weights are the weights: the slopes of a pair add up."""
    shared = {**at, "f": at["u"], "e": at["w"]}
    total = Fraction(0)
    for one, other in ((_gradient(shared, "x"), _gradient(shared, "y")),):
        folded = [[own[0] + own[3], own[1] + own[4], own[2]] for own in (one, other)]
        total += sum(a * b for a, b in zip(*folded, strict=True))
    return total


def _network(at: dict[str, Fraction]):
    gates = [[[at["g1"]], [at["h1"]]], [[at["g2"]], [at["h2"]]]]
    return weighted([[at["x"]], [at["y"]]], gates, [[[at["u"]]], [[at["w"]]], [[at["r"]]]])


def _gate_slopes(at: dict[str, Fraction]) -> list:
    """The slopes of the gates by the weights f, e of the gating network: input, weight, level, node."""
    found = []
    for input_, gate, slope in (("x", "g", "s"), ("y", "h", "t")):
        given, first = at[input_], at[f"{gate}1"]
        after = given * (first + at["f"] * given * at[f"{slope}1"])
        by_first = [[at[f"{slope}1"] * given], [at[f"{slope}2"] * at["e"] * after]]
        found.append([by_first, [[Fraction(0)], [at[f"{slope}2"] * at["f"] * given * first]]])
    return found


def _split_of_the_library(**values: float) -> float:
    at = exactly(**values)
    net = _network(at)
    return float(tangent_kernel(net)[0][1] + adaptation_kernel(net, _gate_slopes(at))[0][1])


DECOUPLED = Claim(
    id="path.split.decoupled",
    title="The tangent kernel where gates have weights of their own",
    protocol="With weights of its own for the gates the tangent kernel is one of strengths plus one of activations",
    kind=Kind.EQUATION,
    statement=Eq(Symbol("K(x, x')", real=True), _DECOUPLED, evaluate=False),
    params=(*_INPUTS, *_WEIGHTS, *_GATING, *_SOFT),
    assumptions=(_ONE_NODE, _SOFT_GATES),
    sources=(
        Source(DEEP_GATED_NETWORKS, "section 3", printed=_DECOUPLED, note="soft-GaLU, $K_t = K_t^w + K_t^a$"),
        Source(DEEP_GATED_NETWORKS, "section 1", printed=_DECOUPLED, note="the fourth and the fifth Conceptual Gain"),
        Source(
            NEURAL_PATH_KERNEL,
            "Proposition 4.1",
            printed=_DECOUPLED,
            note="$K^V + K^F$ of the error dynamics with trained gates; with fixed gates $K^V$ alone",
        ),
    ),
    **rational_by_name(_decoupled),
    numeric=_split_of_the_library,
    unchecked={Level.SYMBOLIC: "dual numbers give the gradient of the network at drawn points"},
)

COUPLED = Claim(
    id="path.split.coupled",
    title="The tangent kernel where the same weights make the gates",
    protocol="Where the same weights make the gates, the tangent kernel has products of strength and activation "
    "slopes as well",
    kind=Kind.EQUATION,
    statement=Eq(Symbol("K(x, x')", real=True), _COUPLED, evaluate=False),
    params=(*_INPUTS, *_WEIGHTS, *_SOFT),
    assumptions=(
        _ONE_NODE,
        _SOFT_GATES,
        r"the factors are the columns of $\Psi^w + \Psi^a$, so that the product is $K^w + K^a$ and both cross terms",
    ),
    sources=(
        Source(
            DEEP_GATED_NETWORKS,
            "section 3",
            printed=_COUPLED,
            note=r"soft-ReLU; the paper writes the products $\Psi^\top \Psi$ without their transposes",
        ),
    ),
    **rational_by_name(_coupled),
    drawn=16,
    unchecked={
        Level.SYMBOLIC: "dual numbers give the gradient of the network at drawn points",
        Level.FLOATING: "the library has the two kernels, not their cross terms",
    },
)

# The sensitivity delta of two levels of two nodes, by one weight of the gating network.
a1, a2, b1, b2, c1, c2, d1, d2 = sympy.symbols("a1 a2 b1 b2 c1 c2 d1 d2", real=True)
i1, i2, j1, j2, k1, k2, l1, l2 = sympy.symbols("i1 i2 j1 j2 k1 k2 l1 l2", real=True)
_LEVELS = (((a1, a2), (b1, b2), (i1, i2), (j1, j2)), ((c1, c2), (d1, d2), (k1, k2), (l1, l2)))


def _products(level: tuple) -> tuple:
    """<G, G'>, <dG, dG'>, <dG, G'> and <G, dG'> of a level."""
    one, other, slope, other_slope = level
    return _dot(one, other), _dot(slope, other_slope), _dot(slope, other), _dot(one, other_slope)


(_C1, _D1, _M1, _N1), (_C2, _D2, _M2, _N2) = (_products(level) for level in _LEVELS)
_DELTA = _D1 * _C2 + _C1 * _D2 + _M1 * _N2 + _N1 * _M2


def _delta_by_paths(at: dict[str, Fraction]) -> Fraction:
    """The sum over the four hidden paths of the products of both slopes of the activity."""
    first = (("a", "i", "c", "k"), ("b", "j", "d", "l"))
    total = Fraction(0)
    for one, two in product("12", repeat=2):
        slopes = [
            at[gate + one] * at[slope_2 + two] + at[slope + one] * at[gate_2 + two]
            for gate, slope, gate_2, slope_2 in first
        ]
        total += slopes[0] * slopes[1]
    return total


def _delta_of_the_library(**values: float) -> float:
    at = exactly(**values)

    def pair(name: str) -> list[Fraction]:
        return [at[f"{name}1"], at[f"{name}2"]]

    gates = [[pair("a"), pair("b")], [pair("c"), pair("d")]]
    net = weighted([[1], [1]], gates, [[[1], [1]], [[1, 1], [1, 1]], [[1, 1]]])
    return float(sensitivity_overlap(net, [[[pair("i"), pair("k")]], [[pair("j"), pair("l")]]])[0][1])


SENSITIVITY = Claim(
    id="path.split.sensitivity",
    title=r"The sensitivity $\delta$ is a sum of products over the levels, without an enumeration of paths",
    kind=Kind.EQUATION,
    statement=Eq(Symbol(r"\delta(x, x')", real=True), _DELTA, evaluate=False),
    params=tuple(
        Param(own, sympy.S.Reals, f"{kind} of level {level} on {of}", (Integer(0),), SMALL)
        for level, groups in enumerate(_LEVELS, 1)
        for group, kind, of in zip(
            groups,
            ("gate", "gate", "slope of a gate", "slope of a gate"),
            ("$x$", "$x'$", "$x$", "$x'$"),
            strict=True,
        )
        for own in group
    ),
    assumptions=(
        "two hidden levels of two nodes; one weight of the gating network, over which Definition 3.1 sums",
        "with more levels: the slopes of both inputs fall on one level or on two, and all others have the overlap",
    ),
    sources=(
        Source(
            DEEP_GATED_NETWORKS,
            "Definition 3.1",
            note="the paper defines it as a sum over paths, and has no product over levels",
            says=Says.UNSTATED,
        ),
    ),
    **rational_by_name(_delta_by_paths),
    numeric=_delta_of_the_library,
    unchecked={Level.SYMBOLIC: "the paths are enumerated at drawn points; the product rule is one step"},
)

CLAIMS = (DECOUPLED, COUPLED, SENSITIVITY)
