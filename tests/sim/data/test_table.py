"""Tables drawn and trained on: as often as the weights say, each example with its own label and context."""

import numpy as np
import pytest
import torch

from sim.data.sample import prepare
from sim.random.streams import TRAINING, stream
from tests.tolerances import STANDARD_ERRORS
from theory.problem import Table

CPU, ROWS = torch.device("cpu"), 60_000
X = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.0, -3.0], [0.5, 0.5]])
Y = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0], [2.0, 2.0], [0.0, 1.0]])
WEIGHTS, CONTEXT = np.array([1.0, 4.0, 1.0, 2.0, 2.0]), np.array([0, 5, 0, 2, 5])


@pytest.fixture
def law(tmp_path):
    np.savez(tmp_path / "data.npz", x=X, y=Y, context=CONTEXT, weights=WEIGHTS)
    return Table(str(tmp_path / "data.npz"))


def likely(counts, p):
    """Whether counts are within six standard deviations of those of a multinomial law."""
    return (abs(counts / ROWS - p) <= STANDARD_ERRORS * np.sqrt(p * (1 - p) / ROWS)).all()


def test_drawn_by_weights_with_label_and_context(law):
    dtype = torch.float32
    sample = prepare(law, CPU, dtype).draw([stream(3, 0, TRAINING)], ROWS)
    assert sample.x.dtype == sample.y.dtype == dtype
    index = (sample.x[0][:, None, :] == torch.tensor(X, dtype=dtype)).all(dim=2).int().argmax(dim=1).numpy()
    assert (sample.x[0].numpy() == X[index]).all()
    assert (sample.y[0].numpy() == Y[index]).all()
    assert (sample.context[0].numpy() == CONTEXT[index]).all()
    assert (sample.category[0].numpy() == np.array([0, 1, 0, 2, 1])[index]).all()
    counts = np.bincount(index, minlength=5)
    assert likely(counts, WEIGHTS / 10)
    assert not likely(counts, np.full(5, 1 / 5))


def test_made_examples_are_drawn_with_the_probabilities_of_their_contexts():
    one = {"xx": [[2, 1], [1, 2]], "yx": [[1, 0]], "yy": [[1]]}
    law = Table(moments=[{"probability": "1/8", **one}, {"probability": "7/8", **one}])
    sample = prepare(law, CPU, torch.float64).draw([stream(3, 0, TRAINING)], ROWS)
    assert likely(np.bincount(sample.context[0].numpy(), minlength=2), np.array([1 / 8, 7 / 8]))
    x = sample.x[0].numpy()
    second = x.T @ x / ROWS
    fourth = np.einsum("i,ij,ik->jk", law.rows.probabilities, law.rows.x**2, law.rows.x**2)
    assert (abs(second - one["xx"]) <= STANDARD_ERRORS * np.sqrt(fourth / ROWS)).all()


def test_no_context_lies_in_another(law):
    """Contexts 0, 2 and 5 as they are: a gate on 5 is open for the examples 1 and 4 alone."""
    from sim.gates.gating import opens
    from theory.problem import ContextGate

    sample = prepare(law, CPU, torch.float64).draw([stream(3, 0, TRAINING)], 500)
    index = (sample.x[0][:, None, :] == torch.tensor(X)).all(dim=2).int().argmax(dim=1).numpy()
    assert (opens(ContextGate([5]), sample)[0].numpy() == np.isin(index, [1, 4])).all()
