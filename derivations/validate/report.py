"""The report of a validation as Markdown: a figure, a sentence and a table, then corrections, figures and claims."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import mpmath

from derivations.markdown import table
from derivations.output import counted
from derivations.publish.blocks import domain, notation_of, parting, place, sentence, where
from derivations.publish.html import fold
from derivations.validate.judged import Judged, Validation, result_at
from theory.claims.levels import PrintedFinding, describe
from theory.claims.model import CheckResult, Level, Outcome
from theory.claims.rows import Verdict

_MARK = {Outcome.PASS: "pass", Outcome.FAIL: "**FAIL**", Outcome.INCONCLUSIVE: "undecided", Outcome.SKIPPED: "–"}
_SHOWN_ROWS = 5


@dataclass(frozen=True)
class Image:
    """A figure of the report: its caption and the path of its file."""

    caption: str
    path: str


def markdown(
    validation: Validation, opening: Image, figures: Sequence[Image], changed: Mapping[str, Sequence[str]] | None = None
) -> str:
    """Return the report: one figure, one sentence, one table of verdicts whose rows link to the claims below.

    With `changed`, the changes by the id of the claim, only these claims are shown.
    """
    shown = [item for item in validation.judged if changed is None or item.claim.id in changed]
    parts = [
        "# Validation report\n",
        _figure(opening),
        _sentence(validation, changed),
        _verdict_table(shown, changed) if shown else "",
        "## What the sources print and what holds\n",
        _corrections(shown),
        "## Figures\n" if figures or validation.finding.remarks else "",
        *(_figure(image) for image in figures),
        *(f"{remark}\n" for remark in validation.finding.remarks),
        "## The claims\n" if shown else "",
        *(_claim(item) for item in shown),
        "## The run\n",
        _run(validation),
    ]
    return "\n".join(part for part in parts if part)


def _figure(image: Image) -> str:
    return f"![{image.caption}]({image.path})\n\n*{image.caption}*\n"


def _sentence(validation: Validation, changed: Mapping[str, Sequence[str]] | None) -> str:
    counts = Counter(item.verdict for item in validation.judged)
    listed = ", ".join(f"{counts[verdict]} {verdict.value}" for verdict in Verdict if counts[verdict])
    outcomes = Counter(validation.outcomes())
    failed, undecided = outcomes[Outcome.FAIL], outcomes[Outcome.INCONCLUSIVE]
    checks = "no check fails or stays undecided"
    if failed or undecided:
        fail = f"{counted(failed, 'check')} fail{'s' * (failed == 1)}"
        checks = f"{fail} and {undecided} stay{'s' * (undecided == 1)} undecided"
    since = "" if changed is None else f" Since the last report {counted(len(changed), 'claim')} changed."
    return f"{counted(len(validation.judged), 'claim')}: {listed}; {checks}.{since}\n"


def _run(validation: Validation) -> str:
    versions = ", ".join(f"{name} {number}" for name, number in validation.versions.items())
    return (
        f"Profile {validation.profile}: {counted(validation.checks, 'check')} in {validation.seconds:.0f} s, "
        f"{validation.spent:.0f} s of processor time.\n\n"
        f"Versions: {versions}.\n\n"
        "CONFIRMED: the statement holds and its sources print it. CORRECTED: the statement holds, and a source prints "
        "something else by a slip; INHERITED: through a slip elsewhere. REFUTED: a conjecture of a source has a "
        "counter-example. BROKEN: a check of the workbench's own statement fails. OPEN: undecided. REMARK and RESULT: "
        "it holds, and no source states it.\n"
    )


def _verdict_table(judged: Sequence[Judged], changed: Mapping[str, Sequence[str]] | None) -> str:
    columns = ["claim", "verdict", "passed", "failed or undecided"]
    if changed is not None:
        columns[2:] = ["changed"]
    return table(columns, (_row(item, changed) for item in judged))


def _row(item: Judged, changed: Mapping[str, Sequence[str]] | None) -> list[str]:
    own = [f"[{item.claim.title}](#{item.claim.id})", item.verdict.value]
    if changed is not None:
        return [*own, "; ".join(changed[item.claim.id])]
    found = {level: result.outcome for level in Level if (result := result_at(item, level)) is not None}
    passed = sum(outcome is Outcome.PASS for outcome in found.values())
    other = ", ".join(
        f"{level.value} ({_MARK[outcome]})"
        for level, outcome in found.items()
        if outcome in (Outcome.FAIL, Outcome.INCONCLUSIVE)
    )
    return [*own, counted(passed, "level") if passed else "–", other or "–"]


def _corrections(judged: Sequence[Judged]) -> str:
    parts = []
    for item in judged:
        for findings in same_form(item.printed):
            first = findings[0]
            if not first.right:
                at = {symbol.name: str(value) for symbol, value in first.point.items()}
                finding = {"at": at, "printed": first.printed, "definition": first.oracle}
                remarks = [part for found in findings for part in found.source.note.split("; ") if part]
                parts.append(f"### {_labels(findings)}\n")
                parts.append(f"{sentence(item.claim.title)} ([`{item.claim.id}`](#{item.claim.id}))\n")
                parts.append(parting(item.claim, first.source, finding))
                parts += [f"{sentence('; '.join(dict.fromkeys(remarks)))}\n"] if remarks else []
    agreeing = [_labels(found) for item in judged for found in same_form(item.printed) if found[0].right]
    parts += [] if parts else ["Nothing printed was refuted.\n"]
    return "\n".join(parts) + (f"\nPrinted forms that hold: {', '.join(agreeing)}.\n" if agreeing else "")


def same_form(printed: tuple[PrintedFinding, ...]) -> list[list[PrintedFinding]]:
    """The findings of one claim, those of one document that print the same form together."""
    groups: dict[tuple, list[PrintedFinding]] = {}
    for finding in printed:
        groups.setdefault((finding.source.document, finding.source.printed), []).append(finding)
    return list(groups.values())


def wrong_forms(judged: Sequence[Judged]) -> Iterator[PrintedFinding]:
    """Yield the findings on printed forms that no reading makes right, of claims that hold."""
    for item in judged:
        if item.verdict is not Verdict.BROKEN:
            yield from (finding for finding in item.printed if not finding.right)


def _labels(findings: list[PrintedFinding]) -> str:
    return f"{findings[0].source.document} {', '.join(finding.source.label for finding in findings)}"


def _claim(item: Judged) -> str:
    claim = item.claim
    notation = notation_of(claim)
    tex, legend = notation.display(claim.statement)
    heading = f'<a id="{claim.id}"></a>\n\n### {claim.title}\n\n'
    summary = f"{item.verdict.value} {claim.id}: statement ({claim.kind.value}), derivation, results"
    lines = []
    lines += [f"$$\n{tex}\n$$\n", where(legend)]
    lines += [f"- ${domain(param, notation)}$: {param.doc}" for param in claim.params]
    lines += [f"- where ${notation.tex(condition)}$" for condition in claim.conditions]
    lines += [f"- {text}" for text in claim.assumptions]
    lines += [f"- open until: {claim.settled_by}"] if claim.settled_by else []
    lines.append("")
    lines += list(_derivation(item))
    lines += list(_table(item))
    lines += [f"- {result.level.value}: {_MARK[result.outcome]}{numbers(result)}" for result in item.results]
    return heading + fold(summary, "\n".join(lines) + "\n")


def _derivation(item: Judged) -> Iterator[str]:
    if item.claim.derive is None:
        return
    notation = notation_of(item.claim)
    notation.display(item.claim.statement)
    yield "Derivation (each step checked by the rule it names):\n"
    for number, step in enumerate(item.claim.derive().steps):
        cites = f", citing {', '.join(f'`{name}`' for name in step.cites)}" if step.cites else ""
        tex, legend = notation.display(step.expr)
        yield f"{number}. {sentence(step.why)} (*{step.rule}*{cites})\n\n   $$\n   {tex}\n   $$\n"
        if legend:
            yield f"   {where(legend)}"


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
