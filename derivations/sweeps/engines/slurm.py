"""The engine of SLURM: an array of jobs, each with a chunk of the cells, submitted by submitit.

A job that is about to end, because its time is over or another is preferred, receives SIGUSR2: its cells in work become
checkpoints, submitit requeues the job, and the cells continue from there. Preemption announces itself by SIGTERM in
most clusters: then checkpoints are written, and SLURM requeues the job itself.
"""

import io
import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import redirect_stderr
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import uuid4

from derivations.output import counted
from derivations.sweeps.computing import DONE, Answer, Task
from derivations.sweeps.engines.local import Local
from derivations.sweeps.engines.resources import Resources
from derivations.sweeps.store import Store
from theory.problem import InputError, OutOfReachError

_JOBS = 8  # by default, at most
_HOUR = 60  # minutes of a job by default
_NOTICE = 120  # seconds before the end of a job at which it is told to leave
_RETURNS = 10_000  # a job is requeued as long as it has cells to compute: each time it gets further
_LOOK = 2.0  # seconds between two looks at the store
_ELSEWHERE = "or run gdln sweep --worker STORE on every machine that is to help"
# Python without the signals of SLURM until it handles them: a job that they end while it loads is not requeued.
_PYTHON = """sh -c 'trap "" TERM USR2; exec "$0" "$@"' """ + shlex.quote(sys.executable)


@dataclass(frozen=True)
class Chunk:
    """The cells of one job. It is pickled, and called where the job runs."""

    tasks: tuple[Task, ...]
    folder: str
    workers: int

    def __call__(self) -> None:
        """Compute the cells that are missing, or leave them where the job is told to; then it is requeued."""
        engine = Local(self.workers, stays=True)
        for answer in engine.run(self.tasks, Store.open(self.folder), lambda *_: None):
            print(answer.task.cell, answer.what, answer.error or "", *answer.remarks, flush=True)
        if engine.left:
            signal.raise_signal(signal.SIGUSR2)  # to submitit, which requeues the job

    def checkpoint(self) -> Any:
        """Return the work of the job when it runs again: the same, since all else is in the store."""
        from submitit.helpers import DelayedSubmission

        return DelayedSubmission(self)


@dataclass
class Slurm:
    """Submits jobs that get the `resources`, with `workers` processes each; after a run, `job` is their number.

    What submitit writes lies beside the store, in a folder that nobody else can enter, because jobs unpickle it.
    """

    workers: int
    resources: Resources = field(default_factory=Resources)
    job: str | None = None

    def plan(self, cells: int) -> str:
        """Say which jobs would be submitted."""
        jobs, words = min(cells, self.resources.jobs or _JOBS), self._settings()
        each = f"each with at most {counted(-(-cells // max(jobs, 1)), 'cell')} and {counted(self.workers, 'worker')}"
        listed = ", ".join(f"{name} = {value}" for name, value in words.items() if name != "additional_parameters")
        return f"{counted(jobs, 'job')} of SLURM, {each}: {listed}"

    def check(self, folder: Path) -> None:
        """Raise InputError for a folder whose name SLURM would change, OutOfReachError without SLURM or submitit."""
        path = str(folder.absolute())
        if wrong := next((letter for letter in path if letter in "%\\" or not letter.isprintable()), None):
            message = f"The path of the store, {path!r}, has {wrong!r} in it, which SLURM does not take literally."
            raise InputError(message, "Name another folder with --out.", "file")
        programs = ("sbatch", "srun", "scontrol", *(["squeue"] if self.resources.wait else []))
        if absent := [program for program in programs if shutil.which(program) is None]:
            message = f"SLURM is not installed here: there is no program {absent[0]}."
            raise OutOfReachError(message, f"Submit from a machine of the cluster, {_ELSEWHERE}.", "engine")
        try:
            import submitit  # noqa: F401 - it is asked for, and used when jobs are submitted
        except ImportError:
            raise OutOfReachError(
                "Jobs of SLURM need submitit, which is not installed.",
                f"Install the extra: pip install 'gdln-workbench[cluster]', {_ELSEWHERE}.",
                "engine",
            ) from None

    def run(self, tasks: Iterable[Task], store: Store, _progress: Callable[[Task, float], None]) -> Iterator[Answer]:
        """Submit the tasks, and where `resources.wait`, yield those that are done until no job is left.

        Raises OutOfReachError where SLURM refuses the jobs.
        """
        left = {task.cell: task for task in tasks}
        if not left:
            return
        folder = store.folder.absolute()
        logs = folder.with_name(f"{folder.name}-jobs") / uuid4().hex[:12]
        executor, listed = self._executor(logs), [*left.values()]
        jobs = min(len(listed), self.resources.jobs or _JOBS)
        self.job = _submitted(executor, [Chunk((*listed[k::jobs],), str(folder), self.workers) for k in range(jobs)])
        while self.resources.wait and left:
            jobs_left = _jobs_of(self.job)
            for cell in store.names().intersection(left):
                yield Answer(left.pop(cell), DONE)
            if not jobs_left:
                return
            time.sleep(_LOOK)

    def _settings(self) -> dict[str, Any]:
        wanted = self.resources
        settings = {"partition": wanted.partition, "mem": wanted.memory, "gpus_per_node": wanted.gpus}
        return {
            "time": wanted.minutes or _HOUR,
            "cpus_per_task": wanted.cpus or self.workers,
            "signal_delay_s": _NOTICE,
            "additional_parameters": {"requeue": True},
            **{name: value for name, value in settings.items() if value is not None},
        }

    def _executor(self, logs: Path) -> Any:
        """Return what submits the jobs, with all their settings."""
        from submitit import SlurmExecutor

        logs.parent.mkdir(mode=0o700, exist_ok=True)
        if logs.parent.stat().st_uid != os.getuid():
            raise InputError(f"{logs.parent} belongs to another user.", "Name another store with --out.", "file")
        executor = SlurmExecutor(logs / "%j", max_num_timeout=_RETURNS, python=_PYTHON)
        executor.update_parameters(job_name="gdln-sweep", **self._settings())
        return executor


def _submitted(executor: Any, chunks: list[Chunk]) -> str:
    """Submit the jobs as one array and return its number."""
    from submitit.core.utils import FailedJobError, FailedSubmissionError

    try:
        with redirect_stderr(io.StringIO()), executor.batch():  # submitit prints what the error says
            submitted = [executor.submit(chunk) for chunk in chunks]
    except (FailedJobError, FailedSubmissionError) as error:
        raise OutOfReachError(
            f"SLURM refused the jobs: {str(error).strip()[:500]}",
            "Ask for what the cluster has (sinfo shows it), or ask its administrators.",
            "engine",
        ) from None
    return submitted[0].job_id.partition("_")[0]


def _jobs_of(job: str) -> str:
    """Return in words how many jobs of the array run or wait, and what SLURM says they wait for; "" if none is left."""
    command = ["squeue", "--noheader", "--array", "--jobs", job, "--format", "%T %r"]
    seen = subprocess.run(command, capture_output=True, text=True, check=False)
    if seen.returncode != 0 and "Invalid job id" not in seen.stderr:
        return "SLURM does not answer"
    lines = (line.strip().partition(" ") for line in seen.stdout.splitlines())
    states = Counter(state.lower() + ("" if why == "None" else f" ({why})") for state, _, why in lines)
    return ", ".join(f"{count} {state}" for state, count in sorted(states.items()))


ENGINE = Slurm
