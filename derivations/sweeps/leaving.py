"""The signal by which a scheduler tells a sweep to leave: cells in work become checkpoints, and no other is begun."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

LEAVE = signal.SIGUSR2  # SIGTERM ends a command at once, as Ctrl-C does


@dataclass
class Notice:
    """Whether this process was told to leave.

    Where `saves`, its workers take SIGTERM as the announcement of their end: they write a checkpoint and go on, because
    SLURM requeues a job that it preempts only if that job still runs when its time is over. This process blocks SIGTERM
    then, so that the processes that it starts are not ended by it before they have their handlers.
    """

    caught: bool = False
    saves: bool = False


@contextmanager
def heeding(saves: bool = False) -> Iterator[Notice]:
    """Yield a notice by which LEAVE is caught in the block; Python gives signals to its main thread alone.

    >>> with heeding() as notice:
    ...     signal.raise_signal(LEAVE)
    >>> notice.caught
    True
    """
    notice = Notice(saves=saves)
    if threading.current_thread() is not threading.main_thread():
        yield notice
        return

    def catch(_number: int, _frame: object) -> None:
        notice.caught = True

    before = signal.signal(LEAVE, catch)
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM} if saves else ())
    try:
        yield notice
    finally:
        signal.signal(LEAVE, before)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)


@dataclass
class Orders:
    """The orders that a worker has received by signals: to save the cell in work, and to leave it."""

    save: bool = False
    leave: bool = False

    def obey(self, saves: bool) -> None:
        """Receive LEAVE, and where it `saves` also SIGTERM, from now on."""

        def leave(_number: int, _frame: object) -> None:
            self.leave = True

        def save(_number: int, _frame: object) -> None:
            self.save = True

        signal.signal(LEAVE, leave)
        if saves:
            signal.signal(signal.SIGTERM, save)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {LEAVE, signal.SIGTERM})
