"""Blocks of Markdown about claims: the statement, its derivation, its numbers, and the printed forms of the sources.

Every function returns Markdown made from the claim and its stored evidence; nothing is computed or simulated again.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache

import sympy

from derivations.evidence.entries import STALE, Entry, verdict_on_claim
from derivations.publish.notation import Notation
from theory.claims.model import Claim, Kind, Param, Standing
from theory.claims.rows import Verdict
from theory.claims.sources import Says, Source
from theory.proof.derivation import Derivation

Link = Callable[[str], str]  # from the id of a claim to a Markdown link to where the book states it

_EXACT_ROWS = 3
_AGREEMENT = {"PASS": "agree", "FAIL": "do NOT agree", "INCONCLUSIVE": "do not decide it"}
_SAYS = {
    "CONFIRMED": "it holds, and its source states it",
    "CORRECTED": "the formula above holds; the source prints another",
    "INHERITED": "the formula above holds; the source prints another through a slip charged elsewhere",
    "REFUTED": "the statement above is a counterexample to the source's conjecture",
    "REMARK": "it holds: a related statement, not in the source",
    "KNOWN": "it holds, and is known from the literature",
    "RESULT": "it holds; none of the sources states it",
    "OPEN": "it is undecided",
    "DEFINITION": "it is a definition",
    STALE: "it has no current evidence: run gdln validate --write-evidence",
}


def notation_of(claim: Claim) -> Notation:
    """The notation in which a claim is written; Z is written out where the claim is about it."""
    notation = Notation()
    return Notation(normaliser=False) if notation.says_nothing(claim.statement) else notation


def formula(tex: str) -> str:
    """TeX as a display formula."""
    return f"$$\n{tex}\n$$\n"


def statement(claim: Claim, evidence: Mapping | None, link: Link, name: str = "") -> str:
    """Heading, statement, domain, cited claims, and verdict."""
    return f'<a id="{claim.id}"></a>\n\n### {claim.title}\n\n' + stated(claim, evidence, link, name)


def stated(claim: Claim, evidence: Mapping | None, link: Link, name: str = "") -> str:
    """Return `statement` without its heading: the protocol under the name comes first."""
    notation = notation_of(claim)
    tex, legend = notation.display(claim.statement, name)
    lines = [f"{sentence(claim.protocol.removeprefix(f'{claim.title}: '))}\n"] if claim.protocol else []
    lines += [formula(tex)]
    lines += [where(legend)] if legend else []
    lines += [_parameter(group, notation) for group in _alike(claim.params)]
    lines += [f"- ${notation.tex(condition)}$" for condition in claim.conditions]
    lines += [f"- {text}" for text in claim.assumptions]
    verdict = verdict_on_claim(claim, evidence) if evidence else STALE
    kind = "" if claim.kind is Kind.DEFINITION else f", {_kind(claim)}"
    fails = evidence is not None and evidence["standing"] == Standing.FAILS
    says = "a check rejects it" if fails else _SAYS[verdict]
    lines.append(f"\n**{verdict}**: {says}. Claim `{claim.id}`{kind}.{_rests_on(claim, link)}\n")
    if claim.known:
        lines.append(f"*Prior work.* {sentence(claim.known)}\n")
    if verdict == Verdict.OPEN and claim.settled_by:
        lines.append(f"*What would settle it.* {claim.settled_by}\n")
    return "\n".join(lines)


def _alike(params: Sequence[Param]) -> list[list[Param]]:
    """Parameters in their order, those with one meaning and one domain that follow each other in one list."""
    groups: list[list[Param]] = []
    for param in params:
        if groups and (groups[-1][0].doc, groups[-1][0].domain) == (param.doc, param.domain):
            groups[-1].append(param)
        else:
            groups.append([param])
    return groups


def _parameter(params: Sequence[Param], notation: Notation) -> str:
    letters = ", ".join(notation.tex(param.symbol) for param in params)
    return f"- ${domain(params[0], notation, letters)}$: {params[0].doc}"


def where(legend: Sequence[str]) -> str:
    """A paragraph that explains the letters; empty where none needs it."""
    return f"Here {'; '.join(legend)}.\n" if legend else ""


def domain(param: Param, notation: Notation, letters: str = "") -> str:
    """The domain of a parameter as TeX; `letters` stand in place of its symbol where several have this domain."""
    symbol, domain = letters or notation.tex(param.symbol), param.domain
    if isinstance(domain, sympy.Range):
        return rf"{symbol} \in \{{{domain.inf}, \ldots, {domain.sup}\}}"
    if domain == sympy.Interval.open(0, sympy.oo):
        return f"{symbol} > 0"
    if domain == sympy.Interval(0, sympy.oo):
        return rf"{symbol} \geq 0"
    if isinstance(domain, sympy.Interval):
        low = "<" if domain.left_open else r"\leq"
        high = "<" if domain.right_open else r"\leq"
        return rf"{notation.tex(domain.start)} {low} {symbol} {high} {notation.tex(domain.end)}"
    return rf"{symbol} \in {notation.tex(domain)}"


def _kind(claim: Claim) -> str:
    article = "an" if claim.kind.value[0] in "aei" else "a"
    return f"{article} {claim.kind.value}" + (" statement" if claim.kind is Kind.EMPIRICAL else "")


def cited(claim: Claim) -> tuple[str, ...]:
    """Return the ids of the claims on which a claim rests: those that it and the steps of its derivation cite."""
    derived = _derived(claim.derive).steps if claim.derive else ()
    return tuple(dict.fromkeys((*claim.cites, *(name for step in derived for name in step.cites))))


def _rests_on(claim: Claim, link: Link) -> str:
    names = cited(claim)
    return f" It rests on {_listed([link(name) for name in names])}." if names else ""


@cache
def _derived(derive: Callable[[], Derivation]) -> Derivation:
    return derive()


def _listed(items: Sequence[str]) -> str:
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}"


def derivation(claim: Claim, link: Link) -> str:
    """The steps, each with its reason and the rule that checks it; empty where none is registered."""
    return f"*Derivation.* {steps(claim, link)}" if claim.derive else ""


def steps(claim: Claim, link: Link) -> str:
    """The steps of a claim that has a derivation, after a sentence on how they are checked."""
    notation = notation_of(claim)
    notation.display(claim.statement)  # symbols that the statement explains are not explained again
    lines = ["Every step is checked by the rule named at its end.\n"]
    shown = ""
    for number, step in enumerate(_derived(claim.derive).steps, start=1):
        tex, legend = notation.display(step.expr)
        cites = f", {_listed([link(name) for name in dict.fromkeys(step.cites)])}" if step.cites else ""
        lines.append(f"{number}. {sentence(step.why)} (*{step.rule}*{cites})")
        if tex != shown:
            lines.append("\n" + _indented(formula(tex)))
        if legend:
            lines.append(_indented(where(legend)))
        if tex == shown:  # such as a symbol of a narrower domain, which is printed alike
            lines[-1] += " The line stays the same.\n"
        shown = tex
    return "\n".join(lines) + "\n"


def sentence(said: str) -> str:
    """A remark as a sentence: a capital where it begins with a word, and a full stop."""
    first = said[:1].upper() if re.match(r"[a-z-]+(?:[\s,:;.]|$)", said) else said[:1]
    return first + said[1:] + ("" if said.endswith((".", "?", "!")) else ".")


def _indented(text: str) -> str:
    return "\n".join(f"   {line}" if line else "" for line in text.split("\n"))


def numbers(claim: Claim, evidence: Mapping | None) -> str:
    """The outcomes of the levels of checking, and the first rows of the precise table."""
    if evidence is None:
        return f"*Numbers.* {STALE}: run `gdln validate --write-evidence`.\n"
    said = [text for level in evidence["levels"] if (text := _level(level))]
    lines = [f"*Numbers.* {' '.join(said)}\n"] if said else []
    if evidence["precise"]:
        lines.append(precise_table(claim, evidence, _EXACT_ROWS))
    return "\n".join(lines)


def precise_table(claim: Claim, evidence: Mapping, most: int | None = None) -> str:
    """Return the values by definition and by formula at the points with the shortest fractions, at most `most`."""
    rows = sorted(evidence["precise"], key=lambda row: sum(map(len, row["at"].values())))[:most]
    names = list(rows[0]["at"])
    symbols = {param.symbol.name: param.symbol for param in claim.params}
    notation = notation_of(claim)
    heads = [f"${notation.tex(symbols[name])}$" if name in symbols else name for name in names]
    alike = all(row["formula"] == row["definition"] for row in rows)
    heads += ["definition and formula"] if alike else ["definition", "formula"]
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for row in rows:
        values = [row["definition"]] if alike else [row["definition"], row["formula"]]
        cells = [*(number(row["at"][name]) for name in names), *(value.removesuffix(".0") for value in values)]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def place(where: str) -> str:
    """The place of a result for a reader: an entry of an array by its indices, without the marks of Python.

    >>> place("equivalent; worst entry (0,)"), place("worst entry (1, 20); slow")
    ('equivalent; worst entry 0', 'worst entry 1, 20; slow')
    """
    return re.sub(r"\bworst entry \(([\d, ]*\d),?\)", r"worst entry \1", where)


def number(text: str) -> str:
    """An exact fraction as it is where it is short, else to six digits."""
    return text if len(text) <= 7 else f"{float(Fraction(text)):.6g}"


def _level(level: Mapping) -> str:
    """One sentence on one level of checking; empty where it was skipped."""
    if level["outcome"] == "SKIPPED":
        return ""
    passed = level["outcome"] == "PASS"
    match level["level"]:
        case "symbolic":
            return f"All {level['where']} are checked." if passed else f"Symbolically it fails: {level['where']}."
        case "exact":
            return f"In fractions both sides are equal at {level['where']}." if passed else "In fractions they differ."
        case "precise":
            return _precise(level, passed)
        case "floating":
            return _floating(level, passed)
        case "negative control":
            return _control(level, passed)
        case "simulated":
            return _simulated(level)
    return ""


def _precise(level: Mapping, passed: bool) -> str:
    points = f"at {level['points']} point{'s' * (level['points'] != 1)}"
    if not passed:
        return (
            f"Formula and definition do NOT agree {points}: the largest relative difference is "
            f"{level['worst']:.1g}, and {level['tolerance']:.0e} is allowed."
        )
    if level["worst"] == 0:
        return f"Formula and definition agree exactly {points}."
    return f"Formula and definition agree {points}: the largest relative difference is {level['worst']:.1g}."


def _floating(level: Mapping, passed: bool) -> str:
    if not passed:
        return "The library in float64 misses its tolerance."
    if level["worst"] == 0:
        return "The library in float64 agrees in every digit."
    return f"The library in float64 has a relative error of at most {level['worst']:.1g}."


def _control(level: Mapping, passed: bool) -> str:
    if "killed" not in level:
        return f"Negative control: {level['where']}."
    if not passed:
        return ""
    same = level["equal"]
    others = f" {same} more {'is' if same == 1 else 'are'} the same function in another form." if same else ""
    altered = "The one altered formula" if level["killed"] == 1 else f"All {level['killed']} altered formulas"
    return f"{altered} (a sign, a factor, a term) fail{'s' if level['killed'] == 1 else ''} at these points.{others}"


def _simulated(level: Mapping) -> str:
    outcome = _AGREEMENT[level["outcome"]]
    if "replicates" not in level:
        return f"{level.get('networks', 'Trained networks')} {outcome}: {level['where']}."
    wrong = [f"“{name}”" for name, rejected in level.get("rejected_alternatives", {}).items() if rejected]
    forms = f"s {_listed(wrong)} are" if wrong[1:] else f" {''.join(wrong)} is"
    rejected = f" The wrong form{forms} rejected." if wrong else ""
    return (
        f"Trained networks {outcome}: over {level['replicates']} replicates the largest deviation is "
        f"{level['statistic']:.2f} standard errors, and {level['critical']:.2f} are allowed.{rejected}"
    )


def printed(entries: Sequence[Entry], name: str = "") -> str:
    """The forms that the sources of one claim print, and their differences from the claim; `name` as in `statement`."""
    return "\n".join(_printed_lines(entries, name))


def _printed_lines(entries: Sequence[Entry], name: str) -> Iterator[str]:
    for group in same_form(entries):
        first = group[0]
        labels = f"`{first.document}` {', '.join(entry.source.label for entry in group)}"
        notes = _notes(group)
        if first.source.printed is None:
            yield f"{_said(first)} {labels}" + (f": {notes}.\n" if notes else ".\n")
        elif first.differs:
            yield f"{_said(first)} {labels}, {first.verdict}:\n"
            yield difference(first, name)
            yield f"{sentence(notes)}\n" if notes else ""
        else:
            how = f"right where {first.condition}" if first.condition else "agrees"
            yield f"{_said(first)} {labels}: {how}" + (f" ({notes}).\n" if notes else ".\n")


def _said(entry: Entry) -> str:
    """The source's form: the formula as printed, or the words that are read as the formula."""
    source = entry.source
    if source.words:
        return f"*The source says* “{source.words}”" + ("" if source.words.endswith((".", "?", "!")) else ".")
    if source.says is Says.UNSTATED:
        return "*A related statement, not in the source.*"
    return "*As printed.*" if source.printed is not None else "*In the source.*"


def _notes(group: Sequence[Entry]) -> str:
    """The notes and printing slips of sources that print the same, each remark once."""
    remarks = [remark for entry in group for remark in entry.source.note.split("; ") if remark]
    slips = dict.fromkeys(
        (entry.source.misprint.printed, entry.source.misprint.read) for entry in group if entry.source.misprint
    )
    remarks += [f"a printing slip: printed is {printed}, read {read}" for printed, read in slips]
    return "; ".join(dict.fromkeys(remarks))


def same_form(entries: Sequence[Entry]) -> list[list[Entry]]:
    """Entries of one claim, grouped where one document repeats the same words or formula."""
    groups: dict[tuple, list[Entry]] = {}
    for entry in entries:
        if entry.source is not None:
            repaired = entry.source.repaired and (entry.source.repaired.convention, entry.source.repaired.condition)
            said = (entry.source.printed, entry.source.words)
            same = (entry.claim.id, entry.document, said, entry.verdict, entry.condition, repaired)
            groups.setdefault(same, []).append(entry)
    return list(groups.values())


def difference(entry: Entry, name: str = "") -> str:
    """The printed form and a point at which its number is not that of the definition; `name` is the left side."""
    return parting(entry.claim, entry.source, entry.finding, name)


def parting(claim: Claim, source: Source, finding: Mapping, name: str = "") -> str:
    """Describe a point at which a printed form differs from the definition: `finding` holds `at` and both values."""
    form, notation = source.printed, notation_of(claim)
    notation.display(claim.statement)
    if source.shown:
        tex, legend = source.shown, []
    elif name or not isinstance(claim.statement, sympy.Eq):
        tex, legend = notation.display(form, name)
    else:
        tex, legend = notation.display(sympy.Eq(claim.statement.lhs, form, evaluate=False))
    symbols = {param.symbol.name: param.symbol for param in claim.params}
    at = ", ".join(
        f"${notation.tex(symbols[letter]) if letter in symbols else letter} = {number(value)}$"
        for letter, value in finding["at"].items()
    )
    if not at:
        return f"{formula(tex)}\nMeasured: {finding['definition']}.\n"
    stands = where(legend) + "\n" if legend else ""
    given = "this has no real value" if finding["printed"] == "no value" else f"this gives {_value(finding['printed'])}"
    return f"{formula(tex)}\n{stands}At {at} {given}, and the true value is {_value(finding['definition'])}.\n"


def _value(text: str) -> str:
    text = text.removesuffix(".0")
    return f"${text}$" if text.replace(".", "").replace("-", "").isdigit() else text
