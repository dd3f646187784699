"""Any number of classes, priors, class means and vector labels; finite data sets."""

from dataclasses import replace
from fractions import Fraction

import pytest

from tests.theory.problem.refusals import not_refused
from theory.problem import (
    FiniteData,
    GaussianClone,
    InputError,
    Network,
    NonlinearGP,
    NormalInitialisation,
    Problem,
    SinglePulse,
    SiteGate,
    Training,
    dumps,
    loads,
)

THREE = NonlinearGP(4, (2, 1, "1/2"), 1, "open", "none", (1, 0, -1), priors=("1/2", "1/4", "1/4"))
ROWS = ((1, 0), (0, 1), (1, 1), (2, 2))


def problem_on(data, **network) -> Problem:
    """A network of two linear units on the data, or of `network`."""
    settings = {"model": "relu", "readout": "mean", "units": 2} | network
    readout0 = NormalInitialisation(1, 1) if settings["readout"].startswith("trained") else None
    training = Training("half-mse", 1, NormalInitialisation(1, 0), (1,), readout0=readout0)
    return Problem(data, Network(**settings), training)


def test_priors_and_means_are_exact_and_their_defaults_are_none():
    assert THREE.probabilities == (Fraction(1, 2), Fraction(1, 4), Fraction(1, 4))
    uniform = replace(THREE, priors=("1/3", "1/3", "1/3"))
    assert uniform == replace(THREE, priors=())
    assert uniform.probabilities == (Fraction(1, 3),) * 3
    means = replace(THREE, means=(1, [0, 0, 0, "1/2"], 0)).means
    assert means == ((1, 1, 1, 1), (0, 0, 0, Fraction(1, 2)), (0, 0, 0, 0))
    assert replace(THREE, means=(0, 0, 0)) == THREE


def test_classes_that_do_not_fit_are_named():
    cases = [
        ({"priors": (1, 0)}, "data.priors = (1, 0) must be 3 probabilities"),
        ({"priors": ("1/2", "1/2", "1/2")}, "data.priors add up to 3/2"),
        ({"priors": (1, "-1/2", "1/2")}, "data.priors[1] = -1/2 must be > 0"),
        ({"means": (1, 2)}, "data.means = (1, 2) must be 3 means"),
        ({"means": (1, 2, [1, 2])}, "data.means[2] has 2 numbers"),
        ({"labels": (1, [1, 2], 3)}, "data.labels have 1 and 2 entries"),
        ({"labels": (1, [], 3)}, "data.labels[1] = [] is no label"),
        ({"labels": ()}, "data.labels 0"),
        ({"xi": (1,) * 1001, "labels": (1,) * 1001}, "more than 1000 classes"),
    ]
    assert not_refused(lambda change: replace(THREE, **{"priors": ()} | change), cases) == []


def test_finite_data_that_do_not_fit_are_named():
    cases = [
        ([], [], [], "data.x = [] must be rows of numbers"),
        ([[1], [1, 2]], [1, 2], [], "data.x has rows of 1 and 2 numbers"),
        ([[1], [2]], [1], [], "data.y = [1] must be one for each of the 2 examples"),
        ([[1], [2]], [1, [1, 2]], [], "data.y have 1 and 2 entries"),
        ([[1], [2]], [1, 1], [1, 0], "data.weights[1] = 0 must be > 0"),
        ([["a"]], [1], [], "data.x[0][0] = 'a' is not a number"),
    ]
    assert not_refused(lambda x, y, weights: FiniteData(x, y, weights=weights), cases) == []


def test_labels_may_be_vectors():
    law = NonlinearGP(3, (2, 1), 1, "open", "none", ([1, 0], [0, 1]))
    assert (law.outputs, law.label_vectors) == (2, ((1, 0), (0, 1)))
    scalar = NonlinearGP(3, (2, 1), 1, "open", "none", ([1], [0]))
    assert scalar.labels == (1, 0)
    assert scalar.label_vectors == ((1,), (0,))
    assert scalar.outputs == 1


def test_the_classes_of_finite_data_are_its_labels():
    law = FiniteData(ROWS, ("1", -1, 1, 0), weights=(1, 1, 1, 3))
    assert (law.n, law.latent, law.boundary, law.classes) == (2, False, "open", 3)
    assert law.labels == (1, -1, 0)
    assert law.category == (0, 1, 0, 2)
    assert law.probabilities == (Fraction(1, 3), Fraction(1, 6), Fraction(1, 2))
    assert replace(law, weights=(2, 2, 2, 2)) == replace(law, weights=())


def test_files_keep_every_number():
    """Read again, the text of a problem is the problem; what is left at its default is not written."""
    laws = [
        replace(THREE, means=(1, [0, 0, 0, "1/3"], -1)),
        GaussianClone(3, (2, 1), 1, "ring", "none", (1, 0), priors=("1/3", "2/3")),
        SinglePulse(8, ([1, 2], [3, 4], [5, 5]), "zero-one", "none", (1, 0, 2), priors=("1/2", "1/4", "1/4")),
        FiniteData(ROWS, (1, -1, 1, 0), weights=(1, 2, 3, 4)),
        FiniteData(ROWS, ([1, 0], [0, 1], [1, 1], [0, 0])),
    ]
    for data in laws:
        problem = problem_on(data, readout="trained-mean" if data.outputs > 1 else "mean")
        text = dumps(problem)
        assert loads(text) == problem
        assert ("priors" in text) == bool(data.priors)
        assert ("means" in text) == bool(data.means)


def test_labels_of_several_numbers_need_outputs_that_differ():
    law = NonlinearGP(3, (2, 1), 1, "open", "none", ([1, 0], [0, 1]))
    with pytest.raises(InputError, match=r'2 outputs, .*all outputs of a "relu" network are the'):
        problem_on(law)
    shapes = {p.name: p.shape for p in problem_on(law, readout="trained-sum").parameters}
    assert shapes == {"w": (2, 3), "a": (2, 2)}
    gates = (SiteGate(0, lo=0), SiteGate(1, lo=0))
    gated = problem_on(law, model="gated-linear", gates=gates)
    assert {name: array.shape for name, array in gated.start().items()} == {"w": (2, 2, 3)}
