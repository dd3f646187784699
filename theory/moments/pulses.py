"""Several pulses: their moments through gates, exactly.

The union of blocks of height 1 is counted in closed form: N independent pulses miss the sites S with the probability
q(S)^N, q(S) that of one pulse, and the probability that all of S are lit follows by inclusion and exclusion. For other
pulses the distribution of x is the N-fold sum, or maximum, of that of one pulse, taken input by input.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import combinations, product

import numpy as np
from jaxtyping import Float, Shaped

from theory.moments import blocks, lit_sites
from theory.moments.arithmetic import Arithmetic
from theory.moments.basis import require_linear
from theory.moments.exact_features import ExactFeatures
from theory.moments.exact_moments import (
    ExactMoments,
    Examples,
    of_examples,
    require_examples,
    require_rows,
    whole_numbers,
)
from theory.moments.example_statistics import ExampleStatistics
from theory.moments.feature_moments import FeatureMoments, law_moments
from theory.moments.inputs import InputStatistics, Sites, Values, input_statistics_of, tallied
from theory.moments.lit_sites import LitInputs, covering, examples, flips
from theory.problem import Network, OutOfReachError, Pulses

MOST_NUMBERS = 2_000_000  # in the list of single pulses, as fractions: 200 MB
MOST_PAIRS = 2_000_000  # the most inputs that one more pulse may give, before equal ones are united


def is_union(law: Pulses) -> bool:
    """Whether x is 1 where any pulse of an example is, and 0 elsewhere.

    >>> is_union(Pulses(6, "open", "block", [[2, 3]], [[1, 2]], [1], "max", [1]))
    True
    """
    return law.overlap == "max" and law.form == "block" and set(law.heights) == {1}


@flips.register
def _(law: Pulses) -> tuple[tuple[int, int], ...]:
    _require_union(law)
    return ((0, 1),)


@covering.register
def _(law: Pulses, c: int, *sites: Sites) -> Shaped[np.ndarray, "..."]:
    _require_union(law)
    least, largest = law.counts[c]
    line = law.n, law.widths[c], law.boundary
    total = int(blocks.covering(*line))
    count = 0
    for size in range(len(sites) + 1):
        for chosen in combinations(sites, size):
            missed = blocks.missing(*line, *chosen).astype(object)
            missed = sum(missed**number * total ** (largest - number) for number in range(least, largest + 1))
            count = count + (-1) ** size * missed
    return np.asarray(count)


def _require_union(law: Pulses) -> None:
    if not is_union(law):
        raise OutOfReachError(
            f'Pulses with form = "{law.form}", overlap = "{law.overlap}" and {len(law.heights)} heights are not lit '
            "or dark, and have no counts of lit sites.",
            'Use blocks of height 1 with overlap = "max", or take the inputs one by one (their number is limited).',
        )


def single(law: Pulses, c: int) -> tuple[Shaped[np.ndarray, "M n"], tuple[Fraction, ...]]:
    """Return x of every single pulse of class `c`, in exact numbers, with its probability.

    >>> law = Pulses(3, "open", "block", [[2, 3]], [[1, 2]], [1], "sum", [1])
    >>> x, probabilities = single(law, 0)
    >>> x.astype(int).tolist(), [str(p) for p in probabilities]
    ([[1, 1, 0], [0, 1, 1], [1, 1, 1]], ['1/4', '1/4', '1/2'])
    """
    least, largest = law.widths[c]
    count = sum(law.n if law.boundary == "ring" else law.n - width + 1 for width in range(least, largest + 1))
    if count * len(law.heights) * law.n > MOST_NUMBERS:
        raise OutOfReachError(
            f"Class {c} has {count * len(law.heights)} single pulses on {law.n} sites, and their list may have "
            f"{MOST_NUMBERS} numbers.",
            'Use fewer sites, widths or heights; blocks of height 1 with overlap = "max" need no list.',
        )
    x, probabilities = [], []
    for width in range(least, largest + 1):
        shape = np.array(law.profile(width), dtype=object)
        starts = law.n if law.boundary == "ring" else law.n - width + 1
        share = Fraction(1, (largest - least + 1) * starts * len(law.heights))
        for start in range(starts):
            for height in law.heights:
                row = np.full(law.n, Fraction(0))
                row[(start + np.arange(width)) % law.n] = height * shape
                x.append(row)
                probabilities.append(share)
    return np.array(x), tuple(probabilities)


def distribution(law: Pulses, c: int) -> tuple[Shaped[np.ndarray, "M n"], tuple[Fraction, ...]]:
    """Return the different inputs of class `c`, before the class means are added, with their probabilities.

    Raises OutOfReachError where one more pulse has more than 2 million inputs.

    >>> law = Pulses(2, "open", "block", [[1, 1]], [[2, 2]], [1], "sum", [1])
    >>> x, probabilities = distribution(law, 0)
    >>> x.astype(int).tolist(), [str(p) for p in probabilities]
    ([[0, 2], [1, 1], [2, 0]], ['1/4', '1/2', '1/4'])
    """
    x, probabilities = single(law, c)
    alone, common = whole_numbers(x)
    weights, total = whole_numbers(np.array(probabilities, dtype=object))
    one = {tuple(row): 0 for row in alone.tolist()}
    for row, weight in zip(map(tuple, alone.tolist()), weights.tolist(), strict=True):
        one[row] += weight
    add = int.__add__ if law.overlap == "sum" else max
    least, largest = law.counts[c]
    share = Fraction(1, largest - least + 1)
    found: dict[tuple[int, ...], Fraction] = {}
    present = {(0,) * law.n: 1}
    for number in range(1, largest + 1):
        _require_few(len(present) * len(one), number)
        following: dict[tuple[int, ...], int] = {}
        for row, weight in present.items():
            for pulse, own in one.items():
                both = tuple(map(add, row, pulse))
                following[both] = following.get(both, 0) + weight * own
        present = following
        if number >= least:
            for row, weight in present.items():
                found[row] = found.get(row, Fraction(0)) + share * Fraction(weight, total**number)
    rows = sorted(found)
    return np.array(rows, dtype=object) * Fraction(1, common), tuple(found[row] for row in rows)


def _require_few(pairs: int, number: int) -> None:
    if pairs > MOST_PAIRS:
        raise OutOfReachError(
            f"{number} pulses give up to {pairs} inputs, which are taken one by one up to {MOST_PAIRS}.",
            'Use fewer sites, widths, heights or pulses; blocks of height 1 with overlap = "max" are counted in closed '
            "form; or simulate it (gdln simulate).",
        )


@examples.register
def _(law: Pulses, network: Network) -> Examples:
    x, probabilities, labels = [], [], []
    for c in range(law.classes):
        inputs, shares = distribution(law, c)
        require_examples(len(x) + len(inputs), network, law.n)
        x += list(inputs + np.array(law.means[c], dtype=object) if law.means else inputs)
        probabilities += [law.probabilities[c] * share for share in shares]
        labels += [law.label_vectors[c]] * len(inputs)
    return Examples(np.array(x), tuple(probabilities), tuple(labels))


@lru_cache(maxsize=8)
def exact_moments(law: Pulses, network: Network) -> ExactMoments:
    """The moments of a gated-linear network on several pulses, as fractions.

    Unions of blocks of height 1 are counted in closed form through gates at sites, all else is summed over the inputs.

    >>> from theory.problem import AlwaysGate
    >>> law = Pulses(2, "open", "block", [[1, 1]], [[2, 2]], [1], "max", [1])
    >>> exact_moments(law, Network("gated-linear", "mean", 1, (AlwaysGate(),))).rows.tolist()  # 3/4 and 1/2
    [[3, 2], [2, 3]]
    """
    if is_union(law):
        return lit_sites.exact_moments(law, network)
    require_linear(network)
    require_rows(network, law.n)
    return of_examples(examples(law, network), network)


@law_moments.register
def _(law: Pulses, network: Network, arithmetic: Arithmetic) -> FeatureMoments:
    return ExactFeatures(exact_moments(law, network), arithmetic)


@dataclass(frozen=True, eq=False)
class SumInputs(InputStatistics):
    """The inputs of class `c` where pulses add up, by the cumulants of one pulse p.

    Given N, x has the cumulants N times those of p, and E x = N E p. `one` are the statistics of p.

    Two pulses at one site of two: (x_0 - 1)^4 is 1 with probability 1/2 and else 0.

    >>> found = input_statistics_of(Pulses(2, "open", "block", [[1, 1]], [[2, 2]], [1], "sum", [1]), 0)
    >>> found.mean.tolist(), found.fourth(0, 0, 0, 0).item()
    ([1.0, 1.0], 0.5)
    """

    law: Pulses
    c: int
    one: ExampleStatistics

    @property
    def alike(self) -> bool:
        """Whether all sites have the same distribution: on a ring."""
        return self.law.boundary == "ring"

    @cached_property
    def _numbers(self) -> Float[np.ndarray, " counts"]:
        least, largest = self.law.counts[self.c]
        return np.arange(least, largest + 1, dtype=float)

    @cached_property
    def _moments(self) -> Float[np.ndarray, "5 3"]:
        """E[(N - E N)^r N^s] for r = 0, ..., 4 and s = 0, 1, 2."""
        off = self._numbers - self._numbers.mean()
        return np.array([[(off**r * self._numbers**s).mean() for s in range(3)] for r in range(5)])

    @cached_property
    def mean(self) -> Float[np.ndarray, " n"]:
        """E N E p_j."""
        return self._numbers.mean() * self.one.mean

    @cached_property
    def covariance(self) -> Float[np.ndarray, "n n"]:
        """E N Cov(p_i, p_j) + Var N E p_i E p_j."""
        return self._moments[0, 1] * self.one.covariance + self._moments[2, 0] * np.outer(self.one.mean, self.one.mean)

    def third(self, i: Sites, j: Sites, k: Sites) -> Float[np.ndarray, "..."]:
        """The sum over partitions of i, j, k of products of the cumulants given N, averaged over N."""
        m, s, e = self.one.mean, self.one.covariance, self._moments
        pairs = sum(m[a] * s[b, d] for a, b, d in ((i, j, k), (j, i, k), (k, i, j)))
        return np.asarray(e[0, 1] * self.one.third(i, j, k) + e[1, 1] * pairs + e[3, 0] * m[i] * m[j] * m[k])

    def fourth(self, i: Sites, j: Sites, k: Sites, l: Sites) -> Float[np.ndarray, "..."]:
        """As `third`, of four sites."""
        m, s, e = self.one.mean, self.one.covariance, self._moments
        sites = (i, j, k, l)
        triples = sum(m[sites[a]] * self.one.third(*(sites[b] for b in range(4) if b != a)) for a in range(4))
        halves = [((0, 1), (2, 3)), ((0, 2), (1, 3)), ((0, 3), (1, 2))]
        doubles = sum(s[sites[a], sites[b]] * s[sites[f], sites[g]] for (a, b), (f, g) in halves)
        mixed = sum(
            m[sites[a]] * m[sites[b]] * s[sites[f], sites[g]] + s[sites[a], sites[b]] * m[sites[f]] * m[sites[g]]
            for (a, b), (f, g) in halves
        )
        alone = self.one.fourth(i, j, k, l) - doubles
        same = e[4, 0] * m[i] * m[j] * m[k] * m[l]
        return np.asarray(e[0, 1] * alone + e[0, 2] * doubles + e[1, 1] * triples + e[2, 1] * mixed + same)

    def marginal(self, site: int) -> Values:
        """The values of a site with their probabilities, as fractions. Raises OutOfReachError for millions of them."""
        x, probabilities = single(self.law, self.c)
        return tallied(_of_numbers(self.law, self.c, zip(x[:, site].tolist(), probabilities, strict=True)))


def _of_numbers(law: Pulses, c: int, one: Iterable[tuple[Fraction, Fraction]]) -> Iterator[tuple[Fraction, Fraction]]:
    """Yield the values of a site under N pulses, for each N in turn, with their probabilities."""
    alone = tallied(one)
    least, largest = law.counts[c]
    present: dict[Fraction, Fraction] = {Fraction(0): Fraction(1)}
    for number in range(1, largest + 1):
        _require_few(len(present) * len(alone.values), number)
        following: dict[Fraction, Fraction] = {}
        for (x, p), own in product(present.items(), zip(alone.values, alone.probabilities, strict=True)):
            following[x + own[0]] = following.get(x + own[0], Fraction(0)) + p * own[1]
        present = following
        if number >= least:
            yield from ((x, p / (largest - least + 1)) for x, p in present.items())


@input_statistics_of.register
def _(law: Pulses, c: int) -> InputStatistics:
    if is_union(law):
        return LitInputs(law, c, alike=law.boundary == "ring")
    x, probabilities = single(law, c) if law.overlap == "sum" else distribution(law, c)
    found = ExampleStatistics(x.astype(float), np.array(probabilities, float))
    return SumInputs(law, c, found) if law.overlap == "sum" else found
