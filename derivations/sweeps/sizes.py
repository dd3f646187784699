"""Sweeps of any size: small and adaptive ones go cell by cell (`running`), large ones by the names of their cells.

`verify` reads every cell of a large sweep too.
"""

from pathlib import Path

from derivations.sweeps import filling, running
from derivations.sweeps.leaving import Notice
from derivations.sweeps.looking import Look, Watcher
from derivations.sweeps.plans import LARGE, Report
from derivations.sweeps.running import Swept
from theory.problem import Sweep


def run(
    sweep: Sweep,
    folder: Path,
    device: str,
    workers: int,
    report: Report,
    *,
    anywhere: bool = False,
    notice: Notice | None = None,
    verify: bool = False,
) -> Swept | Look:
    """Make the cells that the store `folder` lacks; see `running.run`."""
    make = filling.fill if _by_names(sweep, verify) else running.run
    return make(sweep, folder, device, workers, report, anywhere, notice)


def record(sweep: Sweep, folder: Path, code: str, report: Report, verify: bool = False) -> Swept | Look:
    """Record a sweep in the store `folder`, which is made where it is missing; return the state of its cells.

    Raises InputError for invalid cells and for a folder that cannot be a store.
    """
    if not _by_names(sweep, verify):
        return running.record(sweep, folder, code)
    filling.record(sweep, folder, code, report)
    return Watcher(sweep, folder, code).look()


def status(sweep: Sweep, folder: Path, code: str, verify: bool = False, kinds: tuple[str, ...] = ()) -> Swept | Look:
    """Return the state of the cells; nothing is run or written. Raises InputError as `record` does.

    `code` is the version whose cells count; with `kinds` of devices another one may, see `versions.to_show`.
    """
    if not _by_names(sweep, verify):
        return running.status(sweep, folder, code, kinds)
    return Watcher(sweep, folder, code, kinds).look()


def _by_names(sweep: Sweep, verify: bool) -> bool:
    return sweep.refine is None and sweep.size > LARGE and not verify
