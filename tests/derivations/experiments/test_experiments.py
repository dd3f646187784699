"""The decision rules of the experiments: each passes what it should, and fails on a planted fault."""

from types import SimpleNamespace

import numpy as np
import pytest

from derivations.evidence import stored
from derivations.experiments.flow_limit import experiment as flow_limit
from derivations.experiments.folders import discover
from derivations.experiments.relu_order import experiment as relu_order
from derivations.validate.report_figures import XX, YX
from theory.claims import catalog
from theory.claims.model import Kind, Level, Outcome

FLOW = np.array([1.0, -0.5, 0.25])
DRIFT, CURVE = np.array([0.2, 0.1, -0.1]), np.array([0.01, 0.02, 0.01])


def _trained(order=1.0, drift=DRIFT):
    """Weights at three rates with a first- and a second-order error, as an Euler method has."""
    return [FLOW + drift * rate**order + CURVE * rate ** (2 * order) for rate in (0.1, 0.05, 0.025)]


def test_the_flow_limit_passes_an_euler_method_and_nothing_else():
    printed = FLOW * 2
    assert flow_limit.decide(_trained(), FLOW, printed).outcome is Outcome.PASS
    assert flow_limit.decide(_trained(order=2.0), FLOW, printed).outcome is Outcome.FAIL
    assert flow_limit.decide(_trained(order=0.5), FLOW, printed).outcome is Outcome.FAIL
    assert flow_limit.decide(_trained(), FLOW * 1.01, printed).outcome is Outcome.FAIL
    assert flow_limit.decide(_trained(), FLOW, FLOW + 1e-3 * DRIFT).outcome is Outcome.FAIL


def _shares(long, short, spread=0.02, replicates=16):
    rng = np.random.default_rng(0)
    return {
        "relu-long": long + spread * rng.normal(size=(replicates, 3)),
        "relu-short": short + spread * rng.normal(size=(replicates, 3)),
    }


@pytest.mark.parametrize(
    ("long", "short", "expected"),
    [
        (0.9, 0.1, Outcome.PASS),
        (0.5, 0.5, Outcome.INCONCLUSIVE),
        (0.9, 0.9, Outcome.FAIL),
    ],
)
def test_the_order_of_lengths_is_decided_by_intervals_on_the_right_side(long, short, expected):
    assert relu_order.decide(_shares(long, short)).outcome is expected


@pytest.mark.parametrize(
    ("ratios", "expected"),
    [
        ((0.09, 0.11), Outcome.PASS),
        ((0.0714, 0.11), Outcome.INCONCLUSIVE),
        ((0.09, 0.05), Outcome.FAIL),
    ],
)
def test_fields_are_localized_where_both_ratios_exceed_that_of_gaussian_weights(ratios, expected):
    values = np.array(ratios) + 0.005 * np.random.default_rng(0).normal(size=(16, 2))
    assert relu_order.decide_localized(values, 40).outcome is expected


def test_experiments_judge_claims_that_exist():
    experiments = discover()
    assert {experiment.name for experiment in experiments} >= {"flow_limit", "relu_order"}
    assert {name for experiment in experiments for name in experiment.claims} | {YX, XX} <= set(catalog())


def test_an_empirical_claim_has_a_control_that_its_rule_rejects_or_says_why_not():
    faults = []
    for claim in (claim for claim in catalog().values() if claim.kind is Kind.EMPIRICAL):
        controls = [one for one in stored.read(claim)["levels"] if one["level"] == Level.NEGATIVE_CONTROL]
        reason = claim.unchecked.get(Level.NEGATIVE_CONTROL)
        undecided = Outcome.INCONCLUSIVE if claim.settled_by else Outcome.PASS
        expected = (Outcome.SKIPPED, reason) if reason else (undecided, None)
        if {(one["outcome"], one["where"] if reason else None) for one in controls} != {expected}:
            faults.append(claim.id)
    assert faults == []


def test_the_remark_compares_the_ratio_with_that_of_a_sinusoid(monkeypatch):
    """sum w^4/(sum w^2)^2 of a sinusoid on n sites is 3/(2 n)."""
    monkeypatch.setattr(relu_order, "_site_gate_share", lambda _problem: 0.25)
    run = SimpleNamespace(times=np.array([0.0, 8.0]), weights=np.zeros((4, 2, 3, 30)), problem=None)
    shares, ratios = np.full((4, 2), 0.5), np.full((4, 2), 0.1)
    said = relu_order._remark({"up": run}, {"up": shares}, {"up": ratios})
    assert "0.100 and 0.100 (a sinusoid has 0.050)" in said
    assert "0.250 (up)" in said
