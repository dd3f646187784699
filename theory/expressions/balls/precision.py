"""The working precisions of Arb and of mpmath: one number each for the whole process, changed by one thread at a time.

SymPy changes that of mpmath, too, when it evaluates numbers, even to tell their signs. So what evaluates or derives is
a block of `decimals()`, without which the precision of one thread would become that of another and stay.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from threading import RLock
from typing import Any

_ALONE = RLock()


@contextmanager
def precision(bits: int | None = None, digits: int | None = None) -> Iterator[None]:
    """A block at a working precision of Arb, or at that of now, which the block may change; put back after it.

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

    with _at(ctx, bits, digits):
        yield


@contextmanager
def decimals(digits: int | None = None, bits: int | None = None) -> Iterator[None]:
    """A block at a working precision of mpmath, or at that of now; put back after it, as `precision` of Arb.

    Both share one lock: blocks of one thread nest, another thread waits. It is a decorator, too.

    >>> import mpmath
    >>> before = mpmath.mp.prec
    >>> with decimals(50):
    ...     mpmath.mp.dps
    50
    >>> mpmath.mp.prec == before
    True
    """
    from mpmath import mp

    with _at(mp, bits, digits):
        yield


@contextmanager
def _at(context: Any, bits: int | None, digits: int | None) -> Iterator[None]:
    """A block of one thread with a library's context of numbers at so many bits or digits."""
    with _ALONE:
        before = context.prec
        try:
            if bits is not None:
                context.prec = bits
            elif digits is not None:
                context.dps = digits
            yield
        finally:
            context.prec = before


def _renew() -> None:
    """A process that was forked while a thread held the lock has no such thread: it gets its own lock."""
    global _ALONE
    _ALONE = RLock()


os.register_at_fork(after_in_child=_renew)
