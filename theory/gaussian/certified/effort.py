"""The limit on the total work of certified integrals of signs, counted in evaluations of an integrand."""

from flint import ctx

# Evaluations allowed, each of 40 microseconds at low precision: some seven seconds. Nearly singular matrices take 20
# to 100 evaluations per bit of precision, others 3.
MOST_EVALUATIONS = 150_000
# Above this many bits the time of an evaluation grows with their square.
BASE_BITS = 1000


class Effort:
    """The remaining share of the work allowed, in evaluations of the integrand at low precision.

    >>> effort = Effort()
    >>> before = effort.affordable()
    >>> effort.spend(1000)
    >>> before - effort.affordable()
    1000
    """

    def __init__(self) -> None:
        self.left = float(MOST_EVALUATIONS)

    def affordable(self) -> int:
        """The number of evaluations at the working precision that remain allowed."""
        return int(self.left / self._price())

    def spend(self, evaluations: int | float) -> None:
        """Subtract `evaluations` at the working precision."""
        self.left -= evaluations * self._price()

    def _price(self) -> float:
        return 1 + (ctx.prec / BASE_BITS) ** 2
