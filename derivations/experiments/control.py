"""The negative control of an experiment: the same rule on data in which the effect is absent."""

from dataclasses import replace

from theory.claims.model import CheckResult, Level, Outcome


def control(result: CheckResult, what: str) -> CheckResult:
    """Return the control of a claim: PASS where its rule does not pass `what`, FAIL where it does.

    `result` is the rule's result on data to which the claim does not apply: untrained networks, another order.

    >>> careless = CheckResult("an.example.claim", Level.SIMULATED, Outcome.PASS)
    >>> print(control(careless, "untrained networks").outcome, control(careless, "untrained networks").where)
    FAIL the rule passes untrained networks
    """
    passes = result.outcome is Outcome.PASS
    return replace(
        result,
        level=Level.NEGATIVE_CONTROL,
        outcome=Outcome.FAIL if passes else Outcome.PASS,
        where=f"the rule {'passes' if passes else 'does not pass'} {what}",
        details={},
    )
