"""The nonlinear Gaussian process on a grid, and a law that a test of its samples must reject."""

from tests.sim.cases import grid

CASES = [
    (grid(shape=(3, 4)), grid(shape=(4, 3))),
    (
        grid(shape=(4, 3), boundary="torus", xi=(1, "1/2"), gain=3),
        grid(shape=(4, 3), boundary="torus", xi=(1, "3/5"), gain=3),
    ),
]
