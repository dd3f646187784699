"""Equations written to break the prover, with their truth: false ones differ at a point, on a curve or far out."""

import json
from pathlib import Path

import pytest

from theory.conjecture import judge, read

EQUATIONS = json.loads(Path(__file__).with_name("equations.json").read_text(encoding="utf-8"))
# False ones that are only supported: their sides agree to hundreds of digits.
SUPPORTED = {
    "owens_t(h,2) = owens_t(h,3)",
    "owens_t(h,a) = erfc(h/sqrt(2))/4",
    "Phi2(h,40,r) = Phi(h)",
}


def wrong_verdicts(equations):
    """The equations with a wrong verdict."""
    wrong = []
    for one in equations:
        settings = {key: one[key] for key in ("cov", "where", "given") if key in one}
        verdict = judge(read(one["equation"], **settings), suggest=False).verdict
        right = verdict == "proved" if one["true"] else verdict in ("refuted", "undecided")
        if not right and not (verdict == "supported" and one["equation"] in SUPPORTED):
            wrong.append((verdict, one))
    return wrong


@pytest.mark.slow
def test_false_equations_without_averages_are_not_proved():
    assert wrong_verdicts(one for one in EQUATIONS if not one["true"] and "cov" not in one) == []


@pytest.mark.slow
def test_true_equations_are_proved_and_false_averages_are_not():
    assert wrong_verdicts(one for one in EQUATIONS if one["true"] or "cov" in one) == []
