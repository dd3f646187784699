"""What has no exact moments is a named error; laws and gates that nobody wrote are among tests/test_every_question."""

from dataclasses import replace
from fractions import Fraction
from functools import partial

import pytest

from tests.theory.moments.definition import question
from theory.moments import feature_moments, four_point_block, gated_moments
from theory.moments.gate_events import open_on
from theory.moments.gate_signs import half_spaces_of
from theory.moments.relu_gates import clt, exact_moment, large_gain, latent_direction
from theory.problem import DirectionGate, FiniteData, Network, NonlinearGP, OutOfReachError
from theory.problem.gates import ALL_GATES

LAW = NonlinearGP(4, (2, 1), 1, "open", "none", (1, 0))


def test_every_kind_of_gate_is_an_answer_or_a_named_refusal():
    """Repeated and recorded gates are resolved or refused before they are asked for half-spaces; a context has none."""
    for kind, gate in ALL_GATES.items():
        answers = [dispatch.dispatch(gate) is not dispatch.dispatch(object) for dispatch in (half_spaces_of, open_on)]
        both = kind in ("site", "direction", "always")
        assert answers == [both, both or kind == "context"], kind


def test_soft_gates_along_two_inputs_are_refused_by_name():
    """x_0 + x_1 has the sign of z_0 + z_1, but a soft gate looks at its size too."""
    with pytest.raises(OutOfReachError, match="for a hard gate at threshold 0"):
        gated_moments(question(LAW, DirectionGate({0: 1, 1: 1}, lo=0, on="input", sharpness=2)))


def test_statistics_of_one_site_refuse_class_means():
    """They are those of the construction of a law; what has a mean is not silently without it."""
    moved, forms = replace(LAW, means=(1, 0)), (exact_moment, latent_direction, clt, large_gain)
    for ask in (lambda: four_point_block(moved, 0, 0, 1), *(partial(form, moved, 0, {0: 1}) for form in forms)):
        with pytest.raises(OutOfReachError, match="without means"):
            ask()


def test_a_network_without_fixed_gates_is_refused_before_the_law():
    with pytest.raises(OutOfReachError, match="move with its weights"):
        feature_moments(FiniteData([[1, 0]], [Fraction(1)]), Network("relu", "mean", 1))
