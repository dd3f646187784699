"""Leases: many workers on many machines fill one store, and no lock of a kernel is needed.

A cell is computed by the worker that holds its lease. Leases save work and guard nothing: a worker that was wrongly
judged dead may come back at any step, and still no valid cell is lost or altered. That rests on names alone.

    leases/<cell>/<token>.<count>   the lease of an attempt; its heartbeat is a rename to the next count, behind which
                                    the share done may stand in percent: <token>.<count>-<percent>
    leases/.<token>/                a lease that is not claimed yet
    attempts/<cell>.<token>/        a cell that is being written
    attempts/.<token>/              what is being removed
    cells/<cell>/                   a cell
    failures/<cell>                 why the cell could not be made when it was last tried
    failures/.<token>               such a record that is being written

1. Claim: a folder with the lease in it is made aside and renamed to `leases/<cell>`. A folder replaces nothing but an
   empty folder, so that one claim wins, and a lease is never seen without its owner.
2. Heartbeat and eviction both change the one name of the lease: a rename by the owner, an unlink by another. The
   server lets one of them succeed. So an eviction fails if the owner has shown any life since it was judged, and of
   several evictors one wins; there is nothing to verify afterwards and nothing to give back. An owner is judged by one
   name that stayed for PATIENCE seconds of the observer's own clock, or by the kernel that both share. Clocks of two
   machines and times of files are never compared. An old cache makes an observer wait longer, not judge wrongly.
3. Release: an owner unlinks its own name and removes the folder if it is empty, which it is not if another claimed it.
4. Is the cell there? A worker with the lease asks by making the folder of the cell: the server answers, not a cache. An
   empty folder in the place of a cell counts as absence.
5. Publication: the cell is written below the attempt's own name, synced and verified, then renamed to its place. The
   rename fails if a cell is there. Whoever evicted an attempt first renames its folder and then empties it: its owner
   can finish or finds nothing, and nothing torn gets the name of a cell. So whatever goes wrong while an owner writes,
   it first looks whether the folder still has its name: if not, it was evicted, and nothing is said of the cell.
6. A failure is noted by a file that is renamed to its place; it replaces the last one. Only who has published the cell
   removes it. It may be noted late, beside a cell that another made meanwhile: then it says nothing, because whoever
   reads it looks for the cell first. A worker that is killed notes nothing; its lease ends.
7. A damaged cell is emptied through a handle of its folder, opened before it was judged, and not by its name, which may
   belong to a valid cell by now. What is no folder is renamed onto a file, which fails for a folder.

A reply that a network loses makes a change look failed; therefore a worker whose change failed looks at the result.
tests/derivations/sweeps/test_protocol.py searches all interleavings of these functions for two workers, beside an
evictor too, and for three, of which one crashes.
Why not filelock: its lease (4.2.11) replaces a stale marker by an exchange of names, which NFS refuses, so that the
lease of a dead machine would stay for ever; and it may take the lease of a living process of another container.
"""

import errno
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Event, Thread
from typing import TypeVar

from derivations.sweeps.disk import Disk
from derivations.sweeps.owners import Watch, is_token

MADE, THERE, BUSY = "made", "there", "busy"
# What a rename says where something else has the name, or where its source has gone.
_LOST = {errno.EEXIST, errno.ENOTEMPTY, errno.ENOENT, errno.ENOTDIR, errno.EISDIR}
_Content = TypeVar("_Content")


def attempt(
    disk: Disk,
    cell: str,
    tokens: Callable[[], str],
    watch: Watch,
    is_valid: Callable[[], bool],
    compute: Callable[[], _Content],
    write: Callable[[str, _Content], None],
    share: Callable[[], float | None] = lambda: None,
) -> str:
    """Try once to make the cell; return MADE, THERE (it is valid already) or BUSY (ask again later).

    `is_valid` judges what is in the cell's place, `write` writes into the folder that it is given and syncs it,
    `tokens` gives names that nothing else has, and `share` the share of `compute` that is done, for the heartbeat.
    Raises what these raise, and OSError; nothing of the attempt is left.
    """
    if is_valid():
        return THERE
    token = tokens()
    if not claim(disk, cell, token, tokens, watch):
        return BUSY
    try:
        with beating(disk, cell, token, watch.beat, share):
            while is_taken(disk, cell):
                if is_valid():
                    return THERE
                set_aside(disk, cell, f"damaged/{cell}.{tokens()}", is_valid)
            content = compute()
            if publish(disk, cell, token, tokens, lambda place: write(place, content)):
                forget_failure(disk, cell)
                return MADE
            return THERE if is_valid() else BUSY
    finally:
        release(disk, cell, token)


def claim(disk: Disk, cell: str, token: str, tokens: Callable[[], str], watch: Watch) -> bool:
    """Whether the attempt `token` got the lease of the cell; a stale one is evicted first."""
    place, mine = f"leases/{cell}", f"leases/.{token}"
    if not evict(disk, cell, tokens, watch):
        return False
    try:
        # Only an earlier request for the same change, whose reply was lost, can have made these names.
        with suppress(FileExistsError):
            disk.make(mine)
        with suppress(FileExistsError):
            disk.touch(f"{mine}/{token}.0")
        disk.move(mine, place)
    except OSError as error:
        if f"{token}.0" in disk.names(place):
            return True
        _empty(disk, mine)
        if error.errno not in _LOST:
            raise
        return False
    return True


def holder(disk: Disk, cell: str) -> str | None:
    """Return the name of the lease of the cell, which begins with the token; None where nobody holds it."""
    return next((name for name in disk.names(f"leases/{cell}") if is_token(name.rpartition(".")[0])), None)


def is_claim(disk: Disk, name: str) -> bool:
    """Whether what has the name in leases/ is a folder with nothing but leases in it."""
    handle = disk.enter(f"leases/{name}")
    if handle is None:
        return False
    try:
        return all(is_token(inner.rpartition(".")[0]) for inner in disk.names_in(handle))
    finally:
        disk.leave(handle)


def evict(disk: Disk, cell: str, tokens: Callable[[], str], watch: Watch) -> bool:
    """Whether the cell is free of leases: none was seen, or its owner was judged gone and its lease removed."""
    for name in disk.names(f"leases/{cell}"):
        token = name.rpartition(".")[0]
        if not is_token(token) or not watch.gone(cell, token, name):
            return False
        try:
            disk.unlink(f"leases/{cell}/{name}")
        except FileNotFoundError:  # it is alive, or another has evicted it: the next look tells
            return False
        discard(disk, f"attempts/{cell}.{token}", tokens())
        remove_empty(disk, f"cells/{cell}")  # it may have died while it asked whether the cell is there
    return True


def share_of(name: str) -> float | None:
    """Return the share done that the name of a lease carries, from 0 to 1; None where it carries none.

    >>> share_of("token.3-42"), share_of("token.3")
    (0.42, None)
    """
    percent = name.rpartition(".")[2].partition("-")[2]
    return min(int(percent), 100) / 100 if percent.isdecimal() else None


def beat(disk: Disk, cell: str, name: str, share: float | None = None) -> str | None:
    """Show that the owner lives, and the share done; return the new name of its lease, None where it was evicted."""
    place, (token, _, state) = f"leases/{cell}", name.rpartition(".")
    new = f"{token}.{int(state.partition('-')[0]) + 1}" + ("" if share is None else f"-{int(100 * share)}")
    try:
        disk.move(f"{place}/{name}", f"{place}/{new}")
    except FileNotFoundError:
        # The reply to this change or to an earlier one, with another share, was lost; or it was evicted.
        return next((own for own in disk.names(place) if own.rpartition(".")[0] == token), None)
    return new


@contextmanager
def beating(disk: Disk, cell: str, token: str, every: float, share: Callable[[], float | None]) -> Iterator[None]:
    """Show in the block, `every` so many seconds, that the owner lives, until the lease is lost."""
    done = Event()

    def beats() -> None:
        name = f"{token}.0"
        while not done.wait(every):
            try:
                new = beat(disk, cell, name, share())
            except OSError:  # the network may come back before the lease is stale
                continue
            if new is None:
                return
            name = new

    heart = Thread(target=beats, daemon=True)
    heart.start()
    try:
        yield
    finally:
        done.set()
        heart.join()


def release(disk: Disk, cell: str, token: str) -> None:
    """Give the lease back, if it is still there."""
    place = f"leases/{cell}"
    for name in disk.names(place):
        if name.rpartition(".")[0] == token:
            with suppress(FileNotFoundError):
                disk.unlink(f"{place}/{name}")
    remove_empty(disk, place)


def is_taken(disk: Disk, cell: str) -> bool:
    """Whether anything is in the place of the cell, as the server says."""
    try:
        disk.make(f"cells/{cell}")
    except FileExistsError:
        return True
    remove_empty(disk, f"cells/{cell}")
    return False


def publish(disk: Disk, cell: str, token: str, tokens: Callable[[], str], write: Callable[[str], None]) -> bool:
    """Whether what `write` writes into a folder became the cell; False where that folder or the place is lost."""
    place = f"attempts/{cell}.{token}"
    with suppress(FileExistsError):
        disk.make(place)
    try:
        write(place)
        disk.sync(place)
        disk.move(place, f"cells/{cell}")
        disk.sync("cells")
    except BaseException as error:
        was_there = discard(disk, place, tokens())
        # Files that another has removed are missed in many ways: by their names, by a checksum, by a stale handle.
        evicted = isinstance(error, Exception) and not was_there
        if evicted or (isinstance(error, OSError) and error.errno in _LOST):
            return False
        raise
    return True


def note_failure(disk: Disk, cell: str, token: str, write: Callable[[str], None]) -> None:
    """Keep what `write` writes into a new file as the record of the last failure at the cell. Raises OSError."""
    aside = f"failures/.{token}"
    try:
        write(aside)
        disk.move(aside, f"failures/{cell}")
    except BaseException:
        with suppress(OSError):
            disk.unlink(aside)
        raise


def forget_failure(disk: Disk, cell: str) -> None:
    """Remove the record of a failure at a cell that is there, if the disk allows it: it says nothing any more."""
    with suppress(OSError):
        disk.unlink(f"failures/{cell}")


def discard(disk: Disk, place: str, token: str) -> bool:
    """Remove the folder of an attempt, and return whether it was there: it is renamed before it is emptied."""
    try:
        disk.move(place, f"attempts/.{token}")
    except FileNotFoundError:
        if f".{token}" not in disk.names("attempts"):  # else the reply was lost
            return False
    _empty(disk, f"attempts/.{token}")
    return True


def set_aside(disk: Disk, cell: str, aside: str, is_valid: Callable[[], bool]) -> bool:
    """Whether what is no valid cell was moved from the cell's place to `aside`/cell; `aside` is a new name."""
    handle = disk.enter(f"cells/{cell}")
    try:
        if is_valid():
            return False
        if handle is not None and not disk.names_in(handle):
            remove_empty(disk, f"cells/{cell}")
            return False
        with suppress(FileExistsError):
            disk.make(aside)
        moved = _move_file(disk, cell, aside) if handle is None else _move_content(disk, handle, cell, aside)
    finally:
        if handle is not None:
            disk.leave(handle)
    if not moved:
        remove_empty(disk, aside)
    return moved


def _move_file(disk: Disk, cell: str, aside: str) -> bool:
    with suppress(FileExistsError):
        disk.touch(f"{aside}/cell")
    try:
        disk.move(f"cells/{cell}", f"{aside}/cell")
    except (FileNotFoundError, NotADirectoryError):  # it has gone, or is a folder by now
        with suppress(FileNotFoundError):
            disk.unlink(f"{aside}/cell")
        return False
    return True


def _move_content(disk: Disk, handle: int, cell: str, aside: str) -> bool:
    with suppress(FileExistsError):
        disk.make(f"{aside}/cell")
    moved = False
    for name in disk.names_in(handle):
        with suppress(FileNotFoundError):  # another worker has moved it
            disk.move_from(handle, name, f"{aside}/cell/{name}")
            moved = True
    if not moved:
        remove_empty(disk, f"{aside}/cell")
    remove_empty(disk, f"cells/{cell}")
    return moved


def _empty(disk: Disk, place: str) -> None:
    """Remove a folder of files under a name that no other process writes to."""
    for name in disk.names(place):
        with suppress(FileNotFoundError):
            disk.unlink(f"{place}/{name}")
    remove_empty(disk, place)


def remove_empty(disk: Disk, place: str) -> None:
    """Remove a folder if it is there and empty."""
    with suppress(FileNotFoundError, NotADirectoryError):
        try:
            disk.rmdir(place)
        except OSError as error:
            if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
                raise
