"""Compilation ahead: a separate process compiles the loops of a problem while this one loads torch.

These are the loops of the draws where torch takes the steps, else those of the steps, which take longer to compile.

It affects only the time of a run: this process compiles any loop that the other has not finished.
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from sim.training.backends import compiling
from sim.training.backends.names import numba_is_installed
from sim.training.backends.short import is_short, steps_are_few
from sim.training.backends.support import draw_obstacle_on, obstacle_on
from sim.training.devices import device_type
from sim.training.sizes import FEW_UNITS, MANY
from theory.problem import Problem, dumps

# The loops of draws whose noise is multiplied by a matrix, as on lines in float64 that are no narrow bands. Others take
# loops that colour the noise as well: narrow bands, and modes that are even or odd up to the rounding of the dtype.
DRAWS = ("numbers.fill", "error_function.inputs")
_LOOPS = Path(__file__).parent / "compiled"
_process: subprocess.Popen | None = None


@contextmanager
def compiled_ahead(problem: Problem, device: str, backend: str) -> Iterator[None]:
    """Compile loops of the problem during the block, if `backend` needs them and no cache has them."""
    global _process
    loops = _wanted(problem, device, backend)
    if not loops or all(map(_found, loops)):
        yield
        return
    # -P keeps the working directory off the path: a folder `sim` in it would shadow this package.
    command = [sys.executable, "-P", "-m", compiling.__name__, "draws" if loops == DRAWS else "steps"]
    _process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, text=True
    )
    try:
        with suppress(BrokenPipeError), _process.stdin as pipe:  # a process that ended early compiles nothing
            pipe.write(dumps(problem))
        yield
    finally:
        _process.kill()
        wait()
        _process = None


def wait() -> None:
    """Wait until a compilation that has begun is finished."""
    if _process is not None:
        _process.wait()


def _wanted(problem: Problem, device: str, backend: str) -> tuple[str, ...]:
    """The loops, as file.function, that the back end takes and that take longest to compile; none for a short run."""
    settings = problem.simulation
    if settings is None or backend not in ("auto", "compiled", "compiled-examples") or not numba_is_installed():
        return ()
    if device_type(device) != "cpu" or (backend == "auto" and is_short(problem)):
        return ()
    obstructed = obstacle_on("cpu", problem) is not None
    if backend == "compiled-examples" or (backend == "auto" and (obstructed or steps_are_few(problem))):
        drawn = draw_obstacle_on("cpu", problem) is None and settings.dtype == "float64"
        return DRAWS if drawn and problem.data.boundary == "open" else ()
    if obstructed or settings.optimizer != "sgd":
        return ()
    return (loop_of(problem),)


def loop_of(problem: Problem) -> str:
    """Return the name of the loop that plain descent on the problem calls first."""
    batch = problem.simulated().batch
    if batch < MANY:
        return "descent.single_steps" if batch == 1 else "descent.steps"
    return "descent.wide_steps" if problem.network.units <= FEW_UNITS else "descent.pulls"


def _found(loop: str) -> bool:
    """Whether numba's cache has the loop, for any types, from after the last change of the sources."""
    kept = os.environ.get("NUMBA_CACHE_DIR")
    files = Path(kept).glob(f"*/{loop}-*.nbi") if kept else _LOOPS.glob(f"__pycache__/{loop}-*.nbi")
    changed = max(source.stat().st_mtime for source in _LOOPS.glob("*.py"))
    return any(file.stat().st_mtime >= changed for file in files)
