"""A law, a gate or a kernel that nobody wrote is a named error that says which file would take it."""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar

import numpy as np
import pytest

from tests.theory import pulse_cases
from tests.theory.cases import problem
from theory.flow import discrete, solve
from theory.flow.linear.spectrum import spectrum
from theory.moments import feature_moments, gated_moments, gated_moments_certified
from theory.moments.arithmetic import FLOAT64
from theory.moments.feature_moments import exactly, law_moments, second_moments
from theory.moments.gate_events import open_on
from theory.moments.gate_signs import Looks, half_spaces_of
from theory.moments.inputs import input_statistics, input_statistics_of
from theory.moments.lit_sites import event
from theory.moments.relu_gates import clt, exact_moment, large_gain, latent_direction
from theory.moments.statistics import class_statistics, statistics_of
from theory.moments.tensor import four_point_block
from theory.problem import (
    LAWS,
    DirectionGate,
    FiniteData,
    Network,
    NonlinearGP,
    NormalInitialisation,
    OutOfReachError,
    Problem,
    Simulation,
    SinglePulse,
    Training,
)
from theory.problem.distributions.base import Law
from theory.problem.distributions.sampled import SampledLaw
from theory.problem.gates import ALL_GATES, Gate

RUN = Simulation("online", 100, "1/4", 2, 0, 10)
NAMED = (
    r"The law {} has no moments through gates here; these laws have them: .*FiniteData.*theory/moments/test_refusals.py"
)


@dataclass(frozen=True)
class StudentT(Law):
    """A law that nobody has written moments for."""

    n: int
    labels: tuple

    law: ClassVar[str] = "student-t"
    latent: ClassVar[bool] = True

    def __post_init__(self):
        self.check_classes()


@dataclass(frozen=True)
class Skewed(NonlinearGP):
    """A law that derives from another, whose moments are not its own."""

    law: ClassVar[str] = "skewed"


@dataclass(frozen=True)
class Checkered(Gate):
    """A gate that nobody has written moments for."""

    kind: ClassVar[str] = "checkered"


UNKNOWN = [StudentT(4, (1, 0)), Skewed(4, (2, 1), 1, "open", "none", (1, 0))]
EVERY_UNKNOWN = pytest.mark.parametrize("law", UNKNOWN, ids=lambda law: type(law).__name__)


@EVERY_UNKNOWN
def test_a_law_without_moments_is_refused_by_name_everywhere(law):
    asked = replace(problem(gates=["up:1", "always"], simulation=RUN, times=(0, 1)), data=law)
    entrances = (solve, discrete, lambda q: solve(q, 20), gated_moments, lambda q: gated_moments_certified(q, 20))
    for ask in (*entrances, lambda q: feature_moments(q.data, q.network)):
        with pytest.raises(OutOfReachError, match=NAMED.format(type(law).__name__)) as caught:
            ask(asked)
        assert "gdln simulate" in caught.value.hint
        assert "theory/moments/test_refusals.py" in caught.value.hint


@EVERY_UNKNOWN
def test_its_statistics_are_refused_by_name(law):
    for ask in (
        lambda: class_statistics(law, 0, FLOAT64),
        lambda: exactly(second_moments, law)(law, FLOAT64),
        lambda: input_statistics(law, 0),
    ):
        with pytest.raises(OutOfReachError, match=type(law).__name__) as caught:
            ask()
        assert "theory/moments/test_refusals.py" in caught.value.hint


def owner(law):
    """The class under which the moments of a law are registered."""
    return SampledLaw if issubclass(law, SampledLaw) else law


def test_every_law_of_the_workbench_has_statistics_of_its_inputs():
    """Each law in the file of the name of its declaration; laws that draw their own examples in one."""
    for law in map(owner, LAWS.values()):
        file = law.__module__.rpartition(".")[2]
        assert input_statistics_of.registry[law].__module__ == f"theory.moments.{file}"


def test_every_law_of_the_workbench_has_moments():
    """Each law in the file of the name of its declaration; laws that draw their own examples in one."""
    for law in LAWS.values():
        assert exactly(law_moments, law.__new__(law)) is not law_moments.registry[object], law
    for law in map(owner, LAWS.values()):
        file = law.__module__.rpartition(".")[2]
        assert law_moments.registry[law].__module__ == f"theory.moments.{file}"
    assert {NonlinearGP, SinglePulse, FiniteData} <= set(law_moments.registry)
    assert statistics_of.registry.keys() < law_moments.registry.keys()


def test_a_kind_of_gate_without_moments_is_refused_by_name():
    words = r'a gate of kind "checkered" has no exact moments here; these have them: "always", "direction", "site"'
    with pytest.raises(OutOfReachError, match=words) as caught:
        half_spaces_of(Checkered(), "network.gates[0]", Looks(True, True))
    assert "theory/moments/gate_signs.py" in caught.value.hint
    pulse = pulse_cases.problem(gates=(pulse_cases.UP, pulse_cases.OPEN))
    of_inputs = words.replace('"always",', '"always", "context",')
    for base, said in ((problem(gates=["up:1", "always"]), words), (pulse, of_inputs)):
        network = replace(base.network, gates=(base.network.gates[0], Checkered()))
        with pytest.raises(OutOfReachError, match=r"network\.gates\[1\]: " + said):
            gated_moments(Problem(base.data, network, base.training))
    with pytest.raises(OutOfReachError, match=words.replace(', "direction"', "")):
        event(pulse_cases.problem().data, Checkered())


def test_every_kind_of_gate_is_an_answer_or_a_named_refusal():
    """Repeated and recorded gates are resolved or refused before they are asked for half-spaces; a context has none."""
    for kind, gate in ALL_GATES.items():
        answers = [dispatch.dispatch(gate) is not dispatch.dispatch(object) for dispatch in (half_spaces_of, open_on)]
        both = kind in ("site", "direction", "always")
        assert answers == [both, both or kind == "context"], kind


def test_soft_gates_along_two_inputs_are_refused_by_name():
    """x_0 + x_1 has the sign of z_0 + z_1, but a soft gate looks at its size too."""
    law = NonlinearGP(4, (2, 1), 1, "open", "none", (1, 0))
    soft = DirectionGate({0: 1, 1: 1}, lo=0, on="input", sharpness=2)
    training = Training("half-mse", 1, NormalInitialisation(0, 0), (1,))
    with pytest.raises(OutOfReachError, match="for a hard gate at threshold 0"):
        gated_moments(Problem(law, Network("gated-linear", "mean", 1, (soft,)), training))


def test_direction_gates_on_pulses_are_taken_one_by_one():
    """A direction of one site is that site."""
    from theory.problem import SiteGate

    base = pulse_cases.problem(gates=(pulse_cases.UP, pulse_cases.OPEN))
    gate = base.network.gates[0]
    along = DirectionGate({gate.site: 2}, lo=2 * gate.lo, on="input")
    asked = Problem(base.data, replace(base.network, gates=(along, base.network.gates[1])), base.training)
    assert isinstance(gate, SiteGate)
    assert (gated_moments(asked).A == gated_moments(base).A).all()
    assert (gated_moments(asked).b == gated_moments(base).b).all()


MOVED = NonlinearGP(4, (2, 1), 1, "open", "none", (1, 0), means=(1, 0))


@pytest.mark.parametrize(
    "ask",
    [
        lambda: four_point_block(MOVED, 0, 0, 1),
        *(lambda form=form: form(MOVED, 0, {0: 1}) for form in (exact_moment, latent_direction, clt, large_gain)),
    ],
)
def test_statistics_of_one_site_refuse_class_means(ask):
    """They are those of the construction of a law; what has a mean is not silently without it."""
    with pytest.raises(OutOfReachError, match=r"classes without means, but data\.means are given"):
        ask()


def test_an_unknown_kernel_is_an_error():
    with pytest.raises(TypeError, match="none of the symmetric kernels"):
        spectrum(np.eye(2))


def test_a_network_without_fixed_gates_is_refused_before_the_law():
    with pytest.raises(OutOfReachError, match="move with its weights"):
        feature_moments(FiniteData([[1, 0]], [Fraction(1)]), Network("relu", "mean", 1))
