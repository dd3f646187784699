"""Signals by which a scheduler asks a process to write the checkpoint of its cell, or also to leave the cell."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from theory.problem import WorkbenchError

SIGNALS = (signal.SIGTERM, signal.SIGUSR2)


class LeftError(WorkbenchError):
    """The computation of a cell was left on request; its checkpoint has what was done."""

    exit_code = 3
    default_kind = "left"


@dataclass(eq=False)
class Orders:
    """The requests that a process has received: to save the cell in work, and to leave it.

    Where the process `stays`, SIGTERM asks for a checkpoint alone: SLURM announces by it that another job is
    preferred, and requeues only a job that still runs at its end.
    """

    save: bool = False
    leave: bool = False
    stays: bool = False

    def receive(self, number: int, _frame: object = None) -> None:
        """Take note of one of the SIGNALS; this is their handler."""
        self.save = True
        self.leave = self.leave or not (self.stays and number == signal.SIGTERM)


@contextmanager
def heeding(stays: bool = False) -> Iterator[Orders]:
    """Yield orders that the SIGNALS give in the block. Python gives signals to its main thread: elsewhere none come.

    >>> with heeding() as orders:
    ...     signal.raise_signal(signal.SIGUSR2)
    >>> orders.leave
    True
    """
    orders = Orders(stays=stays)
    if threading.current_thread() is not threading.main_thread():
        yield orders
        return
    before = {number: signal.signal(number, orders.receive) for number in SIGNALS}
    try:
        yield orders
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
