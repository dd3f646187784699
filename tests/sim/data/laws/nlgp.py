"""The nonlinear Gaussian process, and laws that a test of its samples must reject."""

from dataclasses import replace

from tests.sim.cases import line
from theory.problem import GaussianClone

OPEN = line(n=7, gain=2)
RING = line(n=9, xi=(1, "1/2"), boundary="ring", gain=3, labels=(-1, 2), priors=("1/4", "3/4"))
CLIPPED = line(n=9, xi=(5, 2), boundary="ring", gain=3, positive_part="clipped")
MOVED = line(n=5, means=((0, 1, 2, 3, 4), (1, 1, 1, 1, 1)))
ROUGH = line(n=7, xi=("3/2", 3), correlation="exponential", gain=("1/2", 3), priors=("1/4", "3/4"))
WAVE = {"kind": "damped-cosine", "wavelength": 4}
MIXED = line(n=9, xi=(2, 0), correlation=(WAVE, {"kind": "table", "values": [1, "-2/5"]}), boundary="ring")
FEW_MODES = line(n=8, xi=(), correlation={"kind": "spectrum", "values": [0, 2, 1, 0, 0]}, boundary="ring")
TANH = line(n=7, gain=3, nonlinearity="tanh")
TABLE = line(n=7, nonlinearity={"kind": "quantile", "p": ["1/2", "3/4", 1], "x": [0, 1, 4]})
CASES = [
    (OPEN, line(GaussianClone, n=7, gain=2)),
    (RING, replace(RING, priors=("3/10", "7/10"))),
    (CLIPPED, replace(CLIPPED, xi=(4, 2))),
    (TANH, replace(TANH, gain="2.7")),
    (TABLE, line(n=7, nonlinearity="uniform")),
    (MOVED, replace(MOVED, means=((0, 1, 2, 3, "39/10"), (1, 1, 1, 1, 1)))),
    (ROUGH, replace(ROUGH, correlation={"kind": "matern", "smoothness": "3/2"})),
    (MIXED, replace(MIXED, correlation=(WAVE | {"wavelength": "9/2"}, MIXED.correlation[1]))),
    (FEW_MODES, replace(FEW_MODES, correlation={"kind": "spectrum", "values": [0, 2, "11/10", 0, 0]})),
]
