"""Several pulses and bars against a full enumeration of their configurations: equal as fractions."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from tests.theory.moments.definition import largest_difference, summed
from tests.tolerances_of_laws import PULSE_SUMS
from theory.moments import feature_moments, pulses
from theory.moments.exact_moments import ExactMoments
from theory.moments.inputs import input_statistics, second_moments
from theory.moments.lit_sites import exact_moments
from theory.problem import AlwaysGate, Bars, DirectionGate, Network, OutOfReachError, Pulses, SiteGate

HALF = Fraction(1, 2)
GATES = (SiteGate(1, lo=HALF, on="input"), SiteGate(2, hi=HALF, on="input"), SiteGate(0, -1, 1, "input"), AlwaysGate())
NETWORK = Network("gated-linear", "mean", len(GATES), GATES)
ALONG = Network("gated-linear", "mean", 1, (DirectionGate({0: 1, 2: -1}, lo=HALF, on="input"),))
MEANS = ((1, "1/2", 0, -1), 0)


def several(**changes):
    """Several pulses on four sites."""
    settings = {
        "n": 4,
        "boundary": "ring",
        "form": "block",
        "widths": ((1, 2), (3, 3)),
        "counts": ((1, 2), (2, 2)),
        "heights": (1,),
        "overlap": "max",
        "labels": (1, "-1/3"),
    }
    return Pulses(**(settings | changes))


def bars(**changes):
    """Bars on a grid of two rows and three columns."""
    settings = {
        "shape": (2, 3),
        "boundary": "torus",
        "rows": ((1, 1), (1, 2)),
        "columns": ((2, 3), (1, 1)),
        "support": "zero-one",
        "flip": "none",
        "labels": (1, "-1/3"),
    }
    return Bars(**(settings | changes))


SMOOTH = {"form": "raised-cosine", "overlap": "sum", "heights": (1, "-1/2")}
LAWS = {
    "union on a ring": several(),
    "union on a line, with means": several(boundary="open", means=MEANS, priors=("1/4", "3/4")),
    "sum of smooth ones on a line": several(boundary="open", **SMOOTH),
    "largest of two heights": several(heights=(1, "1/2")),
    "bars": bars(),
    "bars of signs on an open grid": bars(boundary="open", support="plus-minus", flip="sign"),
    "complements, with means": bars(flip="complement", means=(1, 0)),
}


def places(n, boundary, width):
    """The sets of sites that a block of this width may cover."""
    if boundary == "open":
        return [set(range(start, start + width)) for start in range(n) if start + width <= n]
    return [{(start + step) % n for step in range(width)} for start in range(n)]


def one_pulse(law, c):
    """Every single pulse with its probability."""
    a, b = law.widths[c]
    for width, height in product(range(a, b + 1), law.heights):
        values = law.profile(width)
        starts = [start for start in range(law.n) if law.boundary == "ring" or start + width <= law.n]
        for start in starts:
            x = [Fraction(0)] * law.n
            for step in range(width):
                x[(start + step) % law.n] = height * values[step]
            yield Fraction(1, (b - a + 1) * len(law.heights) * len(starts)), x


def inputs_of_pulses(law, c):
    a, b = law.counts[c]
    for number in range(a, b + 1):
        for pulses_of_one in product(list(one_pulse(law, c)), repeat=number):
            share = Fraction(1, b - a + 1)
            for p, _ in pulses_of_one:
                share *= p
            join = sum if law.overlap == "sum" else max
            yield share, [join(values) for values in zip(*(x for _, x in pulses_of_one), strict=True)]


def inputs_of_bars(law, c):
    (r0, r1), (c0, c1) = law.rows[c], law.columns[c]
    sizes = list(product(range(r0, r1 + 1), range(c0, c1 + 1)))
    low, high = (0, 1) if law.support == "zero-one" else (-1, 1)
    turned = {"none": [], "sign": [(-low, -high)], "complement": [(high, low)]}[law.flip]
    line = "ring" if law.boundary == "torus" else "open"
    for height, width in sizes:
        corners = list(product(places(law.shape[0], line, height), places(law.shape[1], line, width)))
        for (down, across), (dark, bright) in product(corners, [(low, high), *turned]):
            u = [row in down and column in across for row, column in product(*map(range, law.shape))]
            share = Fraction(1, len(sizes) * len(corners) * (1 + len(turned)))
            yield share, [Fraction(bright if lit else dark) for lit in u]


def enumerated(law, c):
    """Every input of class c, its mean added, with its probability: x (points, n) and p."""
    p, x = zip(*(inputs_of_bars(law, c) if isinstance(law, Bars) else inputs_of_pulses(law, c)), strict=True)
    mean = np.array(law.means[c] if law.means else [Fraction(0)] * law.n, dtype=object)
    return np.array(x, dtype=object) + mean, np.array(p, dtype=object)


def moments(law, network):
    """A and b by their definition."""
    A = b = 0
    for c, prior in enumerate(law.probabilities):
        x, p = enumerated(law, c)
        parts = summed(network, x.T, prior * p, np.full(len(p), law.labels[c], dtype=object))
        A, b = A + parts[0], b + parts[1]
    return A.tolist(), b.tolist()


def fractions(exact: ExactMoments):
    return [[Fraction(entry, exact.denominator) for entry in row] for row in exact.rows.tolist()], exact.first.tolist()


def library(law, network):
    of = pulses.exact_moments if isinstance(law, Pulses) else exact_moments
    return fractions(of(law, network))


@pytest.mark.parametrize("network", [NETWORK, ALONG], ids=["sites", "direction"])
def test_moments_through_gates_are_the_enumerated_ones(network):
    different = [name for name, law in LAWS.items() if library(law, network) != moments(law, network)]
    assert different == []


@pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)
def test_statistics_of_the_inputs(law):
    sites = np.array(list(product(range(3), repeat=4))).T
    for c in range(law.classes):
        x, p = enumerated(law, c)
        assert p.sum() == 1
        statistics = input_statistics(law, c)
        slack = PULSE_SUMS * max(1, float(np.abs(x).max())) ** 4
        assert largest_difference(statistics, x, p, sites) <= slack
        assert np.abs(second_moments(law)[c] - ((x * p[:, None]).T @ x).astype(float)).max() <= slack
        for site in range(law.n):
            marginal = statistics.marginal(site)
            for value, share in zip(marginal.values, marginal.probabilities, strict=True):
                expected = p[np.abs(x[:, site] - Fraction(value)) <= PULSE_SUMS].sum()
                assert abs(float(share) - float(expected)) <= PULSE_SUMS


def test_many_pulses_are_counted_in_closed_form():
    """Fifty pulses of width 1 on ten sites leave a site dark with probability (9/10)^50."""
    law = several(n=10, widths=((1, 1), (1, 1)), counts=((50, 50), (1, 1)))
    exact = pulses.exact_moments(law, Network("gated-linear", "mean", 1, (AlwaysGate(),)))
    dark, both = Fraction(9, 10) ** 50, Fraction(8, 10) ** 50
    first = Fraction(exact.rows[0, 0], exact.denominator)
    assert first == (1 - dark) / 2 + Fraction(1, 20)
    assert Fraction(exact.rows[0, 1], exact.denominator) == (1 - 2 * dark + both) / 2


@pytest.mark.parametrize(
    ("law", "words"),
    [
        (several(n=80, overlap="sum", counts=((5, 5), (1, 1))), "3 pulses give"),
        (several(n=2000, overlap="sum"), "single pulses on 2000 sites"),
    ],
)
def test_too_many_inputs_are_refused_by_name(law, words):
    with pytest.raises(OutOfReachError, match=words):
        feature_moments(law, Network("gated-linear", "mean", 1, (AlwaysGate(),)))
