"""The ledger: every statement of the sources with its verdict, read from the claims and the stored evidence alone.

One entry for each pair of a claim and a source that states it. A claim whose evidence is missing, or of another
version, has no verdict: its entries are STALE.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import inf
from pathlib import Path
from typing import Any

import sympy
from sympy.printing.str import StrPrinter

from derivations.evidence import stored
from derivations.markdown import on_a_line
from theory.claims.levels import PrintedFinding
from theory.claims.model import Claim, Standing
from theory.claims.rows import Verdict, verdict_of, verdict_on
from theory.claims.sources import Slip, Source

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
        """Whether the printed form differs from the statement that holds, under every reading."""
        return self.finding is not None and not self.finding["agrees"] and not self.finding["reading"]

    @property
    def condition(self) -> str:
        """The reading under which a form is right, or the condition that the source lacks; empty without either."""
        if self.source is None or self.verdict != Verdict.CONFIRMED:
            return ""
        return (self.finding["reading"] if self.finding else "") or self.source.condition

    @property
    def slip(self) -> Slip | None:
        """The slip that a wrong form comes from, its own or an earlier one."""
        charged = self.source is not None and self.verdict in (Verdict.CORRECTED, Verdict.INHERITED)
        return self.source.slip if charged else None


def entries(claims: Iterable[Claim], folder: Path = stored.FOLDER) -> list[Entry]:
    """The entries of the claims: by document, within it in the order of labels; claims without a source last."""
    found = [entry for claim in claims for entry in _of_claim(claim, stored.read(claim, folder))]
    return sorted(found, key=lambda entry: (entry.document is None, entry.document or "", label_order(entry.source)))


def _of_claim(claim: Claim, evidence: Mapping[str, Any] | None) -> list[Entry]:
    if evidence is None:
        return [Entry(claim, source, STALE, None, None) for source in claim.sources or (None,)]
    standing, findings = Standing(evidence["standing"]), _findings(evidence)
    result = []
    for source in claim.sources or (None,):
        finding = findings.get((source.document, source.label)) if source else None
        verdict = verdict_of(standing, source, finding and _found(source, finding), claim.known)
        result.append(Entry(claim, source, verdict.value, finding, evidence))
    return result


def verdict_on_claim(claim: Claim, evidence: Mapping[str, Any]) -> Verdict:
    """The verdict on a claim by its evidence: that of the gravest of its entries."""
    findings = _findings(evidence)
    places = {(source.document, source.label): source for source in claim.sources}
    printed = [_found(places[place], finding) for place, finding in findings.items() if place in places]
    return verdict_on(Standing(evidence["standing"]), claim.sources, printed, claim.known)


def _findings(evidence: Mapping[str, Any]) -> dict[tuple[str, str], Mapping[str, Any]]:
    return {(finding["document"], finding["label"]): finding for finding in evidence["printed"]}


def _found(source: Source, finding: Mapping[str, Any]) -> PrintedFinding:
    """The stored finding on a printed form, as far as the verdict needs it."""
    return PrintedFinding(source, finding["agrees"], reading=finding["reading"], repaired=finding["repaired"])


def label_order(source: Source | None) -> tuple:
    """Sections first, "section A" behind the numbered ones; then equations, "after (11)" between (11) and (12)."""
    if source is None:
        return ()
    number = re.search(r"\d+(?:\.\d+)?", source.label)
    section = not re.search(r"\(\d+\)", source.label)
    at = Fraction(number[0]) if number else inf
    return (not section, at, "after" in source.label, source.label)


class _Plain(StrPrinter):
    r"""SymPy's text, with names that are TeX as a terminal shows them: `\hat{y}(x)` is ŷ(x)."""

    def _print_Symbol(self, expr: sympy.Symbol) -> str:
        return _shown(expr.name)

    def _print_Function(self, expr: sympy.Function) -> str:
        return f"{_shown(expr.func.__name__)}({self.stringify(expr.args, ', ')})"


def _shown(name: str) -> str:
    """A name without TeX; one of letters, digits and underscores stays as it is typed."""
    return on_a_line(name) if re.search(r"[\\{]", name) else name


def statement(expr: sympy.Basic) -> str:
    r"""A statement as plain text: `lhs = rhs` for an equation, in SymPy's form, with names that are TeX in Unicode.

    >>> statement(sympy.Eq(sympy.Symbol(r"\mathbb{E}[y(x)\, y(x')]"), sympy.Symbol("V") ** 2))
    "E[y(x) y(x')] = V**2"
    """
    printer = _Plain()
    sides = expr.args if isinstance(expr, sympy.Eq) else (expr,)
    return " = ".join(printer.doprint(side) for side in sides)


def correction(entry: Entry) -> str | None:
    """The statement that holds, where the printed one differs."""
    return statement(entry.claim.statement) if entry.differs else None


def as_data(entry: Entry, page: str | None) -> dict[str, Any]:
    """One entry as plain data; `page` is where the book derives it."""
    finding, source = entry.finding if entry.differs else None, entry.source
    return {
        "id": entry.claim.id,
        "kind": entry.claim.kind.value,
        "document": entry.document,
        "label": source.label if source else None,
        "verdict": entry.verdict,
        "statement": statement(entry.claim.statement),
        "correction": correction(entry),
        "page": page,
        "title": entry.claim.sentence,
        "says": source.says.value if source else "",
        "words": source.words if source else "",
        "note": source.note if source else "",
        "condition": entry.condition,
        "misprint": f"printed: {source.misprint.printed}; read: {source.misprint.read}"
        if source and source.misprint
        else "",
        "readings": [reading.convention for reading in source.readings] if source else [],
        "known": entry.claim.known,
        "slip": entry.slip.title if entry.slip else "",
        "repair": entry.slip.repair if entry.slip else "",
        "settled_by": entry.claim.settled_by if entry.verdict == Verdict.OPEN else "",
        "counterexample": {
            "at": dict(finding["at"]),
            "printed": finding["printed"],
            "definition": finding["definition"],
        }
        if finding
        else None,
    }
