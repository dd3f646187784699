"""The plan of a sweep: the id of every cell for a version of the code, and what the cell costs.

The id of a cell is the hash of its problem, which has to be declared for it: half a millisecond each, and Python where
a user's law is Python. The store keeps the plan of every sweep that ran. So whoever looks at a store, or reads its
results, reads ids and declares nothing: no code that a store names is run by looking.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from derivations.seals import digest
from derivations.sweeps import cells
from theory.problem import Cell, InputError, Sweep, dumps_sweep
from theory.problem.shared import Shared
from theory.problem.sweep_toml import loads_record
from theory.problem.user_files import parse_json

SCHEMA = "gdln.plan/2"
LARGE = 1000  # cells; the plan of a smaller sweep is made in less than a second
_LISTED = 10
_COLUMNS = ("ids", "networks", "steps")
Report = Callable[[float, str], None]  # (share done, what is running)


@dataclass(frozen=True)
class Plan:
    """The cells of a sweep in order: their ids ("" for one that is no valid problem), networks, and steps of each.

    `errors` has the reason for each invalid cell by its position.
    """

    sweep: Sweep
    code: str
    ids: tuple[str, ...]
    networks: tuple[int, ...]
    steps: tuple[int, ...]
    errors: Mapping[int, Mapping[str, Any]]

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
        return f"{sweep_id(self.sweep)}.{digest(self.code)[:16]}.json"

    def text(self) -> str:
        """Return the record: the same text for whoever writes it."""
        content = {name: getattr(self, name) for name in ("code", *_COLUMNS)}
        content |= {"sweep": json.loads(dumps_sweep(self.sweep)), "errors": [*self.errors.items()]}
        return json.dumps({"schema": SCHEMA, **content})


def make_plan(sweep: Sweep, code: str, report: Report = lambda _share, _what: None) -> Plan:
    """Return the plan, made by declaring one problem after the other; `report` receives how many there are.

    Raises InputError where cells are invalid and the sweep does not leave them out, where none is valid, and where two
    cells ask the same. Cells whose times are no whole number of steps count as invalid too.
    """
    from sim.training.times import steps_at_times

    rows, errors, seen, shared = [], {}, {}, Shared()
    for position, index in enumerate(sweep.indices()):
        if position % LARGE == 0 and sweep.size > LARGE:
            report(0.0, f"planning: {position} of {sweep.size} cells")
        cell, row = sweep.cell(index, shared), ("", 0, 0)
        try:
            if cell.problem is None:
                raise cell.error
            steps, networks = steps_at_times(cell.problem)[-1], cell.problem.simulated().replicates
            row = cells.question(cell.problem, sweep.observables, shared).cell(code), networks, steps
        except InputError as error:
            errors[position] = {"kind": error.kind, "message": error.message, "hint": error.hint}
        if row[0] and seen.setdefault(row[0], index) != index:
            raise sweep.same(seen[row[0]], index)
        rows.append(row)
    plan = Plan(sweep, code, *zip(*rows, strict=True), errors)
    if errors and (sweep.invalid == "refuse" or len(errors) == sweep.size):
        raise _invalid(plan)
    return plan


def _invalid(plan: Plan) -> InputError:
    """Return the error for a sweep with cells that are no valid problem; it lists some of them."""
    count, size, first = len(plan.errors), plan.sweep.size, next(iter(plan.errors.values()))
    if size == 1:
        return InputError(first["message"], first["hint"], first["kind"])
    some = islice(plan.errors.items(), _LISTED)
    lines = [f"\n  {plan.at(place).label}: {error['message']}" for place, error in some]
    more = f"\n  and {count - _LISTED} more" if count > _LISTED else ""
    leave = "" if count == size else ' Or write invalid = "leave-out" to run the others.'
    message = f"{count} of {size} cells are no valid problem:{''.join(lines)}{more}"
    return InputError(message, f"{first['hint']}{leave}")


def read_plan(text: str, folder: str) -> Plan:
    """Return the plan in a record; `folder` is that of the store. Raises InputError for another text.

    No problem is declared, and the code that the sweep names is not allowed to run.
    """
    try:
        content = parse_json(text)
        if content["schema"] != SCHEMA:
            raise ValueError
        sweep = loads_record(json.dumps(content["sweep"]), folder)
        return Plan(sweep, content["code"], *(tuple(content[name]) for name in _COLUMNS), dict(content["errors"]))
    except (ValueError, TypeError, KeyError, AttributeError):
        raise InputError("This is not the record of a sweep.", "Run the sweep again; it writes the record.") from None


def sweep_id(sweep: Sweep) -> str:
    """The hash of the declaration, without the place of its store."""
    return digest(dumps_sweep(sweep))[:16]
