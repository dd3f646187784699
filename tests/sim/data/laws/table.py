"""A table of examples, and a law that a test of its samples must reject."""

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from theory.problem import Table

X = [[1.0, 0.0, 2.0], [0.0, 1.0, 1.0], [1.0, 1.0, -1.0], [0.0, 0.5, 1.0], [2.0, 1.0, 0.0]]


def table(weights):
    """A table of five weighted examples with two labels."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "data.npz"
        np.savez(file, x=np.array(X), y=np.array([1.0, 0.0, 1.0, 0.0, 1.0]), weights=np.array(weights))
        return Table(file=str(file))


CASES = [(table([1.0, 2.0, 1.0, 1.0, 3.0]), table([1.0, 2.0, 1.0, 1.0, 3.5]))]
