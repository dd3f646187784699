"""The plan of a sweep: the id of every cell for a version of the code, and what the cell costs.

The id of a cell is the hash of its problem, which takes half a millisecond to declare. The plan of a large sweep is
therefore kept in its store, beside the record of the sweep, and whoever looks at the store reads it there. It depends
on the declaration and the code alone, so that all who write it write the same bytes. Problems that name files depend on
what is in these; their plans are not kept.
"""

import hashlib
import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from derivations.atomic import write_text
from derivations.seals import digest
from derivations.sweeps import cells
from derivations.sweeps.checking import refuse_invalid, timed
from derivations.sweeps.store import Store, sweep_id
from theory.problem import Sweep
from theory.problem.paths import PATHS
from theory.problem.shared import Shared
from theory.problem.user_files import open_regular, read_bytes

SCHEMA = "gdln.plan/1"
LARGE = 1000  # cells; the plan of a smaller sweep is made in less than a second
_LARGEST, _LONGEST_HEAD = 2**28, 2**12
_ENDING = ".plan"
_INVALID = "-"

Report = Callable[[float, str], None]  # (share done, what is running)


@dataclass(frozen=True)
class Plan:
    """The cells of a sweep in order: their ids ("" for one that is no valid problem), networks, and steps of each.

    `is_kept` where the plan was read from a store.
    """

    code: str
    ids: tuple[str, ...]
    networks: tuple[int, ...]
    steps: tuple[int, ...]
    is_kept: bool = field(default=False, compare=False)

    def cost(self, position: int) -> int:
        """Return the network-steps of a cell."""
        return self.networks[position] * self.steps[position]

    @cached_property
    def position(self) -> Mapping[str, int]:
        """The position of each id."""
        return {name: position for position, name in enumerate(self.ids) if name}


def planned(sweep: Sweep, code: str, report: Report = lambda _share, _what: None) -> Plan:
    """Return the plan, made by declaring one problem after the other; `report` receives how many there are.

    Raises InputError as `refuse_invalid` does, and where two cells ask the same.
    """
    return planned_for(sweep, (code,), report)[code]


def planned_for(sweep: Sweep, codes: Collection[str], report: Report = lambda _share, _what: None) -> dict[str, Plan]:
    """Return the plan of each of some versions of the code; see `planned`. The problems are declared once."""
    networks, steps, invalid, where = [], [], [], {}
    ids: dict[str, list[str]] = {code: [] for code in codes}
    shared = Shared()
    for position, index in enumerate(sweep.indices()):
        if position % LARGE == 0:
            report(0.0, f"planning: {position} of {sweep.size} cells")
        cell, length = timed(sweep.cell(index, shared))
        asked = None
        if cell.problem is None:
            invalid.append(cell)
        else:
            asked = cells.question(cell.problem, sweep.observables, shared)
        for code, names in ids.items():
            names.append("" if asked is None else asked.cell(code))
            if asked is not None and where.setdefault(names[-1], index) != index:
                raise sweep.same(where[names[-1]], index)
        networks.append(0 if cell.problem is None else cell.problem.simulated().replicates)
        steps.append(length)
    refuse_invalid(sweep, invalid, len(steps))
    return {code: Plan(code, tuple(names), tuple(networks), tuple(steps)) for code, names in ids.items()}


def plan(store: Store | None, sweep: Sweep, code: str, report: Report = lambda _share, _what: None) -> Plan:
    """Return the plan that the store keeps, else make it. Raises InputError as `planned` does; nothing is written."""
    kept = None if store is None else _read(_place(store, sweep, code), sweep, code)
    return planned(sweep, code, report) if kept is None else kept


def keep(store: Store, sweep: Sweep, made: Plan) -> None:
    """Keep the plan in the store, unless it was read there or depends on files. Raises OSError."""
    if not made.is_kept and not _names_files(sweep):
        write_text(_place(store, sweep, made.code), _text(made, sweep))


def is_kept(sweep: Sweep) -> bool:
    """Whether whoever runs the sweep keeps its plan, because it is large and depends on no files."""
    return sweep.size > LARGE and not _names_files(sweep)


def kept(store: Store, sweep: Sweep) -> set[str]:
    """Return the versions of the code for which the store has a plan of the sweep, as the plans name them."""
    codes = set()
    for file in (store.folder / "sweeps").glob(f"{sweep_id(sweep)}.*{_ENDING}"):
        try:
            with open_regular(file) as content:
                code = json.loads(content.readline(_LONGEST_HEAD))["code"]
        except (OSError, ValueError, TypeError, KeyError):
            continue
        if isinstance(code, str) and file == _place(store, sweep, code):
            codes.add(code)
    return codes


def _place(store: Store, sweep: Sweep, code: str) -> Path:
    return store.folder / "sweeps" / f"{sweep_id(sweep)}.{digest(code)[:16]}{_ENDING}"


def _text(made: Plan, sweep: Sweep) -> str:
    """Return a line of JSON that names the plan and the checksum of what follows: a line for each cell."""
    rows = zip(made.ids, made.networks, made.steps, strict=True)
    body = "\n".join(f"{name or _INVALID} {networks} {steps}" for name, networks, steps in rows)
    return f"{json.dumps(_head(sweep, made.code, digest(body)))}\n{body}"


def _head(sweep: Sweep, code: str, checksum: str) -> dict[str, Any]:
    return {"schema": SCHEMA, "cell": cells.SCHEMA, "sweep": sweep_id(sweep), "code": code, "sha256": checksum}


def _read(path: Path, sweep: Sweep, code: str) -> Plan | None:
    """Return the plan in a file; None where there is none, or none of this sweep and code that is whole."""
    if _names_files(sweep):
        return None
    try:
        head, _, body = read_bytes(path, _LARGEST).partition(b"\n")
        if json.loads(head) != _head(sweep, code, hashlib.sha256(body).hexdigest()):
            return None
    except (OSError, ValueError):
        return None
    words = body.decode().split()
    ids = tuple("" if name == _INVALID else name for name in words[::3])
    return Plan(code, ids, tuple(map(int, words[1::3])), tuple(map(int, words[2::3])), is_kept=True)


def _names_files(sweep: Sweep) -> bool:
    """Whether problems of the sweep name files, whose content is a part of them."""
    fields = [axis.field.rpartition(".")[2] for axis in sweep.axes]
    return bool(set(fields) & set(PATHS)) or _has_path([sweep.base, *(axis.values for axis in sweep.axes)])


def _has_path(value: Any) -> bool:
    if isinstance(value, Mapping):
        return bool(set(value) & set(PATHS)) or _has_path(tuple(value.values()))
    return isinstance(value, list | tuple) and any(_has_path(entry) for entry in value)
