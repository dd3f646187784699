"""Locks that end with their process, so that a killed process locks nothing."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

# A link in the place of a lock could lead to any file or device; opening a pipe would block.
UNFOLLOWED = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


@contextmanager
def held(path: Path) -> Iterator[bool]:
    """Yield whether this process got the lock file `path`; it is released and removed when the block ends.

    It is False at once if this or another process holds the lock. OSError where the folder cannot be written.
    """
    while True:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | UNFOLLOWED, 0o644)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(handle)
            yield False
            return
        except BaseException:
            os.close(handle)
            raise
        if _is_at(handle, path):
            break
        os.close(handle)  # its holder removed the file between the two calls above, so that this lock is void
    try:
        yield True
    finally:
        path.unlink(missing_ok=True)
        os.close(handle)


def _is_at(handle: int, path: Path) -> bool:
    try:
        there = os.stat(path)
    except FileNotFoundError:
        return False
    return os.path.samestat(os.fstat(handle), there)
