"""Tasks on several threads: torch, BLAS and the compiled loops release Python's global lock while they compute."""

from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from threading import Event
from typing import TypeVar

Task, Result = TypeVar("Task"), TypeVar("Result")


class StoppedError(Exception):
    """Raised inside a task to stop it when its result is no longer needed."""


def in_threads(work: Callable[[Task, Callable[[], None]], Result], tasks: Sequence[Task], threads: int) -> list[Result]:
    """Return work(task, check) of every task, in order, on at most `threads` threads (1: the caller's thread).

    A long task calls `check`, which stops the task if another one has failed or the caller was interrupted.

    >>> in_threads(lambda task, check: task**2, [1, 2, 3], 2)
    [1, 4, 9]
    """
    if min(threads, len(tasks)) <= 1:
        return [work(task, lambda: None) for task in tasks]
    over = Event()

    def check() -> None:
        if over.is_set():
            raise StoppedError

    with ThreadPoolExecutor(min(threads, len(tasks))) as pool:
        try:
            futures = [pool.submit(work, task, check) for task in tasks]
            done, _ = wait(futures, return_when=FIRST_EXCEPTION)
            return [future.result() for future in futures if future in done]
        finally:
            over.set()
            pool.shutdown(cancel_futures=True)
