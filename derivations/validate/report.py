"""The report of a validation as HTML: failures, what the sources print, theory beside networks, then every claim."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

import mpmath

from derivations.markdown import plain
from derivations.output import counted
from derivations.publish import html
from derivations.publish.blocks import domain, notation_of, parting, place, sentence, where
from derivations.validate.judged import Judged, Validation, undecided
from theory.claims.levels import PrintedFinding, describe
from theory.claims.model import CheckResult, Level, Outcome, Standing
from theory.claims.rows import Verdict

_MARK = {Outcome.PASS: "pass", Outcome.FAIL: "**FAIL**", Outcome.INCONCLUSIVE: "undecided", Outcome.SKIPPED: "–"}
_SHOWN_ROWS = 5
_BESIDE = Path(__file__)


@dataclass(frozen=True)
class Image:
    """A figure of the report: its caption in Markdown and the path of its file."""

    caption: str
    path: str


def body(validation: Validation, figures: Sequence[Image], changed: Mapping[str, Sequence[str]] | None = None) -> str:
    """Return the report as the body of a page; with `changed`, the changes by the id of the claim, of these claims."""
    shown = [item for item in validation.judged if changed is None or item.claim.id in changed]
    failing = [item for item in validation.judged if item.standing is Standing.FAILS or undecided(item)]
    parts = [
        f"<style>{_BESIDE.with_suffix('.css').read_text(encoding='utf-8')}</style>",
        f"<h1>{escape(validation.title)}</h1>",
        _markup(_sentence(validation, changed)),
        _failures(failing) if failing else "",
        "<h2>What the sources print and what holds</h2>" if any(item.printed for item in shown) else "",
        *_corrections([item for item in shown if item.standing is not Standing.FAILS]),
        "<h2>Theory beside trained networks</h2>" if figures else "",
        *(_figure(image) for image in figures),
        *(_markup(remark) for remark in validation.finding.remarks),
        "<h2>Every claim</h2>" if shown else "",
        _filter(shown) if shown else "",
        *(_claim(item, changed) for item in shown),
        "<h2>The run</h2>",
        _markup(_run(validation)),
        f"<script>{_BESIDE.with_suffix('.js').read_text(encoding='utf-8')}</script>" if shown else "",
    ]
    return "\n".join(part for part in parts if part) + "\n"


def _markup(text: str) -> str:
    return html.body(text)


def _inline(text: str) -> str:
    """Return a line of Markdown as HTML without the paragraph around it."""
    return _markup(text).strip().removeprefix("<p>").removesuffix("</p>")


def _sentence(validation: Validation, changed: Mapping[str, Sequence[str]] | None) -> str:
    counts = Counter(item.verdict for item in validation.judged)
    listed = ", ".join(f"{counts[verdict]} {verdict.value}" for verdict in Verdict if counts[verdict])
    outcomes = Counter(validation.outcomes())
    since = "" if changed is None else f" Since the last report {counted(len(changed), 'claim')} changed."
    return (
        f"{counted(len(validation.judged), 'claim')}: {listed}. {counted(validation.checks, 'check')}, of which "
        f"{outcomes[Outcome.FAIL]} fail and {outcomes[Outcome.INCONCLUSIVE]} stay undecided.{since}"
    )


_OF_NOTES = "CONFIRMED: every check that applies passes. REFUTED: one fails. OPEN: they do not decide it."
_OF_SOURCES = (
    "CONFIRMED: the statement holds and its sources print it. CORRECTED: the statement holds, and a source prints "
    "another by a slip; INHERITED: through a slip charged elsewhere. REFUTED: a conjecture of a source has a "
    "counter-example. BROKEN: a check of the workbench's own statement fails. OPEN: undecided. REMARK, KNOWN "
    "and RESULT: it holds, and no source states it; a KNOWN statement is in the literature that it names."
)


def _run(validation: Validation) -> str:
    versions = ", ".join(f"{name} {number}" for name, number in validation.versions.items())
    return (
        f"Profile {validation.profile}: {counted(validation.checks, 'check')} in {validation.seconds:.0f} s, "
        f"{validation.spent:.0f} s of processor time.\n\n"
        f"Versions: {versions}.\n\n{_OF_NOTES if validation.of_notes else _OF_SOURCES}\n"
    )


def causes(item: Judged) -> str:
    """Return what fails or stays undecided of a claim, each level with its numbers."""
    levels = [
        f"{result.level.value} {'fails' if result.outcome is Outcome.FAIL else 'is undecided'}{numbers(result)}"
        for result in item.results
        if result.outcome in (Outcome.FAIL, Outcome.INCONCLUSIVE)
    ]
    return "; ".join(levels) or "a claim that it cites is broken or open"


def _failures(failing: Sequence[Judged]) -> str:
    lines = [
        f'<li>{_verdict(item)} <a href="#{item.claim.id}">{item.claim.id}</a>: {escape(causes(item))}</li>'
        for item in failing
    ]
    failed = sum(item.standing is Standing.FAILS for item in failing)
    title = "Undecided" if not failed else "Failures" if failed == len(failing) else "Failures and undecided claims"
    return "\n".join([f"<h2>{title}</h2>", '<ul class="failures">', *lines, "</ul>"])


def _verdict(item: Judged) -> str:
    return f'<strong class="verdict {item.verdict.value}">{item.verdict.value}</strong>'


def _corrections(judged: Sequence[Judged]) -> Iterator[str]:
    """Yield a folded passage for each form that a source prints wrong, and the list of those that hold."""
    right: dict[str, dict[str, None]] = {}
    for item in judged:
        for findings in same_form(item.printed):
            first = findings[0]
            if first.right:
                labels = right.setdefault(first.source.document, {})
                labels |= dict.fromkeys(finding.source.label for finding in findings)
                continue
            at = {symbol.name: str(value) for symbol, value in first.point.items()}
            finding = {"at": at, "printed": first.printed, "definition": first.oracle}
            remarks = dict.fromkeys(part for one in findings for part in one.source.note.split("; ") if part)
            tex, _ = notation_of(item.claim).display(item.claim.statement)
            note = sentence("; ".join(remarks)) if remarks else ""
            text = (
                f"Printed:\n\n{parting(item.claim, first.source, finding)}\n{note}\n\nIt holds that\n\n$$\n{tex}\n$$\n"
            )
            title = f"{_labels(findings)}: {_inline(item.claim.title)}"
            link = f'<p><a href="#{item.claim.id}">{item.claim.id}</a></p>'
            yield _entry(item, title, "", _markup(text) + link)
    if right:
        rows = (f"<li>{escape(document)}: {escape(', '.join(labels))}</li>" for document, labels in right.items())
        yield f"<p>Printed forms that hold:</p><ul>{''.join(rows)}</ul>"


def same_form(printed: tuple[PrintedFinding, ...]) -> list[list[PrintedFinding]]:
    """The findings of one claim, those of one document that print the same form together."""
    groups: dict[tuple, list[PrintedFinding]] = {}
    for finding in printed:
        groups.setdefault((finding.source.document, finding.source.printed), []).append(finding)
    return list(groups.values())


def wrong_forms(judged: Sequence[Judged]) -> Iterator[PrintedFinding]:
    """Yield the findings on printed forms that no reading makes right, of claims that hold."""
    for item in judged:
        if item.standing is not Standing.FAILS:
            yield from (finding for finding in item.printed if not finding.right)


def _labels(findings: list[PrintedFinding]) -> str:
    return f"{findings[0].source.document} {', '.join(finding.source.label for finding in findings)}"


def _figure(image: Image) -> str:
    caption = _inline(image.caption)
    alt = escape(plain(image.caption))
    return f'<figure><img src="{image.path}" alt="{alt}"><figcaption>{caption}</figcaption></figure>'


def _filter(judged: Sequence[Judged]) -> str:
    """Return the form by which claims are selected: words of id and title, and a verdict."""
    verdicts = sorted({item.verdict.value for item in judged})
    options = "".join(f"<option>{verdict}</option>" for verdict in verdicts)
    return (
        '<form onsubmit="return false"><input type="search" id="words" aria-label="words" placeholder="words or ids">'
        f'<select id="verdict" aria-label="verdict"><option value="">every verdict</option>{options}</select>'
        '<output id="count"></output></form>'
    )


def _claim(item: Judged, changed: Mapping[str, Sequence[str]] | None) -> str:
    text = _details(item)
    if changed is not None:
        text = f"Changed: {'; '.join(changed[item.claim.id])}.\n\n{text}"
    outcomes = [result.outcome for result in item.results if result.outcome is not Outcome.SKIPPED]
    passed = f"{outcomes.count(Outcome.PASS)} of {counted(len(outcomes), 'check')}" if outcomes else ""
    marks = f'id="{item.claim.id}" data-verdict="{item.verdict.value}"'
    return _entry(item, _inline(item.claim.title), passed, _markup(text), marks, f"<code>{item.claim.id}</code>")


def _entry(item: Judged, title: str, levels: str, content: str, marks: str = "", name: str = "") -> str:
    """Return a folded passage: verdict, title and checks in its line."""
    line = f'{_verdict(item)}<span class="title">{title}</span>{name}<span class="levels">{levels}</span>'
    return f'<details class="entry" {marks}><summary>{line}</summary><div>{content}</div></details>'


def _details(item: Judged) -> str:
    """Return statement, parameters, the first rows of the precise table and the outcome of each level."""
    claim, notation = item.claim, notation_of(item.claim)
    tex, legend = notation.display(claim.statement)
    lines = [f"{sentence(claim.protocol)}\n"] if claim.protocol else []
    lines += [f"$$\n{tex}\n$$\n", where(legend)]
    docs = (f": {param.doc}" if param.doc else "" for param in claim.params)
    lines += [f"- ${domain(param, notation)}${doc}" for param, doc in zip(claim.params, docs, strict=True)]
    lines += [f"- where ${notation.tex(condition)}$" for condition in claim.conditions]
    lines += [f"- {text}" for text in claim.assumptions]
    lines += [f"- open until: {claim.settled_by}"] if claim.settled_by else []
    lines += ["", *_table(item)]
    lines += [f"- {result.level.value}: {_MARK[result.outcome]}{numbers(result)}" for result in item.results]
    return "\n".join(lines) + "\n"


def _table(item: Judged) -> Iterator[str]:
    if not item.rows:
        return
    yield "| at | by definition | relative difference of the formula |"
    yield "|---|---|---|"
    for row in item.rows[:_SHOWN_ROWS]:
        yield f"| `{describe(row.point)}` | {mpmath.nstr(row.oracle, 32)} | {row.error:.1g} |"
    if len(item.rows) > _SHOWN_ROWS:
        yield f"\n({len(item.rows)} points in all.)"
    yield ""


def numbers(result: CheckResult) -> str:
    """Return the numbers of a result and where they arose, in parentheses; only the reason of a skipped level."""
    if result.worst is None or result.outcome is Outcome.SKIPPED:
        return f" ({result.where})" if result.where else ""
    where = f"; {place(result.where)}" if result.where else ""
    return f" (worst {result.worst:.3g}, tolerance {result.tolerance:.3g}{where}){_simulated(result)}"


def _simulated(result: CheckResult) -> str:
    details = result.details
    if result.level is not Level.SIMULATED or "powers" not in details:
        return ""
    powers = ", ".join(f"{name} {power:.4g}" for name, power in details["powers"].items()) or "none registered"
    return (
        f". {details['replicates']} replicates; largest deviation {details['statistic']:.2f} standard errors (critical "
        f"value {details['critical']:.2f}); power against wrong forms: {powers}"
    )
