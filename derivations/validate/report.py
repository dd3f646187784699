"""The report of a validation as Markdown: verdicts, corrections with numbers, figures, and each claim in full."""

from collections.abc import Iterator

import mpmath

from derivations.output import counted
from derivations.publish.blocks import domain, notation_of, parting, sentence, where
from derivations.validate.judged import Judged, Validation, result_at
from theory.claims.levels import PrintedFinding, describe
from theory.claims.model import CheckResult, Level, Outcome
from theory.claims.rows import Verdict

_MARK = {Outcome.PASS: "pass", Outcome.FAIL: "**FAIL**", Outcome.INCONCLUSIVE: "undecided", Outcome.SKIPPED: "–"}
_SHOWN_ROWS = 5


def markdown(validation: Validation, figures: dict[str, str]) -> str:
    """The whole report; `figures` maps a caption to the path of its image."""
    parts = [
        "# Validation report\n",
        _summary(validation),
        "## Verdicts\n",
        _verdict_table(validation.judged),
        "## What the sources print and what holds\n",
        _corrections(validation.judged),
        "## Figures\n",
        *(["Figures show what this run has measured.\n"] if validation.plan.stored else []),
        *(f"![{caption}]({path})\n\n*{caption}*\n" for caption, path in figures.items()),
        *(f"{remark}\n" for remark in validation.finding.remarks),
        "## The claims\n",
        *(_claim(item) for item in validation.judged),
    ]
    return "\n".join(parts)


def _summary(validation: Validation) -> str:
    counts = {verdict: sum(item.verdict is verdict for item in validation.judged) for verdict in Verdict}
    listed = ", ".join(f"{count} {verdict.value}" for verdict, count in counts.items() if count)
    versions = ", ".join(f"{name} {number}" for name, number in validation.versions.items())
    return (
        f"{counted(len(validation.judged), 'claim')}: {listed}. "
        f"Profile {validation.profile}, {validation.seconds:.0f} s.\n\n"
        f"{sentence(ran(validation))}\n\n"
        f"Versions: {versions}.\n\n"
        "CONFIRMED: the statement holds and its sources print it. CORRECTED: the statement holds, and what a source "
        "prints does not. REFUTED: a level of checking failed. OPEN: undecided.\n"
    )


def ran(validation: Validation) -> str:
    """One or two sentences: the checks that ran, with budget and seed, and those that the evidence covers."""
    plan = validation.plan
    if not any(check.fresh for check in (*plan.now, *plan.stored)):
        ran_whole = "The check" if len(plan.now) == 1 else f"All {len(plan.now)} checks"
        return f"{ran_whole} ran whole, {validation.spent:.0f} s of processor time"
    versions = sorted({item.evidence_version for item in validation.judged if item.evidence_version})
    covered = f"; the evidence of version {', '.join(versions)} covers {counted(len(plan.stored), 'check')}"
    return (
        f"{counted(len(plan.now), 'check')} ran now, of which {len(plan.changed)} whole because the claim or its code "
        f"has changed{covered if plan.stored else ''}. What is fresh runs at new points (--seed {plan.seed}) within "
        f"{plan.budget:.0f} s of processor time: round {plan.round + 1} of {plan.rounds}, each check at least once in "
        f"{counted(plan.rounds, 'run')}. All of it took {validation.spent:.0f} s of processor time"
    )


def _verdict_table(judged: tuple[Judged, ...]) -> str:
    rows = ["| statement | verdict | passed | failed or undecided | checked now |", "|---|---|---|---|---|"]
    for item in judged:
        found = {level: result.outcome for level in Level if (result := result_at(item, level)) is not None}
        passed = ", ".join(level.value for level, outcome in found.items() if outcome is Outcome.PASS) or "–"
        other = [
            f"{level.value} ({_MARK[outcome]})"
            for level, outcome in found.items()
            if outcome in (Outcome.FAIL, Outcome.INCONCLUSIVE)
        ]
        rows.append(
            f"| {item.claim.title} (`{item.claim.id}`) | {item.verdict.value} | {passed} | "
            f"{', '.join(other) or '–'} | {_checked_now(item)} |"
        )
    return "\n".join(rows) + "\n"


def _checked_now(item: Judged) -> str:
    """The levels that this run checked; the others are taken from the evidence."""
    if not item.stored:
        return "all"
    now = [one.level.value for one in item.results if one.outcome is not Outcome.SKIPPED and not item.is_stored(one)]
    return ", ".join(dict.fromkeys(now)) or "–"


def _corrections(judged: tuple[Judged, ...]) -> str:
    parts = []
    for item in judged:
        for findings in same_form(item.printed):
            first = findings[0]
            if not first.right:
                at = {symbol.name: str(value) for symbol, value in first.point.items()}
                finding = {"at": at, "printed": first.printed, "definition": first.oracle}
                remarks = [part for found in findings for part in found.source.note.split("; ") if part]
                parts.append(f"### {_labels(findings)}\n")
                parts.append(f"{sentence(item.claim.title)} (`{item.claim.id}`)\n")
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


def _labels(findings: list[PrintedFinding]) -> str:
    return f"{findings[0].source.document} {', '.join(finding.source.label for finding in findings)}"


def _claim(item: Judged) -> str:
    claim = item.claim
    notation = notation_of(claim)
    tex, legend = notation.display(claim.statement)
    lines = [f"### `{claim.id}`\n", f"{sentence(claim.title)} **{item.verdict.value}** ({claim.kind.value}).\n"]
    lines += [f"$$\n{tex}\n$$\n", where(legend)]
    lines += [f"- ${domain(param, notation)}$: {param.doc}" for param in claim.params]
    lines += [f"- where ${notation.tex(condition)}$" for condition in claim.conditions]
    lines += [f"- {text}" for text in claim.assumptions]
    lines += [f"- open until: {claim.settled_by}"] if claim.settled_by else []
    lines.append("")
    lines += list(_derivation(item))
    lines += list(_table(item))
    lines += [
        f"- {result.level.value}: {_MARK[result.outcome]}{numbers(result)}{_from(item, result)}"
        for result in item.results
    ]
    return "\n".join(lines) + "\n"


def _from(item: Judged, result: CheckResult) -> str:
    return f"; by the evidence of version {item.evidence_version}" if item.is_stored(result) else ""


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
    where = f"; {result.where}" if result.where else ""
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
