"""Compilation ahead: a separate process compiles the steps of a problem while this one loads torch.

It affects only the time of a run: this process compiles any loop that the other has not finished.
"""

import gc
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from sim.training.backends.names import numba_is_installed
from sim.training.backends.short import is_short
from sim.training.backends.support import obstacle_on
from sim.training.devices import device_type
from sim.training.sizes import FEW_UNITS, MANY
from theory.problem import Problem, dumps, loads

_LOOPS = Path(__file__).parent / "compiled"
_process: subprocess.Popen | None = None


@contextmanager
def compiled_ahead(problem: Problem, device: str, backend: str) -> Iterator[None]:
    """Compile the steps of the problem during the block, if `backend` needs them and no cache has them."""
    global _process
    if not _wanted(problem, device, backend):
        yield
        return
    # -P keeps the working directory off the path: a folder `sim` in it would shadow this package.
    command = [sys.executable, "-P", "-m", __name__]
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


def _wanted(problem: Problem, device: str, backend: str) -> bool:
    settings = problem.simulation
    if settings is None or backend not in ("auto", "compiled") or not numba_is_installed():
        return False
    if device_type(device) != "cpu" or obstacle_on("cpu", problem) is not None:
        return False
    if settings.optimizer != "sgd" or (backend == "auto" and is_short(problem)):
        return False
    return not _found(loop_of(problem))


def loop_of(problem: Problem) -> str:
    """Return the name of the loop of `descent` that plain descent on the problem calls first."""
    batch = problem.simulated().batch
    if batch < MANY:
        return "single_steps" if batch == 1 else "steps"
    return "wide_steps" if problem.network.units <= FEW_UNITS else "pulls"


def _found(loop: str) -> bool:
    """Whether numba's cache has the loop, for any types, from after the last change of the sources."""
    kept = os.environ.get("NUMBA_CACHE_DIR")
    files = Path(kept).glob(f"*/descent.{loop}-*.nbi") if kept else _LOOPS.glob(f"__pycache__/descent.{loop}-*.nbi")
    changed = max(source.stat().st_mtime for source in _LOOPS.glob("*.py"))
    return any(file.stat().st_mtime >= changed for file in files)


def compile_steps(problem: Problem) -> None:
    """Take one step of the problem's network on zeros, which compiles the loops of its training."""
    import numpy as np

    from sim.training.backends.compiled.descent import LOSSES, MODELS, Form
    from sim.training.backends.compiled.steps import Steps

    network, settings = problem.network, problem.simulated()
    kind, batch = np.dtype(settings.dtype).type, min(settings.batch, MANY)
    zero, one = kind(0), kind(1)
    model, entropy = MODELS[network.model], LOSSES[problem.training.loss]
    form = Form(model, zero, one, one, entropy, network.has_biases, network.biases == "fixed")
    theta, first, second = np.zeros((3, sum(parameter.size for parameter in problem.parameters)), kind)
    steps = Steps(form, theta, [first, second], None, (network.units, problem.data.n, batch), one, one)
    x = np.zeros((problem.data.n, batch), kind).T if steps.many else np.zeros((batch, problem.data.n), kind)
    steps.advance(0, 1, x, np.zeros(batch, kind), np.zeros((len(network.gates), batch), kind), np.zeros(batch, int))


if __name__ == "__main__":
    # The process is short, and without garbage collection it takes 9 % less time.
    gc.disable()
    compile_steps(loads(sys.stdin.read()))
