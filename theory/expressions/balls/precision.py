"""The working precisions of Arb and of mpmath, each global to the process and changed by one thread at a time.

SymPy changes the precision of mpmath when it evaluates numbers, even to determine their signs. Therefore evaluations
and derivations run inside `decimals()`; otherwise one thread could change the precision of another permanently.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from threading import RLock
from typing import Any

_ALONE = RLock()


@contextmanager
def precision(bits: int | None = None, digits: int | None = None) -> Iterator[None]:
    """Run a block at a working precision of Arb, by default the current one, and restore it afterwards.

    The block may change the precision. Blocks of one thread nest; another thread waits for the outermost block to end,
    because two threads would overwrite each other's precision.

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
    """Run a block at a working precision of mpmath, by default the current one, and restore it, as `precision` for Arb.

    Both share one lock: blocks of one thread nest, another thread waits. `decimals()` also works as a decorator.

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
    """Run a block of one thread with the precision of `context` set to so many bits or digits."""
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
    """Give a forked process a new lock: the thread that held the old one may not exist in it."""
    global _ALONE
    _ALONE = RLock()


os.register_at_fork(after_in_child=_renew)
