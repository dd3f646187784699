"""The working precision of Arb: one number for the whole process, so that one thread at a time may change it."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from threading import RLock

_ALONE = RLock()


@contextmanager
def precision(bits: int | None = None, digits: int | None = None) -> Iterator[None]:
    """A block at a working precision, or at that of now, which the block may change; put back after it.

    Blocks of one thread nest; another thread waits for the outermost to end. Without that the precision of one thread
    would become that of the other, and the one put back last would stay.

    >>> from flint import ctx
    >>> before = ctx.prec
    >>> with precision(200):
    ...     ctx.prec
    200
    >>> ctx.prec == before
    True
    """
    from flint import ctx

    with _ALONE:
        before = ctx.prec
        try:
            if bits is not None:
                ctx.prec = bits
            elif digits is not None:
                ctx.dps = digits
            yield
        finally:
            ctx.prec = before


def _renew() -> None:
    """A process that was forked while a thread held the lock has no such thread: it gets its own lock."""
    global _ALONE
    _ALONE = RLock()


os.register_at_fork(after_in_child=_renew)
