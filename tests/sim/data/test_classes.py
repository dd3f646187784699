"""Classes, labels and contexts of drawn examples, and gates whose inputs saturate in some classes."""

from fractions import Fraction

import numpy as np
import torch

from sim.data.classes import bounds, chosen, draw_classes
from sim.data.sample import prepare
from sim.random.streams import TRAINING, stream
from tests.sim.cases import line
from theory.problem import Table


def drawn(law, rows, dtype=torch.float64):
    return prepare(law, torch.device("cpu"), dtype).draw([stream(3, 0, TRAINING)], rows)


def test_two_equal_classes_are_coins():
    streams = [stream(3, number, TRAINING, 17) for number in (0, 5)]
    half = (Fraction(1, 2),) * 2
    assert (draw_classes(half, streams, 300) == np.stack([one.coins(300) for one in streams])).all()
    assert streams[0].example == 17


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


def test_examples_of_a_table_have_their_labels_and_contexts(tmp_path):
    x = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.0, -3.0], [0.5, 0.5]])
    y = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0], [2.0, 2.0], [0.0, 1.0]])
    context = np.array([0, 5, 0, 2, 5])
    np.savez(tmp_path / "data.npz", x=x, y=y, context=context, weights=np.array([1.0, 4.0, 1.0, 2.0, 2.0]))
    sample = drawn(Table(str(tmp_path / "data.npz")), 200)
    index = (sample.x[0][:, None, :] == torch.tensor(x)).all(dim=2).int().argmax(dim=1).numpy()
    assert (sample.y[0].numpy() == y[index]).all()
    assert (sample.context[0].numpy() == context[index]).all()
    assert (sample.category[0].numpy() == np.array([0, 1, 0, 2, 1])[index]).all()
