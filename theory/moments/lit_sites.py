"""Laws of lit sites through gates, in exact integers: u_j = 1 where site j is lit, and x a function of u.

A law gives the counts of its patterns that light given sites (`covering`); sums over them of products of linear
functions of u follow by multiplying out. Within each flip x_j = low + (high - low) u_j and a site gate is 0, 1, u_i or
1 - u_i: every moment of eq. (6), (7), (12) of the localization notes is such a sum. Where gates look at several sites,
or the classes have means, the moments are sums over the inputs, which a law lists (`examples`).
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache, singledispatch
from itertools import accumulate, combinations_with_replacement, product
from math import inf, lcm, prod
from typing import Any

import numpy as np
from jaxtyping import Bool, Float, Shaped

from theory.moments.basis import require_linear
from theory.moments.exact_moments import (
    ALWAYS_OR_NEVER,
    ExactMoments,
    Examples,
    of_examples,
    require_rows,
)
from theory.moments.feature_moments import squared_labels
from theory.moments.gate_events import open_on
from theory.moments.inputs import InputStatistics, Sites, Values, tallied
from theory.problem import AlwaysGate, Law, Network, OutOfReachError, SiteGate, resolved

Factor = tuple[Sites | None, Any, int]  # constant + slope u_site; the constant may be an array of fractions, one a site


@singledispatch
def covering(law: Any, c: int, *sites: Sites) -> Shaped[np.ndarray, "..."]:
    """Count the pulses of class `c` that cover all of `sites`, elementwise over arrays; all pulses without sites.

    A pulse counts as often as it is likely, in whole numbers: on a ring each of the n (b - a + 1) pulses counts once.

    >>> from theory.problem import SinglePulse
    >>> law = SinglePulse(4, ((1, 1), (2, 2)), "zero-one", "none", (1, 0))
    >>> int(covering(law, 1, 0, 1)), covering(law, 0, np.arange(4)).tolist()
    (1, [1, 1, 1, 1])
    """
    del c, sites
    raise OutOfReachError(
        f"The law {type(law).__name__} has no counts of pulses that cover given sites.",
        "Register them with covering in its file of theory/moments/, or take its inputs one by one.",
    )


def pulses(law: Law, c: int) -> int:
    """The count of all pulses of class `c`: n (b - a + 1) on a ring.

    >>> from theory.problem import SinglePulse
    >>> pulses(SinglePulse(4, ((1, 1), (2, 3)), "zero-one", "none", (1, 0)), 1)
    8
    """
    return int(covering(law, c))


def lit(law: Law, c: int, sites: tuple[int, ...]) -> Fraction:
    """E prod_{j in sites} u_j in class `c`; repeated sites count once.

    >>> from theory.problem import SinglePulse
    >>> law = SinglePulse(40, ((3, 4), (9, 10)), "zero-one", "none", (1, 0))
    >>> str(lit(law, 0, (7,))), str(lit(law, 0, (7, 9))), str(lit(law, 0, (39, 0, 1)))
    ('7/80', '3/80', '3/80')
    """
    return Fraction(int(covering(law, c, *sites)), pulses(law, c))


@singledispatch
def flips(law: Any) -> tuple[tuple[int, int], ...]:
    """(low, high), the values of x outside and inside the pulse, for each of the equally likely flips.

    >>> from theory.problem import SinglePulse
    >>> flips(SinglePulse(4, ((1, 1), (2, 2)), "zero-one", "complement", (1, 0)))
    ((0, 1), (1, 0))
    """
    low, high = (0, 1) if law.support == "zero-one" else (-1, 1)
    flipped = {"none": (), "sign": ((-low, -high),), "complement": ((high, low),)}[law.flip]
    return ((low, high), *flipped)


def counted(law: Law, c: int, factors: list[Factor]) -> Shaped[np.ndarray, "..."]:
    """The sum over the pulses of class `c` of prod_f (constant_f + slope_f u_{site_f}), multiplied out.

    u_0 (1 - u_1) counts the pulses that end at site 0, one for each width:

    >>> from theory.problem import SinglePulse
    >>> law = SinglePulse(40, ((3, 4), (9, 10)), "zero-one", "none", (1, 0))
    >>> int(counted(law, 0, [(0, 0, 1), (1, 1, -1)]))
    2
    """
    total = np.zeros((), dtype=int)
    for chosen in product((False, True), repeat=len(factors)):
        weight = prod(slope if taken else constant for taken, (_, constant, slope) in zip(chosen, factors, strict=True))
        if np.any(weight):
            taken = (site for taken, (site, _, _) in zip(chosen, factors, strict=True) if taken)
            count = covering(law, c, *taken)
            # Products of fractions need Python's integers.
            total = total + weight * (count if isinstance(weight, int) else count.astype(object))
    return np.asarray(total)


def moment(law: Law, c: int, *sites: Sites) -> Shaped[np.ndarray, "..."]:
    """E prod x_j over `sites` in class `c`, before the class means are added: fractions, elementwise over arrays.

    >>> from theory.problem import SinglePulse
    >>> law = SinglePulse(40, ((3, 4), (9, 10)), "zero-one", "none", (1, 0))
    >>> [str(value) for value in moment(law, 0, np.arange(2), 1)]
    ['1/16', '7/80']
    """
    values = flips(law)
    total = sum(counted(law, c, [(site, low, high - low) for site in sites]) for low, high in values)
    distinct, inverse = np.unique(total, return_inverse=True)
    shares = [Fraction(int(count), len(values) * pulses(law, c)) for count in distinct.tolist()]
    return np.array(np.array(shares, dtype=object)[inverse.reshape(np.shape(total))], dtype=object)


@dataclass(frozen=True, eq=False)
class LitInputs(InputStatistics):
    """The inputs of class `c`: sums over its patterns in exact numbers.

    `alike` is True on rings and tori, where all sites have the same distribution.

    >>> from theory.problem import SinglePulse
    >>> law = SinglePulse(4, ((1, 1), (2, 2)), "zero-one", "none", (1, 0))
    >>> found = LitInputs(law, 0, True)
    >>> found.mean.tolist(), found.covariance[0].tolist(), found.third(0, 0, 0).item()
    ([0.25, 0.25, 0.25, 0.25], [0.1875, -0.0625, -0.0625, -0.0625], 0.09375)
    """

    law: Law
    c: int
    alike: bool

    @cached_property
    def _mean(self) -> Shaped[np.ndarray, " n"]:
        return moment(self.law, self.c, np.arange(self.law.n))

    @cached_property
    def mean(self) -> Float[np.ndarray, " n"]:
        """E x_j."""
        return self._mean.astype(float)

    @cached_property
    def covariance(self) -> Float[np.ndarray, "n n"]:
        """E x_i x_j - m_i m_j, on rings and tori a function of the distances along the axes."""
        site = np.arange(self.law.n)
        if not self.alike:
            return moment(self.law, self.c, site[:, None], site).astype(float) - np.outer(self.mean, self.mean)
        axes = getattr(self.law, "axes", (self.law.n,))
        places = np.unravel_index(site, axes)
        lags = [(place[:, None] - place) % size for place, size in zip(places, axes, strict=True)]
        by_lag = (moment(self.law, self.c, 0, site) - self._mean[0] ** 2).astype(float)
        return by_lag[np.ravel_multi_index(lags, axes)]

    def third(self, i: Sites, j: Sites, k: Sites) -> Float[np.ndarray, "..."]:
        """The mean over the flips of E prod (low - m + (high - low) u)."""
        return self._central(i, j, k)

    def fourth(self, i: Sites, j: Sites, k: Sites, l: Sites) -> Float[np.ndarray, "..."]:
        """As `third`, of four sites."""
        return self._central(i, j, k, l)

    def _central(self, *sites: Sites) -> Float[np.ndarray, "..."]:
        m, values = self._mean, flips(self.law)
        total = sum(
            counted(self.law, self.c, [(site, low - m[site], high - low) for site in sites]) for low, high in values
        )
        return np.asarray(total / (len(values) * pulses(self.law, self.c))).astype(float)

    def marginal(self, site: int) -> Values:
        """The values of a site with their probabilities, as fractions."""
        share, values = lit(self.law, self.c, (site,)), flips(self.law)
        levels = ((value, p) for low, high in values for value, p in ((low, 1 - share), (high, share)))
        return tallied((value, p / len(values)) for value, p in levels)


@dataclass(frozen=True)
class Event:
    """A gate on the pulses: within flip f it is opens[f] = (constant, slope) for constant + slope u_site.

    x = 2 u - 1 is at least 0 inside the pulse, and after the flip x -> -x outside:

    >>> from theory.problem import SinglePulse
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


def event(law: Law, gate: SiteGate | AlwaysGate) -> Event:
    """1[lo <= x_site < hi] as a function of u_site, for each flip. Raises OutOfReachError for soft gates.

    >>> from theory.problem import SinglePulse
    >>> law = SinglePulse(4, ((1, 1), (2, 2)), "zero-one", "none", (1, 0))
    >>> event(law, SiteGate(2, lo=0, on="input")).opens, event(law, SiteGate(2, lo=1, on="input")).opens
    (((1, 0),), ((0, 1),))
    """
    values = np.array(flips(law), dtype=object)
    if isinstance(gate, AlwaysGate) or (gate.lo, gate.hi) == (-inf, inf):
        return Event(None, ((1, 0),) * len(values))
    opened = open_on(replace(gate, site=0), values.reshape(-1, 1), f"The gate at site {gate.site}").astype(int)
    return Event(gate.site, tuple((dark, bright - dark) for dark, bright in opened.reshape(-1, 2).tolist()))


@lru_cache(maxsize=8)
def exact_moments(law: Law, network: Network) -> ExactMoments:
    """The moments of a gated-linear network on a law of lit sites, as fractions.

    Gates at one site are counted in closed form; with class means or gates along directions the moments are sums over
    the inputs. Raises OutOfReachError where A has too many rows, and where there are too many inputs for sums.

    >>> from theory.problem import AlwaysGate, SinglePulse
    >>> law = SinglePulse(4, ((1, 1), (2, 2)), "zero-one", "none", (1, 0))
    >>> moments = exact_moments(law, Network("gated-linear", "mean", 1, (AlwaysGate(),)))
    >>> moments.rows[0].tolist(), moments.denominator
    ([3, 1, 0, 1], 8)
    """
    require_linear(network)
    require_rows(network, law.n)
    gates = resolved(network.gates)
    if law.means or not all(isinstance(gate, SiteGate | AlwaysGate) for gate in gates):
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


def _notes(law: Law, events: tuple[Event, ...]) -> tuple[str, ...]:
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


@singledispatch
def examples(law: Any, network: Network) -> Examples:
    """Every input of a law of pulses with its probability, one by one.

    Raises OutOfReachError for more than the features of the network can be computed of.

    >>> from theory.problem import Network, SinglePulse
    >>> law = SinglePulse(4, ((1, 1), (2, 2)), "zero-one", "none", (1, 0))
    >>> examples(law, Network("gated-linear", "mean", 1, (AlwaysGate(),))).x.shape
    (8, 4)
    """
    del network
    raise OutOfReachError(f"The law {type(law).__name__} has no list of its inputs.", "Sample it.")


def of_patterns(law: Law, patterns: list[list[tuple[Bool[np.ndarray, " n"], Fraction]]]) -> Examples:
    """Return the examples of a law by the lit sites u of each class, with their probabilities in the class.

    >>> from theory.problem import SinglePulse
    >>> law = SinglePulse(2, ((1, 1), (2, 2)), "zero-one", "complement", (1, 0))
    >>> one, both = np.array([True, False]), np.array([True, True])
    >>> of_patterns(law, [[(one, Fraction(1))], [(both, Fraction(1))]]).x.astype(int).tolist()
    [[1, 0], [0, 1], [1, 1], [0, 0]]
    """
    values = flips(law)
    means = law.means or ((Fraction(0),) * law.n,) * law.classes
    x, probabilities, labels = [], [], []
    for c, own in enumerate(patterns):
        for (u, share), (low, high) in product(own, values):
            x.append([(high if on else low) + m for on, m in zip(u.tolist(), means[c], strict=True)])
            probabilities.append(law.probabilities[c] * share / len(values))
            labels.append(law.label_vectors[c])
    return Examples(np.array(x, dtype=object), tuple(probabilities), tuple(labels))
