"""The mean of the neural tangent kernel with fixed gates: two papers' theorems."""

from fractions import Fraction
from math import factorial

import sympy
from sympy import Eq, Integer, Interval, Range, Rational, S

from theory.claims.areas.kernel import _given, _signs
from theory.claims.areas.kernel._layers import difference
from theory.claims.documents import DEEP_GATED_NETWORKS, NEURAL_PATH_KERNEL
from theory.claims.misprints import LAYERS_OF_THE_MEAN
from theory.claims.model import Claim, Kind, Level, Param, Point
from theory.claims.points import exact_values
from theory.claims.rational import rational, rational_by_name
from theory.claims.sources import Says, Source
from theory.kernels import GatedNetwork, GivenValues
from theory.kernels import mean as library_mean

a, b, d, w = sympy.symbols("a b d w", integer=True, positive=True)
V = sympy.Symbol("V", positive=True)  # sigma^2
u, v = sympy.symbols("u v", real=True)


def _gates(at: dict[str, Fraction]) -> tuple[_signs.Gates, _signs.Gates]:
    """Open on the first a nodes of a level for x, and on the last b for x'."""
    width = int(at["w"])
    return tuple(int(i < at["a"]) for i in range(width)), tuple(int(i >= width - at["b"]) for i in range(width))


def _over_signs(point: Point) -> Fraction:
    at = exact_values(point)
    means = _signs.coefficients(int(at["d"]), *_gates(at))
    x, other = (1, at["u"]), (at["v"], 1)
    total = sum(x[i] * means[i][j] * other[j] for i in range(2) for j in range(2))
    return total * at["V"] ** (int(at["d"]) - 1)


def _in_float64(w: int, d: int, a: int, b: int, u: float, v: float, V: float) -> float:
    rows = _gates({"w": Fraction(w), "a": Fraction(a), "b": Fraction(b)})
    network = GatedNetwork([[1, Fraction(u)], [Fraction(v), 1]], (GivenValues(rows),) * (d - 1))
    return float(library_mean(network, (0, 1))) * V ** (d - 1)


_FORMULA = d * V ** (d - 1) * (u + v) * (a + b - w) ** (d - 1)
_READ = (
    r"$\lambda_0$ is the number of paths from an input node that both inputs open, here $(a + b - w)^{d-1}$, and "
    r"$V = \sigma^2$"
)

VALUE = Claim(
    id="kernel.mean.value",
    title="The mean of the tangent kernel with fixed gates",
    protocol="The mean of the tangent kernel with fixed gates: depth times input product times the number of shared "
    "paths",
    kind=Kind.EQUATION,
    statement=Eq(sympy.Symbol(r"\mathbb{E} K_0(x, x')", real=True), _FORMULA, evaluate=False),
    params=(
        Param(w, S.Naturals, "nodes of each hidden level", (Integer(1), Integer(3)), Range(1, 4)),
        Param(d, S.Naturals, "layers of weights", (Integer(1), Integer(3)), Range(1, 4)),
        Param(a, S.Naturals, "nodes of a level that $x$ opens", (Integer(3),), Range(1, 4)),
        Param(b, S.Naturals, "nodes of a level that $x'$ opens", (Integer(3),), Range(1, 4)),
        Param(u, S.Reals, "second entry of $x$", (), Interval(-3, 3)),
        Param(v, S.Reals, "first entry of $x'$", (), Interval(-3, 3)),
        Param(V, Interval.open(0, sympy.oo), r"$\sigma^2$, the variance of a weight", (Rational(1, 2),)),
    ),
    conditions=(a <= w, b <= w, a + b > w),
    assumptions=(
        r"weights are independent, $\sigma$ or $-\sigma$ with probability 1/2 each, and independent of the gates",
        "two input nodes, one output, equal hidden levels; $x = (1, u)$ opens the first $a$ nodes of each level, "
        "$x' = (v, 1)$ the last $b$",
    ),
    sources=(
        *(
            Source(DEEP_GATED_NETWORKS, label, printed=_FORMULA, note=_READ)
            for label in ("section 1", "Theorem 2.3", "Theorem 7.3")
        ),
        Source(
            DEEP_GATED_NETWORKS,
            "(10)",
            printed=_FORMULA,
            note="the sum over marks and paths, before it is evaluated",
            misprint=LAYERS_OF_THE_MEAN,
        ),
        Source(
            NEURAL_PATH_KERNEL,
            "Theorem 5.1",
            printed=_FORMULA,
            note=r"$d \sigma^{2(d-1)} H$, $H$ the inner product times the number of shared paths; the theorem states "
            r"it as a limit for $w \to \infty$, and it is the mean at every width. The distance from the mean vanishes "
            r"at a fixed depth where $\sigma^2$ is of the order $1/w$, as the section chooses it",
        ),
    ),
    **rational(_over_signs),
    numeric=_in_float64,
    drawn=10,
    unchecked={Level.SYMBOLIC: "all signs of the weights are enumerated; no chain of steps derives the mean"},
)

k, e, f = sympy.symbols("k e f", integer=True, nonnegative=True)
_BLOCKS = ((k, "both inputs open", 1, 2), (e, "$x$ alone opens", 0, 1), (f, "$x'$ alone opens", 0, 1))


def _relative_second_moment(at: dict[str, Fraction]) -> Fraction:
    """The limit of E K0^2 / (E K0)^2 as all three blocks of nodes grow by one factor m.

    E K0^2 is a sum over paths with at most two different nodes of a block at each level, so a polynomial in m of degree
    2(d - 1); that of (E K0)^2 has the coefficient (d k^(d-1))^2.
    """
    depth, (both, one, other) = int(at["d"]), (int(at[name]) for name in "kef")
    degree = 2 * (depth - 1)
    values = [
        _given.second_moment(
            depth,
            (1,) * (both + one) * m + (0,) * other * m,
            (1,) * both * m + (0,) * one * m + (1,) * other * m,
        )
        for m in range(1, degree + 1)
    ]
    if depth == 1:
        return Fraction(_given.second_moment(1, (), ()))
    return Fraction(difference([0, *values]), factorial(degree)) / (depth * both ** (depth - 1)) ** 2


LIMIT = Claim(
    id="kernel.mean.limit",
    title="Convergence of the tangent kernel with fixed gates to its mean",
    protocol="The tangent kernel with fixed gates converges to its mean relative to it, at a fixed depth and for "
    "inputs "
    "that share open nodes in proportion to the width",
    kind=Kind.ASYMPTOTIC,
    statement=Eq(
        sympy.Symbol(r"\lim_{w \to \infty} \frac{\mathbb{E}[K_0(x, x')^2]}{(d \sigma^{2(d-1)} H(x, x'))^2}", real=True),
        Integer(1),
        evaluate=False,
    ),
    params=(
        Param(d, S.Naturals, "layers of weights", (Integer(1), Integer(3)), Range(1, 4)),
        *(
            Param(own, S.Naturals0, f"share of the nodes of a level that {doc}", (), Range(least, most + 1))
            for own, doc, least, most in _BLOCKS
        ),
    ),
    conditions=(k >= 1,),
    assumptions=(
        r"weights are independent, $\sigma$ or $-\sigma$ with probability 1/2 each, and independent of the gates",
        "$x = x' = 1$, one input node, one output; of $w = (k + e + f) m$ nodes of each level both inputs open $k m$, "
        "and $m$ grows",
        r"the mean is $d \sigma^{2(d-1)} H$ at every width, so that the relative distance from it tends to 0 in mean "
        "square",
    ),
    sources=(
        Source(
            NEURAL_PATH_KERNEL,
            "Theorem 5.1",
            printed=Integer(1),
            says=Says.READ_AS,
            words=r"as $w \to \infty$, $K_{\Theta_0^{DGN}} \to K_{FNPF}^{(d)} = d \cdot \sigma^{2(d-1)} H_{FNPF}$",
            note=r"then the variance is $O(1/w)$ for every pair of inputs and all gates in $[0, 1]$. Relative to the "
            r"limit it vanishes where also $\langle x, x' \rangle \neq 0$ and the share of common open nodes of each "
            "level stays above 0, as it does here. With one common open node in each level and a growing number of "
            "others the relative variance grows from $d = 3$ on. For orthogonal inputs with all gates open the limit "
            r"is 0 and the variance is not. Where $\sigma$ is fixed and all gates are open, the variance grows without "
            "bound from $d = 3$ on",
            condition=r"$\sigma^2$ is of the order $1/w$, as the section chooses it, and $d$ is fixed",
        ),
    ),
    **rational_by_name(_relative_second_moment),
    drawn=8,
    cites=("kernel.mean.value",),
    unchecked={
        Level.SYMBOLIC: "leading coefficients of polynomials in the width, from their values in fractions",
        Level.FLOATING: "the library evaluates the moments at a finite width, not the limit",
    },
)

CLAIMS = (VALUE, LIMIT)
