"""The Gaussian clone, and laws that a test of its samples must reject."""

from dataclasses import replace

from tests.sim.cases import line
from theory.problem import GaussianClone

RING = line(GaussianClone, n=9, xi=(1, "1/2"), boundary="ring", gain=100)
CASES = [(line(GaussianClone, n=7, gain=3), line(n=7, gain=3)), (RING, replace(RING, gain=2))]
