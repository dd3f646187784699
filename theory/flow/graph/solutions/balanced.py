r"""One mode of N balanced layers under gradient flow: a(t) from t(a), which is one integral.

N weights that start equal stay equal, and their product a >= 0 follows

    tau da/dt = N a^{2 - 2/N} (s - a).

N = 1 and 2 are solved in elementary functions. For N >= 3 the variable y with a/|s - a| = e^y (s > 0) leaves

    N s^{2 - 2/N} t/tau = int_{y(0)}^y (1 + e^{-y})^{1 - 2/N} dy    for a < s,

and (1 - e^{-y})^{1 - 2/N} for a > s: smooth and positive, so that nothing cancels at the plateau, during the transition
and at saturation. For s < 0, y = log((a - s)/a) and the integrand is (e^y - 1)^{1 - 2/N}. Known from Saxe, McClelland
and Ganguli (2014); derived in the claims `deep.balanced`.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from numpy.polynomial.legendre import leggauss
from scipy.special import expit

from theory.problem.errors import InputError, OutOfReachError

# On panels of at most 1, and of at most the distance to a singularity at y = 0, 16 points err by less than 1e-20.
_NODES, _WEIGHTS = leggauss(16)
_SATURATED = 40.0  # e^{-40} < 2^-53: then a is s to the last digit
_VANISHED = 700.0  # e^{-700}, close to the smallest float64
_NEWTON_STEPS = 12  # enough within one panel, on which the integrand changes by less than a factor e
_ELEMENTARY = 2  # layers


def two_layers(t: Float[np.ndarray, " T"], s: float, a0: float) -> Float[np.ndarray, " T"]:
    """a(t) = s e^{2st}/(e^{2st} - 1 + s/a0) for two balanced layers, any s and a0 >= 0; t in units of tau.

    Written as a0/(e^{-2st} + 2 a0 t phi(2st)), phi(z) = (1 - e^{-z})/z, which has its limit a0/(1 + 2 a0 t) at s = 0,
    and for s < 0 as the same fraction times e^{2st}: no term overflows, and all are positive.

    >>> two_layers(np.array([0.0, 400.0, 1e6]), 1.0, 1e-300).round(12).tolist()
    [0.0, 1.0, 1.0]
    >>> two_layers(np.array([3.0]), 0.0, 0.5).tolist()
    [0.125]
    """
    _require(a0)
    z = 2 * abs(s) * t
    safe = np.where(z == 0, 1.0, z)
    grown = 2 * a0 * t * np.where(z == 0, 1.0, -np.expm1(-safe) / safe)
    return a0 / (np.exp(-z) + grown) if s >= 0 else a0 * np.exp(-z) / (1 + grown)


def layers(t: Float[np.ndarray, " T"], s: float, a0: float, depth: int) -> Float[np.ndarray, " T"]:
    """a(t) of N = depth balanced layers for any s and a0 >= 0; t >= 0 in units of tau.

    Raises InputError for a0 < 0, a time below 0, and a depth below 1.

    >>> layers(np.array([0.0, 1.0]), 2.0, 0.5, 1).round(12).tolist()  # 2 - 1.5 e^{-t}
    [0.5, 1.448180838243]

    The deeper network stays longer at its start and ends more suddenly:

    >>> [layers(np.array([5.0, 20.0]), 1.0, 0.001, depth).round(3).tolist() for depth in (2, 4)]
    [[0.957, 1.0], [0.002, 1.0]]
    """
    _require(a0, depth)
    if np.any(t < 0):
        raise InputError(f"t = {t.min():g} is before the start.", "Give times t >= 0.")
    if depth == 1:
        return a0 * np.exp(-t) - s * np.expm1(-t)
    if depth == _ELEMENTARY:
        return two_layers(t, s, a0)
    if a0 == 0 or a0 == s:
        return np.full(t.shape, float(a0))
    if s == 0:
        power = 2 - 2 / depth
        return a0 * (1 + depth * power * a0**power * t) ** (-1 / power)
    path = _Path(s, a0, depth)
    needed = path.speed * t
    edges, sums = path.panels(until=lambda _y, reached: reached >= needed.max(initial=0.0))
    panel = np.clip(np.searchsorted(sums, needed, side="right") - 1, 0, len(sums) - 1)
    begin, rest = edges[panel], needed - sums[panel]
    y = begin.copy()
    for _ in range(_NEWTON_STEPS):
        y = y + (rest - path.between(begin, y)) / path.integrand(y)
        y = np.clip(y, begin, edges[-1])
    return np.where(t == 0, a0, path.strength(y))


def time_to(a: float, s: float, a0: float, depth: int) -> float:
    """The time, in units of tau, at which N = depth >= 2 balanced layers that start at a0 > 0 reach a.

    t = (1/N) int_{a0}^a dx / (x^{2 - 2/N} (s - x)). Raises InputError unless a lies between a0 and the limit of
    the flow: s, or 0 for s < 0, which is not reached.

    >>> bool(abs(time_to(0.5, 1.0, 0.1, 2) - np.log(9) / 2) < 1e-15)
    True

    The plateau of depth 4 grows as 1/sqrt(a0), that of depth 2 as log(1/a0):

    >>> [round(time_to(0.5, 1.0, 1e-4, depth) / time_to(0.5, 1.0, 1e-2, depth), 1) for depth in (2, 4)]
    [2.0, 10.6]
    """
    _require(a0, depth)
    end = max(s, 0.0)
    if depth < _ELEMENTARY or not (a0 <= a < end or end < a <= a0):
        raise InputError(
            f"The mode from a0 = {a0:g} to s = {s:g} does not pass a = {a:g}, or has fewer than two layers.",
            "Choose a between a0 > 0 and where it ends, which it approaches without reaching.",
        )
    if s == 0:
        power = 2 - 2 / depth
        return ((a0 / a) ** power - 1) / (depth * power * a0**power)
    path = _Path(s, a0, depth)
    last = path.place(a)
    edges, sums = path.panels(until=lambda y, _reached: y >= last)
    panel = max(int(np.searchsorted(edges, last)) - 1, 0)
    rest = path.between(edges[[panel]], np.array([last])).item()
    return float(sums[panel] + rest) / path.speed


@dataclass(frozen=True)
class _Path:
    """The change of variables from a to y, in which speed t = int f(y) dy; s and a0 are not 0, and not equal."""

    s: float
    a0: float
    depth: int

    def __post_init__(self) -> None:
        if self.speed < np.finfo(float).tiny:
            raise OutOfReachError(f"s = {self.s:g} to the power 2 - 2/N is no number of float64.", "Write s = 0.")

    @property
    def speed(self) -> float:
        return self.depth * abs(self.s) ** (2 - 2 / self.depth)

    @property
    def below(self) -> bool:
        return self.a0 < self.s

    def place(self, a: float) -> float:
        """y at a."""
        if self.below:
            return float(np.log(a) - np.log(self.s - a))
        return float(abs(np.log1p(-self.s / a)))

    def strength(self, y: np.ndarray) -> np.ndarray:
        """a at y."""
        if self.below:
            return self.s * expit(y)
        return self.s / -np.expm1(-y) if self.s > 0 else -self.s / np.expm1(y)

    def integrand(self, y: np.ndarray) -> np.ndarray:
        power = 1 - 2 / self.depth
        if self.below:
            return (1 + np.exp(-y)) ** power
        return (-np.expm1(-y) if self.s > 0 else np.expm1(y)) ** power

    def between(self, low: np.ndarray, high: np.ndarray) -> np.ndarray:
        """int_low^high f dy within one panel each, for arrays of ends."""
        half = (high - low) / 2
        nodes = low[..., None] + half[..., None] * (1 + _NODES)
        return half * (self.integrand(nodes) @ _WEIGHTS)

    def panels(self, until: Callable[[float, float], bool]) -> tuple[np.ndarray, np.ndarray]:
        """Return edges from y(0) on, and int f dy to each, until `until(y, integral)` holds or f saturates."""
        last = _SATURATED if self.s > 0 else _VANISHED
        edges, sums = [self.place(self.a0)], [0.0]
        while edges[-1] < last and not until(edges[-1], sums[-1]):
            width = 1.0 if self.below else min(1.0, edges[-1])
            edges.append(edges[-1] + width)
            sums.append(sums[-1] + self.between(np.array(edges[-2:-1]), np.array(edges[-1:])).item())
        return np.array(edges), np.array(sums)


def _require(a0: float, depth: int = 1) -> None:
    if not a0 >= 0 or depth < 1:
        raise InputError(
            f"a0 = {a0:g} and depth = {depth} must be a0 >= 0 and depth >= 1.",
            "For a product of the other sign change the signs of a0 and s.",
        )
