"""A user's function, and a law that a test of its samples must reject.

Statistics of the law are estimated, here from five times as many examples as the test draws. Their errors enlarge the
differences by sqrt(1 + 1/5), so that 1 % of all seeds in place of 0.1 % would be rejected.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

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


CASES = [(from_code(0.5), from_code(0.45))]
