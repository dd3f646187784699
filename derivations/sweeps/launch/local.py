"""The engine of this machine: processes that this command starts and waits for."""

from derivations.sweeps import sizes
from derivations.sweeps.launch import Request
from derivations.sweeps.leaving import heeding
from derivations.sweeps.looking import Look
from derivations.sweeps.running import Swept
from theory.problem import InputError


def start(request: Request) -> Swept | Look:
    """Make the cells that are missing, and return the states of all. Raises InputError for what only jobs have."""
    if given := request.resources.given:
        raise InputError(
            f"{', '.join(given)}: the local engine starts no jobs.", "Leave it out, or add --engine slurm.", "usage"
        )
    with heeding() as notice:
        return sizes.run(
            request.sweep,
            request.folder,
            request.device,
            request.workers,
            request.report,
            notice=notice,
            verify=request.verify,
        )
