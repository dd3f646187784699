"""A look at a sweep's store by names, for sweeps of any size and for those who look again and again.

The names of folders and files say which cells are there, in work, or failed. Of the cells that are there some are read,
without their data: all of a small sweep, of a larger one those with the smallest ids, which are a random sample because
ids are hashes. The answer says how many were read, and what was not verified.
"""

import heapq
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from derivations.output import counted
from derivations.sweeps import cells, plans, versions
from derivations.sweeps.cells import DamagedError, UnreadableError
from derivations.sweeps.estimates import TimeLeft, time_left
from derivations.sweeps.plans import LARGE, Plan
from derivations.sweeps.running import DAMAGED, FAILED, IN_WORK, INVALID, MISSING, Outcome, exit_code, in_work, without
from derivations.sweeps.store import Rooms, Store, check_creatable
from derivations.sweeps.versions import Memory
from theory.problem import Cell, Sweep

THERE = "there"
_Read = dict[str, Any] | DamagedError | None  # the meta.json of a cell, what is wrong with it, or None: it is not there
_FAILURES = 1000  # records of failures that are read; further ones are counted


@dataclass(frozen=True)
class Look:
    """The states of a sweep's cells by the names in its store, and the cells of which there is more to say.

    `counts` has the number of cells in each state; "there" are cells whose meta.json was not read, `read` is the number
    of those that were. `notable` are cells in work, failed, damaged or diverged, with what is known of them. `made` is
    the number of cells that a run made, `job` what was submitted for the sweep.
    """

    sweep: Sweep
    code: str
    counts: Mapping[str, int]
    notable: tuple[Outcome, ...]
    to_make: Mapping[str, int]
    left: TimeLeft | None
    read: int
    remarks: tuple[str, ...] = ()
    made: int | None = None
    job: str | None = None
    here: str | None = None  # this machine's version of the code, where it is not the one of the cells

    def count(self, *states: str) -> int:
        """Return the number of cells in one of the states."""
        return sum(self.counts.get(state, 0) for state in states)

    @property
    def exit_code(self) -> int:
        """The exit code of the states; see `running.exit_code`. Of cells that were not read it takes the best."""
        return exit_code(self.count)


@dataclass
class Watcher:
    """Looks at a sweep in the store `folder`, which need not exist yet; what was read once is not read again.

    `code` is the version whose cells count; with `kinds` of devices another one counts where most cells are of it, see
    `versions.to_show`.
    """

    sweep: Sweep
    folder: Path
    code: str
    kinds: tuple[str, ...] = ()
    _store: Store | None = None
    _plan: Plan | None = None  # of the version that is shown
    _plans: dict[str, Plan] = field(default_factory=dict)
    _memory: Memory = field(default_factory=Memory)
    _facts: dict[str, dict[str, Any]] = field(default_factory=dict)

    def look(self) -> Look:
        """Return the present state; nothing is written.

        Raises InputError for invalid cells (see `checking.refuse_invalid`) and for a folder that cannot be a store.
        """
        if self._store is None:
            if (self.folder / "store.json").exists():
                self._store = Store.open(self.folder)
            else:
                check_creatable(self.folder)
        nothing = Rooms(frozenset(), frozenset(), frozenset())
        rooms = nothing if self._store is None else self._store.rooms()
        self._plan = self._shown(rooms)
        code = self._plan.code
        states = dict(_states(self._plan, self._store, rooms))
        facts = self._sampled([name for name, state in states.items() if state == THERE])
        states |= {name: _state(one) for name, one in facts.items()}
        facts = {name: one for name, one in facts.items() if one is not None}
        # A cell in work may be finished by now; the next look tells.
        notable = {one.name: one for one in self._notable(states, facts, rooms) if one.state != MISSING}
        states |= {name: one.state for name, one in notable.items()}
        counts = Counter(states.values())
        invalid = self._plan.ids.count("")
        remarks = [
            *versions.words(code, self.code),
            *in_work(notable.values()),
            *self._remarks(counts, len(facts), rooms),
        ]
        return Look(
            self.sweep,
            code,
            {**counts, **({INVALID: invalid} if invalid else {})},
            tuple(notable.values()),
            self._to_make(states),
            self._left(states, notable, facts),
            len(facts),
            tuple(remarks),
            here=None if code == self.code else self.code,
        )

    def _shown(self, rooms: Rooms) -> Plan:
        """Return the plan of the version whose cells are shown."""
        if self._store is None or not self.kinds:
            return self._known(self.code)
        if plans.is_kept(self.sweep):  # whoever has begun it has kept its plan
            codes = plans.kept(self._store, self.sweep)
        elif rooms.cells.issuperset(self._known(self.code).position):
            return self._known(self.code)
        else:
            others = rooms.cells.difference(*(own.position for own in self._plans.values()))
            codes = versions.known(self._store, others, self._memory)[0] | {self.code}
            new = [code for code in codes if code not in self._plans and versions.kind_of(code) in self.kinds]
            self._plans |= plans.planned_for(self.sweep, new) if new else {}
        ids = {code: self._known(code).position for code in codes if versions.kind_of(code) in self.kinds}
        return self._known(versions.to_show(self._store, rooms, ids, self.code, self._memory))

    def _known(self, code: str) -> Plan:
        if code not in self._plans:
            self._plans[code] = plans.plan(self._store, self.sweep, code)
        return self._plans[code]

    def _sampled(self, there: list[str]) -> dict[str, _Read]:
        """Return what is read of the cells of the sample; valid cells do not change, so that they are read once.

        Of a cell that the disk does not give now its name alone is known, as of those outside of the sample.
        """
        read: dict[str, _Read] = {}
        for name in heapq.nsmallest(LARGE, there):
            with suppress(UnreadableError):
                read[name] = self._facts[name] if name in self._facts else self._read(name)
        self._facts = {name: one for name, one in read.items() if isinstance(one, dict)}
        return read

    def _read(self, name: str) -> _Read:
        try:
            return cells.facts(self._store.place(name))
        except DamagedError as error:
            return error if self._store.is_there(name) else None

    def _notable(self, states: Mapping[str, str], facts: Mapping[str, _Read], rooms: Rooms) -> list[Outcome]:
        listed, failures = [], 0
        for name, state in states.items():
            if state in (MISSING, THERE, cells.COMPLETE):
                continue
            cell = self._cell(name)
            if state == DAMAGED:
                wrong = facts[name]
                error = {"kind": wrong.kind, "message": wrong.message, "hint": wrong.hint}
                listed.append(Outcome(cell, state, name, error=error))
            elif state == cells.DIVERGED:
                listed.append(Outcome(cell, state, name, "store", facts[name]))
            elif state == IN_WORK or failures < _FAILURES:
                failures += state == FAILED
                listed.append(without(cell, name, self._store, rooms))
        return listed

    def _cell(self, name: str) -> Cell:
        index = self.sweep.index(self._plan.position[name])
        return Cell(index, self.sweep.values_at(index), None)

    def _to_make(self, states: Mapping[str, str]) -> dict[str, int]:
        made, known = (THERE, cells.COMPLETE, cells.DIVERGED), self._plan
        positions = [known.position[name] for name, state in states.items() if state not in made]
        return {
            "cells": len(positions),
            "networks": sum(known.networks[position] for position in positions),
            "network_steps": sum(map(known.cost, positions)),
        }

    def _left(
        self,
        states: Mapping[str, str],
        notable: Mapping[str, Outcome],
        facts: Mapping[str, _Read],
    ) -> TimeLeft | None:
        def cost(name: str) -> int:
            return self._plan.cost(self._plan.position[name])

        read = [(one["wall_seconds"], cost(name)) for name, one in facts.items() if isinstance(one, dict)]
        waiting = [cost(name) for name, state in states.items() if state in (MISSING, DAMAGED)]
        working = [(cost(name), one.share) for name, one in notable.items() if one.state == IN_WORK]
        return time_left(read, waiting, working)

    def _remarks(self, counts: Mapping[str, int], read: int, rooms: Rooms) -> list[str]:
        remarks, there = [], counts[THERE] + read
        if counts[MISSING] and (others := len(rooms.cells.difference(self._plan.position))):
            remarks.append(
                f"The store has {counted(others, 'cell')} of other sweeps, or of other versions of the code than this "
                f"one, {self._plan.code}."
            )
        if there:
            unread = f"{counted(counts[THERE], 'cell')} by name alone, and " if counts[THERE] else ""
            remarks.append(
                f"Not verified: {unread}the data of {counted(there, 'cell')}. "
                f"gdln sweep --worker {self.folder} --status --verify does it. Without --status it also makes damaged "
                "cells anew."
            )
        return remarks


def _state(read: _Read) -> str:
    """Return the state of a cell that was read; one that has gone, or an empty folder, is missing."""
    return MISSING if read is None else DAMAGED if isinstance(read, DamagedError) else read["state"]


def _states(known: Plan, store: Store | None, rooms: Rooms) -> list[tuple[str, str]]:
    """Return each id with its state by the names; an empty folder of a cell in work is no cell."""
    asked = {name for name in rooms.leases & rooms.cells if not store.is_there(name)}
    listed = []
    for name in known.ids:
        if name in rooms.cells and name not in asked:
            listed.append((name, THERE))
        elif name in rooms.leases:
            listed.append((name, IN_WORK))
        elif name:
            listed.append((name, FAILED if name in rooms.failures else MISSING))
    return listed
