"""Claims: statements as data, the levels of checking without simulation, and the catalog.

catalog(), select(ids)     every claim by its id; the claims that are named by id or by its beginning
Claim, Kind, Param     a statement with what is needed to judge it
Source, Says, Reading, Slip     the place in a document that states it, and how it does
Verdict     the judgement on each row of the ledger
examine(claim, claims)     an Examination: a CheckResult for each Level with its Outcome, and the verdict
"""

from theory.claims.judge import Examination, examine
from theory.claims.model import CheckResult, Claim, Kind, Level, Outcome, Param
from theory.claims.registry import catalog, select
from theory.claims.rows import Verdict
from theory.claims.sources import Reading, Says, Slip, Source

__all__ = [
    "CheckResult",
    "Claim",
    "Examination",
    "Kind",
    "Level",
    "Outcome",
    "Param",
    "Reading",
    "Says",
    "Slip",
    "Source",
    "Verdict",
    "catalog",
    "examine",
    "select",
]
