"""A user's function and a user's arrays, and laws that a test of their samples must reject.

The statistics of such laws are estimated, here from five times as many examples as the test draws. Their errors enlarge
the differences by sqrt(1 + 1/5), so that 1 % of all seeds in place of 0.1 % would be rejected.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from tests.sim.data.omnibus import ROWS
from theory.problem.distributions.own import OwnLaw
from theory.problem.user_code import allow

ESTIMATE = {"examples": 5 * ROWS, "seed": 1}
CODE = """
def draw(generator, rows, shift):
    category = generator.integers(0, 2, rows)
    x = generator.geometric(0.5, size=(rows, 3)).clip(max=4) * 1.0
    x[:, 1] += x[:, 0]
    return x + shift * category[:, None], category
"""


def from_code(shift):
    """Whole numbers, two of them correlated, moved by `shift` in class 1."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "geometric.py"
        file.write_text(CODE)
        allow({"path": f"{file}:draw"})
        return OwnLaw(n=3, labels=(1, -1), path=f"{file}:draw", parameters={"shift": shift}, estimate=ESTIMATE)


def from_arrays(last):
    """Five examples of three classes."""
    with TemporaryDirectory() as folder:
        np.save(Path(folder) / "x.npy", np.array([[1, 0], [0, 2], [3, 1], [1, 1], [2, last]], dtype=np.float32))
        np.save(Path(folder) / "y.npy", np.array([1, 0, 2, 1, 0]))
        return OwnLaw(folder=folder, estimate=ESTIMATE)


CASES = [(from_code(0.5), from_code(0.45)), (from_arrays(0.5), from_arrays(0.55))]
