"""The laws in which a derivation ends: one sign, two signs, signs of one common factor, and Price's theorem up to four.

With unit variances, h and k the offsets and r the correlation: E sign(z + h) = erf(h/sqrt 2); E[sign sign] is
(2/pi) asin r at h = k = 0, 4 T(h, r/sqrt(1 - r^2)) at k = 0 (Owen's T), and in general
4 Phi2(h, k, r) - 1 - erf(h/sqrt 2) - erf(k/sqrt 2), equal to +-1 - 4 T(h, a) - 4 T(k, b) for a known sign of h k.
"""

import sympy

from theory.expressions.balls.known_sign import known_sign
from theory.expressions.functions import OwensT, Phi2
from theory.expressions.symbols import z
from theory.gaussian.derive.factors import signs_of
from theory.gaussian.derive.path import is_positive, on_path, parameter
from theory.gaussian.expectation import Expectation, derivative, marginal
from theory.problem.errors import OutOfReachError

ONE = sympy.Integer(1)
BLOCKS = {2: ((0,),), 3: ((0,), (1,), (2,)), 4: ((0, 1), (0, 2), (0, 3))}


def one_sign(e: Expectation) -> sympy.Expr | None:
    """E sign(z1 + c) = erf(c/sqrt(2 v)).

    >>> one_sign(Expectation(sympy.sign(z(1) + 1), sympy.eye(1)))
    erf(sqrt(2)/2)
    """
    signs = signs_of(e.integrand)
    if signs is None or len(signs) != 1 or e.cov.rows != 1:
        return None
    return sympy.erf(signs[0][1] / sympy.sqrt(2 * e.cov[0, 0]))


def pair_of_signs(e: Expectation) -> bool:
    """Whether this is E[sign(z1) sign(z2)].

    >>> integrands = sympy.sign(z(1)) * sympy.sign(z(2)), sympy.sign(z(1) + 1) * sympy.sign(z(2))
    >>> [pair_of_signs(Expectation(integrand, sympy.eye(2))) for integrand in integrands]
    [True, False]
    """
    return e.integrand == sympy.sign(z(1)) * sympy.sign(z(2)) and e.cov.rows == 2


def arcsine(e: Expectation) -> sympy.Expr | None:
    """E[sign(z1) sign(z2)] = (2/pi) asin r.

    >>> r = sympy.Symbol("r", real=True)
    >>> arcsine(Expectation(sympy.sign(z(1)) * sympy.sign(z(2)), sympy.Matrix([[1, r], [r, 1]])))
    2*asin(r)/pi
    """
    if not pair_of_signs(e):
        return None
    return 2 / sympy.pi * sympy.asin(e.cov[0, 1] / (sympy.sqrt(e.cov[0, 0]) * sympy.sqrt(e.cov[1, 1])))


def two_signs(e: Expectation) -> sympy.Expr | None:
    """E[sign(z1 + c) sign(z2 + d)] by Owen's T, or by Phi2 where the sign of c d is not known.

    With one threshold 4 T(h, r/sqrt(1 - r^2)), here at h = 1 and r = 3/5:

    >>> r = sympy.Rational(3, 5)
    >>> two_signs(Expectation(sympy.sign(z(1) + 1) * sympy.sign(z(2)), sympy.Matrix([[1, r], [r, 1]])))
    4*owens_t(1, 3/4)
    """
    signs = signs_of(e.integrand)
    if signs is None or len(signs) != 2 or e.cov.rows != 2:
        return None
    (_, c), (_, d) = signs
    v, w, cross = e.cov[0, 0], e.cov[1, 1], e.cov[0, 1]
    h, k = c / sympy.sqrt(v), d / sympy.sqrt(w)
    # Offsets may change sign along the path of Price's theorem; only the form with Phi2 holds for all signs.
    ratio = sympy.nan if on_path(c) or on_path(d) else sympy.cancel(d / c) if c != 0 else sympy.Integer(0)
    side = None if ratio is sympy.nan else known_sign(ratio)
    if c == 0 or d == 0 or side:
        root, written = sympy.sqrt(sympy.expand(v * w - cross**2)), sympy.expand
        if v == w and sympy.gcd(v, cross).free_symbols:  # the root of the square of a factor leaves its sign open
            v, w, cross = ONE, ONE, sympy.cancel(cross / v)
            root, written = sympy.sqrt(sympy.factor(1 - cross**2)), sympy.cancel
        if root == 0:
            raise OutOfReachError(
                f"The two signs of {e.integrand} have one argument up to a factor whose sign is not known: {cross}.",
                "Give its symbols a domain, such as g>0 (--where on the command line).",
            )
        if c == 0 or d == 0:
            return 4 * OwensT(h if d == 0 else k, cross / root)
        first = OwensT(h, written(v * ratio - cross) / root)
        second = OwensT(k, written(w / ratio - cross) / root)
        return side - 4 * first - 4 * second
    r = cross / (sympy.sqrt(v) * sympy.sqrt(w))
    return 4 * Phi2(h, k, r) - 1 - sympy.erf(h / sympy.sqrt(2)) - sympy.erf(k / sympy.sqrt(2))


def common_factor(e: Expectation) -> sympy.Expr | None:
    """E of m >= 3 signs at zero whose correlations are all 1/2 is 1/(m + 1) for even m, 0 for odd m.

    Given the common factor x of z_k = sqrt(v_k) (x + x_k)/sqrt(2) each sign has the mean erf(x/sqrt 2), which is
    uniform between -1 and 1.

    >>> signs = sympy.prod([sympy.sign(z(k + 1)) for k in range(4)])
    >>> common_factor(Expectation(signs, (sympy.eye(4) + sympy.ones(4, 4)) / 2))
    1/5
    """
    signs = signs_of(e.integrand)
    if signs is None or not 3 <= len(signs) == e.cov.rows or any(offset != 0 for _, offset in signs):
        return None
    for j in range(e.cov.rows):
        for i in range(j):
            if sympy.expand(4 * e.cov[i, j] ** 2 - e.cov[i, i] * e.cov[j, j]) != 0 or not is_positive(e.cov[i, j]):
                return None
    return sympy.Rational(1 - len(signs) % 2, len(signs) + 1)


def price(e: Expectation) -> sympy.Expr | None:
    """E = E|_(t=0) + int_0^1 sum_ab r_ab E[d2f/dz_a dz_b] dt, the covariances between two blocks multiplied by t.

    The engine applies it to two signs at zero, and to three and four signs at any thresholds.

    For two signs it is the integral of four times the density at the origin along correlations t r:

    >>> r = sympy.Symbol("r", real=True)
    >>> path = price(Expectation(sympy.sign(z(1)) * sympy.sign(z(2)), sympy.Matrix([[1, r], [r, 1]])))
    >>> [integral.function for integral in path.atoms(sympy.Integral)]
    [4*r*E[DiracDelta(z1)*DiracDelta(z2); cov=[[1, r*t], [r*t, 1]]]]
    """
    signs = signs_of(e.integrand)
    if signs is None or len(signs) != e.cov.rows or e.cov.rows not in BLOCKS:
        return None
    t = parameter(e)
    first = _best_block(e.cov, [offset for _, offset in signs])
    rows = range(e.cov.rows)

    def cov_at(s: sympy.Expr) -> sympy.MatrixBase:
        crossing = [[(i in first) != (j in first) for j in rows] for i in rows]
        return sympy.Matrix(len(rows), len(rows), lambda i, j: e.cov[i, j] * (s if crossing[i][j] else 1))

    terms = [
        e.cov[a, b] * marginal(derivative(derivative(e.integrand, z(a + 1)), z(b + 1)), cov_at(t))
        for a in first
        for b in rows
        if b not in first and e.cov[a, b] != 0
    ]
    return Expectation(e.integrand, cov_at(ONE * 0)) + sympy.Integral(sum(terms), (t, 0, 1))


def _best_block(cov: sympy.MatrixBase, offsets: list[sympy.Expr]) -> tuple[int, ...]:
    """Return the block with the fewest correlations to the other; of equals, the one with the simplest start, t = 0."""
    rows = range(cov.rows)

    def cost(first: tuple[int, ...]) -> tuple[int, int]:
        second = tuple(k for k in rows if k not in first)
        crossing = sum(cov[a, b] != 0 for a in first for b in second)
        moved = [sum(offsets[k] != 0 for k in block) for block in (first, second)]
        # A block of an odd number of signs without offsets has mean zero, so that the term at t = 0 vanishes.
        vanishes = any(len(block) % 2 and not m for block, m in zip((first, second), moved, strict=True))
        return crossing, 0 if vanishes else max(m for m, block in zip(moved, (first, second), strict=True) if block)

    return min(BLOCKS[cov.rows], key=cost)


WHY = {
    "one-sign": r"one Gaussian variable of variance $v$: $\mathbb{E} \operatorname{sign}(z + c) = "
    r"\operatorname{erf}(c/\sqrt{2 v})$",
    "arcsine": "the arcsine law for two signs",
    "two-signs": "two signs with thresholds are an orthant probability (Owen's T, or the bivariate normal "
    "distribution)",
    "common-factor": r"signs of correlations $1/2$ are independent given a common factor, and their means "
    r"$\operatorname{erf}(x/\sqrt{2})$ are uniform between $-1$ and $1$",
    "price": "Price's theorem: the derivative with respect to a covariance is the mean of the mixed second "
    "derivative; integrated along correlations multiplied by $t$",
}
LAWS = {
    "one-sign": one_sign,
    "arcsine": arcsine,
    "two-signs": two_signs,
    "common-factor": common_factor,
    "price": price,
}
