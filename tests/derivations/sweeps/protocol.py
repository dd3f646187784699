"""A search of all interleavings of processes that run the functions of `leases` on one simulated file server.

The processes run the code itself. Every call of a disk is one step; a process is brought to its next step by running it
again with the answers so far. What it does next depends on its local variables alone, so that two histories with equal
variables are one state. Between steps a process may crash or wait for any time, its heart may beat, a look may be
answered from an old cache, and the reply to a change may be lost.
"""

import errno
import os
import sys
from collections import deque
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from derivations.sweeps import leases
from tests.derivations.sweeps.server import CELL, GOOD, PLACE, ROOMS, Process, Server, Violation, World

Program = Callable[["Disk"], str]


class Paused(BaseException):
    """The process has come to a step that has no answer yet."""

    def __init__(self, step, local):
        super().__init__()
        self.step, self.local = step, local


class UnlikeError(Exception):
    """A writer reads other files than it wrote."""


class Disk:
    """The disk of a process that runs again: it gives the known answers, and stops at the first step without one."""

    def __init__(self, process, answers):
        self.process, self._answers, self._tokens, self.beat = process, iter(answers), 0, None
        self._paused = None

    def token(self):
        """A name that nothing else has, in the form of the real ones."""
        self._tokens += 1
        return f"{self.process}-000000000000-1-1-{self._tokens:012x}"

    def _step(self, *step):
        if self._paused is not None:  # a clean-up after the step at which the process stopped
            raise self._paused
        try:
            answer = next(self._answers)
        except StopIteration:
            self._paused = Paused(step, (step, self._tokens, *_variables(sys._getframe(1))))
            raise self._paused from None
        if isinstance(answer, OSError):
            raise OSError(answer.errno, os.strerror(answer.errno))
        return answer

    def names(self, place):
        return self._step("names", place)

    def make(self, place):
        return self._step("make", place)

    def touch(self, place):
        return self._step("touch", place)

    def move(self, source, target):
        return self._step("move", source, target)

    def unlink(self, place):
        return self._step("unlink", place)

    def rmdir(self, place):
        return self._step("rmdir", place)

    def sync(self, place):
        """Nothing that another process could see."""

    def enter(self, place):
        return self._step("enter", place)

    def leave(self, handle):
        return self._step("leave")

    def names_in(self, handle):
        return self._step("names_in", handle)

    def move_from(self, handle, name, target):
        return self._step("move_from", handle, name, target)

    # What is no operation of a disk.
    def is_valid(self):
        return self._step("is_valid")

    def gone(self, _key, token, state):
        return self._step("gone", token, state)

    def compute(self):
        return self._step("compute")

    @contextmanager
    def beating(self, token):
        """The heart of a process is not its own step: it beats at any time in between."""
        self._step("hold", token)
        try:
            yield
        finally:
            self._step("hold", None)

    def write(self, place, _content):
        """Two files, one after the other, which are read again then."""
        for name in GOOD:
            self._step("write", f"{place}/{name}")
        if not self._step("is_good", place):
            raise UnlikeError

    def note(self, place):
        """One file."""
        self._step("write", place)


def _variables(frame):
    """The local variables of the running functions and where they are: all that the next steps depend on."""
    while frame is not None and frame.f_code is not run.__code__:
        shown = sorted((n, repr(v)) for n, v in frame.f_locals.items() if " at 0x" not in repr(v))
        yield frame.f_code.co_name, frame.f_lasti, tuple(shown)
        frame = frame.f_back


def run(program: Program, process: str, answers):
    """Run the program with the answers; return (step, local variables) where it stops, or (None, its result)."""
    try:
        return None, program(Disk(process, answers))
    except Paused as paused:
        return paused.step, paused.local


def worker(tries=1, code=leases) -> Program:
    """A program that tries to make the cell, and notes that it failed."""

    def program(disk):
        for _ in range(tries):
            try:
                said = code.attempt(disk, CELL, disk.token, disk, disk.is_valid, disk.compute, disk.write)
            except UnlikeError:
                raise Violation("a worker blames the cell for its own eviction") from None
            except OSError as error:
                if error.errno != errno.EIO:
                    raise
                code.note_failure(disk, CELL, disk.token(), disk.note)
                return "failed"
            if said != leases.BUSY:
                return said
        return leases.BUSY

    return program


def cleaner(code=leases) -> Program:
    """A program that removes a stale lease with what its owner left, and what is no cell."""

    def program(disk):
        code.evict(disk, CELL, disk.token, disk)
        code.set_aside(disk, CELL, f"damaged/{CELL}.{disk.token()}", disk.is_valid)
        return "cleaned"

    return program


def _is_private(process: Process, stalls: bool) -> bool:
    """Whether the next step is on names that belong to one process, or on none."""
    if not process.alive or process.step is None:
        return False
    what, *words = process.step
    if what in ("make", "touch", "names", "unlink", "rmdir") or (what == "write" and words[0].startswith("failures/.")):
        return "/." in words[0] or words[0].startswith("damaged/")
    return what == "leave" or (stalls and what in ("compute", "gone"))


class Immediate(Disk):
    """A disk on which one process runs alone: each step is done at once in `world`."""

    def __init__(self, server, world, process):
        super().__init__(process, ())
        self._server, self.world = server, world

    def _step(self, *step):
        self.world = self.world.copy()
        if step[0] == "gone":
            self.world.change(self.process, judged=step[2])
            return True
        self.world.change(self.process, step=step)
        # The outcome without delay and loss comes first, except for a lost reply, which needs a budget.
        self.world, answer = next(self._server.outcomes(replace(self.world, lost=0), self.process))
        if isinstance(answer, OSError):
            raise OSError(answer.errno, os.strerror(answer.errno))
        return answer


@dataclass
class Search:
    """A breadth-first search of all states of some programs; `states` counts them."""

    programs: dict[str, Program]
    server: Server
    crashes: int = 0
    lost: int = 0
    late: int = 3  # looks that a cache may answer before it expires
    beats: int = 1
    found: object = None  # what is in the place of the cell at the beginning
    code: object = leases
    _next: dict = field(default_factory=dict)  # (process, local variables, answer) -> the next step
    _history: dict = field(default_factory=dict)  # (process, local variables) -> answers that lead there
    _numbers: dict = field(default_factory=dict)  # (process, local variables) -> their number
    _finishes: dict = field(default_factory=dict)  # files -> the attempts that are left when a new worker has finished

    def run(self) -> int:
        """Search; return the number of states. Raises Violation with the rule that is broken and the steps."""
        world = World({0: {}}, {}, crashes=self.crashes, lost=self.lost, late=self.late)
        for room in ROOMS:
            world.add(room, {})
        if self.found is not None:
            world.add(PLACE, self.found)
        for name in self.programs:
            step, local = self._continued(name, None, None)
            world.processes[name] = Process(step, local)
        came = {world.key(): (None, None)}
        waiting = deque([(world, world.key())])
        while waiting:
            world, key = waiting.popleft()
            try:
                left, ended = self._finish(world, key[0]), all(one.step is None for one in world.processes.values())
                if left and ended and world.lost == self.lost:
                    raise Violation(f"something of a lost attempt stays: {left}")
                for label, after in self._after(world):
                    new = after.key()
                    if new not in came:
                        came[new] = (key, label)
                        waiting.append((after, new))
            except Violation as violation:
                raise Violation(violation.args[0], self._path(came, key)) from None
        return len(came)

    def _after(self, world: World):
        # Steps that no other process can notice commute with all others: one order of them is enough.
        private = (name for name, one in world.processes.items() if _is_private(one, self.server.stalls))
        alone = next(private, None)
        for name, process in world.processes.items():
            if not process.alive or alone not in (None, name):
                continue
            if process.token is not None and process.beats < self.beats:
                yield (name, "beats"), self._beaten(world, name)
            if process.step is None:
                continue
            if world.crashes:
                after = world.copy()
                after.crashes -= 1
                after.end(name, local="crashed", alive=False)
                yield (name, "crashes"), after
            for before, answer in self.server.outcomes(world, name):
                after = before.copy()
                step, local = self._continued(name, process.local, answer)
                if step is None:
                    after.end(name, local=local)
                else:
                    after.change(name, step=step, local=local)
                yield (name, *process.step, answer), after

    def _continued(self, name, local, answer):
        """The next step of a process with these local variables (a number stands for them) after an answer."""
        key = name, local, str(answer) if isinstance(answer, OSError) else answer
        if key not in self._next:
            history = () if local is None else (*self._history[name, local], answer)
            step, variables = run(self.programs[name], name, history)
            new = self._numbers.setdefault((name, variables), len(self._numbers))
            self._next[key] = step, new
            self._history.setdefault((name, new), history)
        return self._next[key]

    def _beaten(self, world: World, name: str) -> World:
        disk = Immediate(self.server, world, name)
        process = world.processes[name]
        new = self.code.beat(disk, CELL, f"{process.token}.{process.beats}")
        after = disk.world.copy()
        after.lost = world.lost
        after.change(name, step=process.step, beats=self.beats if new is None else process.beats + 1)
        return after

    def _finish(self, world: World, files) -> tuple[str, ...]:
        """Let a new worker run alone: it makes the cell, whatever the others left. Return the attempts that are left.

        There must be none where all others have ended, and knew of each change that they made: an evictor may crash
        after it removed the lease, or not know that it did. `Store.remove_leftovers` waits for such attempts.
        """
        if files in self._finishes:
            return self._finishes[files]
        alone = world.copy()
        alone.processes, alone.old = {"Z": Process(None, None)}, {}
        disk = Immediate(Server(stalls=True), alone, "Z")
        for _ in range(3):
            worker(1, self.code)(disk)
            if disk.world.is_good(disk.world.at(PLACE)):
                left = tuple(disk.world.nodes[disk.world.at("attempts")])
                return self._finishes.setdefault(files, tuple(name for name in left if not name.startswith(".")))
        raise Violation("the cell cannot be made any more")

    @staticmethod
    def _path(came, key):
        steps = []
        while came[key][0] is not None:
            key, label = came[key]
            steps.append(label)
        return steps[::-1]
