"""Long work that a page starts, follows and stops: trained networks, phase maps, formulas.

A job runs in a thread. It publishes results as they come; each raises the version, for which a page waits. A result
takes the place of the one before it, or is one more: a page that has seen some of them gets the others alone. A page
that is closed stops its jobs.
"""

from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace
from itertools import count
from threading import Condition, Event, Thread
from typing import Any

from derivations.processes import Process
from theory.problem import InputError, WorkbenchError

KEPT = 32  # jobs that have ended, with their results
_TURN = 0.05  # seconds between two looks at a process


class StoppedError(Exception):
    """Somebody has stopped the job."""


@dataclass(frozen=True)
class State:
    """The part of a job that a page sees: `results` are those that it has not seen, `value` stays with the server."""

    version: int
    share: float
    running: bool
    results: tuple[Any, ...]
    error: WorkbenchError | None
    value: Any


class Job:
    """Work in a thread of its own; `work(job)` publishes what it finds."""

    def __init__(self, work: Callable[["Job"], None]) -> None:
        self._state = State(0, 0.0, True, (), None, None)
        self._results: list[tuple[int, Any]] = []  # each with the version at which it came
        self._changed, self._stop = Condition(), Event()
        self._share = 0.0
        self._finished = False
        self._thread = Thread(target=self._run, args=(work,), daemon=True)
        self._thread.start()

    @property
    def stopping(self) -> bool:
        """Whether somebody has stopped the job."""
        return self._stop.is_set()

    @property
    def finished(self) -> bool:
        """Whether the work is done: neither running, nor stopped, nor refused."""
        return self._finished

    def advance(self, share: float) -> None:
        """Take note of the share of the work that is done; raises StoppedError where the job must end."""
        if self.stopping:
            raise StoppedError
        self._share = share

    def publish(self, result: Any, value: Any = None) -> None:
        """Show a result in the place of those before; raises StoppedError where the job must end."""
        self.advance(self._share)
        with self._changed:
            self._results = [(self._state.version + 1, result)]
            self._show(value=value)

    def add(self, result: Any, value: Any = None) -> None:
        """Show a result beside those before; raises StoppedError where the job must end."""
        self.advance(self._share)
        with self._changed:
            self._results.append((self._state.version + 1, result))
            self._show(value=value)

    def stop(self) -> None:
        """End the job at the next result that it publishes; returns at once."""
        self._stop.set()

    def join(self) -> None:
        """Return when the job has ended."""
        self._thread.join()

    def state(self, after: int = -1, seconds: float = 0.0) -> State:
        """Return the state once its version exceeds `after`, and in any case after `seconds`.

        Its results are those that came after the version `after`.
        """
        with self._changed:
            self._changed.wait_for(lambda: self._state.version > after or not self._state.running, seconds)
            news = tuple(result for version, result in self._results if version > after)
            return replace(self._state, share=self._share, results=news)

    def _run(self, work: Callable[["Job"], None]) -> None:
        error = None
        try:
            work(self)
            self._finished = True
        except StoppedError:
            pass
        except WorkbenchError as refused:
            error = refused
        except BaseException as fault:
            error = WorkbenchError(f"A fault of the explorer: {type(fault).__name__}: {fault}", "Please report it.")
            raise
        finally:
            self._show(running=False, error=error)

    def _show(self, **changed: Any) -> None:
        with self._changed:
            self._state = replace(self._state, **changed, share=self._share, version=self._state.version + 1)
            self._changed.notify_all()


class Jobs:
    """The jobs of a server by their number."""

    def __init__(self) -> None:
        self._jobs: dict[str, Job] = {}
        self._answered: dict[str, Hashable] = {}  # the question of a job, where its answer may be given again
        self._numbers = count(1)

    def start(self, work: Callable[[Job], None], question: Hashable = None) -> str:
        """Begin a job and return its number; of those that have ended, the last KEPT are kept.

        With a `question` the answer depends on nothing else: where a job has answered it, this job is returned.
        """
        if question is not None:
            for name, answered in list(self._answered.items()):
                if answered == question and self._jobs[name].finished:
                    self._jobs[name] = self._jobs.pop(name)  # the last one to be forgotten
                    return name
        ended = [name for name, job in self._jobs.items() if not job.state().running]
        for name in ended[: max(0, len(ended) - KEPT + 1)]:
            del self._jobs[name]
            self._answered.pop(name, None)
        name = str(next(self._numbers))
        self._jobs[name] = Job(work)
        if question is not None:
            self._answered[name] = question
        return name

    def get(self, name: str) -> Job:
        """The job of a number; InputError for one that is not there."""
        if name not in self._jobs:
            raise InputError(f"There is no job {name}.", "Start it again.", "job")
        return self._jobs[name]

    def stop_all(self) -> None:
        """End every job; returns when all have ended: a thread that the interpreter leaves inside torch aborts it."""
        for job in self._jobs.values():
            job.stop()
        for job in self._jobs.values():
            job.join()


JOBS = Jobs()


def in_a_process(job: Job, function: Callable[..., Any], *arguments: Any, modules: Sequence[str] = ()) -> Any:
    """Return function(*given), computed in a process of its own, which a stop of the job kills.

    Function and values must be picklable; `modules`, which the function needs, are loaded once for all processes.
    Raises the WorkbenchError that the function raises, and StoppedError.
    """
    process = Process(modules)
    try:
        answer = process.submit(function, *arguments)
        while not wait([answer], _TURN).done:
            if job.stopping:
                raise StoppedError
        return answer.result()
    except BrokenProcessPool:
        raise WorkbenchError("The process of this answer has ended without one.", "It may lack memory.") from None
    finally:
        process.kill()
