"""The engine of SLURM: jobs of one array, each with workers on the store, submitted by submitit.

A job that is about to end, because its time is over or another is preferred, receives SIGUSR2: its cells in work become
checkpoints, the job is requeued, and another attempt continues from there. Preemption announces itself by SIGTERM in
most clusters: then checkpoints are written, and SLURM requeues the job itself.
"""

import io
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from contextlib import redirect_stderr
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from uuid import uuid4

from derivations.output import counted
from derivations.sweeps import sizes
from derivations.sweeps.cells import code_version
from derivations.sweeps.launch import Request
from derivations.sweeps.leaving import LEAVE, heeding
from derivations.sweeps.looking import Look
from derivations.sweeps.running import IN_WORK, MISSING, Swept
from derivations.sweeps.store import Store, sweep_id
from sim.training.device_names import DEVICES
from theory.problem import InputError, OutOfReachError
from theory.problem.numbers import one_of

_LOGS = "jobs"  # a folder in that of the store, one below it for each submission
_HOUR = 60  # minutes of a job by default
_NOTICE = 120  # seconds before the end of a job at which it is told to leave
_RETURNS = 10_000  # a job is requeued as long as it has cells to make: each time it gets further
_CORES = 8  # processors by default for each GPU of a job, whose processes are up to 48
_LOOK = 5.0  # seconds between two looks at the store
# Python without the signals of SLURM until it handles them: a job that they end while it loads is not requeued.
_PYTHON = """sh -c 'trap "" TERM USR2; exec "$0" "$@"' """ + shlex.quote(sys.executable)


@dataclass(frozen=True)
class Crew:
    """The work of one job: `workers` processes on all sweeps of a store. It is pickled, and called where it runs."""

    folder: str
    device: str
    workers: int

    def __call__(self) -> None:
        """Make missing cells until none is left, or until the job is told to leave; then it is requeued."""
        folder = Path(self.folder)
        with heeding(saves=True) as notice:
            recorded, faults = Store.open(folder).records()
            if faults and not recorded:
                raise faults[0]
            for fault in faults:
                print(fault, flush=True)
            for sweep in recorded.values():
                swept = sizes.run(
                    sweep, folder, self.device, self.workers, lambda *_: None, anywhere=True, notice=notice
                )
                states = {state: number for state, number in swept.counts.items() if number}
                print(f"sweep {sweep_id(sweep)}: {states}", *swept.remarks, sep="\n", flush=True)
        if notice.caught:
            signal.raise_signal(LEAVE)  # to submitit, which requeues the job

    def checkpoint(self) -> Any:
        """Return the work of the job when it runs again: the same, since all else is in the store."""
        from submitit.helpers import DelayedSubmission

        return DelayedSubmission(self)


def start(request: Request) -> Swept | Look:
    """Record the sweep and submit its workers; return the state of its cells, with the job in `job` and the remarks.

    With `request.waits` it returns when all cells are there, or no job is left. Raises InputError for a folder whose
    name SLURM would change, and OutOfReachError without SLURM or submitit, and where SLURM refuses the job.
    """
    logs = request.folder / _LOGS / uuid4().hex[:12]
    _check_name(str(request.folder.absolute()))
    executor, device = _executor(request, logs), _device_of(request)
    swept = sizes.record(request.sweep, request.folder, code_version(device), request.report, request.verify)
    if not swept.to_make["cells"]:
        return swept
    jobs = request.resources.jobs or 1
    job = _submitted(executor, Crew(str(request.folder.absolute()), device, request.workers), jobs, logs)
    if request.waits:
        swept = _waited(request, job, code_version(device))
    crew = ("" if request.resources.gpus is None else "up to ") + counted(jobs * request.workers, "worker")
    said = (
        f"Job {job} with {crew} was submitted to SLURM; its logs are in "
        f"{logs}. gdln sweep --worker {request.folder} --status shows the cells."
    )
    return replace(swept, job=job, remarks=(*swept.remarks, said))


def _check_name(folder: str) -> None:
    """Raise InputError for a folder that the name of a file in a script of SLURM cannot have."""
    if wrong := next((letter for letter in folder if letter in "%\\" or not letter.isprintable()), None):
        raise InputError(
            f"The path of the store, {folder!r}, has {wrong!r} in it, which SLURM does not take literally.",
            "Name another folder with --out.",
            "file",
        )


def _device_of(request: Request) -> str:
    """Return the device of the workers, whatever there is where they are submitted."""
    if one_of(request.device, "device", DEVICES) == "auto":
        return "cpu" if request.resources.gpus is None else "cuda"
    return request.device


def _executor(request: Request, logs: Path) -> Any:
    """Return what submits the jobs, with all their settings."""
    programs = ("sbatch", "srun", "scontrol", *(["squeue"] if request.waits else []))
    absent = [program for program in programs if shutil.which(program) is None]
    elsewhere = "or run gdln sweep --worker STORE on every machine that is to help"
    if absent:
        raise OutOfReachError(
            f"SLURM is not installed here: there is no program {absent[0]}.",
            f"Submit from a machine of the cluster, {elsewhere}.",
            "engine",
        )
    try:
        from submitit import SlurmExecutor
    except ImportError:
        raise OutOfReachError(
            "Jobs of SLURM need submitit, which is not installed.",
            f"Install the extra: pip install 'gdln-workbench[cluster]', {elsewhere}.",
            "engine",
        ) from None
    asked = request.resources
    settings = {
        "partition": asked.partition,
        "mem": None if asked.memory is None else f"{asked.memory}M",
        "gpus_per_node": asked.gpus,
    }
    executor = SlurmExecutor(logs.absolute() / "%j", max_num_timeout=_RETURNS, python=_PYTHON)
    executor.update_parameters(
        job_name="gdln-sweep",
        time=asked.time or _HOUR,
        cpus_per_task=asked.cpus or min(request.workers, _CORES * (asked.gpus or request.workers)),
        signal_delay_s=_NOTICE,
        additional_parameters={"requeue": True},
        **{name: value for name, value in settings.items() if value is not None},
    )
    return executor


def _submitted(executor: Any, crew: Crew, jobs: int, logs: Path) -> str:
    """Submit the jobs as one array and return its number; what is written for them is removed if SLURM refuses them."""
    from submitit.core.utils import FailedJobError, FailedSubmissionError

    try:
        with redirect_stderr(io.StringIO()), executor.batch():  # submitit prints what the error says
            submitted = [executor.submit(crew) for _ in range(jobs)]
    except (FailedJobError, FailedSubmissionError) as error:
        shutil.rmtree(logs)
        raise OutOfReachError(
            f"SLURM refused the jobs: {str(error).strip()[:500]}",
            "Ask for what the cluster has (sinfo shows it), or ask its administrators.",
            "engine",
        ) from None
    return submitted[0].job_id.partition("_")[0]


def _waited(request: Request, job: str, code: str) -> Swept | Look:
    """Return the state of the sweep once nothing is missing, or no job is left that could make it."""
    while True:
        jobs = _jobs_of(job)
        swept = sizes.status(request.sweep, request.folder, code, request.verify)
        missing, all_ = swept.count(MISSING, IN_WORK), swept.sweep.size
        request.report(1 - missing / all_, f"{all_ - missing} of {all_} cells, job {job}: {jobs or 'over'}")
        if not jobs or not missing:
            return swept
        time.sleep(_LOOK)


def _jobs_of(job: str) -> str:
    """Return in words how many jobs of the array run or wait, and what SLURM says they wait for; "" if none is left."""
    command = ["squeue", "--noheader", "--array", "--jobs", job, "--format", "%T %r"]
    seen = subprocess.run(command, capture_output=True, text=True, check=False)
    if seen.returncode != 0 and "Invalid job id" not in seen.stderr:
        return "SLURM does not answer"
    found = (line.strip().partition(" ") for line in seen.stdout.splitlines())
    states = Counter(state.lower() + ("" if why == "None" else f" ({why})") for state, _, why in found)
    return ", ".join(f"{count} {state}" for state, count in sorted(states.items()))
