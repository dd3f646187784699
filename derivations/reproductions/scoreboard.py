"""The scoreboard: every experiment of the sources with its stored verdict and what it costs to run."""

from dataclasses import dataclass

from derivations.output import counted
from derivations.reproductions import stored
from derivations.reproductions.catalog import reproductions
from derivations.reproductions.model import Reproduction, Runs
from derivations.reproductions.rules import NOT_RUN
from theory.problem.datasets.known import DATASETS

_DAY = 86_400
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
        Entry(one.name, one.title, one.source, one.place, verdict_on(one), cost(one, one.theory), needs(one))
        for one in experiments()
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


def verdict_on(one: Reproduction) -> str:
    """Return the worst verdict on the statements of an experiment, or that no result of it is stored or fits."""
    content = stored.read(one.name)
    if content is None:
        return NOT_RUN
    return content["verdict"] if content["definition"] == one.definition("full") else STALE


def cost(*parts: Runs | None) -> str:
    """Return in words what the full profiles of the parts that are there cost together."""
    designs = [one.designs["full"] for one in parts if one is not None]
    cells = counted(sum(full.seeds * len(full.settings) for full in designs), "cell")
    return f"about {shown_time(sum(full.seconds for full in designs))} on one thread, {cells}"


def needs(one: Reproduction) -> str:
    """Return the commands that get the images of an experiment."""
    return " and ".join(f"`{DATASETS[name].command}`" for name in one.datasets)


def experiments() -> list[Reproduction]:
    """Return all experiments, by name."""
    return sorted(reproductions().values(), key=lambda one: one.name)
