"""Compilation ahead: a separate process compiles the loops of a problem while this one loads torch.

These are the loops of the draws where torch takes the steps, else those of the steps, which take longer to compile.

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
from sim.training.backends.short import is_short, steps_are_few
from sim.training.backends.support import draw_obstacle_on, obstacle_on
from sim.training.devices import device_type
from sim.training.sizes import FEW_UNITS, MANY
from theory.problem import Problem, dumps, loads

# The loops of draws whose noise is multiplied by a matrix, as on lines in float64 that are no narrow bands. Others take
# loops that colour the noise as well: narrow bands, and modes that are even or odd up to the rounding of the dtype.
DRAWS = ("numbers.arrange", "numbers.fill", "error_function.inputs")
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
    command = [sys.executable, "-P", "-m", __name__, "draws" if loops == DRAWS else "steps"]
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


def compile_draws(problem: Problem) -> None:
    """Draw one example of zeros, by the loops that a draw of the problem takes."""
    import numpy as np

    from sim.random.philox import WORDS, key_of
    from sim.training.backends.compiled import error_function, numbers

    kind = np.dtype(problem.simulated().dtype).type
    key, word = tuple(map(np.uint64, key_of(problem.simulated().seed))), np.uint64(0)
    x, y, labels = np.zeros((WORDS, 1), kind), np.zeros(1, kind), np.zeros(2, kind)
    example, row, part = np.zeros(1, np.uint64), np.zeros(1, np.int64), np.zeros((WORDS, 1), np.uint32)
    numbers.fill(key, word, 1, example, x, 0, part)
    error_function.inputs(x, 1, kind(1), kind(1), x)
    numbers.arrange(key, word, 0, 1, labels, y, example, row, row)


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
    {"draws": compile_draws, "steps": compile_steps}[sys.argv[1]](loads(sys.stdin.read()))
