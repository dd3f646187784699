"""The program of the process that compiles loops ahead; for draws it loads numba and their loops alone."""

import gc
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from theory.problem import Problem


def compile_draws() -> None:
    """Draw inputs of one example in float64, by the loops of `ahead.DRAWS`."""
    import numpy as np

    from sim.random.philox import WORDS
    from sim.training.backends.compiled import error_function, numbers

    zero, x = np.uint64(0), np.zeros((WORDS, 1))
    numbers.fill((zero, zero), zero, 1, np.zeros(1, np.uint64), x, 0, np.zeros((WORDS, 1), np.uint32))
    error_function.inputs(x, 1, 1.0, 1.0, x)


def compile_order(dtype: str) -> None:
    """Put one example in order of its class, by the loop that every draw takes as well."""
    import numpy as np

    from sim.training.backends.compiled import numbers

    zero, row = np.uint64(0), np.zeros(1, np.int64)
    labels, y = np.zeros(2, dtype), np.zeros(1, dtype)
    numbers.arrange((zero, zero), zero, 0, 1, labels, y, np.zeros(1, np.uint64), row, row)


def compile_steps(problem: "Problem") -> None:
    """Take one step of the problem's network on zeros, which compiles the loops of its training."""
    import numpy as np

    from sim.training.backends.compiled.descent import LOSSES, MODELS, Form
    from sim.training.backends.compiled.steps import Steps
    from sim.training.sizes import MANY

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
    # numba would load SciPy's linear algebra, for 0.15 s, to compile matrix products. No loop here contains one.
    sys.modules["scipy.linalg.cython_blas"] = None
    if sys.argv[1] == "draws":
        compile_draws()
    else:
        from theory.problem import loads

        compile_steps(loads(sys.stdin.read()))
    gc.freeze()  # nor does the process collect garbage as it ends
