"""The page of the scoreboard: the verdicts by source, then each experiment with its numbers and what they show."""

from collections.abc import Callable, Iterator, Mapping
from math import floor, log10
from typing import Any

from derivations.markdown import table
from derivations.reproductions import stored
from derivations.reproductions.model import INHERITED, PREDICTION, REMARK, UNSAID, Reproduction
from derivations.reproductions.rules import (
    MOST_RUNS,
    NOT_REPRODUCED,
    NOT_RUN,
    ORDER,
    REPRODUCED,
    UNDECIDED,
    runs_needed,
)
from derivations.reproductions.scoreboard import STALE, cost, entries, experiments, needs, shown_time, verdict_on

_SHOWN = (REPRODUCED, ORDER, UNDECIDED, UNSAID, INHERITED, NOT_REPRODUCED, REMARK)  # in this order, in every count
_EXPLAINED = {
    NOT_REPRODUCED: "Not reproduced",
    INHERITED: "Inherited",
    UNSAID: "Unsaid",
    UNDECIDED: "Undecided",
    REMARK: "Remarks",
}
_MOST_PLACES = 5  # smaller intervals are shown with powers of ten
_LONG = 12  # rows from which on a table of the theory is folded away
_OF_FORMULAS = (
    "For these the notes describe no experiment: their formulas stand beside networks that we train, and the words are "
    "those above. The first table does not count them."
)
_STATED = "above\u00a00"  # an order
_Row = Mapping[str, Any]


def page(picture: Callable[[str], str], folded: Callable[[str, str], str]) -> str:
    """Return the scoreboard as Markdown: the verdicts, then each experiment with its numbers.

    `picture(name)` is the Markdown of the figure of a stored result, `folded(title, text)` that of a text that a
    reader unfolds.
    """
    formulas = f"*Formulas beside networks.* {_OF_FORMULAS}\n\n{_verdicts(False)}"
    return "\n".join([_by_source(), _verdicts(True), formulas, *_sections(picture, folded)])


def _by_source() -> str:
    """The number of statements of each source with each verdict."""
    rows = []
    described = [one for one in experiments() if one.described]
    for source in dict.fromkeys(one.source for one in described):
        contents = [stored.read(one.name) for one in described if one.source == source]
        verdicts = [row["verdict"] for content in contents if content for row in content["rows"]]
        counts = [str(verdicts.count(one)) if one in verdicts else "" for one in _SHOWN]
        rows.append([f"`{source}`", *counts, str(contents.count(None) or "")])
    return table(["statements of", *_SHOWN, f"experiments {NOT_RUN}"], rows)


def _verdicts(described: bool) -> str:
    names = {one.name for one in experiments() if one.described is described}
    rows = [
        [
            f"[`{entry.name}`](#{entry.name})",
            f"**{entry.verdict}**",
            entry.title,
            f"`{entry.source}`, {entry.place}",
            _counts(entry.name),
        ]
        for entry in entries()
        if entry.name in names
    ]
    return table(["name", "worst verdict", "experiment", "source", "statements"], rows)


def _counts(name: str) -> str:
    content = stored.read(name)
    verdicts = [row["verdict"] for row in content["rows"]] if content else []
    return ", ".join(f"{verdicts.count(one)} {one}" for one in _SHOWN if one in verdicts)


def _sections(picture: Callable[[str], str], folded: Callable[[str, str], str]) -> Iterator[str]:
    for one in experiments():
        content = stored.read(one.name)
        yield f'<a id="{one.name}"></a>\n\n## {one.title}\n'
        yield f"`{one.name}`, from `{one.source}`, {one.place}. {one.setup}\n"
        yield "The source leaves unsaid, and this experiment assumes:\n"
        yield "\n".join(f"- {left}: {assumed}." for left, assumed in one.unsaid) + "\n"
        yield f"*Rule.* {one.rule}\n"
        if content is None:
            images = f" Its images: {needs(one)}." if one.datasets else ""
            yield f"**{NOT_RUN}**. The full profile: {one.designs['full'].text}; {cost(one)}.{images}\n"
            yield folded(f"What is stated: {len(one.targets)} statements", _printed(one))
            yield from _theory_apart(one)
            continue
        yield _run_of(one, content)
        yield picture(one.name)
        yield _rows(one, content)
        texts = [*_explanations(one, content), *_undecided(one, content)]
        if one.shows:
            texts.append(f"*What the runs show.* {one.shows}")
        if texts:
            yield "\n\n".join(texts) + "\n"
        yield from _theory_apart(one, content.get("theory"))
        if content["beside"]:
            yield _theory(content, folded)


def _run_of(one: Reproduction, content: _Row) -> str:
    text = f"*Run.* {one.designs['full'].text}; {shown_time(content['seconds'])} {stored.place(content)}."
    return f"{text}\n" if verdict_on(one) != STALE else f"{text} **{STALE}**: the definition has changed since.\n"


def _theory_apart(one: Reproduction, row: _Row | None = None) -> Iterator[str]:
    """Yield where the theory that has runs of its own is stored (`row`), or why there is none."""
    if one.no_theory:
        yield f"*Theory.* {one.no_theory}\n"
    if one.theory is None:
        return
    full = one.theory.designs["full"]
    if row is None:
        yield f"*Theory.* Not run: networks of these kinds beside their expansions, {full.text}; {cost(one.theory)}.\n"
        return
    text = f"*Theory*, beside networks of the same kinds: {full.text}; {shown_time(row['seconds'])} on one thread."
    yield f"{text}\n" if row["definition"] == one.theory.definition("full") else f"{text} **{STALE}**.\n"


def _rows(one: Reproduction, content: _Row) -> str:
    identities = {target.key for target in one.targets if target.identity}
    rows = [
        [
            row["key"],
            row["printed"],
            _STATED if row["value"] is None else _number(row["value"]),
            interval(row),
            str(row["runs"]),
            f"**{row['verdict']}**" + ", an identity" * (row["key"] in identities),
        ]
        for row in content["rows"]
    ]
    return table(["statement", "in words", "stated", "mean (interval)", "runs", "verdict"], rows)


def _explanations(one: Reproduction, content: _Row) -> Iterator[str]:
    """Yield each explanation once, after the statements that it is of, by their verdicts."""
    verdicts = {row["key"]: row["verdict"] for row in content["rows"]}
    explained: dict[str, dict[str, list[str]]] = {}
    for target in one.targets:
        verdict = verdicts.get(target.key)
        if target.explains and verdict not in (None, ORDER, REPRODUCED):
            explained.setdefault(target.explains, {}).setdefault(verdict, []).append(f"`{target.key}`")
    for text, keys in explained.items():
        of = ". ".join(f"*{_EXPLAINED[verdict]}:* {'; '.join(named)}" for verdict, named in keys.items())
        yield f"{of}. {text}"


def _undecided(one: Reproduction, content: _Row) -> Iterator[str]:
    """Yield how many runs would decide what is undecided, if it stays as it is."""
    targets = {target.key: target for target in one.targets}
    needed = []
    for row in content["rows"]:
        if row["verdict"] == UNDECIDED and not targets[row["key"]].explains:
            count = runs_needed(targets[row["key"]], row, len(content["rows"]))
            runs = f"about {count:,}" if count < MOST_RUNS else f"more than {MOST_RUNS:,}"
            needed.append(f"`{row['key']}`: {runs} in place of {row['runs']}")
    if needed:
        yield f"*Undecided.* Runs that would decide, were their mean and scatter the same: {'; '.join(needed)}."


def _theory(content: _Row, folded: Callable[[str, str], str]) -> str:
    rows = []
    for row in content["beside"]:
        is_met = {True: "yes", False: "no"}[row["meets"]] if row["kind"] == PREDICTION and "meets" in row else ""
        shown = interval(row) if "mean" in row else ""
        rows.append([row["key"], row["text"], row["kind"], _number(row["theory"]), shown, is_met])
    markdown = table(["number", "in words", "kind", "theory", "mean (interval)", "met"], rows)
    return folded(f"The theory: {len(rows)} numbers", markdown) if len(rows) >= _LONG else f"The theory:\n\n{markdown}"


def _printed(one: Reproduction) -> str:
    rows = [[t.key, t.printed, _STATED if t.value is None else _number(t.value)] for t in one.targets]
    return table(["statement", "in words", "stated"], rows)


def _number(value: float) -> str:
    """Return a number to four digits, very small and very large ones with a power of ten.

    >>> _number(0.81), _number(1.9073486e-06), _number(12000.0)
    ('0.81', '$1.907 \\\\cdot 10^{-6}$', '$1.2 \\\\cdot 10^{4}$')
    """
    digits, _, power = f"{value:.4g}".partition("e")
    return rf"${digits} \cdot 10^{{{int(power)}}}$" if power else digits


def interval(row: _Row) -> str:
    """Return a mean with its interval, each to two digits of the half width.

    >>> interval({"mean": 1.01234, "low": 0.287, "high": 1.7331}), interval({"mean": 2.0, "low": 2.0, "high": 2.0})
    ('1.01\\xa0(0.29\\xa0to\\xa01.73)', '2\\xa0(2\\xa0to\\xa02)')
    """
    numbers, half = (row["mean"], row["low"], row["high"]), (row["high"] - row["low"]) / 2
    places = 1 - floor(log10(half)) if half > 0 else _MOST_PLACES + 1
    if places <= _MOST_PLACES:
        shown = [f"{number:z.{max(0, places)}f}" for number in numbers]
    else:
        shown = [_number(number) for number in numbers]
    return f"{shown[0]} ({shown[1]} to {shown[2]})".replace(" ", "\u00a0")  # on one line
