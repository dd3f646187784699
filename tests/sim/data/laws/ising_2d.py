"""Ising models on grids, and laws that a test of their samples must reject."""

from dataclasses import replace

from theory.problem.distributions.ising_2d import Ising2D

OPEN = Ising2D((4, 3), "open", (1, 0), couplings=(("1/2", "1/4"), "-1/3"))
TORUS = Ising2D((3, 4), "torus", (1, 0), couplings=(("2/5", "1/5"), "1/5"), h=(0, "-1/4"))
CASES = [
    (OPEN, replace(OPEN, couplings=(("1/4", "1/2"), "-1/3"))),
    (TORUS, replace(TORUS, couplings=(("2/5", "1/5"), ("1/5", "1/4")))),
]
