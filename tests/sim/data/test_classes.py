"""Any number of classes with priors, means and vector labels: as often as they are likely, and the coins of old."""

from fractions import Fraction

import numpy as np
import torch

from sim.data.classes import bounds, chosen, draw_classes
from sim.data.sample import prepare
from sim.random.streams import TRAINING, stream
from tests.sim.cases import line
from tests.tolerances import STANDARD_ERRORS
from theory.problem import DirectionGate

CPU = torch.device("cpu")
ROWS = 60_000
PRIORS = (Fraction(1, 2), Fraction(1, 8), Fraction(3, 8))


def drawn(law, rows=ROWS, dtype=torch.float64):
    return prepare(law, CPU, dtype).draw([stream(3, 0, TRAINING)], rows)


def likely(counts, probabilities, rows):
    """Whether counts are within six standard deviations of those of a multinomial law."""
    p = np.array([float(probability) for probability in probabilities])
    return (np.abs(counts / rows - p) <= STANDARD_ERRORS * np.sqrt(p * (1 - p) / rows)).all()


def test_two_equal_classes_are_coins():
    own = [stream(3, number, TRAINING, 17) for number in (0, 5)]
    half = (Fraction(1, 2),) * 2
    assert (draw_classes(half, own, 300) == np.stack([one.coins(300) for one in own])).all()
    assert own[0].example == 17


def test_the_inverse_of_the_distribution():
    limits = bounds((Fraction(1, 3), Fraction(1, 6), Fraction(1, 2)))
    below = np.nextafter(limits, 0)
    assert chosen(limits, np.concatenate([[0], below, limits, [1]])).tolist() == [0, 0, 1, 1, 2, 2]


def test_vector_labels():
    dtype = torch.float32
    sample = drawn(line(xi=(2, 1, 1), labels=((1, 0), (0, 1), ("1/2", -1))), 200, dtype)
    table = torch.tensor([[1, 0], [0, 1], [0.5, -1]], dtype=dtype)
    assert sample.y.shape == (1, 200, 2)
    assert sample.y.dtype == dtype
    assert torch.equal(sample.y, table[sample.category])


def test_lost_signs_are_found_where_the_mean_has_nothing_along_the_gate():
    """x_0 - x_2 has the sign of z_0 - z_2 where both sites have the same mean, though both inputs saturate."""
    from sim.gates.gating import opens

    law = line(gain=100, means=((3, 0, 3, 0), (5, 0, 1, 0)))
    sample = drawn(law, 4000)
    found, expected = (opens(DirectionGate({0: 1, 2: -1}, lo=0, on=on), sample) for on in ("input", "latent"))
    level = sample.category == 0
    assert (sample.x[..., 0] == sample.x[..., 2])[level].double().mean() > 0.5
    assert torch.equal(found[level], expected[level])
    assert found[~level].all()  # there the means differ by 4, and the rest by 2.1 at most
