"""Ising chains, and laws that a test of their samples must reject."""

from dataclasses import replace

from theory.problem.distributions.ising import Ising

OPEN = Ising(9, "open", (1, 0), beta=("1/2", "-1/4"))
RING = Ising(8, "ring", (1, 0, -1), xi=(2, 1, "1/2"), priors=("1/2", "1/4", "1/4"))
FIELD = Ising(7, "ring", (1, 0), beta=("3/4", "-3/4"), h=("1/4", "-1/2"))
PAIR = Ising(2, "ring", (1, 0), beta=("1/4", "-1/4"), h=(0, "1/2"), means=((0, 1), (0, 0)))
CASES = [
    (OPEN, replace(OPEN, boundary="ring")),
    (RING, replace(RING, xi=(2, "9/10", "1/2"))),
    (FIELD, replace(FIELD, h=("1/4", "-9/20"))),
    (PAIR, replace(PAIR, boundary="open")),
]
