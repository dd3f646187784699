"""A simulated file server: its files, what the caches of machines hold of them, and every outcome of a step."""

import errno
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

CELL = "X"
PLACE, FAILURE = f"cells/{CELL}", f"failures/{CELL}"
ROOMS = ("attempts", "cells", "damaged", "failures", "leases")
GOOD, BAD = {"data": "good", "meta": "good"}, {"data": "bad", "meta": "bad"}


class Violation(AssertionError):
    """A rule of the store is broken; `args` has the rule and the steps that lead there."""


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
        for room in ("attempts", "leases", "damaged", "failures"):
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
    fails: bool = False  # the computing of a cell may fail

    def outcomes(self, world: World, who: str) -> Iterator[Outcome]:
        """Every outcome of the next step of a process."""
        what, *words = world.processes[who].step
        change = getattr(self, f"_{what}", None)
        if change is None:
            yield from getattr(self, f"see_{what}")(world, who, *words)
            return
        for after, answer in change(world, who, *words):
            if not isinstance(answer, OSError):
                check(world, after, who)
                if world.lost and what in LOST:
                    yield replace(after, lost=world.lost - 1), OSError(LOST[what], "the reply was lost")
            yield after, answer

    # Looks.
    def _look(self, world, who, folder, name=""):
        """The views of a folder that a process may have as it looks up `name`; one process only uses hidden names."""
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
        return self.see_is_good(world, who, PLACE)

    def see_is_good(self, world, who, place):
        for found, node in self._find(world, who, place):
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
        if self.fails:
            yield world, OSError(errno.EIO, "")

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


def check(before: World, after: World, who: str) -> None:
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
    if before.at(FAILURE) is not None and after.at(FAILURE) is None and after.first is None:
        raise Violation("a failure is forgotten and no cell is there")
    leases_before, leases_after = (
        {} if world.at(f"leases/{CELL}") is None else world.nodes[world.at(f"leases/{CELL}")]
        for world in (before, after)
    )
    for name in set(leases_before) - set(leases_after):
        if name[0] != who and before.processes[who].judged != name:
            raise Violation("a lease is taken whose owner was not judged")
