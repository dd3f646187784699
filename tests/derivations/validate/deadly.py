"""Work for the processes of a validation that ends as real work may: well, by an error, or by a kill."""

import os
import signal
from dataclasses import dataclass
from pathlib import Path

from theory.problem import InputError


@dataclass(frozen=True)
class Job:
    """A name, how it ends, and a file that counts how often it was begun."""

    name: str
    ends: str
    count: Path


def do(job: Job, progress) -> str:
    """End as the job says: "well", "killed", "killed once", or "error"."""
    begun = len(job.count.read_text()) if job.count.exists() else 0
    job.count.write_text("x" * (begun + 1))
    progress("half", 0.5)
    if job.ends == "killed" or (job.ends == "killed once" and begun == 0):
        os.kill(os.getpid(), signal.SIGKILL)
    if job.ends == "error":
        raise InputError("The job is wrong.", "Correct it.")
    return f"{job.name} by {os.getpid()}"
