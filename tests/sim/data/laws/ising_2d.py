"""Ising models on grids, and laws that a test of their samples must reject."""

from dataclasses import replace

from theory.problem.distributions.ising_2d import Ising2D

OPEN = Ising2D((4, 3), "open", (1, 0), couplings=(("1/2", "1/4"), "-1/3"))
WIDE = Ising2D((2, 5), "open", (1, 0), couplings=(("1/2", "1/4"), "1/5"), h=("1/5", 0))
TORUS = Ising2D((3, 4), "torus", (1, 0), couplings=(("2/5", "1/5"), "1/5"), h=(0, "-1/4"))
SQUARE = Ising2D((3, 3), "torus", (1, 0), couplings=("-2/5", "2/5"))
CASES = [
    (OPEN, replace(OPEN, couplings=(("1/4", "1/2"), "-1/3"))),
    (WIDE, replace(WIDE, couplings=(("1/2", "1/5"), "1/5"))),
    (TORUS, replace(TORUS, boundary="open")),
    (TORUS, replace(TORUS, couplings=(("2/5", "1/5"), ("1/5", "1/4")))),
    (SQUARE, replace(SQUARE, couplings=("-2/5", "1/3"))),
]
