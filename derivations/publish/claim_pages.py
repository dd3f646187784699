"""The page of one claim as Markdown: statement, sources, derivation, evidence, rejected forms, places, commands."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from derivations.evidence.entries import STALE, Entry
from derivations.markdown import table
from derivations.publish import blocks, html
from derivations.publish.blocks import Link
from derivations.publish.questions import question
from theory.claims.model import Claim, Kind, Level

_OUTCOMES = {"PASS": "passed", "FAIL": "**failed**", "INCONCLUSIVE": "undecided", "SKIPPED": "does not apply"}
_DEFINED = "A definition names something: there is nothing to derive and nothing to check."


@dataclass(frozen=True)
class Places:
    """Passages about a claim, as Markdown: where the book states it, and which chapters and claims mention it."""

    stated: str
    mentioned: Sequence[str]
    cited_by: Sequence[str]


def markdown(
    claim: Claim, evidence: Mapping[str, Any] | None, entries: Sequence[Entry], places: Places, link: Link, name: str
) -> str:
    """Return the page; `name` is the paper's name for the left side in TeX, empty where the claim has its own."""
    sections = {
        "": blocks.stated(claim, evidence, link, name),
        "Sources": _sources(entries, name),
        "Derivation": _derivation(claim, link),
        "Evidence": _evidence(claim, evidence),
        "Rejected forms": "\n".join(_rejections(evidence) if evidence else ()) + "\n",
        "In the book": _places(places),
        "To check it": _commands(claim),
    }
    parts = [f"# {claim.title}\n", f"`{claim.id}`\n"]
    for title, text in sections.items():
        parts += [f"## {title}\n"] if title and text.strip() else []
        parts.append(text)
    return "\n".join(parts)


def _sources(entries: Sequence[Entry], name: str) -> str:
    if all(entry.source is None for entry in entries):
        of = "known from the literature that it names" if entries[0].claim.known else "a result of the workbench"
        return f"None of the documents states it: it is {of}.\n"
    slips = dict.fromkeys(entry.slip for entry in entries if entry.slip)
    repairs = [
        f"*Slip of `{slip.document}`.* {blocks.sentence(slip.title)} *Repair.* {blocks.sentence(slip.repair)}\n"
        for slip in slips
    ]
    return "\n".join([blocks.printed(entries, name), *repairs])


def _derivation(claim: Claim, link: Link) -> str:
    if claim.kind is Kind.DEFINITION:
        return ""
    if claim.derive:
        return blocks.steps(claim, link)
    return f"It has none: {claim.unchecked.get(Level.SYMBOLIC, 'none is registered')}.\n"


def _evidence(claim: Claim, evidence: Mapping[str, Any] | None) -> str:
    if claim.kind is Kind.DEFINITION:
        return f"{_DEFINED}\n"
    if evidence is None:
        return f"{STALE}: run `gdln validate --write-evidence`.\n"
    rows = [_level(level) for level in evidence["levels"]]
    lines = [table(("level", "outcome", "largest deviation", "tolerance", "where, or why not"), rows)]
    if evidence["precise"]:
        count = len(evidence["precise"])
        digits = blocks.precise_table(claim, evidence)
        lines.append(html.fold(f"Definition and formula at {count} point{'s' * (count != 1)}", digits))
    versions = ", ".join(f"{package} {number}" for package, number in evidence["versions"].items())
    seconds = ", ".join(f"{check} {spent:g} s" for check, spent in evidence["seconds"].items())
    lines.append(
        html.fold("How the evidence was made", f"Versions: {versions}. Processor time: {seconds or 'none'}.\n")
    )
    return "\n".join(lines)


def _level(level: Mapping[str, Any]) -> tuple[str, ...]:
    numbers = ("", "")
    if level["worst"] is not None and (level["worst"] or level["tolerance"]):
        numbers = (f"{float(level['worst']):.2g}", f"{float(level['tolerance']):.2g}")
    return level["level"], _OUTCOMES[level["outcome"]], *numbers, blocks.place(level["where"]).replace("|", "\\|")


def _rejections(evidence: Mapping[str, Any]) -> Iterator[str]:
    """The wrong forms that the checks reject: mutants, printed forms, and forms that networks rule out."""
    for level in evidence["levels"]:
        if level["level"] == Level.NEGATIVE_CONTROL and level["outcome"] != "SKIPPED":
            if "killed" in level:
                same = f"; {level['equal']} more are the same function in another form" if level["equal"] else ""
                yield f"- {level['killed']} formulas altered by a sign, a factor or a term{same}."
            else:
                yield f"- {blocks.sentence(level['where'])}"
        for name, rejected in level.get("rejected_alternatives", {}).items():
            yield f"- Trained networks {'reject' if rejected else 'do not reject'}: {name}."
    for found in evidence["printed"]:
        if not found["agrees"] and not found["reading"]:
            yield f"- The form printed in `{found['document']}` {found['label']}."


def _places(places: Places) -> str:
    lines = [f"- Stated and derived in {places.stated}."]
    lines += [f"- Mentioned in {', '.join(places.mentioned)}."] if places.mentioned else []
    lines += [f"- Claims that rest on it: {', '.join(places.cited_by)}."] if places.cited_by else []
    return "\n".join([*lines, ""])


def _commands(claim: Claim) -> str:
    lines = [f"```sh\ngdln validate {claim.id}\n```\n"]
    if asked := question(claim):
        lines.append(f"As a formula that you may change:\n\n```sh\n{asked.command}\n```\n")
        lines.append(f"The next command opens it in the explorer:\n\n```sh\n{asked.opening}\n```\n")
        link = "<a>Open this formula in the explorer</a>"  # which a script shows where the explorer serves the page
        lines.append(f'<p id="in-explorer" data-question="{escape(asked.fragment)}" hidden>{link}</p>\n')
    return "\n".join(lines)
