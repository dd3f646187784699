"""The single pulse through gates, in exact integers: E prod u, <x x^T>, Sigma^yx(p), Sigma^xx(p, q), A and b.

A pulse of width W covers the sites S where its n - W dark sites lie within one of the gaps between neighbours of S on
the ring, so that E prod_{j in S} u_j = (1/n) E_W sum_gaps (W - (n - gap))_+; one site has the gap n. Within each flip
x_j = low + (high - low) u_j and a site gate is 0, 1, u_i or 1 - u_i: every moment is a sum of such expectations.
Definitions: localization notes, section 1 and eq. (6), (7), (12).
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache, singledispatch
from itertools import accumulate, combinations_with_replacement, product
from math import inf, lcm, prod
from typing import Any

import numpy as np
from jaxtyping import Float, Int, Shaped

from theory.moments.arithmetic import Arithmetic, Numbers
from theory.moments.basis import require_linear
from theory.moments.exact_features import ExactFeatures
from theory.moments.exact_moments import (
    ALWAYS_OR_NEVER,
    ExactMoments,
    Examples,
    of_examples,
    require_examples,
    require_rows,
)
from theory.moments.feature_moments import FeatureMoments, law_moments, second_moments, squared_labels
from theory.moments.gate_signs import refuse_gate, require_hard
from theory.moments.inputs import InputStatistics, Sites, Values, input_statistics_of, tallied
from theory.moments.statistics import require_centred
from theory.problem import AlwaysGate, Gate, Network, SinglePulse, SiteGate, resolved

Factor = tuple[Sites | None, int | float, int | float]  # constant + slope u_site


def covering(law: SinglePulse, c: int, *sites: Sites) -> Int[np.ndarray, "..."]:
    """Count the pulses of class `c`, out of n (b - a + 1), that cover all of `sites`, elementwise over arrays.

    sum_gaps [tri(b - n + gap) - tri(a - 1 - n + gap)], tri(m) = m (m + 1)/2 for m > 0, else 0.

    >>> law = SinglePulse(4, ((1, 1), (2, 2)), "zero-one", "none", (1, 0))
    >>> int(covering(law, 1, 0, 1)), covering(law, 0, np.arange(4)).tolist()
    (1, [1, 1, 1, 1])
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
    """n (b - a + 1), the number of equally likely pulses of class `c`.

    >>> pulses(SinglePulse(4, ((1, 1), (2, 3)), "zero-one", "none", (1, 0)), 1)
    8
    """
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


def counted(law: SinglePulse, c: int, factors: list[Factor]) -> Shaped[np.ndarray, "..."]:
    """The sum over the pulses of class `c` of prod_f (constant_f + slope_f u_{site_f}), multiplied out.

    u_0 (1 - u_1) counts the pulses that end at site 0, one for each width:

    >>> law = SinglePulse(40, ((3, 4), (9, 10)), "zero-one", "none", (1, 0))
    >>> int(counted(law, 0, [(0, 0, 1), (1, 1, -1)]))
    2
    """
    total = np.zeros((), dtype=int)
    for chosen in product((False, True), repeat=len(factors)):
        weight = prod(slope if taken else constant for taken, (_, constant, slope) in zip(chosen, factors, strict=True))
        if weight:
            taken = (site for taken, (site, _, _) in zip(chosen, factors, strict=True) if taken)
            total = total + weight * covering(law, c, *taken)
    return np.asarray(total)


def mean(law: SinglePulse, c: int) -> Fraction:
    """E x_j in class `c`, the same at every site. Raises OutOfReachError where the classes have means.

    >>> str(mean(SinglePulse(40, ((3, 4), (9, 10)), "zero-one", "none", (1, 0)), 0))
    '7/80'
    """
    require_centred(law, "The mean of a site")
    values = flips(law)
    total = sum(int(counted(law, c, [(0, low, high - low)])) for low, high in values)
    return Fraction(total, len(values) * pulses(law, c))


def second_moment(law: SinglePulse, c: int, i: int, j: int) -> Fraction:
    """E x_i x_j in class `c`. Raises OutOfReachError where the classes have means.

    >>> str(second_moment(SinglePulse(40, ((3, 4), (9, 10)), "zero-one", "none", (1, 0)), 0, 7, 9))
    '3/80'
    """
    require_centred(law, "The second moment")
    values = flips(law)
    total = sum(int(counted(law, c, [(i, low, high - low), (j, low, high - low)])) for low, high in values)
    return Fraction(total, len(values) * pulses(law, c))


@dataclass(frozen=True)
class Event:
    """A gate on the pulses: within flip f it is opens[f] = (constant, slope) for constant + slope u_site.

    x = 2 u - 1 is at least 0 inside the pulse, and after the flip x -> -x outside:

    >>> law = SinglePulse(4, ((1, 1), (2, 2)), "plus-minus", "sign", (1, 0))
    >>> event(law, SiteGate(2, lo=0, on="input")).opens  # u_2 and 1 - u_2
    ((0, 1), (1, -1))
    """

    site: int | None  # None for a gate without bounds
    opens: tuple[tuple[int, int], ...]

    @property
    def constant(self) -> int | None:
        """1 or 0 for a gate that is open or closed for every pulse, else None."""
        values = set(self.opens)
        return next((value for value in (0, 1) if values == {(value, 0)}), None)


@singledispatch
def opens_in(gate: Any, flipped: tuple[tuple[int, int], ...]) -> Event:
    """Return a gate as an event of one bit for each flip (low, high); only gates at one site are such events.

    For all other kinds `exact_moments` sums over the single pulses.

    >>> opens_in(SiteGate(2, lo=-1, hi=2, on="input"), ((0, 1),)).constant  # 0 and 1 both lie in [-1, 2)
    1
    """
    del flipped
    refuse_gate(gate, "A gate on pulses", opens_in.registry)


@opens_in.register
def _(gate: AlwaysGate, flipped: tuple[tuple[int, int], ...]) -> Event:
    del gate
    return Event(None, ((1, 0),) * len(flipped))


@opens_in.register
def _(gate: SiteGate, flipped: tuple[tuple[int, int], ...]) -> Event:
    if (gate.lo, gate.hi) == (-inf, inf):
        return Event(None, ((1, 0),) * len(flipped))
    require_hard(gate, f"The gate at site {gate.site}")
    inside = [tuple(int(gate.lo <= value < gate.hi) for value in values) for values in flipped]
    return Event(gate.site, tuple((dark, bright - dark) for dark, bright in inside))


def event(law: SinglePulse, gate: Gate) -> Event:
    """1[lo <= x_site < hi] as a function of u_site, for each flip.

    Raises OutOfReachError for soft gates, and for a kind of gate that does not depend on one site.

    >>> law = SinglePulse(4, ((1, 1), (2, 2)), "zero-one", "none", (1, 0))
    >>> event(law, SiteGate(2, lo=0, on="input")).opens, event(law, SiteGate(2, lo=1, on="input")).opens
    (((1, 0),), ((0, 1),))
    """
    return opens_in(gate, flips(law))


@lru_cache(maxsize=8)
def exact_moments(law: SinglePulse, network: Network) -> ExactMoments:
    """The moments of a gated-linear network on single pulses, as fractions.

    Gates at one site are counted in closed form; with class means or gates along directions the moments are sums over
    the single pulses. Raises OutOfReachError where A has too many rows, and where there are too many pulses for sums.

    >>> from theory.problem import AlwaysGate
    >>> law = SinglePulse(4, ((1, 1), (2, 2)), "zero-one", "none", (1, 0))
    >>> moments = exact_moments(law, Network("gated-linear", "mean", 1, (AlwaysGate(),)))
    >>> moments.rows[0].tolist(), moments.denominator
    ([3, 1, 0, 1], 8)
    """
    require_linear(network)
    require_rows(network, law.n)
    gates = resolved(network.gates)
    if law.means or any(opens_in.dispatch(type(gate)) is opens_in.dispatch(object) for gate in gates):
        return of_examples(examples(law, network), network)
    events = tuple(event(law, gate) for gate in gates)
    values = flips(law)
    weights = [p / (len(values) * pulses(law, c)) for c, p in enumerate(law.probabilities)]
    denominator = lcm(*(weight.denominator for weight in weights))
    whole = [int(weight * denominator) for weight in weights]
    sizes = [law.n] * len(events) + [1] * (len(events) + 1 if network.has_biases else 0)
    parts = [slice(end - size, end) for end, size in zip(accumulate(sizes), sizes, strict=True)]
    rows = np.zeros((sum(sizes), sum(sizes)), dtype=_integers(denominator * network.units**2))
    first = np.full((sum(sizes), law.outputs), Fraction(0), dtype=object)
    for c, (f, (low, high)) in product(range(law.classes), enumerate(values)):
        features = _features(network, events, f, (np.arange(law.n), low, high - low))
        share = np.array([weights[c] * y for y in law.label_vectors[c]], dtype=object)
        for part, feature in zip(parts, features, strict=True):
            total = np.broadcast_to(counted(law, c, feature), part.stop - part.start)
            first[part] += np.multiply.outer(np.array(total.tolist(), dtype=object), share)
        for (left, u), (right, v) in combinations_with_replacement(list(zip(parts, features, strict=True)), 2):
            turned = [(site[:, None] if isinstance(site, np.ndarray) else site, *line) for site, *line in u]
            block = np.broadcast_to(counted(law, c, [*turned, *v]), (left.stop - left.start, right.stop - right.start))
            rows[left, right] += whole[c] * block.astype(rows.dtype)
    rows = np.triu(rows) + np.triu(rows, 1).T
    b = first[:, 0] if law.outputs == 1 else first
    return ExactMoments(len(events), law.n, rows, denominator, b, squared_labels(law), _notes(law, events))


def _integers(largest: int) -> type:
    """Return the integer type for sums up to `largest`: 64 bits, or Python integers."""
    return np.int64 if largest < np.iinfo(np.int64).max else object


def _notes(law: SinglePulse, events: tuple[Event, ...]) -> tuple[str, ...]:
    """Gates that never change, in words."""
    values = {value for flip in flips(law) for value in flip}
    shown = "{" + ", ".join(str(value) for value in sorted(values)) + "}"
    return tuple(
        f"unit {unit}: its gate at site {gate.site} is {ALWAYS_OR_NEVER[gate.constant]}, as x takes the values {shown}."
        for unit, gate in enumerate(events)
        if gate.constant is not None and gate.site is not None
    )


def _features(network: Network, events: tuple[Event, ...], f: int, x: Factor) -> list[list[Factor]]:
    """Within flip f: g_1 x, ..., g_K x and, with biases, g_1, ..., g_K, 1/s, each as a product of factors."""
    gates: list[Factor] = [(gate.site, *gate.opens[f]) for gate in events]
    inputs = [[gate, x] for gate in gates]
    if not network.has_biases:
        return inputs
    return [*inputs, *([gate] for gate in gates), [(None, int(1 / network.scale), 0)]]


def examples(law: SinglePulse, network: Network) -> Examples:
    """Every pulse of every class, flip and width, one by one.

    >>> from theory.problem import Network
    >>> law = SinglePulse(4, ((1, 1), (2, 2)), "zero-one", "none", (1, 0))
    >>> examples(law, Network("gated-linear", "mean", 1, (AlwaysGate(),))).x.shape
    (8, 4)
    """
    values = flips(law)
    require_examples(sum(pulses(law, c) for c in range(law.classes)) * len(values), network, law.n)
    means = law.means or ((Fraction(0),) * law.n,) * law.classes
    site = np.arange(law.n)
    x, probabilities, labels = [], [], []
    for c, (least, largest) in enumerate(law.widths):
        share = law.probabilities[c] / (len(values) * pulses(law, c))
        for width, start, (low, high) in product(range(least, largest + 1), range(law.n), values):
            lit_sites = (site - start) % law.n < width
            x.append([(high if on else low) + m for on, m in zip(lit_sites.tolist(), means[c], strict=True)])
            probabilities.append(share)
            labels.append(law.label_vectors[c])
    return Examples(np.array(x, dtype=object), tuple(probabilities), tuple(labels))


@law_moments.register
def _(law: SinglePulse, network: Network, arithmetic: Arithmetic) -> FeatureMoments:
    return ExactFeatures(exact_moments(law, network), arithmetic)


@second_moments.register
def _(law: SinglePulse, arithmetic: Arithmetic) -> Numbers:
    require_centred(law, "The second moment")
    sites = range(law.n)
    rows = [
        [[arithmetic.rational(second_moment(law, c, 0, (j - i) % law.n)) for j in sites] for i in sites]
        for c in range(law.classes)
    ]
    return np.array(rows, dtype=arithmetic.dtype)


@dataclass(frozen=True, eq=False)
class PulseInputs(InputStatistics):
    """The inputs of class `c`: sums over its pulses, in integers as far as the mean of a site is not subtracted."""

    law: SinglePulse
    c: int

    alike = True

    @property
    def mean(self) -> Float[np.ndarray, " n"]:
        """E x_j, the same at every site."""
        return np.full(self.law.n, float(mean(self.law, self.c)))

    @cached_property
    def covariance(self) -> Float[np.ndarray, "n n"]:
        """E x_i x_j - m^2, a function of the distance along the ring."""
        site, m = np.arange(self.law.n), mean(self.law, self.c)
        by_lag = [float(second_moment(self.law, self.c, 0, lag) - m * m) for lag in range(self.law.n)]
        return np.array(by_lag)[(site[:, None] - site[None, :]) % self.law.n]

    def third(self, i: Sites, j: Sites, k: Sites) -> Float[np.ndarray, "..."]:
        """The mean over the flips of E prod (low - m + (high - low) u)."""
        return self._central(i, j, k)

    def fourth(self, i: Sites, j: Sites, k: Sites, l: Sites) -> Float[np.ndarray, "..."]:
        """As `third`, of four sites."""
        return self._central(i, j, k, l)

    def _central(self, *sites: Sites) -> Float[np.ndarray, "..."]:
        m, found = float(mean(self.law, self.c)), flips(self.law)
        total = sum(counted(self.law, self.c, [(s, low - m, high - low) for s in sites]) for low, high in found)
        return total / (len(found) * pulses(self.law, self.c))

    def marginal(self, site: int) -> Values:
        """The values of a site with their probabilities, as fractions."""
        share, found = lit(self.law, self.c, (site,)), flips(self.law)
        levels = ((value, p) for low, high in found for value, p in ((low, 1 - share), (high, share)))
        return tallied((value, p / len(found)) for value, p in levels)


@input_statistics_of.register
def _(law: SinglePulse, c: int) -> PulseInputs:
    return PulseInputs(law, c)
