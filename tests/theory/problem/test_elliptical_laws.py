"""Declarations of elliptical laws and mixtures: what they accept, write and refuse."""

from dataclasses import replace
from fractions import Fraction

import pytest

from tests.theory.problem.refusals import not_refused
from theory.problem import FiniteData, GaussianClone, InputError, NonlinearGP, SinglePulse, dumps, loads
from theory.problem.distributions.mixture import Component, Mixture
from theory.problem.distributions.student_t import StudentT
from theory.problem.scales import DiscreteScale, GammaScale, SphereScale, StudentScale

REST = """
[network]
model = "gated-linear"
readout = "mean"
[[network.gates]]
kind = "site"
site = 1
lo = 0.0
[training]
loss = "half-mse"
tau = 1.0
w0 = { law = "normal", scale = 0.1, seed = 0 }
times = [1.0]
"""
T = 'law = "student-t"\nn = 4\nxi = [2, 1]\ndof = {dof}\nboundary = "open"\nnormaliser = "{norm}"\nlabels = [1, 0]'
ELLIPTICAL = (
    'law = "elliptical"\nn = 4\nxi = [2, 1]\nscale = {scale}\nboundary = "open"\nnormaliser = "none"\nlabels = [1, 0]'
)
CLONE = 'law = "gaussian-clone"\nn = {n}\nxi = [2]\ngain = 1\nboundary = "open"\nnormaliser = "none"'


def data_of(text):
    problem = loads(f"[data]\n{text}\n{REST}")
    assert loads(dumps(problem)) == problem
    return problem.data


def mixture(*components, labels="[1, 0]", rest=""):
    rows = "\n".join(f"[[data.components]]\n{row}" for row in components)
    return data_of(f'law = "mixture"\nlabels = {labels}\n{rest}\n{rows}')


def component(c, weight, law=""):
    law = law or CLONE.format(n=4)
    return f"class = {c}\nweight = {weight}\n{law}"


def test_files_declare_the_degrees_of_freedom_of_each_class_or_of_all():
    assert data_of(T.format(dof="[5, 9]", norm="unit-variance")).scale == (StudentScale(5), StudentScale(9))
    law = data_of(T.format(dof=5, norm="none"))
    assert law == StudentT(4, (2, 1), "open", "none", (1, 0), (5, 5))
    assert replace(law, dof=7).scale == (StudentScale(7),) * 2


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('"laplace"', (GammaScale(1), GammaScale(1))),
        ('["sphere", { kind = "gamma", shape = "3/2" }]', (SphereScale(), GammaScale(Fraction(3, 2)))),
        ('["gaussian", { kind = "contaminated", share = 0.1, ratio = 3 }]', (
            DiscreteScale((1,), (1,)), DiscreteScale((1, 3), ("0.9", "0.1")),
        )),
        ('{ kind = "discrete", values = [1, 2, 3], probabilities = [0.5, 0.25, 0.25] }', (
            DiscreteScale((1, 2, 3), (".5", ".25", ".25")),) * 2,
        ),
    ],
)  # fmt: skip
def test_files_declare_a_scale_for_each_class_or_for_all(text, expected):
    assert data_of(ELLIPTICAL.format(scale=text)).scale == expected


def test_bad_laws_are_named():
    cases = [
        (T.format(dof=2, norm="unit-variance"), "has an infinite variance"),
        (ELLIPTICAL.format(scale='{ kind = "gamma", shape = 0.3 }'), "not a multiple of 1/2"),
        (ELLIPTICAL.format(scale='{ kind = "contaminated", share = 1, ratio = 2 }'), "between 0 and 1"),
        (ELLIPTICAL.format(scale='{ kind = "discrete", values = [1], probabilities = [0.5] }'), "add up to 1/2"),
        (ELLIPTICAL.format(scale='{ kind = "discrete", values = [1, 2], probabilities = [1] }'), "of one length"),
        (ELLIPTICAL.format(scale='{ kind = "discrete", values = [-1], probabilities = [1] }'), "must be > 0"),
    ]
    assert not_refused(data_of, cases) == []


def test_a_file_declares_a_mixture():
    other = 'law = "student-t"\nn = 4\nxi = [1]\ndof = 5\nboundary = "ring"\nnormaliser = "none"\nmeans = [2]'
    law = mixture(component(0, 0.25), component(0, 0.75, other), component(1, 1), rest='priors = ["1/3", "2/3"]')
    assert [part.weight for part in law.of_class(0)] == [Fraction(1, 4), Fraction(3, 4)]
    assert [str(share) for share, _ in law.parts] == ["1/12", "1/4", "2/3"]
    assert law.parts[1][1].means == ((2, 2, 2, 2),)
    assert [part.law.labels for part in law.components] == [(1,), (1,), (0,)]
    moved = replace(law, means=(1, 0))
    assert moved.parts[1][1].means == ((3, 3, 3, 3),)
    assert moved.parts[0][1].means == ((1, 1, 1, 1),)


def test_bad_mixtures_are_named():
    cases = [
        ((component(0, 1),), "class 1 add up to 0"),
        ((component(0, 0.5), component(1, 1)), "class 0 add up to 1/2"),
        ((component(0, 1), component(2, 1)), "data.labels has no such class"),
        ((component(0, 1), component(1, 1, CLONE.format(n=5))), "n = 4 and 5 sites"),
        ((component(0, 1), component(1, 1, 'law = "finite"')), "cannot be a component"),
        ((component(0, 1), component(1, 1, 'law = "mixture"')), "cannot be a component"),
        ((component(0, 1), component(1, 1, CLONE.format(n=4) + "\nsomething = 1")), "components[1]"),
        ((component(0, 1), component(1, 1, CLONE.format(n=4) + "\nlabels = [3]")), "unknown key 'labels'"),
    ]
    assert not_refused(lambda components: mixture(*components), cases) == []


def test_components_of_python_are_checked_alike():
    clone = GaussianClone(4, (2,), 1, "open", "none", (1,))
    for part, said in (
        (Component(0, 1, replace(clone, labels=(2,))), "has the label"),
        (Component(0, 1, NonlinearGP(4, (2, 1), 1, "open", "none", (1, 0))), "a law of 2 classes"),
        (Component(0, 1, FiniteData([[1, 0, 0, 0]], [1])), "cannot be a component"),
    ):
        with pytest.raises(InputError, match=said):
            Mixture([part], (1,))
    pulse = SinglePulse(4, ((1, 2),), "zero-one", "none", (1,))
    assert Mixture([Component(0, ".5", clone), Component(0, ".5", pulse)], (1,)).boundary == "open"
    assert Mixture([Component(0, 1, pulse)], (1,)).boundary == "ring"
