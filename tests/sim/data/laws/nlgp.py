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
FORMULA = line(n=6, correlation={"kind": "formula", "formula": "1/(1 + (d/xi)**2)"})
SIGN = line(n=7, nonlinearity="sign")
UNIFORM = line(n=7, nonlinearity="uniform")
CUBIC = line(n=7, nonlinearity={"kind": "cubic", "c": "1/20"})
LAPLACE = line(n=7, nonlinearity="laplace")
LOGISTIC = line(n=7, nonlinearity="logistic")
TANH = line(n=7, gain=3, nonlinearity="tanh")
ALGEBRAIC = line(n=7, nonlinearity={"kind": "algebraic", "k": 20})
TABLE = line(n=7, nonlinearity={"kind": "quantile", "p": ["1/2", "3/4", 1], "x": [0, 1, 4]})
CASES = [
    (OPEN, line(GaussianClone, n=7, gain=2)),
    (RING, replace(RING, priors=("3/10", "7/10"))),
    (CLIPPED, replace(CLIPPED, xi=(4, 2))),
    (SIGN, replace(SIGN, xi=("21/10", 1))),
    (UNIFORM, line(n=7, gain="3/4")),
    (CUBIC, line(n=7, nonlinearity="identity")),
    (LAPLACE, replace(LAPLACE, nonlinearity="logistic")),
    (TANH, replace(TANH, gain="2.7")),
    (LOGISTIC, replace(LOGISTIC, nonlinearity="identity")),
    (ALGEBRAIC, UNIFORM),
    (TABLE, UNIFORM),
    (MOVED, replace(MOVED, means=((0, 1, 2, 3, "39/10"), (1, 1, 1, 1, 1)))),
    (ROUGH, replace(ROUGH, correlation={"kind": "matern", "smoothness": "3/2"})),
    (ROUGH, replace(ROUGH, gain=("1/2", "13/4"))),
    (MIXED, replace(MIXED, correlation=(WAVE | {"wavelength": "9/2"}, MIXED.correlation[1]))),
    (FEW_MODES, replace(FEW_MODES, correlation={"kind": "spectrum", "values": [0, 2, "11/10", 0, 0]})),
    (FORMULA, replace(FORMULA, correlation="gaussian")),
]
