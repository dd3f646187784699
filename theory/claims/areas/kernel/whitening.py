"""Whitening of the mean: deep gated networks, section 2 and equation (5), with the eigenvalues of the mean kernel."""

from fractions import Fraction
from math import isqrt

import sympy
from flint import fmpq, fmpq_mat, fmpq_poly
from sympy import Eq, Integer, Interval, Range, Rational, S

from theory.claims.areas.kernel import _gates, _random
from theory.claims.areas.kernel._symbols import BY_COUNTING, OPEN, d, layers, mu, nodes
from theory.claims.documents import DEEP_GATED_NETWORKS
from theory.claims.misprints import FIRST_PLOT
from theory.claims.model import Claim, Kind, Level, Param
from theory.claims.rational import rational_by_name
from theory.claims.sources import Says, Source
from theory.kernels import BernoulliGates, GatedNetwork, equal_inputs_spectrum
from theory.kernels import mean as library_mean

r = sympy.Symbol("r", real=True)
n = sympy.Symbol("n", integer=True, positive=True)

_SETTING = (
    r"weights are independent, $\pm 1/\sqrt{\mu w}$ with probability 1/2 each",
    r"gates are independent, for each node and each input, and open with probability $\mu$",
)
_UNCHECKED = {Level.SYMBOLIC: BY_COUNTING}


def _entry(at: dict[str, Fraction]) -> Fraction:
    """E K0(x, x')/d for two inputs 1 with gates of their own."""
    width, depth = int(at["w"]), int(at["d"])
    *sums, choices = _random.sums(width, depth)
    return _gates.mean(tuple(sums), at["mu"]) / choices / (at["mu"] * width) ** (depth - 1) / depth


def _entry_in_float64(w: int, d: int, mu: float, r: float) -> float:
    network = GatedNetwork([[1], [Fraction(r)]], [BernoulliGates(w, Fraction(mu))] * (d - 1))
    return float(library_mean(network, (0, 1)) / (Fraction(mu) * w) ** (d - 1) / d)


ENTRY = Claim(
    id="kernel.whitening.entry",
    title="The mean of an entry of two inputs with Bernoulli gates falls as a power of the depth",
    kind=Kind.EQUATION,
    statement=Eq(sympy.Symbol(r"\frac{1}{d} \mathbb{E} K_0(x, x')", real=True), r * mu ** (d - 1), evaluate=False),
    params=(
        nodes(1, 2),
        layers(1, 3),
        OPEN,
        Param(r, S.Reals, r"$\langle x, x' \rangle$", (Integer(1),), Interval(-3, 3)),
    ),
    assumptions=(*_SETTING, "$x = 1$, $x' = r$, one input node, one output"),
    sources=(
        Source(DEEP_GATED_NETWORKS, "section 2", printed=r * mu ** (d - 1), note="the matrix before Experiment 1"),
        Source(DEEP_GATED_NETWORKS, "(5)", printed=r * mu ** (d - 1), note="with all inputs 1, $r = 1$"),
    ),
    **rational_by_name(lambda at: at["r"] * _entry(at)),
    numeric=_entry_in_float64,
    unchecked=_UNCHECKED,
)


def _eigenvalues(at: dict[str, Fraction]) -> list[Fraction]:
    """The roots of the characteristic polynomial of E K0/d for n inputs 1, ascending, each as often as it occurs."""
    count, off = int(at["n"]), _entry(at)
    counts = _gates.overlaps(int(at["w"]), int(at["d"]) - 1, False)
    own = _gates.mean(counts, at["mu"]) / (at["mu"] * at["w"]) ** (int(at["d"]) - 1)
    entries = [_flint(own if i == j else off) for i in range(count) for j in range(count)]
    _, factors = fmpq_poly(fmpq_mat(count, count, entries).charpoly().coeffs()).factor()
    found = []
    for factor, times in factors:
        constant, slope = (Fraction(int(value.p), int(value.q)) for value in factor.coeffs())
        found += [-constant / slope] * times
    return sorted(found)


def _flint(value: Fraction) -> fmpq:
    return fmpq(value.numerator, value.denominator)


_INPUTS = Param(n, S.Naturals, "inputs", (Integer(2), Integer(6)), Range(2, 7))
_ALL_ONE = (*_SETTING, r"$n \geq 2$ inputs $x_s = 1$, one input node, one output")

LARGEST = Claim(
    id="kernel.whitening.largest",
    title="The largest eigenvalue of the mean kernel of equal inputs",
    kind=Kind.EQUATION,
    statement=Eq(sympy.Symbol(r"\rho_{\max}", real=True), 1 + (n - 1) * mu ** (d - 1), evaluate=False),
    params=(nodes(1, 2), layers(1, 3), OPEN, _INPUTS),
    assumptions=_ALL_ONE,
    sources=(
        Source(
            DEEP_GATED_NETWORKS,
            "section 2",
            printed=1 + (n - 1) * mu ** (d - 1),
            note="after (5), and as the last step of the cumulative eigenvalues",
        ),
    ),
    **rational_by_name(lambda at: _eigenvalues(at)[-1]),
    numeric=lambda d, mu, n, **_width: float(equal_inputs_spectrum(n, d, Fraction(mu)).largest),
    unchecked=_UNCHECKED,
)


def _smallest(at: dict[str, Fraction]) -> Fraction:
    """The smallest eigenvalue. Raises ArithmeticError unless it occurs n - 1 times, or n times where all are equal."""
    found = _eigenvalues(at)
    if found.count(found[0]) not in (int(at["n"]) - 1, int(at["n"])):
        raise ArithmeticError(f"the smallest eigenvalue occurs {found.count(found[0])} times for n = {at['n']}")
    return found[0]


SMALLEST = Claim(
    id="kernel.whitening.smallest",
    title="The smallest eigenvalue of the mean kernel of equal inputs",
    protocol="The smallest eigenvalue of the mean kernel of equal inputs, which occurs once less than there are inputs",
    kind=Kind.EQUATION,
    statement=Eq(sympy.Symbol(r"\rho_{\min}", real=True), 1 - mu ** (d - 1), evaluate=False),
    params=(nodes(1, 2), layers(1, 3), OPEN, _INPUTS),
    assumptions=_ALL_ONE,
    sources=(
        Source(
            DEEP_GATED_NETWORKS,
            "section 2",
            printed=1 - mu ** (d - 1),
            note="after (5), and as each step but the last of the cumulative eigenvalues",
            misprint=FIRST_PLOT,
        ),
    ),
    **rational_by_name(_smallest),
    numeric=lambda d, mu, n, **_width: float(equal_inputs_spectrum(n, d, Fraction(mu)).smallest),
    unchecked=_UNCHECKED,
)

s, t = sympy.symbols("s t", positive=True)


def _lowered(at: dict[str, Fraction]) -> Fraction:
    """The mean of the smallest eigenvalues of both matrices, by their quadratic equations, less that of their mean."""

    def smallest(first: Fraction, last: Fraction, other: Fraction) -> Fraction:
        square = (first + last) ** 2 - 4 * (first * last - other**2)
        root = Fraction(isqrt(square.numerator), isqrt(square.denominator))
        if root**2 != square:
            raise ArithmeticError(f"{square} is not the square of a fraction")
        return (first + last - root) / 2

    noise, entry = 2 * at["t"] * at["s"] / (1 + at["t"] ** 2), (1 - at["t"] ** 2) * at["s"] / (1 + at["t"] ** 2)
    both = (smallest(1 + sign * noise, 1 - sign * noise, entry) for sign in (1, -1))
    return sum(both) / 2 - smallest(Fraction(1), Fraction(1), entry)


LOWERED = Claim(
    id="kernel.whitening.lowered",
    title="Noise lowers the smallest eigenvalue in the mean",
    kind=Kind.EQUATION,
    statement=Eq(
        sympy.Symbol(r"\mathbb{E} \rho_{\min}(K) - \rho_{\min}(\mathbb{E} K)", real=True),
        -2 * s * t**2 / (1 + t**2),
        evaluate=False,
    ),
    params=(
        Param(s, Interval.open(0, 1), "size of noise and entry together", (Rational(1, 2),)),
        Param(t, Interval.open(0, 1), "tangent of half of their angle", (Rational(1, 3),)),
    ),
    assumptions=(
        "two inputs; the diagonal is $1 + e$ and $1 - e$ or $1 - e$ and $1 + e$ with probability 1/2 each, the entry "
        "off it is $c$, with $e = 2 t s/(1 + t^2)$ and $c = (1 - t^2) s/(1 + t^2)$",
        r"for any number of inputs and any law $\mathbb{E} \rho_{\min}(K) \leq \rho_{\min}(\mathbb{E} K)$, because "
        r"$\rho_{\min}$ is concave",
    ),
    sources=(
        Source(
            DEEP_GATED_NETWORKS,
            "section 2",
            says=Says.READ_AS,
            words="Thus the structure of the Gram matrix degrades from (5), leading to smaller eigenvalues.",
            condition="the smallest eigenvalue is meant, in the mean: the mean of all of them is that of the diagonal",
        ),
    ),
    **rational_by_name(_lowered),
    unchecked={
        Level.SYMBOLIC: "two quadratic equations are solved in fractions; no chain of steps repeats it",
        Level.FLOATING: "the library has the spectrum of the mean kernel",
    },
)

CLAIMS = (ENTRY, LARGEST, SMALLEST, LOWERED)
