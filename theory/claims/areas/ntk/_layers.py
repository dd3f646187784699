"""The averages of one layer of ReLUs, 2 E[relu(z) relu(z')] and 2 P(z > 0, z' > 0), by quadrature.

For unit variances and the correlation r = cos(a) the first is homogeneous in the radius of the plane, whose part of the
integral is int_0^oo s^3 exp(-s^2/2) ds = 2; the angle remains. The second is an integral over z, P(z' > 0 | z) within.
"""

from functools import cache

import mpmath
import sympy
from flint import arb
from mpmath import mpf
from sympy import Eq, Heaviside, asin, pi, sqrt

from theory.claims import quadrature
from theory.claims.expectations import pair
from theory.expressions.balls.precision import precision
from theory.expressions.functions import Relu
from theory.expressions.symbols import rho, z
from theory.gaussian.expectation import Expectation
from theory.proof.derivation import Derivation, Step

_GUARD = 12


def k1(r: sympy.Expr) -> sympy.Expr:
    """Return the closed form of 2 E[relu(z) relu(z')] for unit variances, the arc-cosine kernel of degree 1."""
    return (sqrt(1 - r**2) + r * (pi / 2 + asin(r))) / pi


def k0(r: sympy.Expr) -> sympy.Expr:
    """Return the closed form of 2 P(z > 0, z' > 0), the arc-cosine kernel of degree 0."""
    return sympy.Rational(1, 2) + asin(r) / pi


def relus(r: sympy.Expr) -> Expectation:
    """Return 2 E[relu(z) relu(z')] at the correlation r, not evaluated."""
    return Expectation(2 * Relu(z(1)) * Relu(z(2)), pair(r))


def steps(r: sympy.Expr) -> Expectation:
    """Return P(z > 0, z' > 0) at the correlation r, not evaluated."""
    return Expectation(Heaviside(z(1)) * Heaviside(z(2)), pair(r))


def two_levels(name: str, statement: sympy.Eq) -> Derivation:
    """Return the proof of a claim on averages over two levels, the second at the correlation `relus(rho)`."""
    chain = [Step(statement.lhs, "the recursion, level by level", "definition")]
    for r, why in ((rho, "the averages over the first level"), (k1(rho), "the averages over the second level")):
        used = [Eq(relus(r), k1(r), evaluate=False), Eq(steps(r), k0(r) / 2, evaluate=False)]
        cites = ["ntk.dual.relu_relu", "gaussian.step_step.orthant"]
        occurring = [index for index, one in enumerate(used) if chain[-1].expr.has(one.lhs)]
        used, cites = ([one[index] for index in occurring] for one in (used, cites))
        after = chain[-1].expr.xreplace({one.lhs: one.rhs for one in used})
        chain.append(Step(after, why, "cite", tuple(used), tuple(cites)))
    if chain[-1].expr != statement.rhs:
        chain.append(Step(statement.rhs, "rearranged into the form of the statement", "identity"))
    return Derivation(name, statement, tuple(chain))


@cache
def both_relus(r: mpf, digits: int) -> mpf:
    """Return 2 E[relu(z) relu(z')] = (2/pi) int cos(t) cos(t - a) dt over the angles at which both are positive."""
    with mpmath.workdps(digits + _GUARD):
        a = mpmath.acos(r)
        ends = [a - mpmath.pi / 2, mpmath.pi / 2]
        inside = mpmath.quad(lambda t: mpmath.cos(t) * mpmath.cos(t - a), ends, method="gauss-legendre")
        return 2 * inside / mpmath.pi


@cache
def both_steps(r: mpf, digits: int) -> mpf:
    """Return 2 P(z > 0, z' > 0) = 2 int_0^oo phi(z) Phi(r z/sqrt(1 - r^2)) dz."""
    with mpmath.workdps(digits + _GUARD), precision(digits=digits + _GUARD):
        steepness = arb(r / mpmath.sqrt((1 - r) * (1 + r)))
        return 2 * quadrature.half_line(lambda z: quadrature.probability(steepness * z), digits)


def number(value: sympy.Rational, digits: int) -> mpf:
    """Return a fraction at the precision of the quadrature."""
    with mpmath.workdps(digits + _GUARD):
        return mpf(int(value.p)) / int(value.q)
