"""The verdict on each row of the ledger, which is a claim at one source; verdicts are computed from the evidence.

| verdict | meaning |
|---|---|
| DEFINITION | the document introduces a name; there is nothing to decide |
| CONFIRMED | the document states it, and it holds, but for a printing slip, or under the condition that the row names |
| CORRECTED | a slip of the document, charged here: no reading within its conventions makes the form right |
| INHERITED | a restatement or a consequence of a slip charged elsewhere: right once that is repaired |
| REFUTED | a conjecture or a question of the document that has a counter-example |
| BROKEN | a check of the workbench's own statement fails: the workbench is wrong, not the document |
| OPEN | the checks do not decide it |
| REMARK | it holds and is near the document, which does not state it |
| KNOWN | it holds, no document of the five states it, and the literature that the claim names has it |
| RESULT | it holds, no document of the five states it, and the claim names no one else: a result of the workbench |
"""

from collections.abc import Iterable
from enum import StrEnum

from theory.claims.levels import PrintedFinding
from theory.claims.model import Standing
from theory.claims.sources import Says, Source


class Verdict(StrEnum):
    """The judgement on a row, or on a claim by the gravest of its rows; see the table of this module.

    >>> verdict_of(Standing.HOLDS, None).value
    'RESULT'
    """

    BROKEN = "BROKEN"
    DEFINITION = "DEFINITION"
    CONFIRMED = "CONFIRMED"
    CORRECTED = "CORRECTED"
    INHERITED = "INHERITED"
    REFUTED = "REFUTED"
    OPEN = "OPEN"
    REMARK = "REMARK"
    KNOWN = "KNOWN"
    RESULT = "RESULT"


_GRAVEST_FIRST = (Verdict.CORRECTED, Verdict.REFUTED, Verdict.INHERITED, Verdict.CONFIRMED, Verdict.REMARK)
_SAME = {
    Standing.DEFINITION: Verdict.DEFINITION,
    Standing.FAILS: Verdict.BROKEN,
    Standing.OPEN: Verdict.OPEN,
}


def verdict_of(
    standing: Standing, source: Source | None, finding: PrintedFinding | None = None, known: str = ""
) -> Verdict:
    """Return the verdict on one row: a claim of this standing at this source (None for a claim without one).

    `finding` is the result of the checks of the form that the source prints, None where it prints none; `known` is the
    literature that the claim names.

    >>> source = Source("small-bump-gate", "(8)")
    >>> verdict_of(Standing.HOLDS, source).value
    'CONFIRMED'
    >>> verdict_of(Standing.HOLDS, source, PrintedFinding(source, agrees=False)).value
    'CORRECTED'
    >>> verdict_of(Standing.HOLDS, source, PrintedFinding(source, agrees=False, repaired=True)).value
    'INHERITED'
    """
    if standing is not Standing.HOLDS:
        return _SAME[standing]
    if source is None:
        return Verdict.KNOWN if known else Verdict.RESULT
    if source.says is Says.UNSTATED:
        return Verdict.REMARK
    if finding is None or finding.right:
        return Verdict.CONFIRMED
    if source.says in (Says.CONJECTURES, Says.ASKS):
        return Verdict.REFUTED
    return Verdict.INHERITED if finding.repaired else Verdict.CORRECTED


def verdict_on(
    standing: Standing, sources: tuple[Source, ...], printed: Iterable[PrintedFinding] = (), known: str = ""
) -> Verdict:
    """Return the verdict on a claim: the gravest of its rows.

    >>> sources = (Source("small-bump-gate", "(7)"), Source("small-bump-gate", "(8)"))
    >>> verdict_on(Standing.HOLDS, sources, [PrintedFinding(sources[1], agrees=False)]).value
    'CORRECTED'
    """
    of = {(finding.source.document, finding.source.label): finding for finding in printed}
    rows = {verdict_of(standing, source, of.get((source.document, source.label))) for source in sources}
    return next((verdict for verdict in _GRAVEST_FIRST if verdict in rows), verdict_of(standing, None, known=known))
