"""The scoreboard: every experiment of the sources with its stored verdict, as data and as a page of the book."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import floor, log10
from typing import Any

from derivations.markdown import table
from derivations.output import counted
from derivations.reproductions import stored
from derivations.reproductions.catalog import reproductions
from derivations.reproductions.model import INHERITED, REMARK, UNSAID, Reproduction, Runs
from derivations.reproductions.rules import NOT_REPRODUCED, NOT_RUN, ORDER, REPRODUCED, UNDECIDED
from theory.problem.datasets.known import DATASETS

_DAY = 86_400
_WHY = {
    NOT_REPRODUCED: "Why not",
    INHERITED: "Why inherited",
    UNSAID: "What is unsaid",
    UNDECIDED: "Why undecided",
    REMARK: "Why a remark",
}
_MOST_PLACES = 5  # smaller intervals are shown with powers of ten
STALE = "STALE"  # the stored result answers another definition


@dataclass(frozen=True)
class Entry:
    """An experiment on the scoreboard: its verdict, the cost of its full profile, and what it still needs to run."""

    name: str
    title: str
    source: str
    place: str
    verdict: str
    cost: str
    needs: str


def entries() -> tuple[Entry, ...]:
    """Return all experiments by name.

    >>> [entry.verdict for entry in entries() if entry.name == "npk-fig-1"]
    ['REPRODUCED']
    """
    return tuple(
        Entry(one.name, one.title, one.source, one.place, _verdict(one), _cost(one, one.theory), _needs(one))
        for one in _experiments()
    )


def shown_time(seconds: float) -> str:
    """Return a time in words.

    >>> shown_time(4), shown_time(250), shown_time(86_400), shown_time(10**6)
    ('4 s', '4 min', '24 h', '12 days')
    """
    for unit, length, most in (("s", 1, 120), ("min", 60, 3 * 3600), ("h", 3600, 2 * _DAY)):
        if seconds < most:
            return f"{seconds / length:.0f} {unit}"
    return f"{seconds / _DAY:.0f} days"


def page(picture: Callable[[str], str]) -> str:
    """Return the scoreboard as Markdown: a table of verdicts, then each experiment with its numbers.

    `picture(name)` is the Markdown of the figure of a stored result.
    """
    return "\n".join([_verdicts(), *_sections(picture)])


def _verdicts() -> str:
    rows = []
    for entry in entries():
        counts = _counts(entry.name)
        rows.append(
            [f"`{entry.name}`", entry.title, f"`{entry.source}`, {entry.place}", f"**{entry.verdict}**", counts]
        )
    return table(["name", "experiment", "source", "verdict", "statements"], rows)


def _counts(name: str) -> str:
    content = stored.read(name)
    if content is None:
        return ""
    verdicts = [row["verdict"] for row in content["rows"]]
    return ", ".join(f"{verdicts.count(one)} {one}" for one in dict.fromkeys(verdicts))


def _sections(picture: Callable[[str], str]) -> Iterator[str]:
    for one in _experiments():
        content = stored.read(one.name)
        yield f"## {one.title}\n"
        yield f"`{one.name}`, from `{one.source}`, {one.place}. {one.setup}\n"
        yield "The source leaves unsaid, and this experiment assumes:\n"
        yield "\n".join(f"- {left}: {assumed}." for left, assumed in one.unsaid) + "\n"
        yield f"*Rule.* {one.rule}\n"
        if content is None:
            needs = f" Its images: {_needs(one)}." if one.datasets else ""
            yield f"**{NOT_RUN}**. The full profile: {one.designs['full'].text}; {_cost(one)}.{needs}\n"
            yield _printed(one)
            yield from _theory_apart(one)
            continue
        yield _run_of(one, content)
        yield picture(one.name)
        yield _rows(content)
        if texts := _explanations(one, content):
            yield "\n\n".join(texts) + "\n"
        yield from _theory_apart(one, content.get("theory"))
        if content["beside"]:
            if one.theory is None:
                yield "The theory beside these runs:\n"
            yield _theory(content)


def _run_of(one: Reproduction, content: dict[str, Any]) -> str:
    text = f"*Run.* {one.designs['full'].text}; {shown_time(content['seconds'])} {stored.place(content)}."
    return f"{text}\n" if _verdict(one) != STALE else f"{text} **{STALE}**: the definition has changed since.\n"


def _theory_apart(one: Reproduction, made: dict[str, Any] | None = None) -> Iterator[str]:
    """Yield where the theory stands that has runs of its own, `made` if they are stored, or why there is none."""
    if one.no_theory:
        yield f"*Theory.* {one.no_theory}\n"
    if one.theory is None:
        return
    full = one.theory.designs["full"]
    if made is None:
        yield f"*Theory.* Not run: networks of these kinds beside their expansions, {full.text}; {_cost(one.theory)}.\n"
        return
    text = f"*Theory*, beside networks of the same kinds: {full.text}; {shown_time(made['seconds'])} on one thread."
    yield f"{text}\n" if made["definition"] == one.theory.definition("full") else f"{text} **{STALE}**.\n"


def _rows(content: dict[str, Any]) -> str:
    rows = [
        [
            row["key"],
            row["printed"],
            "above 0" if row["value"] is None else _number(row["value"]),
            _interval(row),
            f"**{row['verdict']}**",
        ]
        for row in content["rows"]
    ]
    return table(["statement", "in words", "printed", "mean (interval)", "verdict"], rows)


def _explanations(one: Reproduction, content: dict[str, Any]) -> list[str]:
    verdicts = {row["key"]: row["verdict"] for row in content["rows"]}
    told = dict.fromkeys(
        (verdicts[target.key], target.explains)
        for target in one.targets
        if target.explains and verdicts.get(target.key) not in (None, ORDER, REPRODUCED)
    )
    return [f"*{_WHY[verdict]}.* {text}" for verdict, text in told]


def _theory(content: dict[str, Any]) -> str:
    rows = []
    for row in content["beside"]:
        interval = _interval(row) if "mean" in row else ""
        rows.append([row["key"], row["text"], row["kind"], _number(row["theory"]), interval])
    return table(["number", "in words", "kind", "theory", "mean (interval)"], rows)


def _printed(one: Reproduction) -> str:
    rows = [[t.key, t.printed, "above 0" if t.value is None else _number(t.value)] for t in one.targets]
    return table(["statement", "in words", "printed"], rows)


def _verdict(one: Reproduction) -> str:
    content = stored.read(one.name)
    if content is None:
        return NOT_RUN
    return content["verdict"] if content["definition"] == one.definition("full") else STALE


def _cost(*parts: Runs | None) -> str:
    """Return in words what the full profiles of the parts that are there cost together."""
    designs = [one.designs["full"] for one in parts if one is not None]
    cells = counted(sum(full.seeds * len(full.settings) for full in designs), "cell")
    return f"about {shown_time(sum(full.seconds for full in designs))} on one thread, {cells}"


def _needs(one: Reproduction) -> str:
    return " and ".join(f"`{DATASETS[name].command}`" for name in one.datasets)


def _experiments() -> list[Reproduction]:
    return sorted(reproductions().values(), key=lambda one: one.name)


def _number(value: float) -> str:
    return f"{value:.4g}"


def _interval(row: dict[str, Any]) -> str:
    """Return a mean with its interval, each to two digits of the half width.

    >>> _interval({"mean": 1.01234, "low": 0.287, "high": 1.7331}), _interval({"mean": 2.0, "low": 2.0, "high": 2.0})
    ('1.01 (0.29 to 1.73)', '2 (2 to 2)')
    """
    numbers, half = (row["mean"], row["low"], row["high"]), (row["high"] - row["low"]) / 2
    places = 1 - floor(log10(half)) if half > 0 else _MOST_PLACES + 1
    shown = [f"{number:.{max(0, places)}f}" if places <= _MOST_PLACES else _number(number) for number in numbers]
    return f"{shown[0]} ({shown[1]} to {shown[2]})"
