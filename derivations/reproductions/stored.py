"""The stored results of full profiles, a JSON file for each experiment, and the program that makes them.

`python -m derivations.reproductions.stored NAME ... [--store FOLDER] [--device cpu|cuda|auto]` makes the missing cells
of the full profile in the store, judges them, and writes `results/NAME.json`. With `--theory` it makes the cells of the
theory alone, and puts it beside the stored result. With `--judge` it makes nothing, and judges the stored intervals
anew: for a target whose `instead` or `explains` has changed.
"""

import argparse
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from derivations.atomic import write_text
from derivations.output import plain, rounded
from derivations.reproductions.catalog import named
from derivations.reproductions.model import Beside, Reproduction, Runs, Theory
from derivations.reproductions.rules import LEVEL, Row, judged, together, verdict
from derivations.seals import SEAL, is_whole, sealed
from derivations.statistics.intervals import intervals
from theory.problem import InputError, WorkbenchError
from theory.problem.user_files import read_json

if TYPE_CHECKING:
    from derivations.reproductions.running import Ran

RESULTS = Path(__file__).parent / "results"
DEFAULT_STORE = Path("gdln-reproduce")
_DIGITS = 6


def result(one: Reproduction, profile: str, ran: "Ran") -> dict[str, Any]:
    """Return the verdict on the cells of a profile, as JSON takes it.

    The quick profile may leave out settings; targets without values are then not judged. `ran` has the theory's cells,
    where the experiment has a `theory`.
    """
    measured = one.measure(ran.finished)
    targets = [target for target in one.targets if target.key in measured]
    rows = judged(targets, measured)
    return {
        "name": one.name,
        "profile": profile,
        "verdict": together([row.verdict for row in rows]),
        "level": LEVEL,
        "rows": rounded([_row(row) for row in rows], _DIGITS),
        "beside": _all_beside(one.beside(ran.finished) if one.beside else ()),
        **_origin(one, profile, ran),
        **(theory(one.theory, profile, ran.theory) if one.theory and ran.theory else {}),
    }


def theory(one: Theory, profile: str, ran: "Ran") -> dict[str, Any]:
    """Return the theory beside an experiment from the theory's own cells, as a part of `result`."""
    return {"beside": _all_beside(one.beside(ran.finished)), "theory": _origin(one, profile, ran)}


def _all_beside(rows: Sequence[Beside]) -> list[dict[str, Any]]:
    return rounded([_beside(row, len(rows)) for row in rows], _DIGITS)


def _origin(one: Runs, profile: str, ran: "Ran") -> dict[str, Any]:
    """Return the definition of some cells, and what has made them."""
    from derivations.reproductions.running import versions  # loads torch, which a reader of results does not need

    return {
        "definition": one.definition(profile),
        "cells": len(ran.finished),
        "seconds": round(ran.seconds, 1),
        "code": ran.code,
        "device": ran.device,
        "versions": versions(ran.device),
    }


def _row(row: Row) -> dict[str, Any]:
    target = row.target
    numbers = {"mean": row.mean, "low": row.low, "high": row.high, "runs": row.runs, "verdict": row.verdict}
    return {"key": target.key, "printed": target.printed, "value": target.value, **numbers}


def _beside(one: Beside, together_with: int) -> dict[str, Any]:
    row: dict[str, Any] = {"key": one.key, "text": one.text, "kind": one.kind, "theory": one.theory}
    if one.values is not None:
        reach = intervals(np.asarray(one.values)[:, None], LEVEL / together_with)
        low, high = float(reach.low[0]), float(reach.high[0])
        row |= {"mean": float(reach.mean[0]), "low": low, "high": high, "meets": bool(low <= one.theory <= high)}
    return row


def place(content: Mapping[str, Any]) -> str:
    """Return in words where a result was computed; a stored one without a device is from before there were two.

    >>> place({"device": "cuda"}), place({})
    ('on a GPU', 'on one thread')
    """
    return "on a GPU" if content.get("device") == "cuda" else "on one thread"


def write(content: Mapping[str, Any]) -> Path:
    """Store the result of a full profile, sealed. Raises InputError for another profile."""
    if content["profile"] != "full":
        raise InputError(f"The profile {content['profile']!r} is not stored.", "Run the full profile.")
    path = RESULTS / f"{content['name']}.json"
    write_text(path, json.dumps(sealed(plain(content)), indent=1, allow_nan=False) + "\n")
    return path


def read(name: str) -> dict[str, Any] | None:
    """Return the stored result of an experiment, None where there is none.

    Raises InputError for a file that was changed by hand.

    >>> read("npk-fig-1")["verdict"]
    'REPRODUCED'
    """
    path = RESULTS / f"{name}.json"
    if not path.is_file():
        return None
    content = read_json(path)
    if not is_whole(content):
        raise InputError(
            f"{path.name} was changed after it was written.",
            f"Make it again: python -m derivations.reproductions.stored {name}.",
            "file",
        )
    return {key: value for key, value in content.items() if key != SEAL}


def main() -> None:
    """Run and store the full profiles of the experiments named on the command line."""
    from derivations.reproductions.running import device_for, run, run_with_theory

    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("names", nargs="+", metavar="NAME")
    arguments.add_argument("--store", type=Path, default=DEFAULT_STORE)
    arguments.add_argument("--device", default="cpu")
    arguments.add_argument("--theory", action="store_true")
    arguments.add_argument("--judge", action="store_true")
    options = arguments.parse_args()
    try:
        for one in named(options.names):
            if options.judge:
                print(_judged_anew(one))
                continue
            if options.theory:
                print(_with_theory(one, lambda each: run(each, "full", options.store)))
                continue
            ran = run_with_theory(one, "full", options.store, device=device_for(one, options.device))
            print(write(result(one, "full", ran)))
    except WorkbenchError as error:
        raise SystemExit(str(error)) from None


def _judged_anew(one: Reproduction) -> Path:
    """Give the stored rows of an experiment the words and verdicts of its targets."""
    content = read(one.name)
    if content is None:
        raise InputError(f"{one.name} has no stored result.", "Leave --judge out.")
    targets = {target.key: target for target in one.targets}
    rows = [
        {
            **row,
            "printed": targets[row["key"]].printed,
            "verdict": verdict(targets[row["key"]], row["low"], row["high"]),
        }
        for row in content["rows"]
    ]
    return write({**content, "rows": rows, "verdict": together([row["verdict"] for row in rows])})


def _with_theory(one: Reproduction, compute: Callable[[Theory], "Ran"]) -> Path:
    """Put the theory beside the stored result of an experiment; its cells are made if there is a result."""
    content = read(one.name)
    if content is None or one.theory is None:
        raise InputError(
            f"{one.name} has no {'stored result' if one.theory else 'cells of the theory'}.", "Leave --theory out."
        )
    return write({**content, **theory(one.theory, "full", compute(one.theory))})


if __name__ == "__main__":
    main()
