"""The engine of SLURM: an array of jobs, each with a chunk of the cells, submitted by submitit.

Before its end a job receives SIGUSR2: its cells in work become checkpoints, submitit requeues the job, and the cells
continue from there. At SIGTERM, by which most clusters announce preemption, checkpoints are written too, and SLURM
requeues the job itself.
"""

import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from derivations.output import counted
from derivations.sweeps.computing import DONE, LEFT, Answer, Engine, Progress, Task, map_cells
from derivations.sweeps.engines.local import Local
from derivations.sweeps.engines.resources import Resources
from derivations.sweeps.store import Store
from theory.problem import InputError, OutOfReachError

_NOTICE, _LOOK = 120, 2.0  # seconds: before the end of a job, when it is told to leave; between two looks at the store
_RETURNS = 10_000  # a job is requeued as long as it has cells to compute: each time it gets further
# Python without the signals of SLURM until it handles them: a job that they end while it loads is not requeued.
_PYTHON = """sh -c 'trap "" TERM USR2; exec "$0" "$@"' """ + shlex.quote(sys.executable)


@dataclass(frozen=True)
class Chunk:
    """The cells of one job. It is pickled, and called where the job runs."""

    tasks: tuple[Task, ...]
    folder: Path
    workers: int

    def __call__(self) -> None:
        """Compute the cells that are missing, or leave them where the job is told to; then it is requeued."""
        missing = len(self.tasks)
        for answer in map_cells(self.tasks, Store.open(self.folder), Local(self.workers, stays=True)):
            print(answer.task.cell, answer.what, answer.error or "", *answer.remarks, flush=True)
            missing -= answer.what != LEFT
        if missing:
            signal.raise_signal(signal.SIGUSR2)  # to submitit, which requeues the job

    def checkpoint(self) -> Any:
        """Return the work of the job when it runs again: the same, since all else is in the store."""
        from submitit.helpers import DelayedSubmission

        return DelayedSubmission(self)


@dataclass
class Slurm(Engine):
    """Submits jobs that get the `resources`, with `workers` processes each; after a run, `job` is their number."""

    workers: int
    resources: Resources
    needs = ("submitit", "cluster")

    def plan(self, cells: int) -> str:
        """Say which jobs would be submitted."""
        jobs = self.resources.jobs_for(cells)
        most = f"at most {counted(-(-cells // max(jobs, 1)), 'cell')} and {counted(self.workers, 'worker')}"
        listed = ", ".join(f"{name} = {value}" for name, value in self.resources.settings(self.workers).items())
        return f"{counted(jobs, 'job')} of SLURM, each with {most}: {listed}"

    def check(self, folder: Path) -> None:
        """Raise InputError for a folder whose name SLURM would change, OutOfReachError without SLURM or submitit."""
        path = str(folder.absolute())
        if wrong := next((letter for letter in path if letter in "%\\" or not letter.isprintable()), None):
            message = f"The path of the store, {path!r}, has {wrong!r} in it, which SLURM does not take literally."
            raise InputError(message, "Name another folder with --out.", "file")
        super().check(folder)
        if absent := [program for program in ("sbatch", "srun", "scontrol", "squeue") if shutil.which(program) is None]:
            message = f"SLURM is not installed here: there is no program {absent[0]}."
            raise OutOfReachError(message, "Submit from a machine of the cluster.", "engine")

    def run(self, tasks: Iterable[Task], store: Store, _progress: Progress) -> Iterator[Answer]:
        """Submit the tasks and, where `resources.wait`, yield those that are done until no job is left."""
        listed, folder = [*tasks], store.folder.absolute()
        count = self.resources.jobs_for(len(listed))
        if listed:
            self._submit([Chunk((*listed[k::count],), folder, self.workers) for k in range(count)], folder)
        missing, has_jobs = {task.cell: task for task in listed}, True
        while self.resources.wait and missing and has_jobs:
            time.sleep(_LOOK)
            has_jobs = _has_jobs(self.job)
            for cell in store.names().intersection(missing):
                yield Answer(missing.pop(cell), DONE)

    def _submit(self, chunks: list[Chunk], folder: Path) -> None:
        """Submit the jobs as one array; their files, of which pickles run, lie beside the store for this user alone."""
        from submitit import SlurmExecutor
        from submitit.core.utils import FailedJobError, FailedSubmissionError

        logs = Path(tempfile.mkdtemp(prefix=f"{folder.name}-jobs-", dir=folder.parent))
        executor = SlurmExecutor(logs / "%j", max_num_timeout=_RETURNS, python=_PYTHON)
        common = {"job_name": "gdln-sweep", "signal_delay_s": _NOTICE, "additional_parameters": {"requeue": True}}
        executor.update_parameters(**common, **self.resources.settings(self.workers))
        try:
            with executor.batch():
                submitted = [executor.submit(chunk) for chunk in chunks]
        except (FailedJobError, FailedSubmissionError) as error:
            message = f"SLURM refused the jobs: {str(error).strip()[:500]}"
            raise OutOfReachError(message, "Ask for what the cluster has; sinfo shows it.", "engine") from None
        self.job = submitted[0].job_id.partition("_")[0]


def _has_jobs(job: str) -> bool:
    """Whether jobs of the array run or wait, or SLURM does not answer now."""
    squeue = subprocess.run(["squeue", "--noheader", "--jobs", job], capture_output=True, text=True, check=False)
    return bool(squeue.stdout.strip()) if squeue.returncode == 0 else "Invalid job id" not in squeue.stderr


ENGINE = Slurm
