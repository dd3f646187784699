"""Elliptical laws, and laws that a test of their samples must reject."""

from dataclasses import replace

from theory.problem.distributions.elliptical import Elliptical

RING = Elliptical(
    9, (1, "1/2"), ["laplace", {"kind": "gamma", "shape": "7/2"}], "ring", "unit-variance", (-1, 2), priors=(".3", ".7")
)
CONTAMINATED = Elliptical(
    6,
    (2, 1),
    {"kind": "contaminated", "share": "1/5", "ratio": 3},
    "open",
    "none",
    (1, 0),
    means=((0, 1, 2, 3, 4, 5), 1),
)
SPHERE = Elliptical(7, (2, "1/5"), "sphere", "open", "unit-variance", (1, 0))
CASES = [
    (RING, replace(RING, scale=("laplace", {"kind": "gamma", "shape": 2}))),
    (CONTAMINATED, replace(CONTAMINATED, scale={"kind": "contaminated", "share": "1/5", "ratio": "14/5"})),
    (SPHERE, replace(SPHERE, scale="gaussian")),
]
