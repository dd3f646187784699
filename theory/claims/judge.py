"""The verdict on a claim, computed from the outcomes of its checks and from what its sources print."""

from collections.abc import Mapping
from dataclasses import dataclass

from theory.claims import levels
from theory.claims.model import CheckResult, Claim, Kind, Level, Outcome, Verdict

_PROOF = (Level.SYMBOLIC, Level.EXACT)
_STATED_EXACTLY = (Kind.EQUATION, Kind.INEQUALITY, Kind.EQUIVALENCE, Kind.ASYMPTOTIC)


@dataclass(frozen=True)
class Examination:
    """The examination of one claim: a result for each level, the table of values, the printed forms."""

    claim: Claim
    results: tuple[CheckResult, ...]
    rows: tuple[levels.TableRow, ...] = ()
    printed: tuple[levels.PrintedFinding, ...] = ()

    @property
    def verdict(self) -> Verdict:
        """The verdict that these levels give."""
        return verdict(self.claim, self.results, self.printed)


def examine(claim: Claim, claims: Mapping[str, Claim]) -> Examination:
    """Run every level that needs no simulation on one claim; `claims` are those that it may cite.

    >>> from theory.claims import catalog
    >>> examine(catalog()["model.relu.gating"], catalog()).verdict.value
    'CONFIRMED'
    """
    results = [levels.symbolic(claim, claims), levels.exact(claim)]
    if claim.oracle is None:
        results += [levels.skipped(claim, level) for level in _without_oracle(claim)]
        return Examination(claim, tuple(results))
    rows = levels.table(claim)
    results.append(levels.precise(claim, rows))
    results.append(levels.floating(claim, rows))
    results.append(levels.negative_control(claim, rows))
    return Examination(claim, tuple(results), rows, levels.printed_findings(claim, rows))


def _without_oracle(claim: Claim) -> tuple[Level, ...]:
    """The levels that need an oracle; the control of an empirical claim is its experiment's, where there is one."""
    needed = (Level.PRECISE, Level.FLOATING, Level.NEGATIVE_CONTROL)
    with_experiment = claim.kind is Kind.EMPIRICAL and Level.NEGATIVE_CONTROL not in claim.unchecked
    return needed[:2] if with_experiment else needed


def verdict(claim: Claim, results: tuple[CheckResult, ...], printed: tuple[levels.PrintedFinding, ...] = ()) -> Verdict:
    """Return DEFINITION, CONFIRMED, CORRECTED, REFUTED or OPEN; undecided is never true.

    A level that fails refutes. A statement of exact kind needs a proof (symbolic or exact) and a precise agreement;
    an empirical one needs its experiment. Whatever is inconclusive, or was registered and not run, leaves it open.
    """
    if claim.kind is Kind.DEFINITION:
        return Verdict.DEFINITION
    outcomes = [result.outcome for result in results]
    if Outcome.FAIL in outcomes:
        return Verdict.REFUTED
    if Outcome.INCONCLUSIVE in outcomes:
        return Verdict.OPEN
    passed = {result.level for result in results if result.outcome is Outcome.PASS}
    needs_experiment = claim.registration is not None or claim.kind is Kind.EMPIRICAL
    if needs_experiment and Level.SIMULATED not in passed:
        return Verdict.OPEN
    if claim.kind in _STATED_EXACTLY and not (passed.intersection(_PROOF) and Level.PRECISE in passed):
        return Verdict.OPEN
    return Verdict.CONFIRMED if all(finding.agrees for finding in printed) else Verdict.CORRECTED
