"""The plan of a sweep: the id of every cell for a version of the code, and what the cell costs.

The id of a cell is the hash of its problem, which has to be declared for it: half a millisecond each, and Python where
a user's law is Python. The store keeps the plan of every sweep that ran. So whoever looks at a store, or reads its
results, reads ids and declares nothing: no code that a store names is run by looking.
"""

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from derivations.seals import canonical, digest
from derivations.sweeps import cells
from theory.problem import Cell, InputError, Sweep, dumps_sweep
from theory.problem.shared import Shared
from theory.problem.sweep_toml import loads_record
from theory.problem.user_files import parse_json

SCHEMA = "gdln.plan/2"
LARGE = 1000  # cells; the plan of a smaller sweep is made in less than a second
_LISTED = 10
_SWEEPS = ("sweep", "adaptive")
Report = Callable[[float, str], None]  # (share done, what is running)


@dataclass(frozen=True)
class Plan:
    """The cells of a sweep in order: their ids ("" for one that is no valid problem), networks, and steps of each.

    `errors` has the reason for each invalid cell by its position. Of an adaptive sweep, `adaptive` is the sweep as it
    was written, `sweep` its cells so far, and `generation` that of each.
    """

    sweep: Sweep
    code: str
    ids: tuple[str, ...]
    networks: tuple[int, ...]
    steps: tuple[int, ...]
    errors: Mapping[int, Mapping[str, Any]]
    adaptive: Sweep | None = None
    generation: tuple[int, ...] | None = None

    @property
    def declared(self) -> Sweep:
        """The sweep as it was written."""
        return self.adaptive or self.sweep

    @cached_property
    def position(self) -> Mapping[str, int]:
        """The position of each id."""
        return {name: position for position, name in enumerate(self.ids) if name}

    def cost(self, position: int) -> int:
        """Return the network-steps of a cell."""
        return self.networks[position] * self.steps[position]

    def at(self, position: int) -> Cell:
        """Return a cell with its place and its values, and without its problem."""
        index = self.sweep.index(position)
        return Cell(index, self.sweep.values_at(index), None)

    @property
    def name(self) -> str:
        """The name of its record in a store."""
        return f"{sweep_id(self.declared)}.{digest(self.code)[:16]}.json"

    def text(self) -> str:
        """Return the record: the same text for whoever writes it."""
        content = {name: getattr(self, name) for name in ("code", "ids", "networks", "steps", "generation")}
        sweeps = {name: one and json.loads(dumps_sweep(one)) for name, one in vars(self).items() if name in _SWEEPS}
        content = {"schema": SCHEMA, **content, **sweeps, "errors": [*self.errors.items()]}
        return json.dumps({**content, "sha256": digest(canonical(content))})


def plan(sweep: Sweep, code: str, report: Report = lambda _share, _what: None) -> Plan:
    """Return the plan, made by declaring one problem after the other; `report` receives how many there are.

    Raises InputError where cells are invalid and the sweep does not leave them out, where none is valid, and where two
    cells ask the same. Cells whose times are no whole number of steps count as invalid too.
    """
    from sim.training.times import steps_at_times

    ids, networks, steps, errors, where = [], [], [], {}, {}
    shared = Shared()
    for position, index in enumerate(sweep.indices()):
        if position % LARGE == 0 and sweep.size > LARGE:
            report(0.0, f"planning: {position} of {sweep.size} cells")
        cell, name, number, length = sweep.cell(index, shared), "", 0, 0
        try:
            if cell.problem is None:
                raise cell.error
            length, number = steps_at_times(cell.problem)[-1], cell.problem.simulated().replicates
            name = cells.question(cell.problem, sweep.observables, shared).cell(code)
        except InputError as error:
            errors[position] = error
        if name and where.setdefault(name, index) != index:
            raise sweep.same(where[name], index)
        for column, entry in ((ids, name), (networks, number), (steps, length)):
            column.append(entry)
    _refuse_invalid(sweep, errors)
    words = {
        place: {"kind": error.kind, "message": error.message, "hint": error.hint} for place, error in errors.items()
    }
    return Plan(sweep, code, tuple(ids), tuple(networks), tuple(steps), words)


def _refuse_invalid(sweep: Sweep, errors: Mapping[int, InputError]) -> None:
    if not errors or (sweep.invalid != "refuse" and len(errors) < sweep.size):
        return
    first = next(iter(errors.values()))
    if sweep.size == 1:
        raise first
    labels = {place: Cell((), sweep.values_at(sweep.index(place)), None).label for place in [*errors][:_LISTED]}
    lines = [f"\n  {label}: {errors[place].message}" for place, label in labels.items()]
    more = f"\n  and {len(errors) - _LISTED} more" if len(errors) > _LISTED else ""
    leave = "" if len(errors) == sweep.size else ' Or write invalid = "leave-out" to run the others.'
    message = f"{len(errors)} of {sweep.size} cells are no valid problem:{''.join(lines)}{more}"
    raise InputError(message, f"{first.hint}{leave}")


def read_plan(text: str, folder: str) -> Plan:
    """Return the plan in a record; `folder` is that of the store. Raises InputError for another text.

    No problem is declared, and the code that the sweep names is not allowed to run.
    """
    try:
        content = parse_json(text)
        if content.pop("sha256") != digest(canonical(content)) or content["schema"] != SCHEMA:
            raise ValueError
        sweep, adaptive = (one and loads_record(json.dumps(one), folder) for one in map(content.get, _SWEEPS))
        columns = (tuple(content[name]) for name in ("ids", "networks", "steps"))
        generation = content["generation"] and tuple(content["generation"])
        found = Plan(sweep, content["code"], *columns, dict(content["errors"]), adaptive, generation)
    except (ValueError, TypeError, KeyError, AttributeError):
        raise InputError("This is not the record of a sweep.", "Run the sweep again; it writes the record.") from None
    return found


def sweep_id(sweep: Sweep) -> str:
    """The hash of the declaration, without the place of its store."""
    return hashlib.sha256(dumps_sweep(sweep).encode()).hexdigest()[:16]
