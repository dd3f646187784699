"""The compiled back end on the CPU: the same networks and random numbers in numba's loops (extra `speed`)."""

from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import RLock

from numba import njit


def cache_folder() -> Path | None:
    """Return the folder in which numba caches the compiled loops of this package; None where no folder is writable.

    It is NUMBA_CACHE_DIR, else `__pycache__` beside the source, else a folder of the user, for packages that are
    installed read-only. Without any of them, every process compiles the loops again.
    """
    try:
        return Path(njit(cache=True)(cache_folder).stats.cache_path)
    except RuntimeError:  # numba's error where no folder is writable
        return None


def forget_stale(sources: Path, cache: Path) -> None:
    """Remove from numba's cache all loops compiled before the last change of any of the sources.

    numba compares a loop with its own file only: a loop that calls functions of another file could be out of date.
    """
    changed = max(source.stat().st_mtime for source in sources.glob("*.py"))
    for compiled in cache.glob("*.nb[ic]"):
        try:
            if compiled.stat().st_mtime < changed:
                compiled.unlink()
        except OSError:  # another process has removed it, or the folder is read-only and numba does not use it
            continue


_BEGINNING, _BEGUN = RLock(), set()


@contextmanager
def one_at_first(kind: Hashable) -> Iterator[None]:
    """Admit one thread at a time until one of them has called the loops of this kind.

    Otherwise numba would compile them, or read them from its cache, once for each thread that calls them early.
    """
    if kind in _BEGUN:
        yield
        return
    with _BEGINNING:
        yield
    _BEGUN.add(kind)


CACHE = cache_folder()
if CACHE is not None:
    forget_stale(Path(__file__).parent, CACHE)
