"""The nonlinear Gaussian process, and laws that a test of its samples must reject."""

from dataclasses import replace

from tests.sim.cases import line
from theory.problem import GaussianClone

OPEN = line(n=7, gain=2)
RING = line(n=9, xi=(1, "1/2"), boundary="ring", gain=3, labels=(-1, 2), priors=("1/4", "3/4"))
CLIPPED = line(n=9, xi=(5, 2), boundary="ring", gain=3, positive_part="clipped")
MOVED = line(n=5, means=((0, 1, 2, 3, 4), (1, 1, 1, 1, 1)))
SIGN = line(n=7, nonlinearity="sign")
UNIFORM = line(n=7, nonlinearity="uniform")
CUBIC = line(n=7, nonlinearity={"kind": "cubic", "c": "1/20"})
LAPLACE = line(n=7, nonlinearity="laplace")
LOGISTIC = line(n=7, nonlinearity="logistic")
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
    (LOGISTIC, replace(LOGISTIC, nonlinearity="identity")),
    (ALGEBRAIC, UNIFORM),
    (TABLE, UNIFORM),
    (MOVED, replace(MOVED, means=((0, 1, 2, 3, "39/10"), (1, 1, 1, 1, 1)))),
]
