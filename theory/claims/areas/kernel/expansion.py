"""The sums over paths in the proof of Theorem 2.3 of deep gated networks: (11), (12) and the Facts on their terms."""

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from itertools import product
from typing import Any

import sympy
from sympy import Eq, Integer, Interval, Range, Rational, S, oo

from theory.claims.areas.kernel import _layers, _paths, _signs
from theory.claims.areas.kernel._symbols import BY_COUNTING, VARIANCE, V, d, layers, nodes, w
from theory.claims.documents import DEEP_GATED_NETWORKS
from theory.claims.misprints import LAYERS_OF_PRODUCTS, MIDDLE_LAYERS, SQUARE_OF_THE_MEAN
from theory.claims.model import Claim, Kind, Level, Param
from theory.claims.rational import rational_by_name
from theory.claims.slips import ADJACENT_WEIGHTS, charged
from theory.claims.sources import Says, Source

k = sympy.Symbol("k", integer=True, nonnegative=True)
T = sympy.Symbol("T", positive=True)  # sigma^4

_COUNTED = {
    Level.SYMBOLIC: BY_COUNTING,
    Level.FLOATING: "a step of a proof: the library sums over partitions of paths and never over single ones",
}
_SIGNS = r"weights are independent, $\sigma$ or $-\sigma$ with probability 1/2 each; $V = \sigma^2$"
_ONE = "$x = x' = 1$, one input node, one output, all gates open"
_DEPTH = 3
_THREE = f"{_ONE}, $d = {_DEPTH}$"
_TERM = (
    r"a term of (12) has two marked weights $\theta(m)$, $\theta(m')$, paths $p_1$, $p_2$ through the first and $p_3$, "
    r"$p_4$ through the second, and the mean of the weights of the four paths without the marked ones"
)

Four = tuple[_paths.Path, _paths.Path, _paths.Path, _paths.Path]


@lru_cache(maxsize=16)
def _surviving(width: int, depth: int) -> tuple[tuple[Four, int], ...]:
    """The terms of E K0^2 whose mean is not 0: the four paths, and how often a weight remains in the product."""
    return tuple(_terms(_paths.paths(1, width, depth), depth))


def _terms(own: list[_paths.Path], depth: int) -> Iterator[tuple[Four, int]]:
    edges = {path: _paths.edges(path) for path in own}
    for first, second in product(range(depth), repeat=2):
        pairs = [
            [pair for pair in product(own, repeat=2) if edges[pair[0]][layer] == edges[pair[1]][layer]]
            for layer in (first, second)
        ]
        for one, other in product(*pairs):
            left = [edge for path in one for edge in edges[path] if edge[0] != first]
            left += [edge for path in other for edge in edges[path] if edge[0] != second]
            if all(count % 2 == 0 for count in Counter(left).values()):
                yield (*one, *other), len(left)


def _mean(at: dict[str, Fraction]) -> Fraction:
    open_ = (1,) * int(at["w"])
    return _signs.coefficients(_DEPTH, open_, open_)[0][0] * at["V"] ** (_DEPTH - 1)


SQUARE = Claim(
    id="kernel.expansion.square",
    title="The square of the mean kernel in the proof of Theorem 2.3",
    kind=Kind.EQUATION,
    statement=Eq(sympy.Symbol(r"\mathbb{E}[K_0]^2", real=True), 9 * w**4 * V**4, evaluate=False),
    params=(nodes(1, 3), VARIANCE),
    assumptions=(_SIGNS, _THREE),
    sources=(
        Source(
            DEEP_GATED_NETWORKS,
            "(11)",
            printed=9 * w**4 * V**4,
            note="the first form of (11), the product of two sums of (10), summed for $d = 3$",
            misprint=LAYERS_OF_PRODUCTS["(11)"],
        ),
    ),
    **rational_by_name(lambda at: _mean(at) ** 2),
    drawn=8,
    unchecked=_COUNTED,
)

_AT_DEPTH_THREE = V**4 * (9 * w**4 + 4 * w**3 - 4 * w**2)
SECOND = Claim(
    id="kernel.expansion.second",
    title="The second moment of the kernel of three layers in the proof of Theorem 2.3",
    kind=Kind.EQUATION,
    statement=Eq(sympy.Symbol(r"\mathbb{E}[K_0^2]", real=True), _AT_DEPTH_THREE, evaluate=False),
    params=(nodes(1, 5), VARIANCE),
    assumptions=(_SIGNS, _THREE, "`kernel.variance.value` has it at every depth"),
    sources=(
        Source(
            DEEP_GATED_NETWORKS,
            "(12)",
            printed=_AT_DEPTH_THREE,
            note="summed for $d = 3$ with the layers of the first form of (11)",
            misprint=LAYERS_OF_PRODUCTS["(12)"],
        ),
    ),
    **rational_by_name(lambda at: _layers.second_moment(int(at["w"]), _DEPTH, _layers.SIGNS) * at["V"] ** 4),
    drawn=8,
    unchecked=_COUNTED,
)


def _size_of_terms(at: dict[str, Fraction]) -> Fraction:
    """The value of every term that survives. Raises ArithmeticError where two of them differ."""
    counts = {count for _, count in _surviving(int(at["w"]), int(at["d"]))}
    if len(counts) != 1:
        raise ArithmeticError(f"terms with {sorted(counts)} weights survive")
    return at["T"] ** Fraction(counts.pop(), 4)


TERM = Claim(
    id="kernel.expansion.term",
    title="Every term of the second moment that is not 0 has the same size",
    kind=Kind.EQUATION,
    statement=Eq(
        sympy.Symbol(r"\mathbb{E}[\varphi_{p_1} \varphi_{p_2} \varphi_{p_3} \varphi_{p_4}]", real=True),
        T ** (d - 1),
        evaluate=False,
    ),
    params=(
        nodes(1, 2),
        layers(1, 4),
        Param(T, Interval.open(0, oo), r"$\sigma^4$, the fourth power of a weight", (Rational(1, 2),)),
    ),
    assumptions=(_SIGNS, _ONE, _TERM),
    sources=(
        Source(
            DEEP_GATED_NETWORKS,
            "Fact 1",
            printed=T ** (d - 1),
            note=r"the factor $\sigma^{4(d-1)}$ of a term that survives; inputs and gates multiply it",
        ),
    ),
    **rational_by_name(_size_of_terms),
    unchecked=_COUNTED,
)


def _without_base_paths(at: dict[str, Fraction]) -> int:
    """The number of terms whose weights are not twice those of two paths."""
    width, depth = int(at["w"]), int(at["d"])
    own = _paths.paths(1, width, depth)
    twice = {tuple(sorted(2 * (_paths.edges(one) + _paths.edges(other)))) for one, other in product(own, repeat=2)}
    return sum(
        tuple(sorted(edge for path in four for edge in _paths.edges(path))) not in twice
        for four, _ in _surviving(width, depth)
    )


BASE = Claim(
    id="kernel.expansion.base_paths",
    title="The weights of the terms of the second moment",
    protocol="The weights of every term of the second moment that is not 0 are those of two base paths, twice each",
    kind=Kind.EQUATION,
    statement=Eq(sympy.Symbol(r"\#\{\text{terms without base paths}\}", real=True), Integer(0), evaluate=False),
    params=(nodes(1, 2), layers(1, 4)),
    assumptions=(_ONE, _TERM),
    sources=(
        Source(
            DEEP_GATED_NETWORKS,
            "Fact 4",
            printed=Integer(0),
            says=Says.READ_AS,
            words="For any $p_1, p_2, p_3, p_4$ combination that survives the expectation in (12) can be written as",
            note="what follows are the squares of the weights of two base paths, in the product of (12) and with its "
            "slip: layer $d$ is in no product, and one marked layer is left out in place of both. It is read with the "
            "product over all layers but the marked ones. Each base path passes a marked weight, as a path through it "
            "does",
        ),
    ),
    **rational_by_name(_without_base_paths),
    unchecked=_COUNTED,
)


def _trivial(at: dict[str, Fraction]) -> Fraction:
    """The sum of the terms with p1 = p2 and p3 = p4."""
    return sum(
        (
            at["V"] ** Fraction(count, 2)
            for (p1, p2, p3, p4), count in _surviving(int(at["w"]), _DEPTH)
            if p1 == p2 and p3 == p4
        ),
        Fraction(0),
    )


TRIVIAL = Claim(
    id="kernel.expansion.cancelled",
    title="The terms of the second moment whose paths are equal in pairs add up to the square of the mean",
    kind=Kind.EQUATION,
    statement=Eq(sympy.Symbol(r"\sum_{p_1 = p_2, p_3 = p_4}", real=True), 9 * w**4 * V**4, evaluate=False),
    params=(nodes(1, 3), VARIANCE),
    assumptions=(_SIGNS, _THREE, _TERM),
    sources=(
        Source(
            DEEP_GATED_NETWORKS,
            "Fact 6",
            printed=9 * w**4 * V**4,
            note="terms of (12) with $p_1 = p_2$ and $p_3 = p_4$ cancel with (11); the others make the variance",
        ),
    ),
    **rational_by_name(_trivial),
    cites=("kernel.expansion.square",),
    unchecked=_COUNTED,
)


def _crossing(shared: int) -> tuple[_paths.Path, _paths.Path]:
    """Two base paths from one input node that share `shared` weights, none of them in an outer layer or adjacent."""
    levels = [0, 1, *[0, 0, 1] * shared, 0]  # 0 where they are at one node
    return tuple(0 for _ in levels), tuple(levels)


def _splicings(at: dict[str, Fraction]) -> Fraction:
    """Ordered quadruples with the weights of both base paths twice each, for each ordered pair with these weights."""
    one, other = _crossing(int(at["k"]))
    single = Counter(_paths.edges(one) + _paths.edges(other))
    choices = product(*({a, b} for a, b in zip(one, other, strict=True)))
    spliced = [path for path in choices if set(_paths.edges(path)) <= set(single)]

    def made(count: int) -> int:
        wanted = Counter({edge: times * count // 2 for edge, times in single.items()})
        return sum(
            Counter(edge for path in own for edge in _paths.edges(path)) == wanted
            for own in product(spliced, repeat=count)
        )

    return Fraction(made(4), made(2))


SPLICED = Claim(
    id="kernel.expansion.splicings",
    title="The number of splicings for each ordered pair of base paths that share weights",
    kind=Kind.EQUATION,
    statement=Eq(
        sympy.Symbol(r"\frac{\#\{(p_1, p_2, p_3, p_4)\}}{\#\{(\rho_a, \rho_b)\}}", real=True),
        Integer(3) ** (k + 1),
        evaluate=False,
    ),
    params=(Param(k, S.Naturals0, "weights that the base paths share", (Integer(0), Integer(2)), Range(0, 3)),),
    assumptions=(
        "the base paths share $k$ weights of middle layers, no two of them adjacent, and no node besides their ends",
        "counted are ordered quadruples of paths with the weights of both base paths twice each, without marks, for "
        "each ordered pair of base paths with these weights; the base paths themselves are among them",
    ),
    sources=(
        Source(
            DEEP_GATED_NETWORKS,
            "Fact 8",
            says=Says.READ_AS,
            words=r"For $k$ crossings of the base paths there are $4^{k+1}$ splicings possible, and those many terms "
            r"are extra in the $\mathbb{E} [K_0(s, s')^2]$ calculation in (12)",
            note=r"each segment belongs to two of the four paths in one of six ways, and a pair of base paths accounts "
            r"for two of them. Marks make the number smaller: with both marked weights in a segment, it is $3^{k-1}$ "
            r"for different segments, $3^k$ for one segment and different base paths, and 0 for one segment and one "
            "base path",
            condition="$4^{k+1}$ is an upper bound, as the Cases use it",
            misprint=SQUARE_OF_THE_MEAN,
        ),
    ),
    **rational_by_name(_splicings),
    drawn=3,
    unchecked=_COUNTED,
)

# The Cases: how many pairs of base paths cross in weights of given layers.
_PAIRS = "ordered pairs of base paths from one input node are counted"


def _crossing_in(at: dict[str, Fraction], *layers_: int) -> int:
    """The ordered pairs of paths that share the weight of each of these layers; one below 0 counts from the end."""
    weights = [_paths.edges(path) for path in _paths.paths(1, int(at["w"]), int(at["d"]))]
    return sum(all(one[layer] == other[layer] for layer in layers_) for one, other in product(weights, repeat=2))


def _case(label: str, form: sympy.Expr, note: str, **rest: Any) -> Source:
    return Source(DEEP_GATED_NETWORKS, label, printed=form, note=note, **rest)


j, m = sympy.symbols("j m", integer=True, nonnegative=True)
_CROSSING = w ** (2 * d - 2 - j - 2 * m)
CROSSINGS = Claim(
    id="kernel.expansion.crossings",
    title="Pairs of base paths that cross in weights of the outer layers, or in one of a middle layer",
    kind=Kind.EQUATION,
    statement=Eq(sympy.Symbol(r"\#\{(\rho_a, \rho_b)\}", real=True), _CROSSING, evaluate=False),
    params=(
        nodes(1, 3),
        layers(3, 4),
        Param(j, Range(3), "outer layers in which they cross: none, the first, or both", (Integer(1), Integer(2))),
        Param(m, Range(2), "middle layers in which they cross: none, or the second layer", (Integer(0),)),
    ),
    conditions=(d >= 3, Eq(j * m, 0)),
    assumptions=(f"{_PAIRS}; no weight is marked",),
    sources=(
        _case("Case 1", _CROSSING, "$j = 1$, for each outer layer; pairs that share a node alone are left out"),
        _case(
            "Case 2",
            _CROSSING,
            "$m = 1$, for each of the $d - 2$ middle layers; pairs that share a node alone are left out",
            misprint=MIDDLE_LAYERS,
        ),
        _case("Case 3", _CROSSING, "$j = 2$; pairs that share nodes alone are left out"),
    ),
    **rational_by_name(lambda at: _crossing_in(at, *(0, -1)[: int(at["j"])], *(1,) * int(at["m"]))),
    drawn=10,
    unchecked=_COUNTED,
)

_FURTHER = (
    "the factor $4 d w^{-2}$ has the share $w^{-2}$ for every middle layer; next to a crossing the share is $1/w$"
)
NEXT = Claim(
    id="kernel.expansion.next_crossing",
    title="Base paths that cross in a middle layer: the share that also crosses in the next layer",
    kind=Kind.EQUATION,
    statement=Eq(sympy.Symbol(r"\frac{\#\{l, l + 1\}}{\#\{l\}}", real=True), 1 / w, evaluate=False),
    params=(nodes(1, 3), layers(4, 4)),
    conditions=(d >= 4,),
    assumptions=(f"{_PAIRS}, which cross in the second layer, and in the second and the third", "no weight is marked"),
    sources=(
        *(
            _case(label, w**-2, _FURTHER, **charged(ADJACENT_WEIGHTS, label, 1 / w))
            for label in ("Case 4", "Case 5", "Case 6", "Case 7", "Case 8")
        ),
        _case(
            "Theorem 7.3",
            w**-2,
            r"the three sums of cases, geometric series of the ratio $4 d w^{-2}$; with neighbouring layers the ratio "
            r"is of the order $1/w + d/w^2$",
            says=Says.READ_AS,
            words="We can add the bounds for Case 1, Case 4, Case 6 and other cases obtained by adding more crossings "
            "(one at a time) in the middle layer to Case 6.",
            **charged(ADJACENT_WEIGHTS, "Theorem 7.3", 1 / w),
        ),
    ),
    **rational_by_name(lambda at: Fraction(_crossing_in(at, 1, 2), _crossing_in(at, 1))),
    drawn=4,
    cites=("kernel.proof.adjacent",),
    unchecked=_COUNTED,
)

CLAIMS = (SQUARE, SECOND, TERM, BASE, TRIVIAL, SPLICED, CROSSINGS, NEXT)
