"""The compiled back end on the CPU: the same networks on the same random numbers, by numba (extra `speed`)."""

from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import RLock

from numba import njit


def cache_folder() -> Path | None:
    """Return the folder in which numba keeps what it compiles of this folder; None where it can write to none.

    It is that of NUMBA_CACHE_DIR, else `__pycache__` beside the source, else, as where packages are installed for
    reading only, one of the user. Without any, every process compiles for itself.
    """
    try:
        return Path(njit(cache=True)(cache_folder).stats.cache_path)
    except RuntimeError:  # so numba reports that there is no folder
        return None


def forget_stale(sources: Path, cache: Path) -> None:
    """Remove from the cache what numba compiled before any of the sources last changed.

    numba looks at the file of a function alone: one that calls a function of another file would be taken as it was.
    """
    changed = max(source.stat().st_mtime for source in sources.glob("*.py"))
    for compiled in cache.glob("*.nb[ic]"):
        try:
            if compiled.stat().st_mtime < changed:
                compiled.unlink()
        except OSError:  # another process was faster, or the folder is not ours to write: then numba keeps none there
            continue


_BEGINNING, _BEGUN = RLock(), set()


@contextmanager
def one_at_first(kind: Hashable) -> Iterator[None]:
    """Let one thread after another through until one of them has called the loops of this kind.

    numba would compile them, or read them from its cache, for each thread that calls them before.
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
