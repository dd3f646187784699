"""The nonlinear Gaussian process, and laws that a test of its samples must reject."""

from dataclasses import replace

from tests.sim.cases import line
from theory.problem import GaussianClone

OPEN = line(n=7, gain=2)
RING = line(n=9, xi=(1, "1/2"), boundary="ring", gain=3, labels=(-1, 2), priors=("1/4", "3/4"))
CLIPPED = line(n=9, xi=(5, 2), boundary="ring", gain=3, positive_part="clipped")
MOVED = line(n=5, means=((0, 1, 2, 3, 4), (1, 1, 1, 1, 1)))
CASES = [
    (OPEN, line(GaussianClone, n=7, gain=2)),
    (RING, replace(RING, priors=("3/10", "7/10"))),
    (CLIPPED, replace(CLIPPED, xi=(4, 2))),
    (MOVED, replace(MOVED, means=((0, 1, 2, 3, "39/10"), (1, 1, 1, 1, 1)))),
]
