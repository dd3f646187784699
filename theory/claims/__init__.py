"""Claims: statements as data, the levels of checking that need no simulation, and the catalog.

catalog(), select(ids)     every claim by its id; those that are named, or whose ids begin so
Claim, Kind, Param, Source, Verdict     a statement with what is needed to judge it
examine(claim, claims)     an Examination: a CheckResult for each Level with its Outcome, and the verdict
"""

from theory.claims.judge import Examination, examine
from theory.claims.model import CheckResult, Claim, Kind, Level, Outcome, Param, Source, Verdict
from theory.claims.registry import catalog, select

__all__ = [
    "CheckResult",
    "Claim",
    "Examination",
    "Kind",
    "Level",
    "Outcome",
    "Param",
    "Source",
    "Verdict",
    "catalog",
    "examine",
    "select",
]
