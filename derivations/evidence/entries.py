"""The ledger: every statement of the sources with its verdict, read from the claims and the stored evidence alone.

One entry for each pair of a claim and a source that states it. A claim whose evidence is missing, or speaks of another
version of it, has no verdict: its entries are STALE.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import sympy
from sympy.printing.str import StrPrinter

from derivations.evidence import stored
from theory.claims.model import Claim, Source, Verdict

STALE = "STALE"


@dataclass(frozen=True)
class Entry:
    """A statement of a source (`source` is None for a claim of the workbench's own), with the verdict on it."""

    claim: Claim
    source: Source | None
    verdict: str
    finding: Mapping[str, Any] | None  # what the evidence says of the printed form
    evidence: Mapping[str, Any] | None

    @property
    def document(self) -> str | None:
        """The file stem of the source."""
        return self.source.document if self.source else None

    @property
    def differs(self) -> bool:
        """Whether what is printed is not what holds."""
        return self.finding is not None and not self.finding["agrees"]


def entries(claims: Iterable[Claim], folder: Path = stored.FOLDER) -> list[Entry]:
    """The entries of the claims: by document, within it in the order of labels; claims without a source last."""
    found = [entry for claim in claims for entry in _of_claim(claim, stored.read(claim, folder))]
    return sorted(found, key=lambda entry: (entry.document is None, entry.document or "", label_order(entry.source)))


def _of_claim(claim: Claim, evidence: Mapping[str, Any] | None) -> list[Entry]:
    if evidence is None:
        return [Entry(claim, source, STALE, None, None) for source in claim.sources or (None,)]
    findings = {(item["document"], item["label"]): item for item in evidence["printed"]}
    result = []
    for source in claim.sources or (None,):
        finding = findings.get((source.document, source.label)) if source else None
        result.append(Entry(claim, source, _verdict(evidence["verdict"], source, finding), finding, evidence))
    return result


def _verdict(of_claim: str, source: Source | None, finding: Mapping[str, Any] | None) -> str:
    """A claim is CORRECTED because of some source; a source that prints it right is CONFIRMED."""
    if of_claim == Verdict.CORRECTED and source is not None and (finding is None or finding["agrees"]):
        return Verdict.CONFIRMED.value
    return of_claim


def label_order(source: Source | None) -> tuple:
    """Sections first, then equations by number; "after (11)" stands between (11) and (12)."""
    if source is None:
        return ()
    number = re.search(r"\d+(?:\.\d+)?", source.label)
    section = not re.search(r"\(\d+\)", source.label)
    at = Fraction(number[0]) if number else Fraction(0)
    return (not section, at, "after" in source.label, source.label)


class _Plain(StrPrinter):
    r"""Names that are TeX, in letters that a terminal shows: `\dot{w}_{ki}` is dw_ki/dt."""

    def _print_Symbol(self, expr: sympy.Symbol) -> str:
        name = re.sub(r"\\dot\{(\w+)\}(_\{?\w+\}?)?", r"d\1\2/dt", expr.name)
        name = re.sub(r"\\hat\{(\w+)\}", r"\1hat", name)
        return re.sub(r"\\(?:mathcal|mathrm|text)\b|[\\{}]", "", name)


def statement(expr: sympy.Basic) -> str:
    """A statement as text: `lhs = rhs` for an equation."""
    printer = _Plain()
    sides = expr.args if isinstance(expr, sympy.Eq) else (expr,)
    return " = ".join(printer.doprint(side) for side in sides)


def correction(entry: Entry) -> str | None:
    """The statement that holds, where the printed one differs."""
    return statement(entry.claim.statement) if entry.differs else None


def as_data(entry: Entry, page: str | None) -> dict[str, Any]:
    """One entry as plain data; `page` is where the book derives it."""
    finding = entry.finding if entry.differs else None
    return {
        "id": entry.claim.id,
        "kind": entry.claim.kind.value,
        "document": entry.document,
        "label": entry.source.label if entry.source else None,
        "verdict": entry.verdict,
        "statement": statement(entry.claim.statement),
        "correction": correction(entry),
        "page": page,
        "title": entry.claim.title,
        "note": entry.source.note if entry.source else "",
        "settled_by": entry.claim.settled_by if entry.verdict == Verdict.OPEN else "",
        "counterexample": {
            "at": dict(finding["at"]),
            "printed": finding["printed"],
            "definition": finding["definition"],
        }
        if finding
        else None,
    }
