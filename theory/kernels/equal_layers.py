"""Closed forms of the second moment of K0(x, x) for x = 1, one input node, and equal hidden levels.

Divide by the square of the mean's factor (s^2 mu w)^(d-1). The states 12|34, 13|24, 14|23 and 1234 then have the node
sums q, q, q and e: e = 1/(mu w) and q = 1 - 1/w for Bernoulli(mu) gates, mu = 1 where all are open, and e = 1/r,
q = 1 - 1/r where r given gates of each level are open; then r takes the place of mu w. Let kappa be the kurtosis of the
weights.

After a marked layer the state is 12|34 with the share q and 1234 with the share e, whatever it was before. So the sum
factorises at the marked layers, and two sequences are enough. u_n is the sum over n layers from an end of the network,
where all slots are at one node, to a marked layer. The pair states remain equal from there, which gives

    u_(n+1) = (q + kappa e) u_n + (3 - kappa) e q u_(n-1),   u_0 = 1,  u_(-1) = 0.

m_n is the sum over the layers from one marked layer to the next, n layers on. Of the start q on 12|34 a third lies on
the sum of the pair states, and the rest decays by q at each layer:

    m_n = (2 q^n + u_n + (3 - kappa) e u_(n-1)) / 3.

Both kernels mark the same layer, or one mark stands before the other:

    E K0^2 / (s^2 mu w)^(2(d-1)) = sum_l u_(l-1) u_(d-l) + 2 sum_(l < l') u_(l-1) m_(l'-l) u_(d-l').

In the same units the mean is d, so that the variance is the sum over all pairs (l, l') of their terms less 1. For signs
(kappa = 1) and w >= 2 it rises with d from d = 2 on: u_0 = 1, u_1 = q + e >= 1, and u_(n+1) - u_n >= 2 e q > 0 for
n >= 1; m_1 = q + e, and m_n does not fall, because 2 q^n falls by at most 2 e q a layer. So no term falls, that of
l = l' = 1 rises, and new terms are at least 1.
"""

from fractions import Fraction

import sympy

from theory.problem.numbers import whole


def generating_function(e: sympy.Expr, q: sympy.Expr, kappa: sympy.Expr, z: sympy.Expr) -> sympy.Expr:
    """Return sum_(d >= 1) z^d E K0^2 / (s^2 mu w)^(2(d-1)), a rational function of z.

    The sums over l and l' are convolutions: with U and M the generating functions of u_n and m_n it is z U^2 (1 + 2 M).

    >>> z = sympy.Symbol("z")
    >>> sympy.series(generating_function(sympy.Rational(1, 2), sympy.Rational(1, 2), 1, z), z, 0, 4)
    z + 4*z**2 + 10*z**3 + O(z**4)
    """
    u = 1 / (1 - (q + kappa * e) * z - (3 - kappa) * e * q * z**2)
    m = (2 * q * z / (1 - q * z) + u - 1 + (3 - kappa) * e * z * u) / 3
    return z * u**2 * (1 + 2 * m)


def relative_variance_bound(width: int, depth: int) -> Fraction:
    """Return (1 + 2/w)^(d-1) - 1, which Var K0(x, x) / (E K0(x, x))^2 never exceeds where all gates are open.

    The bound holds for every x and every kurtosis kappa from 1 to 3. An unmarked layer allows what a marked layer
    allows, and more. So each term (l, l') of E K0^2 is at most the term (l, l), which is v_(l-1) u_(d-l) in units of
    its share of (E K0)^2. Here v_n is u_n from the level of inputs, with the same recursion, v_0 = 1 and
    v_1 = 1 + (2 - (3 - kappa) sum x_i^4/|x|^4)/w. With a = 1 + 2/w, u_n <= a^n and v_n <= a^n by induction, because

        (1 + (kappa - 1)/w) a + (3 - kappa) (1 - 1/w)/w <= (1 + (kappa - 1)/w) a + (3 - kappa) a/w = a^2.

    >>> relative_variance_bound(2, 3)  # the exact value is 1/9
    Fraction(3, 1)
    """
    whole(width, "width", least=1)
    whole(depth, "depth", least=1)
    return (1 + Fraction(2, width)) ** (depth - 1) - 1
