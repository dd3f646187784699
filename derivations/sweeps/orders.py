"""What a scheduler tells a process by signals: to write the checkpoint of its cell, or also to leave the cell."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from theory.problem import WorkbenchError

SIGNALS = (signal.SIGTERM, signal.SIGUSR2)


class LeftError(WorkbenchError):
    """The computation of a cell was told to leave; what is done of it is a checkpoint."""

    exit_code = 3
    default_kind = "left"


@dataclass
class Orders:
    """The orders that this process has received: to save the cell in work, and to leave it."""

    save: bool = False
    leave: bool = False


@contextmanager
def heeding(stays: bool = False) -> Iterator[Orders]:
    """Yield orders that the SIGNALS give in the block: to leave; where it `stays`, SIGTERM is the order to save alone.

    SLURM announces by SIGTERM that it prefers another job, and requeues only a job that still runs at its end. Python
    gives signals to its main thread alone: elsewhere no orders come.

    >>> with heeding() as orders:
    ...     signal.raise_signal(signal.SIGUSR2)
    >>> orders.leave
    True
    """
    orders = Orders()
    if threading.current_thread() is not threading.main_thread():
        yield orders
        return
    before = {number: signal.signal(number, receiver(orders, stays)) for number in SIGNALS}
    try:
        yield orders
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def receiver(orders: Orders, stays: bool):
    """Return the handler of SIGNALS that writes down the orders."""

    def receive(number: int, _frame: object) -> None:
        orders.save = True
        orders.leave = orders.leave or not (stays and number == signal.SIGTERM)

    return receive
