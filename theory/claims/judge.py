"""The standing of a claim and the verdict on it, from its checks and the forms printed by its sources."""

import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from theory.claims import levels
from theory.claims.model import CheckResult, Claim, Kind, Level, Outcome, Standing
from theory.claims.points import points
from theory.claims.quadrature import NotConverged
from theory.claims.rows import Verdict, verdict_on

_Result = TypeVar("_Result")

_PROOF = (Level.SYMBOLIC, Level.EXACT)
_STATED_EXACTLY = (Kind.EQUATION, Kind.INEQUALITY, Kind.EQUIVALENCE, Kind.ASYMPTOTIC)


@dataclass(frozen=True)
class Examination:
    """The examination of one claim: a result for each level, the table of values, the printed forms.

    `seconds` is the processor time of each level that was run.

    >>> from theory.claims import catalog
    >>> claim = catalog()["gaussian.step_step.orthant"]
    >>> Examination(claim, (CheckResult(claim.id, Level.PRECISE, Outcome.FAIL),)).verdict.value
    'BROKEN'
    """

    claim: Claim
    results: tuple[CheckResult, ...]
    rows: tuple[levels.TableRow, ...] = ()
    printed: tuple[levels.PrintedFinding, ...] = ()
    seconds: Mapping[Level, float] = field(default_factory=dict)

    @property
    def verdict(self) -> Verdict:
        """The verdict that follows from these levels."""
        return verdict(self.claim, self.results, self.printed)


def applicable(claim: Claim) -> tuple[Level, ...]:
    """Return the levels without simulation that are run on the claim; the others are skipped.

    >>> from theory.claims import catalog
    >>> [level.value for level in applicable(catalog()["model.relu.gating"])]
    ['symbolic', 'exact', 'precise', 'negative control']
    """
    by_oracle = claim.oracle is not None
    runs = {
        Level.SYMBOLIC: claim.derive is not None,
        Level.EXACT: claim.exact is not None,
        Level.PRECISE: by_oracle,
        Level.FLOATING: by_oracle and claim.numeric is not None,
        Level.NEGATIVE_CONTROL: by_oracle,
    }
    return tuple(level for level, run in runs.items() if run)


def examine(claim: Claim, claims: Mapping[str, Claim], scale: int = 1) -> Examination:
    """Run every level without simulation on one claim; `claims` are those that it may cite.

    `scale` multiplies the number of points that are drawn (see `points`).

    >>> from theory.claims import catalog
    >>> examine(catalog()["model.relu.gating"], catalog()).verdict.value
    'CONFIRMED'
    """
    clock = _Clock()
    tried = points(claim, scale) if claim.exact or claim.oracle else ()
    results = [
        clock.of(Level.SYMBOLIC, lambda: levels.symbolic(claim, claims)),
        clock.of(Level.EXACT, lambda: levels.exact(claim, tried)),
    ]
    if claim.oracle is None:
        results += [levels.skipped(claim, level) for level in _without_oracle(claim)]
        return Examination(claim, tuple(results), seconds=clock.within(applicable(claim)))
    try:
        rows = clock.of(Level.PRECISE, lambda: levels.table(claim, tried=tried))
    except NotConverged as error:
        undecided = (Level.PRECISE, Level.NEGATIVE_CONTROL)
        results += [CheckResult(claim.id, level, Outcome.INCONCLUSIVE, where=str(error)) for level in undecided]
        return Examination(claim, tuple(results), seconds=clock.within(applicable(claim)))
    results.append(levels.precise(claim, rows))
    results.append(clock.of(Level.FLOATING, lambda: levels.floating(claim, tried)))
    results.append(clock.of(Level.NEGATIVE_CONTROL, lambda: levels.negative_control(claim, rows)))
    printed = levels.printed_findings(claim, rows)
    return Examination(claim, tuple(results), rows, printed, clock.within(applicable(claim)))


class _Clock:
    """Processor seconds by level."""

    def __init__(self) -> None:
        self.seconds: dict[Level, float] = {}

    def of(self, level: Level, work: Callable[[], _Result]) -> _Result:
        """Return the result of `work` and record its processor time as that of the level."""
        started = time.process_time()
        done = work()
        self.seconds[level] = time.process_time() - started
        return done

    def within(self, wanted: Collection[Level]) -> dict[Level, float]:
        """Return the seconds of the wanted levels alone."""
        return {level: spent for level, spent in self.seconds.items() if level in wanted}


def _without_oracle(claim: Claim) -> tuple[Level, ...]:
    """Return the levels that need an oracle; the experiment of an empirical claim may replace its negative control."""
    needed = (Level.PRECISE, Level.FLOATING, Level.NEGATIVE_CONTROL)
    with_experiment = claim.kind is Kind.EMPIRICAL and Level.NEGATIVE_CONTROL not in claim.unchecked
    return needed[:2] if with_experiment else needed


def standing(claim: Claim, results: tuple[CheckResult, ...]) -> Standing:
    """Return DEFINITION, HOLDS, FAILS or OPEN; an undecided claim never holds.

    If a level fails, the claim FAILS. A statement of exact kind needs a proof (symbolic or exact) and agreement at the
    precise level; an empirical one needs its experiment and the control of that experiment. A level that is
    inconclusive, or registered and not run, leaves the claim open.

    A proof alone leaves an equation open, because its numbers must also agree with the definition.

    >>> from theory.claims import catalog
    >>> claim = catalog()["gaussian.step_step.orthant"]
    >>> proved, agrees = (CheckResult(claim.id, level, Outcome.PASS) for level in (Level.SYMBOLIC, Level.PRECISE))
    >>> standing(claim, (proved,)).value, standing(claim, (proved, agrees)).value
    ('OPEN', 'HOLDS')
    """
    if claim.kind is Kind.DEFINITION:
        return Standing.DEFINITION
    outcomes = [result.outcome for result in results]
    if Outcome.FAIL in outcomes:
        return Standing.FAILS
    if Outcome.INCONCLUSIVE in outcomes:
        return Standing.OPEN
    passed = {result.level for result in results if result.outcome is Outcome.PASS}
    needs_experiment = claim.registration is not None or claim.kind is Kind.EMPIRICAL
    if needs_experiment and Level.SIMULATED not in passed:
        return Standing.OPEN
    if claim.kind is Kind.EMPIRICAL and not {Level.NEGATIVE_CONTROL} & (passed | set(claim.unchecked)):
        return Standing.OPEN
    if claim.kind in _STATED_EXACTLY and not (passed.intersection(_PROOF) and Level.PRECISE in passed):
        return Standing.OPEN
    return Standing.HOLDS


def verdict(claim: Claim, results: tuple[CheckResult, ...], printed: tuple[levels.PrintedFinding, ...] = ()) -> Verdict:
    """Return the verdict on a claim by its own checks: that of the gravest of its rows (`theory.claims.rows`).

    >>> from theory.claims import catalog
    >>> verdict(catalog()["model.network.definition"], ()).value
    'DEFINITION'
    """
    return verdict_on(standing(claim, results), claim.sources, printed, claim.known)
