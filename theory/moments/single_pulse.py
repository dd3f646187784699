"""The single pulse through gates, in exact integers: E prod u, <x x^T>, Sigma^yx(p), Sigma^xx(p, q), A and b.

A pulse of width W covers the sites S where its n - W dark sites lie within one of the gaps between neighbours of S on
the ring, so that E prod_{j in S} u_j = (1/n) E_W sum_gaps (W - (n - gap))_+; one site has the gap n. Within each flip
x_j = low + (high - low) u_j and a site gate is 0, 1, u_i or 1 - u_i: every moment is a sum of such expectations.
Definitions: localization notes, section 1 and eq. (6), (7), (12).
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import accumulate, combinations_with_replacement, product
from math import inf, prod
from typing import Any

import numpy as np
from jaxtyping import Int, Shaped

from theory.moments.arithmetic import Arithmetic, Numbers
from theory.moments.basis import require_hard, require_linear
from theory.problem import AlwaysGate, DirectionGate, Network, OutOfReachError, Problem, SinglePulse, SiteGate, resolved

HALF = Fraction(1, 2)  # the probability of each class
# (K n)^2 exact integers and as many floats; gaps between four sites take five such arrays more: 200 MB.
MOST_ROWS = 2_000

Sites = Int[np.ndarray, "..."] | int
Factor = tuple[Sites | None, int, int]  # constant + slope u_site


def covering(law: SinglePulse, c: int, *sites: Sites) -> Int[np.ndarray, "..."]:
    """How many of the n (b - a + 1) pulses of class `c` cover all of `sites`, elementwise over arrays of sites.

    sum_gaps [tri(b - n + gap) - tri(a - 1 - n + gap)], tri(m) = m (m + 1)/2 for m > 0, else 0.
    """
    least, largest = law.widths[c]
    if not sites:
        return np.array(law.n * (largest - least + 1))
    ordered = np.sort(np.stack(np.broadcast_arrays(*sites)), axis=0)
    gaps = np.concatenate([np.diff(ordered, axis=0), law.n + ordered[:1] - ordered[-1:]])
    return np.asarray((_triangle(largest - law.n + gaps) - _triangle(least - 1 - law.n + gaps)).sum(axis=0))


def _triangle(m: Int[np.ndarray, "..."]) -> Int[np.ndarray, "..."]:
    """m (m + 1)/2 for m > 0 and 0 below: the sum of (W - d)_+ over W <= m + d."""
    positive = np.maximum(m, 0)
    return positive * (positive + 1) // 2


def pulses(law: SinglePulse, c: int) -> int:
    """n (b - a + 1), the number of equally likely pulses of class `c`."""
    return int(covering(law, c))


def lit(law: SinglePulse, c: int, sites: tuple[int, ...]) -> Fraction:
    """E prod_{j in sites} u_j in class `c`; repeated sites count once.

    >>> law = SinglePulse(40, ((3, 4), (9, 10)), "zero-one", "none", (1, 0))
    >>> str(lit(law, 0, (7,))), str(lit(law, 0, (7, 9))), str(lit(law, 0, (39, 0, 1)))
    ('7/80', '3/80', '3/80')
    """
    return Fraction(int(covering(law, c, *sites)), pulses(law, c))


def flips(law: SinglePulse) -> tuple[tuple[int, int], ...]:
    """(low, high), the values of x outside and inside the pulse, for each of the equally likely flips.

    >>> flips(SinglePulse(4, ((1, 1), (2, 2)), "zero-one", "complement", (1, 0)))
    ((0, 1), (1, 0))
    """
    low, high = (0, 1) if law.support == "zero-one" else (-1, 1)
    flipped = {"none": (), "sign": ((-low, -high),), "complement": ((high, low),)}[law.flip]
    return ((low, high), *flipped)


def counted(law: SinglePulse, c: int, factors: list[Factor]) -> Int[np.ndarray, "..."]:
    """The sum over the pulses of class `c` of prod_f (constant_f + slope_f u_{site_f}), multiplied out."""
    total = np.zeros((), dtype=int)
    for chosen in product((False, True), repeat=len(factors)):
        weight = prod(slope if taken else constant for taken, (_, constant, slope) in zip(chosen, factors, strict=True))
        if weight:
            taken = (site for taken, (site, _, _) in zip(chosen, factors, strict=True) if taken)
            total = total + weight * covering(law, c, *taken)
    return np.asarray(total)


def mean(law: SinglePulse, c: int) -> Fraction:
    """E x_j in class `c`, the same at every site."""
    values = flips(law)
    total = sum(int(counted(law, c, [(0, low, high - low)])) for low, high in values)
    return Fraction(total, len(values) * pulses(law, c))


def second_moment(law: SinglePulse, c: int, i: int, j: int) -> Fraction:
    """E x_i x_j in class `c`."""
    values = flips(law)
    total = sum(int(counted(law, c, [(i, low, high - low), (j, low, high - low)])) for low, high in values)
    return Fraction(total, len(values) * pulses(law, c))


@dataclass(frozen=True)
class Event:
    """A gate on the pulses: within flip f it is opens[f] = (constant, slope) for constant + slope u_site."""

    site: int | None  # None for a gate without bounds
    opens: tuple[tuple[int, int], ...]

    @property
    def constant(self) -> int | None:
        """0 or 1 where the gate never closes or never opens, whatever the pulse; else None."""
        values = set(self.opens)
        return next((value for value in (0, 1) if values == {(value, 0)}), None)


def event(law: SinglePulse, gate: SiteGate | DirectionGate | AlwaysGate) -> Event:
    """1[lo <= x_site < hi] as a function of u_site, for each flip.

    >>> law = SinglePulse(4, ((1, 1), (2, 2)), "zero-one", "none", (1, 0))
    >>> event(law, SiteGate(2, lo=0, on="input")).opens, event(law, SiteGate(2, lo=1, on="input")).opens
    (((1, 0),), ((0, 1),))
    """
    if isinstance(gate, DirectionGate):
        raise OutOfReachError(
            f"A gate along {len(gate.v)} sites of a single pulse has no exact moments here.",
            "Use site gates, or simulate it (gdln simulate).",
        )
    if isinstance(gate, AlwaysGate) or (gate.lo, gate.hi) == (-inf, inf):
        return Event(None, ((1, 0),) * len(flips(law)))
    require_hard(gate, f"The gate at site {gate.site}")
    inside = [tuple(int(gate.lo <= value < gate.hi) for value in values) for values in flips(law)]
    return Event(gate.site, tuple((dark, bright - dark) for dark, bright in inside))


@dataclass(frozen=True, eq=False)
class ExactMoments:
    """The moments as exact numbers: A = rows/denominator, b = first (fractions), <y^2> = y2.

    Rows are unit-major, k n + j; with biases K + 1 more follow, those of the features g_1, ..., g_K and 1/s. The same
    object is returned for equal problems.
    """

    law: SinglePulse
    events: tuple[Event, ...]
    rows: Int[np.ndarray, "P P"]
    denominator: int
    first: Shaped[np.ndarray, " P"]
    y2: Fraction

    @property
    def second(self) -> Int[np.ndarray, "K K n n"]:
        """Sigma^xx(p_k, p_l) times the denominator."""
        units, n = len(self.events), self.law.n
        return self.rows[: units * n, : units * n].reshape(units, n, units, n).transpose(0, 2, 1, 3)


@lru_cache(maxsize=8)
def exact_moments(law: SinglePulse, network: Network) -> ExactMoments:
    """The moments of a gated-linear network on single pulses. Raises OutOfReachError where A has too many rows."""
    require_linear(network)
    if network.units * law.n > MOST_ROWS:
        raise OutOfReachError(
            f"A has K n = {network.units * law.n} rows; the exact moments of more than {MOST_ROWS} fill the memory.",
            "Use fewer sites or units.",
        )
    events = tuple(event(law, gate) for gate in resolved(network.gates))
    values = flips(law)
    counts = [pulses(law, c) for c in (0, 1)]
    sizes = [law.n] * len(events) + [1] * (len(events) + 1 if network.has_biases else 0)
    parts = [slice(end - size, end) for end, size in zip(accumulate(sizes), sizes, strict=True)]
    rows = np.zeros((sum(sizes), sum(sizes)), dtype=np.int64)
    first = np.full(sum(sizes), Fraction(0), dtype=object)
    for c, (f, (low, high)) in product((0, 1), enumerate(values)):
        features = _features(network, events, f, (np.arange(law.n), low, high - low))
        share = HALF * law.labels[c] / (len(values) * counts[c])
        for part, feature in zip(parts, features, strict=True):
            total = np.broadcast_to(counted(law, c, feature), part.stop - part.start)
            first[part] += [share * count for count in total.tolist()]
        for (left, u), (right, v) in combinations_with_replacement(list(zip(parts, features, strict=True)), 2):
            turned = [(site[:, None] if isinstance(site, np.ndarray) else site, *line) for site, *line in u]
            block = np.broadcast_to(counted(law, c, [*turned, *v]), (left.stop - left.start, right.stop - right.start))
            rows[left, right] += counts[1 - c] * block
    rows = np.triu(rows) + np.triu(rows, 1).T
    y2 = HALF * (law.labels[0] ** 2 + law.labels[1] ** 2)
    return ExactMoments(law, events, rows, 2 * len(values) * counts[0] * counts[1], first, y2)


def _features(network: Network, events: tuple[Event, ...], f: int, x: Factor) -> list[list[Factor]]:
    """Within flip f: g_1 x, ..., g_K x and, with biases, g_1, ..., g_K, 1/s, each as a product of factors."""
    gates: list[Factor] = [(gate.site, *gate.opens[f]) for gate in events]
    inputs = [[gate, x] for gate in gates]
    if not network.has_biases:
        return inputs
    reach = network.units if network.readout == "mean" else 1
    return [*inputs, *([gate] for gate in gates), [(None, reach, 0)]]


@dataclass(frozen=True)
class PulseMoments:
    """The exact moments in an arithmetic: float64, each correctly rounded, or Arb balls in object arrays."""

    exact: ExactMoments
    arithmetic: Arithmetic

    def numbers(self, fractions: Shaped[np.ndarray, "..."]) -> Numbers:
        """An array of Fractions in this arithmetic."""
        found = [self.arithmetic.rational(value) for value in fractions.ravel().tolist()]
        return np.array(found, dtype=self.arithmetic.dtype).reshape(fractions.shape)

    @cached_property
    def sigma_yx(self) -> Shaped[np.ndarray, "K n"]:
        """Sigma^yx(p_k) = <g_k y x>. Source: notes, eq. (6)."""
        units, n = len(self.exact.events), self.exact.law.n
        return self.b[: units * n].reshape(units, n)

    @cached_property
    def sigma_xx(self) -> Shaped[np.ndarray, "K K n n"]:
        """Sigma^xx(p_k, p_l) = <g_k g_l x x^T>. Source: notes, eq. (7)."""
        units, n = len(self.exact.events), self.exact.law.n
        return self.A[: units * n, : units * n].reshape(units, n, units, n).transpose(0, 2, 1, 3)

    @cached_property
    def A(self) -> Shaped[np.ndarray, "P P"]:
        """<x~ x~^T> with x~ = (g_1 x, ..., g_K x), unit-major: row k n + j. Source: notes, eq. (12).

        With biases K + 1 rows follow, those of g_1, ..., g_K and 1/s: P = K n + K + 1.
        """
        counts, inverse = np.unique(self.exact.rows, return_inverse=True)
        values = np.array([Fraction(count, self.exact.denominator) for count in counts.tolist()], dtype=object)
        return self.numbers(values)[inverse].reshape(self.exact.rows.shape)

    @cached_property
    def b(self) -> Shaped[np.ndarray, " P"]:
        """<x~ y>, unit-major; with biases followed by <g_k y> and <y>/s."""
        return self.numbers(self.exact.first)

    @cached_property
    def y2(self) -> Any:
        """<y^2>."""
        return self.arithmetic.rational(self.exact.y2)


def pulse_moments(problem: Problem, arithmetic: Arithmetic) -> PulseMoments:
    """The moments of a gated-linear problem on single pulses, for site gates of any lo and hi on the input.

    Raises OutOfReachError for networks without fixed gates, and where A is too large.
    """
    return PulseMoments(exact_moments(problem.data, problem.network), arithmetic)
