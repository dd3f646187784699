r"""The routing network: its flow in two strengths for each mode, their limit, and the time as a quadrature.

M input domains, M output domains, K trained outputs for each input, and weights that all pairs share. A mode has the
strength b_1 in all encoders and decoders and b_2 in the shared weights; its output is b_1^2 b_2, its target s. With the
probability P of each trained pair

    tau db_1/dt = K P b_1 b_2 (s - b_1^2 b_2),   tau db_2/dt = M K P b_1^2 (s - b_1^2 b_2),

b_2^2 - M b_1^2 = lambda is conserved, and b_2 tends to the root c of c^3 - lambda c = M s. Claims `race.routing.*`;
after "The Neural Race Reduction" (Saxe, Sodhani, Lewallen 2022).
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from scipy.integrate import quad

from theory.flow.graph.solutions.symmetric import SymmetricMode
from theory.problem import InputError

_ACCURACY = 1e-13  # relative, of the quadrature
_MOST_STEPS = 200
Number = int | float


@dataclass(frozen=True)
class RoutingMode:
    """One mode of a routing network: M domains, K partners, strength s of the target, P of each trained pair, tau.

    Strengths must be positive. Raises InputError for numbers that are not, and for K > M.

    From a balanced start b_2 tends to (M s)^(1/3):

    >>> mode = RoutingMode(domains=4, partners=2, strength=2.0, probability=1 / 16)
    >>> [round(float(end), 12) for end in mode.limit(0.1, 0.2)], 8 ** (1 / 3)
    ([1.0, 2.0], 2.0)
    """

    domains: int
    partners: int
    strength: Number
    probability: Number
    tau: Number = 1.0

    def __post_init__(self) -> None:
        for name in ("domains", "partners", "strength", "probability", "tau"):
            _positive(getattr(self, name), name)
        if self.partners > self.domains:
            raise InputError(
                f"An input has {self.partners} trained outputs, and there are {self.domains} output domains.",
                "Choose partners <= domains.",
            )

    def velocities(self, ends: Number, shared: Number) -> tuple[float, float]:
        """(db_1/dt, db_2/dt).

        >>> RoutingMode(2, 1, 1.0, 0.25).velocities(1.0, 0.5)
        (0.0625, 0.25)
        """
        left = self.partners * self.probability * ends * (self.strength - ends**2 * shared) / self.tau
        return left * shared, self.domains * left * ends

    def conserved(self, ends: Number, shared: Number) -> float:
        """lambda = b_2^2 - M b_1^2.

        >>> RoutingMode(2, 1, 1.0, 0.25).conserved(1.0, 2.0)
        2.0
        """
        return shared**2 - self.domains * ends**2

    def limit(self, ends: Number, shared: Number) -> tuple[float, float]:
        """The limits of b_1 and b_2 from a start: c^3 - lambda c = M s, c^2 > lambda.

        >>> ends, shared = RoutingMode(2, 1, 1.0, 0.25).limit(2.0, 2.0)  # lambda = -4
        >>> round(shared**3 + 4 * shared, 12)
        2.0
        """
        self._checked(ends, shared)
        first, second, _ = self._symmetric.limit(np.array([ends, shared, ends])).tolist()
        return first, second

    def time(self, ends: Number, shared: Number, later: Number) -> float:
        """Return the time in which b_2 moves from its start `shared` to `later`, with b_1 starting at `ends`.

        With b_2 = c - (c - b_2(0)) exp(-v) the integrand over v is bounded at both ends. Raises InputError for a
        strength that is not between the start and the limit.

        >>> mode = RoutingMode(2, 1, 1.0, 0.25)
        >>> mode.time(0.1, 0.2, 0.2), mode.time(0.1, 0.2, 0.4) < mode.time(0.1, 0.2, 0.5)
        (0.0, True)
        """
        end = self.limit(ends, shared)[1]
        if not min(shared, end) <= later <= max(shared, end) or later == end:
            raise InputError(
                f"b_2 = {later:g} is not reached: it goes from {shared:g} towards {end:g}.",
                "Ask for a strength between the start and the limit.",
            )
        return self._elapsed(ends, shared, end, float(np.log((end - shared) / (end - later))))

    def strengths(self, ends: Number, shared: Number, times: Float[np.ndarray, " T"]) -> Float[np.ndarray, "T 2"]:
        """b_1 and b_2 at times >= 0.

        >>> mode = RoutingMode(2, 1, 1.0, 0.25)
        >>> after = mode.time(0.1, 0.2, 0.5)
        >>> mode.strengths(0.1, 0.2, np.array([0.0, after])).round(3).tolist()
        [[0.1, 0.2], [0.339, 0.5]]
        """
        self._checked(ends, shared)
        return self._symmetric.strengths(np.array([ends, shared, ends]), times)[:, :2]

    @property
    def _symmetric(self) -> SymmetricMode:
        """The mode as one of layers with M, 1 and M weights, on M K paths of the probability P each."""
        total = self.domains * self.partners * float(self.probability)
        return SymmetricMode((self.domains, 1, self.domains), total * float(self.strength), total, 1 / float(self.tau))

    def _elapsed(self, ends: Number, shared: Number, end: Number, v: Number) -> float:
        def slowness(v: Number) -> float:
            b, kept = self._at(shared, end, v), self.conserved(ends, shared)
            # M s - b (b^2 - lambda) = (c - b)(c^2 + c b + b^2 - lambda), and c - b cancels against db/dv.
            return 1 / (self._through(ends, shared, end, v) * (end**2 + end * b + b**2 - kept))

        value, _error = quad(slowness, 0, v, epsabs=0, epsrel=_ACCURACY, limit=_MOST_STEPS)
        return self.domains * self.tau / (self.partners * self.probability) * value

    def _at(self, shared: Number, end: Number, v: Number) -> float:
        return shared - (end - shared) * np.expm1(-v)

    def _through(self, ends: Number, shared: Number, end: Number, v: Number) -> float:
        """b_2^2 - lambda = M b_1^2, without the cancellation."""
        risen = -(end - shared) * np.expm1(-v)
        return self.domains * ends**2 + risen * (2 * shared + risen)

    def _checked(self, ends: Number, shared: Number) -> None:
        _positive(ends, "b_1(0)")
        _positive(shared, "b_2(0)")


def _positive(value: Number, name: str) -> None:
    if not (np.isfinite(value) and value > 0):
        raise InputError(f"{name} = {value} must be a positive number.", "The race starts from positive strengths.")
