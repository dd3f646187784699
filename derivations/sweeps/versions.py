"""The versions of the code that a store has cells of: how they are known, and which of them a look shows.

The id of a cell contains the version, so that whoever knows a version finds its cells by their names. Every run notes
its own version beside the records of sweeps, one file each. A version that nobody noted is found in the cells that name
it: in all of a small store, in a sample of a large one, which is random because ids are hashes.
"""

import heapq
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from derivations.atomic import write_text
from derivations.seals import digest
from derivations.sweeps import cells
from sim.training.backends.names import preferred
from theory.problem import InputError
from theory.problem.user_files import read_text

if TYPE_CHECKING:
    from derivations.sweeps.store import Rooms, Store

SAMPLE = 1000  # cells of other sweeps that are asked for their version
NAME = re.compile(r"[0-9a-f]{64}")
_LARGEST, _DIGITS = 4096, 16
_ENDING = ".code"

Ids = Mapping[tuple[int, ...], str]  # of the cells of a sweep, by their index


@dataclass
class Memory:
    """The cells of a store that one process has read: they do not change, so that each is read once.

    `metas` are verified, `numbers` those that an adaptive sweep goes on by, `claims` the versions that cells name;
    `stays` once cells of this machine's version were in work, which a look then shows to the end.
    """

    metas: dict[str, dict[str, Any]] = field(default_factory=dict)
    numbers: dict[str, tuple[float, ...]] = field(default_factory=dict)
    claims: dict[str, str] = field(default_factory=dict)
    stays: bool = False


@dataclass(frozen=True)
class Found:
    """The cells of a sweep by version of the code: their ids, and of these the ones that are there, unverified.

    `nameless` are the ids of cells, of this sweep or another, whose meta.json cannot say what they answer.
    """

    ids: Mapping[str, Ids]
    there: Mapping[str, Ids]
    nameless: tuple[str, ...] = ()


def note(store: "Store", code: str) -> None:
    """Note a version that makes cells in the store. Raises OSError."""
    place = store.folder / "sweeps" / f"{digest(code)[:_DIGITS]}{_ENDING}"
    if not place.exists():
        write_text(place, code)


def noted(store: "Store") -> set[str]:
    """Return the versions that have made cells in the store, as far as they were noted; spoiled notes are no notes."""
    codes = set()
    for file in (store.folder / "sweeps").glob(f"*{_ENDING}"):
        try:
            code = read_text(file, _LARGEST)
        except (OSError, InputError):
            continue
        if file.stem == digest(code)[:_DIGITS]:
            codes.add(code)
    return codes


def known(store: "Store", others: Iterable[str], memory: Memory) -> tuple[set[str], list[str]]:
    """Return the versions that are noted or named by cells, and which of these name none; `others` may be asked."""
    nameless = []
    for name in heapq.nsmallest(SAMPLE, filter(NAME.fullmatch, others)):
        if name not in memory.claims:
            claim = cells.claimed(store.place(name))
            if claim is None:
                nameless += [name] if store.is_there(name) else []
                continue
            memory.claims[name] = claim[1]
    return noted(store) | set(memory.claims.values()), nameless


def found(
    store: "Store",
    asked: Mapping[tuple[int, ...], cells.Question],
    first: Collection[str],
    names: frozenset[str],
    memory: Memory | None = None,
) -> Found:
    """Return the cells that answer the questions; `names` are those in the folder of the cells.

    Where all of one version in `first` are there, nothing else is looked for and nothing is read.
    """

    ids = {code: ids_of(asked, code) for code in first}
    seen = {code: there(store, of_code, names) for code, of_code in ids.items()}
    if all(len(seen[code]) < len(asked) for code in first):
        others = names.difference(*(of_code.values() for of_code in ids.values()))
        codes, nameless = known(store, others, memory or Memory())
        ids |= {code: ids_of(asked, code) for code in sorted(codes.difference(ids))}
        seen |= {code: there(store, ids[code], names) for code in ids if code not in seen}
        own = {name for of_code in ids.values() for name in of_code.values()}
        nameless = [name for name in nameless if name not in own]
    else:
        nameless = []
    return Found(ids, {code: some for code, some in seen.items() if some}, tuple(nameless))


def ids_of(asked: Mapping[tuple[int, ...], cells.Question], code: str) -> Ids:
    """Return the ids of the cells that a version makes of the questions."""
    return {index: question.cell(code) for index, question in asked.items()}


def there(store: "Store", ids: Ids, names: frozenset[str]) -> Ids:
    """Return those of the ids that are there, of the `names` in the folder of the cells."""
    return {index: name for index, name in ids.items() if name in names and store.is_there(name)}


def kind_of(code: str) -> str:
    """Return the kind of device on which a version makes cells: "cuda" or "cpu".

    >>> kind_of("0.1.0+0123456789abcdef+captured+torch-2.9.0+cu128")
    'cuda'
    """
    return "cuda" if f"+{preferred('cuda')}+" in code else "cpu"


def to_show(store: "Store", rooms: "Rooms", ids: Mapping[str, Collection[str]], here: str, memory: Memory) -> str:
    """Return the version that a look shows, of those in `ids`; `here` is this machine's.

    It is this machine's while that makes cells, and where no version has begun; else the one with most cells that are
    there or in work.
    """
    if memory.stays:
        return here
    begun = {}
    for code, names in ids.items():
        working = {name for name in rooms.leases.intersection(names) if store.maker(name) is not None}
        if working and code == here:
            memory.stays = True
            return here
        begun[code] = len(working | rooms.cells.intersection(names))
    most = max(begun, key=lambda code: (begun[code], code == here, code), default=here)
    return most if begun.get(most) else here


def words(code: str, here: str) -> list[str]:
    """Return a sentence on the version that a look shows; none where it is this machine's."""
    if code == here:
        return []
    return [
        f"These are the cells of another version of the code, {code}; a run on this machine would make those of {here}."
    ]
