"""Any number of classes with priors, means and vector labels: as often as they are likely, and the coins of old."""

from fractions import Fraction

import numpy as np
import pytest
import torch

from sim.data import quadrature
from sim.data.classes import bounds, chosen, draw_classes
from sim.data.sample import prepare
from sim.random.streams import TRAINING, stream
from tests.sim.cases import line
from tests.tolerances import SIM_DESCENT, STANDARD_ERRORS
from theory.problem import DirectionGate, FiniteData, GaussianClone, NonlinearGP, SinglePulse

CPU = torch.device("cpu")
ROWS = 60_000
PRIORS = (Fraction(1, 2), Fraction(1, 8), Fraction(3, 8))
MEANS = ((1, 0, 0, -2), (0, 0, 0, 0), ("1/2", 1, 1, 1))
THREE = {"xi": (2, 1, "1/2"), "labels": (1, 0, -1), "priors": PRIORS}


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


def test_choices_are_uniform_and_neither_coins_nor_normal_numbers():
    """One word for each example, of counters that no other number of the stream has."""
    own = stream(3, 0, TRAINING)
    uniform = own.choices(ROWS)
    for share in (0.1, 0.5, 0.9):
        assert abs((uniform < share).mean() - share) < STANDARD_ERRORS * np.sqrt(share * (1 - share) / ROWS)
    normals = torch.empty(ROWS, 4, dtype=torch.float64)
    own.normals(normals)
    others = [*normals.numpy().T, *own.uniforms(ROWS, 4).T, own.coins(ROWS).astype(float)]
    assert max(abs(np.corrcoef(uniform, other)[0, 1]) for other in others) < STANDARD_ERRORS / np.sqrt(ROWS)
    parts = [stream(3, 0, TRAINING, begin).choices(ROWS // 2) for begin in (0, ROWS // 2)]
    assert (np.concatenate(parts) == uniform).all()


def test_the_inverse_of_the_distribution():
    limits = bounds((Fraction(1, 3), Fraction(1, 6), Fraction(1, 2)))
    below = np.nextafter(limits, 0)
    assert chosen(limits, np.concatenate([[0], below, limits, [1]])).tolist() == [0, 0, 1, 1, 2, 2]


@pytest.mark.parametrize("kind", [NonlinearGP, GaussianClone])
def test_three_classes_of_a_gaussian_law(kind):
    """Each class has its probability, label, mean and covariance."""
    law = line(kind, means=MEANS, **THREE)
    sample = drawn(law)
    category, x = sample.category[0].numpy(), sample.x[0].numpy()
    assert likely(np.bincount(category, minlength=3), PRIORS, ROWS)
    assert not likely(np.bincount(category, minlength=3), (Fraction(1, 3),) * 3, ROWS)
    assert (sample.y[0].numpy() == np.array([1.0, 0.0, -1.0])[category]).all()
    for c in range(3):
        own = x[category == c] - np.array([float(Fraction(entry)) for entry in MEANS[c]])
        products = (own[:, :, None] * own[:, None, :]).reshape(len(own), -1)
        for values, expected in ((own, 0), (products, quadrature.covariance(law, c).ravel())):
            error = values.std(axis=0, ddof=1) / np.sqrt(len(own))
            assert (np.abs(values.mean(axis=0) - expected) < STANDARD_ERRORS * error).all()


def test_means_are_added_and_change_nothing_else():
    plain, moved = drawn(line(**THREE), 500), drawn(line(means=MEANS, **THREE), 500)
    means = np.array([[float(Fraction(entry)) for entry in mean] for mean in MEANS])
    assert (moved.x.numpy() == plain.x.numpy() + means[plain.category.numpy()]).all()
    assert torch.equal(moved.z, plain.z)


def test_pulses_of_three_classes():
    law = SinglePulse(6, ((1, 1), (2, 2), (4, 5)), "zero-one", "none", (1, 0, 2), priors=PRIORS, means=(0, 0, 10))
    sample = drawn(law)
    category = sample.category[0].numpy()
    assert likely(np.bincount(category, minlength=3), PRIORS, ROWS)
    width = sample.x[0].numpy().sum(axis=1) - 60 * (category == 2)
    assert set(width[category == 0]) == {1}
    assert set(width[category == 1]) == {2}
    assert set(width[category == 2]) == {4, 5}


def test_one_class_alone():
    sample = drawn(line(xi=(2,), labels=(3,)), 50)
    assert (sample.category == 0).all()
    assert (sample.y == 3).all()


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_vector_labels(dtype):
    sample = drawn(line(xi=(2, 1, 1), labels=((1, 0), (0, 1), ("1/2", -1))), 200, dtype)
    table = torch.tensor([[1, 0], [0, 1], [0.5, -1]], dtype=dtype)
    assert sample.y.shape == (1, 200, 2)
    assert sample.y.dtype == dtype
    assert torch.equal(sample.y, table[sample.category])


WEIGHTS = (Fraction(1, 8), Fraction(1, 2), Fraction(1, 8), Fraction(1, 4))
DATA = FiniteData([[1, 0], [0, 1], [1, 1], [0, "1/3"]], [1, -1, 1, 0], weights=WEIGHTS)


def test_a_finite_data_set_is_drawn_by_its_probabilities():
    sample = drawn(DATA)
    x = torch.tensor([[1, 0], [0, 1], [1, 1], [0, 1 / 3]], dtype=torch.float64)
    index = (sample.x[0][:, None, :] == x[None]).all(dim=2).int().argmax(dim=1).numpy()
    assert (sample.x[0].numpy() == x.numpy()[index]).all()
    assert likely(np.bincount(index, minlength=4), WEIGHTS, ROWS)
    assert not likely(np.bincount(index, minlength=4), (Fraction(1, 4),) * 4, ROWS)
    assert (sample.category[0].numpy() == np.array([0, 1, 0, 2])[index]).all()
    assert (sample.y[0].numpy() == np.array([1, -1, 1, 0])[index]).all()
    assert sample.z is None


def test_a_replicate_of_a_data_set_depends_on_neither_the_others_nor_the_chunks():
    made, part = prepare(DATA, CPU, torch.float64), stream(3, 1, TRAINING)
    together = made.draw([stream(3, number, TRAINING) for number in (0, 1)], 50)
    in_turn = torch.cat([made.draw([part], rows).x for rows in (1, 29, 20)], dim=1)
    assert torch.equal(together.x[1], in_turn[0])
    assert not torch.equal(together.x[0], together.x[1])


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


def test_training_on_more_classes_follows_the_averaged_recursion():
    """Full batches of a data set that is enumerated: one class after another, by its exact second moments."""
    from sim.train import train
    from tests.sim.cases import gated, problem
    from theory.problem import AlwaysGate

    question = problem(DATA, gated((AlwaysGate(),)), batch=4, replicates=600, times=(0, 2, 10))
    run = train(question, "cpu", backend="reference")
    x = np.array([[float(entry) for entry in row] for row in DATA.x])
    p, y = np.array([float(w) for w in WEIGHTS]), np.array([float(label) for label in DATA.y])
    A, b = np.einsum("i,ij,ik->jk", p, x, x), np.einsum("i,i,ij->j", p, y, x)
    w, rate = question.w0()[0], float(question.simulation.learning_rate)
    for _ in range(20):
        w = w + rate * (b - A @ w)
    error = run.weights[:, -1, 0].std(axis=0, ddof=1) / np.sqrt(600)
    assert (np.abs(run.weights[:, -1, 0].mean(axis=0) - w) < STANDARD_ERRORS * error).all()
    alone = train(question, "cpu", backend="reference", replicates=[7]).weights[0]
    assert np.abs(alone - run.weights[7]).max() < SIM_DESCENT * np.abs(alone).max()
