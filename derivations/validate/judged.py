"""The types of a validation: each judged claim, the whole run, and the outcome of the command."""

import platform
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.metadata import version

from derivations.experiments.model import Finding
from derivations.output import DISTRIBUTION
from theory.claims.levels import PrintedFinding, TableRow
from theory.claims.model import CheckResult, Claim, Outcome, Standing
from theory.claims.rows import Verdict, verdict_on


@dataclass(frozen=True)
class Judged:
    """One claim with all results on it, and its standing by these and by the claims that it cites.

    `seconds` is the processor time of its checks by level and experiment.
    """

    claim: Claim
    results: tuple[CheckResult, ...]
    rows: tuple[TableRow, ...]
    printed: tuple[PrintedFinding, ...]
    standing: Standing
    seconds: Mapping[str, float] = field(default_factory=dict)

    @property
    def verdict(self) -> Verdict:
        """Return the verdict on the claim, that of the gravest of its rows in the ledger."""
        return verdict_on(self.standing, self.claim.sources, self.printed, self.claim.known)


@dataclass(frozen=True)
class Validation:
    """A whole run: the judged claims in order, the findings of the experiments, the time and the versions.

    `checks` counts the levels and experiments that ran, `spent` is their processor time. Claims of notes have verdicts
    of their own.
    """

    profile: str
    judged: tuple[Judged, ...]
    finding: Finding
    seconds: float
    versions: Mapping[str, str] = field(default_factory=dict)
    checks: int = 0
    spent: float = 0.0
    title: str = "Validation report"
    of_notes: bool = False

    def outcomes(self) -> list[Outcome]:
        """Every outcome of every level of every claim."""
        return [result.outcome for item in self.judged for result in item.results]


def versions() -> dict[str, str]:
    """The versions that a result depends on."""
    names = (DISTRIBUTION, "sympy", "mpmath", "python-flint", "numpy", "scipy", "torch")
    return {"python": platform.python_version(), **{name: version(name) for name in names}}


def exit_outcome(validation: Validation) -> Outcome:
    """FAIL where any level fails, INCONCLUSIVE where some claim stays undecided, else PASS."""
    if Outcome.FAIL in validation.outcomes():
        return Outcome.FAIL
    return Outcome.INCONCLUSIVE if any(map(undecided, validation.judged)) else Outcome.PASS


def undecided(item: Judged) -> bool:
    """Whether a claim, or one of its levels, is neither shown to hold nor shown to fail.

    A claim that states what would settle it is expected to stay open and does not count.
    """
    if item.claim.settled_by:
        return False
    return item.standing is Standing.OPEN or any(result.outcome is Outcome.INCONCLUSIVE for result in item.results)
