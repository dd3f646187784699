r"""Tail bounds of K0 that are proved from its exact moments, without any assumption on its distribution.

Let D = K0 - E K0 with the variance v and the fourth moment m = E D^4. For every t > 0 Markov's inequality gives

    P(|D| >= t) <= v/t^2      (of D^2, Chebyshev's bound),      P(|D| >= t) <= m/t^4      (of D^4),
    P(D >= t) <= v/(v + t^2)  (of (D + v/t)^2 at (t + v/t)^2, Cantelli's bound).

The last holds because D >= t implies (D + v/t)^2 >= (t + v/t)^2, and E (D + v/t)^2 / (t + v/t)^2
= (v + v^2/t^2) / (t^2 + 2 v + v^2/t^2) = v/(v + t^2). For D <= -t take -D.
"""

from dataclasses import dataclass
from fractions import Fraction

from theory.kernels.network import GatedNetwork
from theory.kernels.tangent import Pair, cumulant, mean, variance
from theory.problem.errors import InputError
from theory.problem.numbers import exact, shown


@dataclass(frozen=True)
class TailBounds:
    """Proved bounds at a distance t: `chebyshev` and `fourth_moment` of P(|K0 - E K0| >= t), `cantelli` of one side.

    >>> TailBounds(Fraction(1, 4), Fraction(1, 16), Fraction(1, 5)).two_sided
    Fraction(1, 16)
    """

    chebyshev: Fraction
    fourth_moment: Fraction
    cantelli: Fraction

    @property
    def two_sided(self) -> Fraction:
        """The smaller of the two bounds of P(|K0 - E K0| >= t), and at most 1."""
        return min(self.chebyshev, self.fourth_moment, Fraction(1))


def tail_bounds(network: GatedNetwork, share: Fraction | int | str, pair: Pair = (0, 0)) -> TailBounds:
    """Return the bounds at t = `share` x |E K0(x_s, x_t)|, over weights and random gates.

    Raises InputError for a share of 0 or less, and where the mean is 0.

    >>> from theory.kernels import alike
    >>> tail_bounds(alike(100, 4), "1/2").cantelli < tail_bounds(alike(100, 4), "1/2").chebyshev
    True
    """
    distance = exact(share, "share") * abs(mean(network, pair))
    if distance <= 0:
        raise InputError(
            f"share = {shown(str(share))} times the mean of this entry is no distance.",
            "Give a share above 0, and an entry whose mean is not 0.",
        )
    v = variance(network, pair)
    fourth = cumulant(network, 4, pair) + 3 * v**2
    return TailBounds(v / distance**2, fourth / distance**4, v / (v + distance**2))
