"""Drawn single pulses against the enumeration of their law, and the trained networks against the discrete map."""

import numpy as np
import pytest
import torch

from sim.data.sample import prepare
from sim.data.single_pulse import inside
from sim.gates.gating import opens
from sim.random.streams import TRAINING, stream
from tests.oracles import pulses
from tests.tolerances import STANDARD_ERRORS
from theory.problem import OutOfReachError, SinglePulse, SiteGate

CPU = torch.device("cpu")
ROWS = 100_000
WIDTHS = ((1, 2), (3, 5))
KINDS = pytest.mark.parametrize(("support", "flip"), [("plus-minus", "sign"), ("zero-one", "complement")])


def law(support="zero-one", flip="none", n=6, widths=WIDTHS):
    return SinglePulse(n, widths, support, flip, (1, "1/3"))


def streams(*replicates, seed=3, purpose=TRAINING):
    return [stream(seed, replicate, purpose) for replicate in replicates]


def drawn(data, rows=ROWS, dtype=torch.float64):
    return prepare(data, CPU, dtype).draw(streams(0), rows)


@KINDS
def test_every_input_is_drawn_as_often_as_it_is_likely(support, flip):
    """The count of each distinct input is binomial: within six standard deviations of its probability, none other."""
    data = law(support, flip)
    sample = drawn(data)
    x, second = sample.x[0].numpy(), sample.category[0].numpy()
    assert abs(second.mean() - 0.5) < STANDARD_ERRORS * 0.5 / np.sqrt(ROWS)
    assert (sample.y[0].numpy() == np.where(second, float(data.labels[1]), 1.0)).all()
    for c in (0, 1):
        own = x[second == c]
        patterns, counts = np.unique(own, axis=0, return_counts=True)
        points = pulses.inputs(data.n, WIDTHS[c], support, flip)
        likely = {tuple(point): points.count(point) / len(points) for point in points}
        assert {tuple(pattern) for pattern in patterns.tolist()} == set(likely)
        for pattern, count in zip(patterns.tolist(), counts, strict=True):
            p = likely[tuple(pattern)]
            assert abs(count / len(own) - p) < STANDARD_ERRORS * np.sqrt(p * (1 - p) / len(own))


@pytest.mark.parametrize("width", [1, 3, 7])
def test_a_pulse_wraps_round_the_ring(width):
    lit = inside(7, torch.arange(7), torch.full((7,), width))
    assert lit.tolist() == [[(site - start) % 7 < width for site in range(7)] for start in range(7)]


def test_no_latent_and_no_scratch():
    made = prepare(law(), CPU, torch.float32)
    assert made.room(2, 10) is None
    sample = made.draw(streams(0, 1), 10)
    assert sample.z is None
    assert sample.x.dtype == sample.y.dtype == torch.float32
    with pytest.raises(OutOfReachError, match="looks at the latent"):
        opens(SiteGate(1, lo=0), sample)
