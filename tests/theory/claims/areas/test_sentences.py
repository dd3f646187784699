"""Sentences of the notes: the verdicts as computed, the oracles against known values, and planted faults."""

from dataclasses import replace
from fractions import Fraction

import mpmath
import numpy as np
import pytest
import sympy

from tests.pieces import claim_named, missing
from tests.theory.claims.examined import each, examination
from tests.tolerances import CLAIM_DIGITS, CLAIM_PRECISE
from theory.claims import catalog
from theory.claims.areas.flow import second_moment
from theory.claims.areas.gate import relu
from theory.claims.areas.localization import gain, ring, sigmoid
from theory.claims.areas.ols import _gated_quadrature, gates
from theory.claims.judge import examine
from theory.claims.model import Kind, Level, Outcome, Verdict
from theory.claims.points import points
from theory.expressions.symbols import K, n
from theory.problem import squared_distance

VERDICTS = {
    "gate.relu.scale": Verdict.CORRECTED,
    "localization.nlgp.support": Verdict.CORRECTED,
    "localization.single_pulse.support": Verdict.CONFIRMED,
    "localization.sigmoid.no_biases": Verdict.CONFIRMED,
    "flow.second_moment.symmetric": Verdict.CONFIRMED,
    "flow.exclusive.own_subset": Verdict.CORRECTED,
    "flow.redundant.difference": Verdict.CONFIRMED,
    "ols.gates.precision": Verdict.CONFIRMED,
    "ols.gates.overlap_wins": Verdict.CORRECTED,
    "ols.gates.overlap_on_sites": Verdict.CORRECTED,
    "ols.gates.span": Verdict.CONFIRMED,
    "localization.ring.alternating": Verdict.CORRECTED,
    "localization.ring.first_failure": Verdict.CORRECTED,
    "localization.gain.participation": Verdict.CONFIRMED,
    "basis.half_space.own_block": Verdict.CONFIRMED,
    "basis.half_spaces.cross_block": Verdict.CORRECTED,
    # No network is trained here, and an empirical claim is open until its experiment has run.
    "localization.relu.gates_flip": Verdict.OPEN,
    "localization.relu.growth_stops": Verdict.OPEN,
    "localization.relu.biases_removed": Verdict.OPEN,
    "localization.sigmoid.like_erf": Verdict.OPEN,
    "localization.relu.order": Verdict.OPEN,
    "pulse.sites.pair": Verdict.CONFIRMED,
    "pulse.sites.triple": Verdict.CONFIRMED,
    "pulse.plus_minus.second": Verdict.CONFIRMED,
    "pulse.zero_one.complement": Verdict.CONFIRMED,
}


def test_every_sentence_has_the_verdict_that_is_computed_here():
    """A sentence is what a source says in a section, outside its numbered equations."""
    labels = {claim.id: [source.label for source in claim.sources] for claim in catalog().values()}
    sentences = {name for name, said in labels.items() if said and all(label.startswith("section") for label in said)}
    if sentences != set(VERDICTS):
        missing(
            f"VERDICTS of tests/theory/claims/areas/test_sentences.py {how} {name}."
            for how, names in (("lacks", sentences - set(VERDICTS)), ("has no sentence for", set(VERDICTS) - sentences))
            for name in sorted(names)
        )


@each(claim_named(name) for name in VERDICTS)
def test_the_verdict_of_a_sentence(claim):
    assert examination(claim.id).verdict is VERDICTS[claim.id]


def _with_right_side(name, expr):
    claim = claim_named(name)
    return replace(claim, statement=sympy.Eq(claim.statement.lhs, expr, evaluate=False))


def _worked_out(claim, level):
    return next(result for result in examine(claim, catalog()).results if result.level is level).outcome


_PLANTED = [
    ("gate.relu.scale", lambda old: 1 + (relu.sign_h - sympy.Abs(relu.sign_h)) / 2),
    ("localization.single_pulse.support", lambda old: old + 1),
    ("flow.second_moment.symmetric", lambda old: old + second_moment.x11),
    ("flow.exclusive.own_subset", lambda old: old / K),
    ("ols.gates.precision", lambda old: 0 * old),
    ("ols.gates.overlap_wins", lambda old: 2 * old),
    ("ols.gates.overlap_on_sites", lambda old: old + 1),
    ("ols.gates.span", lambda old: old - gates.x1 / 1000),
    ("localization.ring.alternating", lambda old: old + ring.step**16),
    ("localization.ring.first_failure", lambda old: old - 1),
    ("localization.gain.participation", lambda old: old + 1),
    ("basis.half_space.own_block", lambda old: 2 * old),
]


@pytest.mark.parametrize(("name", "plant"), _PLANTED, ids=[name for name, _ in _PLANTED])
def test_a_wrong_formula_fails_in_fractions(name, plant):
    planted = _with_right_side(name, plant(claim_named(name).statement.rhs))
    assert _worked_out(planted, Level.EXACT) is Outcome.FAIL


def test_a_wrong_formula_fails_its_steps():
    name = "localization.sigmoid.no_biases"
    planted = _with_right_side(name, claim_named(name).statement.rhs + sigmoid.h1 / 1000)
    assert _worked_out(planted, Level.SYMBOLIC) is Outcome.FAIL
    assert _worked_out(planted, Level.PRECISE) is Outcome.FAIL


def test_the_gate_is_tried_at_every_pair_of_signs():
    tried = {tuple(point.values()) for point in points(relu.GATE_SCALE)}
    assert len(tried) == 9


def test_the_overlap_wins_by_the_value_of_the_simplest_case():
    """a = 1, b = 2: the inputs 1, 1/2, 1/3; the best pair shares 1/2 and 1/3 and loses (1/6) 1/13; overlapping, 0."""
    point = {gates.a: sympy.Integer(1), gates.b: sympy.Integer(2)}
    assert gates.OVERLAP_WINS.exact(point) == Fraction(1, 78)


def test_four_signs_of_known_correlations():
    with mpmath.workdps(CLAIM_DIGITS):
        half = mpmath.mpf(1) / 2
        # The orthant of four Gaussians of correlation 1/2 has probability 1/5 = (1 + 6 (2/pi) asin(1/2) + E)/16.
        assert abs(_gated_quadrature.four_signs([half] * 6) - mpmath.mpf(1) / 5) < CLAIM_PRECISE
        third, zero = mpmath.mpf(1) / 3, mpmath.mpf(0)
        pairs = _gated_quadrature.four_signs([half, zero, zero, zero, zero, third])
        product = 4 / mpmath.pi**2 * mpmath.asin(half) * mpmath.asin(third)
        assert abs(pairs - product) < CLAIM_PRECISE


def test_two_equal_gates_are_refused():
    with pytest.raises(ValueError, match="singular"):
        _gated_quadrature.least_loss(2, (Fraction(2), Fraction(1)), ((0, 1), (0, 1)), 10)


@pytest.mark.parametrize("sites", [8, 20])
def test_float64_sees_the_first_failure_on_small_rings(sites):
    """On larger rings the failing mode is below rounding at first: -1.5e-14 for 40 sites."""
    (hundredths,) = [value for key, value in ring.FIRST_FAILURES.items() if key == sites]
    lowest = [
        float(np.linalg.eigvalsh(np.exp(-squared_distance(sites, "ring") / (length / 100) ** 2))[0])
        for length in (hundredths - 1, hundredths)
    ]
    assert lowest[0] > 0 > lowest[1]


def test_the_first_failure_is_near_the_square_root_of_n_over_pi():
    for sites, hundredths in ring.FIRST_FAILURES.items():
        assert 1 < hundredths / 100 / np.sqrt(int(sites) / np.pi) < 1.1
        assert ring.RING_LIMIT.exact({n: sites}) == hundredths


def test_localization_grows_with_the_gain():
    by_gain = [value for _, value in sorted(gain.PARTICIPATION.items())]
    assert by_gain == sorted(set(by_gain))


def test_what_is_open_says_what_would_settle_it():
    for claim in catalog().values():
        if claim.settled_by:
            assert claim.kind is Kind.EMPIRICAL
            assert claim.registration is None
