"""The answer of `gdln sweep` for sweeps that are large or watched: states by names, without the cells' results."""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from derivations.answers import sweep_gpus
from derivations.output import counted
from derivations.sweeps.gpus import AtOnce
from derivations.sweeps.looking import Look
from derivations.sweeps.running import IN_WORK, INVALID, MISSING, Outcome, Swept
from derivations.sweeps.store import sweep_id
from derivations.sweeps.table import number_or_text

MOST_LINES = 20  # cells or reasons that a text lists; --json has a thousand
_MOST_LISTED = 1000
EVERY, _SHARE = 2.0, 0.2  # seconds between two looks, and the largest share of the time that looking takes


@dataclass(frozen=True)
class LookAnswer:
    """The states of the cells of a sweep in the store `folder`."""

    found: Look
    folder: Path
    mode: str
    at_once: AtOnce | None = None  # of a plan for GPUs

    @property
    def exit_code(self) -> int:
        """The exit code of the states; see `running.exit_code`."""
        return self.found.exit_code

    @property
    def is_over(self) -> bool:
        """Whether nothing is missing or in work."""
        return not self.count(MISSING, IN_WORK)

    def count(self, *states: str) -> int:
        """Return the number of cells in one of the states."""
        return self.found.count(*states)

    @property
    def states(self) -> str:
        """The numbers of cells by their states, in words."""
        found = self.found
        return ", ".join([f"{found.sweep.size} cells", *(f"{n} {state}" for state, n in sorted(found.counts.items()))])

    def json(self) -> dict[str, Any]:
        """Return the object of `--json`: counts and, of the first thousand notable cells, what is known."""
        found = self.found
        return {
            "mode": self.mode,
            "sweep": sweep_id(found.sweep),
            "store": str(self.folder),
            "code": found.code,
            "shape": found.sweep.shape,
            "counts": {"cells": found.sweep.size, **found.counts},
            "left_out": found.count(INVALID),
            "to_make": found.to_make,
            **({} if self.at_once is None else {"at_once": sweep_gpus.content(self.at_once)}),
            "made": found.made,
            "time_left": None if found.left is None else found.left.json(),
            "read": found.read,
            "remarks": list(found.remarks),
            "job": found.job,
            "notable": [entry(outcome) for outcome in found.notable[:_MOST_LISTED]],
        }

    def text(self) -> str:
        """Return the cells in work, the reasons of failures, what is left to make, and the counts, for a reader."""
        found = self.found
        working = [outcome for outcome in found.notable if outcome.state == IN_WORK]
        lines = [f"{outcome.cell.label}: {state_words(outcome)}" for outcome in working[:MOST_LINES]]
        lines += [f"and {len(working) - MOST_LINES} more in work"] if len(working) > MOST_LINES else []
        lines += reasons(found.notable)
        lines += [f"\n{remark}" for remark in found.remarks]
        if found.to_make["cells"]:
            lines += ["", to_make_words(found.to_make)]
        lines += [] if self.at_once is None else sweep_gpus.lines(self.at_once)
        if self.mode != "plan":
            lines += time_words(found)
        made = "" if found.made is None else f"; {found.made} made now"
        lines += ["", f"{self.states}{made}. Store: {self.folder}"]
        return "\n".join(lines).lstrip("\n")

    def line(self) -> str:
        """Return the state in one line."""
        return state_line(self.states, self.found)


def entry(outcome: Outcome) -> dict[str, Any]:
    """Return a cell as `--json` lists it, without its results."""
    return {
        "cell": outcome.name,
        "index": outcome.cell.index,
        "at": {field: number_or_text(value) for field, value in outcome.cell.values.items()},
        "state": outcome.state,
        "source": outcome.source,
        "maker": outcome.maker,
        "share": outcome.share,
        "error": outcome.error,
    }


def state_line(states: str, found: Look | Swept) -> str:
    """Return the states with the time left, and the version of the code where it is not this machine's."""
    left = "" if found.left is None else f"; {found.left.text()}"
    version = "" if found.here is None else f"; of another version of the code, {found.code}"
    return f"{states}{left}{version}"


def state_words(outcome: Outcome) -> str:
    """Return the state with the machine and the share that is done, where they are known."""
    on = "" if outcome.maker is None else f" on {outcome.maker}"
    return f"{outcome.state}{on}" + ("" if outcome.share is None else f", {100 * outcome.share:.0f} %")


def reasons(outcomes: Iterable[Outcome]) -> list[str]:
    """Return lines with the error of each cell that has one; cells with the same error share their lines."""
    groups: dict[tuple[str, str, str], list[Outcome]] = {}
    for outcome in outcomes:
        if outcome.error is not None:
            error = outcome.error
            groups.setdefault((outcome.state, error["message"], error["hint"] or ""), []).append(outcome)
    lines = []
    for (_, message, hint), members in list(groups.items())[:MOST_LINES]:
        first, more = members[0], len(members) - 1
        when = f", {first.error['when']}" if first.error.get("when") else ""
        also = f", and {counted(more, 'cell')} with the same reason" if more else ""
        lines += ["", f"{first.cell.label}: {state_words(first)}{when}{also}", f"  {message}"]
        lines += [f"  {hint}"] if hint else []
    if len(groups) > MOST_LINES:
        lines += ["", f"and {len(groups) - MOST_LINES} more reasons; --json has them"]
    return lines


def to_make_words(cost: dict[str, int]) -> str:
    """Return the remaining work in words."""
    return (
        f"To make: {counted(cost['cells'], 'cell')}, {cost['networks']} networks, {cost['network_steps']} network-steps"
    )


def time_words(found: Look | Swept) -> list[str]:
    """Return lines with the time left, or why it is not known; none where no cell is missing or in work."""
    if found.left is not None:
        return ["", found.left.text()]
    return ["", "The time left is not known: no finished cell yet."] if found.count(MISSING, IN_WORK) else []


def watch(
    look: Callable[[], Any],
    show: Callable[[Any], None],
    pause: Callable[[float], None] = time.sleep,
    clock: Callable[[], float] = time.monotonic,
) -> Any:
    """Look again and again, and `show` each answer, until nothing is missing or in work; return the last.

    Looking takes at most a fifth of the time.
    """
    while True:
        begun = clock()
        answer = look()
        show(answer)
        if answer.is_over:
            return answer
        spent = clock() - begun
        pause(max(EVERY, spent * (1 - _SHARE) / _SHARE))
