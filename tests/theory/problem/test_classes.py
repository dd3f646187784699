"""Any number of classes, priors, class means and vector labels; finite data sets."""

from dataclasses import replace
from fractions import Fraction

import pytest

from tests.theory.cases import problem
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


def test_priors_are_exact_and_uniform_ones_are_none():
    assert THREE.classes == 3
    assert THREE.probabilities == (Fraction(1, 2), Fraction(1, 4), Fraction(1, 4))
    same = replace(THREE, priors=("1/3", "1/3", "1/3"))
    assert same == replace(THREE, priors=())
    assert same.probabilities == (Fraction(1, 3),) * 3


def test_means_are_one_for_each_site():
    law = NonlinearGP(3, (2, 1), 1, "open", "none", (1, 0), means=(1, [0, 0, "1/2"]))
    assert law.means == ((1, 1, 1), (0, 0, Fraction(1, 2)))
    assert replace(law, means=(0, 0)) == replace(law, means=())


def test_labels_may_be_vectors():
    law = NonlinearGP(3, (2, 1), 1, "open", "none", ([1, 0], [0, 1]))
    assert (law.outputs, law.label_vectors) == (2, ((1, 0), (0, 1)))
    scalar = NonlinearGP(3, (2, 1), 1, "open", "none", ([1], [0]))
    assert scalar.labels == (1, 0)
    assert scalar.label_vectors == ((1,), (0,))
    assert scalar.outputs == 1


@pytest.mark.parametrize(
    ("law", "change", "message"),
    [
        (THREE, {"priors": (1, 0)}, r"data\.priors = \(1, 0\) must be 3 probabilities"),
        (THREE, {"priors": ("1/2", "1/2", "1/2")}, r"data\.priors add up to 3/2, not to 1"),
        (THREE, {"priors": (1, "-1/2", "1/2")}, r"data\.priors\[1\] = -1/2 must be > 0"),
        (THREE, {"means": (1, 2)}, r"data\.means = \(1, 2\) must be 3 means"),
        (THREE, {"means": (1, 2, [1, 2])}, r"data\.means\[2\] has 2 numbers; the data have n = 4 sites"),
        (THREE, {"labels": (1, [1, 2], 3)}, r"data\.labels have 1 and 2 entries"),
        (THREE, {"labels": (1, [], 3)}, r"data\.labels\[1\] = \[\] is no label"),
        (THREE, {"labels": ()}, r"data\.xi has 3 entries, data\.labels 0"),
        (THREE, {"xi": ()}, r"data\.xi = \(\) must be a list of numbers"),
        (THREE, {"xi": (1,) * 1001, "labels": (1,) * 1001}, "more than 1000 classes"),
    ],
)
def test_classes_that_do_not_fit_are_named(law, change, message):
    with pytest.raises(InputError, match=message) as caught:
        replace(law, **{"priors": ()} | change)
    assert caught.value.hint


def test_the_classes_of_finite_data_are_its_labels():
    law = FiniteData(ROWS, ("1", -1, 1, 0), weights=(1, 1, 1, 3))
    assert (law.n, law.latent, law.boundary, law.classes) == (2, False, "open", 3)
    assert law.labels == (1, -1, 0)
    assert law.category == (0, 1, 0, 2)
    assert law.probabilities == (Fraction(1, 3), Fraction(1, 6), Fraction(1, 2))
    assert replace(law, weights=(2, 2, 2, 2)) == replace(law, weights=())


@pytest.mark.parametrize(
    ("x", "y", "weights", "message"),
    [
        ([], [], [], r"data\.x = \[\] must be rows of numbers"),
        ([[1], [1, 2]], [1, 2], [], r"data\.x has rows of 1 and 2 numbers"),
        ([[1], [2]], [1], [], r"data\.y = \[1\] must be one for each of the 2 examples"),
        ([[1], [2]], [1, [1, 2]], [], r"data\.y have 1 and 2 entries"),
        ([[1], [2]], [1, 1], [1, 0], r"data\.weights\[1\] = 0 must be > 0"),
        ([["a"]], [1], [], r"data\.x\[0\]\[0\] = 'a' is not a number"),
    ],
)
def test_finite_data_that_do_not_fit_are_named(x, y, weights, message):
    with pytest.raises(InputError, match=message):
        FiniteData(x, y, weights=weights)


@pytest.mark.parametrize(
    "data",
    [
        THREE,
        replace(THREE, means=(1, [0, 0, 0, "1/3"], -1)),
        GaussianClone(3, (2, 1), 1, "ring", "none", (1, 0), priors=("1/3", "2/3")),
        SinglePulse(8, ([1, 2], [3, 4], [5, 5]), "zero-one", "none", (1, 0, 2), priors=("1/2", "1/4", "1/4")),
        FiniteData(ROWS, (1, -1, 1, 0)),
        FiniteData(ROWS, (1, -1, 1, 0), weights=(1, 2, 3, 4)),
        FiniteData(ROWS, ([1, 0], [0, 1], [1, 1], [0, 0])),
        NonlinearGP(3, (2, 1), 1, "open", "none", ([1, 0], [0, "1/3"])),
    ],
)
def test_files_keep_every_number(data):
    """Read again, the text of a problem is the problem; what is left at its default is not written."""
    problem = problem_on(data, readout="trained-mean" if data.outputs > 1 else "mean")
    text = dumps(problem)
    assert loads(text) == problem
    assert ("priors" in text) == bool(data.priors)
    assert ("means" in text) == bool(data.means)


def test_a_problem_with_two_equal_classes_is_written_as_before():
    data = dumps(problem()).split("[network]")[0]
    assert not {"priors", "means", "weights"} & {line.split(" = ")[0] for line in data.splitlines()}


def test_labels_of_several_numbers_need_outputs_that_differ():
    law = NonlinearGP(3, (2, 1), 1, "open", "none", ([1, 0], [0, 1]))
    with pytest.raises(InputError, match=r'2 outputs, .*all outputs of a "relu" network are the'):
        problem_on(law)
    shapes = {p.name: p.shape for p in problem_on(law, readout="trained-sum").parameters}
    assert shapes == {"w": (2, 3), "a": (2, 2)}
    gates = (SiteGate(0, lo=0), SiteGate(1, lo=0))
    gated = problem_on(law, model="gated-linear", gates=gates)
    assert {name: array.shape for name, array in gated.start().items()} == {"w": (2, 2, 3)}


def test_the_cross_entropy_takes_labels_of_one_number():
    law = NonlinearGP(3, (2, 1), 1, "open", "none", ([1, -1], [-1, 1]))
    problem = problem_on(law, readout="trained-sum")
    with pytest.raises(InputError, match="cross-entropy"):
        replace(problem, training=replace(problem.training, loss="cross-entropy"))
