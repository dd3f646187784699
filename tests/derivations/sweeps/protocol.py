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
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from derivations.sweeps import leases

CELL = "X"
PLACE = f"cells/{CELL}"
ROOMS = ("attempts", "cells", "damaged", "leases")
GOOD, BAD = {"data": "good", "meta": "good"}, {"data": "bad", "meta": "bad"}
Program = Callable[["Disk"], str]


class Violation(AssertionError):
    """A rule of the store is broken; `args` has the rule and the steps that lead there."""


class Paused(BaseException):
    """The process has come to a step that has no answer yet."""

    def __init__(self, step, local):
        super().__init__()
        self.step, self.local = step, local


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
        """Two files, one after the other."""
        for name in GOOD:
            self._step("write", f"{place}/{name}")


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
    """A program that tries to make the cell."""

    def program(disk):
        for _ in range(tries):
            said = code.attempt(disk, CELL, disk.token, disk, disk.is_valid, disk.compute, disk.write)
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


@dataclass(frozen=True)
class Process:
    """A process between two steps; `token` and `beats` are its lease while its heart beats, `entered` its handle."""

    step: tuple | None
    local: object
    alive: bool = True
    token: str | None = None
    beats: int = 0
    entered: int | None = None
    computed: bool = False
    judged: str | None = None


@dataclass
class World:
    """The files of a server by number (folders as dictionaries), what caches may hold of them, and the processes.

    `crashes`, `lost` replies and `late` looks may still happen. `old` has for a folder its names before the last
    change, and the processes that do not see the change yet. A cache holds nothing of a folder that was never looked
    at, so that `looked` has who looked at what.
    """

    nodes: dict[int, dict[str, int] | str]
    processes: dict[str, Process]
    looked: frozenset[tuple[str, int]] = frozenset()
    old: dict[int, tuple[dict[str, int], frozenset[str]]] = field(default_factory=dict)
    first: int | None = None  # the valid cell that was there first
    crashes: int = 0
    lost: int = 0
    late: int = 0

    def copy(self) -> "World":
        """A world that may be changed."""
        nodes, processes, old = dict(self.nodes), dict(self.processes), dict(self.old)
        return World(nodes, processes, self.looked, old, self.first, self.crashes, self.lost, self.late)

    def end(self, who: str, **facts) -> None:
        """End a process; its hidden names, which no other process uses, are forgotten."""
        self.change(who, step=None, token=None, entered=None, computed=False, judged=None, **facts)
        for room in ("attempts", "leases", "damaged"):
            folder, mine = self.at(room), f".{who}-"
            gone = [name for name in self.nodes[folder] if mine in name and (name[0] == "." or room == "damaged")]
            self.nodes[folder] = {name: node for name, node in self.nodes[folder].items() if name not in gone}

    def change(self, who: str, **facts) -> None:
        """Change the state of a process."""
        self.processes[who] = replace(self.processes[who], **facts)

    def key(self):
        """Equal for equal worlds: nodes are numbered in the order in which they are met."""
        numbers: dict[int, int] = {}

        def tree(node):
            if node in numbers or node is None:
                return numbers.get(node)
            numbers[node] = len(numbers)
            content = self.nodes[node]
            if isinstance(content, str):
                return content
            before, blind = self.old.get(node, ({}, ()))
            before = before if blind else {}
            return (
                tuple((name, tree(inner)) for name, inner in sorted(content.items())),
                tuple((name, tree(inner)) for name, inner in sorted(before.items())),
                tuple(sorted(blind)),
                tuple(sorted(who for who, folder in self.looked if folder == node)),
            )

        files = tree(0)
        processes = tuple(
            (name, one.local, one.alive, one.token, one.beats, tree(one.entered), one.computed, one.judged)
            for name, one in sorted(self.processes.items())
        )
        return files, processes, self.first is not None, self.crashes, self.lost, self.late

    def at(self, place: str) -> int | None:
        """The node of a place as the server knows it."""
        node = 0
        for name in place.split("/"):
            content = self.nodes.get(node)
            node = content.get(name) if isinstance(content, dict) else None
            if node is None:
                return None
        return node

    def add(self, place: str, content) -> None:
        """Put a file or a tree of folders there before anything runs."""
        parent, _, name = place.rpartition("/")
        node = max(self.nodes) + 1
        self.nodes[node] = {} if isinstance(content, dict) else content
        self.nodes[self.at(parent) if parent else 0][name] = node
        for inner, inside in content.items() if isinstance(content, dict) else ():
            self.add(f"{place}/{inner}", inside)

    def is_good(self, node: int | None) -> bool:
        """Whether the node is a whole cell with the right content."""
        folder = self.nodes.get(node)
        return isinstance(folder, dict) and {name: self.nodes[inner] for name, inner in folder.items()} == GOOD


Outcome = tuple[World, object]  # the world after a step, and the answer to it


@dataclass(frozen=True)
class Server:
    """The steps of processes in a world: each yields every outcome that a network file system allows."""

    stalls: bool  # a process may be judged gone while it lives, as one that stopped for longer than the patience
    lag: tuple[str, ...] = ()  # the rooms where looks may be answered from a cache

    def outcomes(self, world: World, who: str) -> Iterator[Outcome]:
        """Every outcome of the next step of a process."""
        what, *words = world.processes[who].step
        change = getattr(self, f"_{what}", None)
        if change is None:
            yield from getattr(self, f"see_{what}")(world, who, *words)
            return
        for after, answer in change(world, who, *words):
            if not isinstance(answer, OSError):
                _check(world, after, who)
                if world.lost and what in LOST:
                    yield replace(after, lost=world.lost - 1), OSError(LOST[what], "the reply was lost")
            yield after, answer

    # Looks.
    def _look(self, world, who, folder, name=""):
        """What a process may see in a folder, where `name` is looked up; hidden names are used by one process only."""
        content = world.nodes.get(folder)
        if not isinstance(content, dict):
            yield world, None
            return
        late = (world.at(place) for room in self.lag for place in (room, f"{room}/{CELL}"))
        if folder in late and (who, folder) not in world.looked:
            world = replace(world, looked=world.looked | {(who, folder)})
        before, blind = world.old.get(folder, (None, frozenset()))
        if who not in blind or name.startswith(".") or not world.late:
            yield world, content
            return
        yield replace(world, old=world.old | {folder: (before, blind - {who})}), content
        yield replace(world, late=world.late - 1), before

    def _find(self, world, who, place):
        """The nodes to which a place may lead."""
        ways = [(world, 0)]
        for name in place.split("/"):
            ways = [
                (after, None if content is None else content.get(name))
                for before, node in ways
                for after, content in self._look(before, who, node, name)
            ]
        return ways

    def see_names(self, world, who, place):
        for found, node in self._find(world, who, place):
            for after, content in self._look(found, who, node):
                yield after, tuple(sorted(content or ()))

    def see_is_valid(self, world, who):
        for found, node in self._find(world, who, PLACE):
            for after, content in self._look(found, who, node):
                content = content or {}
                yield after, {name: after.nodes.get(inner) for name, inner in content.items()} == GOOD

    def see_enter(self, world, who, place):
        for found, node in self._find(world, who, place):
            is_folder = isinstance(found.nodes.get(node), dict)
            after = found.copy()
            after.change(who, entered=node if is_folder else None)
            yield after, "folder" if is_folder else None

    def see_leave(self, world, who):
        after = world.copy()
        after.change(who, entered=None)
        yield after, None

    def see_names_in(self, world, who, _handle):
        for after, content in self._look(world, who, world.processes[who].entered):
            yield after, tuple(sorted(content))

    def see_gone(self, world, who, token, state):
        """A living process beats within the patience of others, unless it stalls; a cache may hide that it did."""
        yield world, False
        owner = world.processes.get(token[0])
        if self.stalls or owner is None or not owner.alive or world.at(f"leases/{CELL}/{state}") is None:
            after = world.copy()
            after.change(who, judged=state)
            yield after, True

    def see_hold(self, world, who, token):
        after = world.copy()
        after.change(who, token=token, beats=0)
        yield after, None

    def see_compute(self, world, who):
        again = world.is_good(world.at(PLACE)) or any(one.computed and one.alive for one in world.processes.values())
        if again and not self.stalls:
            raise Violation("a cell is computed twice")
        after = world.copy()
        after.change(who, computed=True)
        yield after, None

    # Changes: the server decides them, in the folder to which the process's cache leads.
    def _parents(self, world, who, place):
        parent, _, name = place.rpartition("/")
        for found, node in self._find(world, who, parent):
            if isinstance(found.nodes.get(node), dict):
                yield found.copy(), node, name
            else:
                yield found, None, name

    def _remember(self, world, who, *folders):
        late = {world.at(place) for room in self.lag for place in (room, f"{room}/{CELL}")}
        for folder in late.intersection(folders):
            others = frozenset(one for one in world.processes if one != who and (one, folder) in world.looked)
            world.old[folder] = (world.nodes[folder], others)

    def _created(self, world, who, place, content):
        for after, folder, name in self._parents(world, who, place):
            if folder is None or not self._is_linked(after, folder):
                yield after, OSError(errno.ENOENT, "")
            elif name in after.nodes[folder]:
                yield after, OSError(errno.EEXIST, "")
            else:
                self._remember(after, who, folder)
                node = max(after.nodes) + 1
                after.nodes |= {folder: after.nodes[folder] | {name: node}, node: content}
                yield after, None

    @staticmethod
    def _is_linked(world, folder):
        return folder == 0 or any(isinstance(c, dict) and folder in c.values() for c in world.nodes.values())

    def _make(self, world, who, place):
        return self._created(world, who, place, {})

    def _touch(self, world, who, place):
        return self._created(world, who, place, "")

    def _write(self, world, who, place):
        return self._created(world, who, place, "good")

    def _unlink(self, world, who, place):
        for after, folder, name in self._parents(world, who, place):
            if folder is None or name not in after.nodes[folder]:
                yield after, OSError(errno.ENOENT, "")
            elif isinstance(after.nodes[after.nodes[folder][name]], dict):
                yield after, OSError(errno.EISDIR, "")
            else:
                self._remember(after, who, folder)
                after.nodes[folder] = _without(after.nodes[folder], name)
                yield after, None

    def _rmdir(self, world, who, place):
        for after, folder, name in self._parents(world, who, place):
            content = (
                None if folder is None or name not in after.nodes[folder] else after.nodes[after.nodes[folder][name]]
            )
            if content is None:
                yield after, OSError(errno.ENOENT, "")
            elif not isinstance(content, dict):
                yield after, OSError(errno.ENOTDIR, "")
            elif content:
                yield after, OSError(errno.ENOTEMPTY, "")
            else:
                self._remember(after, who, folder)
                after.nodes[folder] = _without(after.nodes[folder], name)
                yield after, None

    def _move(self, world, who, source, target):
        for found, folder, name in self._parents(world, who, source):
            yield from self._moved(found, who, folder, name, target)

    def _move_from(self, world, who, _handle, name, target):
        return self._moved(world, who, world.processes[who].entered, name, target)

    def _moved(self, world, who, folder, name, target):
        for after, into, new in self._parents(world, who, target):
            if None in (folder, into) or name not in after.nodes[folder] or not self._is_linked(after, into):
                yield after, OSError(errno.ENOENT, "")
                continue
            node = after.nodes[folder][name]
            moves_folder = isinstance(after.nodes[node], dict)
            there = after.nodes[into].get(new)
            if there is not None:
                inside = after.nodes[there]
                if moves_folder and not isinstance(inside, dict):
                    yield after, OSError(errno.ENOTDIR, "")
                    continue
                if isinstance(inside, dict) and (inside or not moves_folder):
                    yield after, OSError(errno.ENOTEMPTY if moves_folder else errno.EISDIR, "")
                    continue
            self._remember(after, who, folder, into)
            after.nodes[folder] = _without(after.nodes[folder], name)
            after.nodes[into] = after.nodes[into] | {new: node}
            yield after, None


LOST = {
    "make": errno.EEXIST,
    "touch": errno.EEXIST,
    "move": errno.ENOENT,
    "unlink": errno.ENOENT,
    "rmdir": errno.ENOENT,
    "move_from": errno.ENOENT,
}  # what a change says that was made by an earlier request


def _without(folder: dict[str, int], name: str) -> dict[str, int]:
    return {other: node for other, node in folder.items() if other != name}


def _is_private(process: Process, stalls: bool) -> bool:
    """Whether the next step is on names that belong to one process, or on none."""
    if not process.alive or process.step is None:
        return False
    what, *words = process.step
    if what in ("make", "touch", "names", "unlink", "rmdir"):
        return "/." in words[0] or words[0].startswith("damaged/")
    return what == "leave" or (stalls and what in ("compute", "gone"))


def _check(before: World, after: World, who: str) -> None:
    """Raise Violation if the step from one world to the other breaks a rule."""
    node = after.at(PLACE)
    if before.first is not None and node != before.first:
        raise Violation("a valid cell is lost")
    if node is not None and after.first is None:
        content = after.nodes[node]
        shown = {name: after.nodes[inner] for name, inner in content.items()} if isinstance(content, dict) else {}
        if shown == GOOD:
            after.first = node
        elif "good" in shown.values():
            raise Violation("a torn cell is visible")
    elif node is not None and not after.is_good(node):
        raise Violation("a valid cell is altered")
    leases_before, leases_after = (
        {} if world.at(f"leases/{CELL}") is None else world.nodes[world.at(f"leases/{CELL}")]
        for world in (before, after)
    )
    for name in set(leases_before) - set(leases_after):
        if name[0] != who and before.processes[who].judged != name:
            raise Violation("a lease is taken whose owner was not judged")


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
    _finishes: set = field(default_factory=set)

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
                self._check_finish(world, key[0])
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
        count = self.code.beat(disk, CELL, process.token, process.beats)
        after = disk.world.copy()
        after.lost = world.lost
        after.change(name, step=process.step, beats=self.beats if count is None else count)
        return after

    def _check_finish(self, world: World, files) -> None:
        """A new worker that runs alone makes the cell, whatever the others left."""
        if files in self._finishes:
            return
        alone = world.copy()
        alone.processes, alone.old = {"Z": Process(None, None)}, {}
        disk = Immediate(Server(stalls=True), alone, "Z")
        for _ in range(3):
            worker(1, self.code)(disk)
            if disk.world.is_good(disk.world.at(PLACE)):
                self._finishes.add(files)
                return
        raise Violation("the cell cannot be made any more")

    @staticmethod
    def _path(came, key):
        steps = []
        while came[key][0] is not None:
            key, label = came[key]
            steps.append(label)
        return steps[::-1]
