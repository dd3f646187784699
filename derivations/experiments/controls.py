"""The negative control of an experiment: its rule, applied to what must not pass."""

from theory.claims.model import CheckResult, Level, Outcome


def control(found: CheckResult, what: str) -> CheckResult:
    """Return the result of a control: PASS where the rule, which gave `found` for `what`, did not pass it."""
    passed = found.outcome is not Outcome.PASS
    where = f"the rule {'does not pass' if passed else 'passes'} {what}"
    outcome = Outcome.PASS if passed else Outcome.FAIL
    return CheckResult(found.claim, Level.NEGATIVE_CONTROL, outcome, found.worst, found.tolerance, where)
