"""Trained routing networks: they follow the reduction, and they generalise where the graph is connected."""

import sympy
from sympy import Gt, Lt, Rational

from theory.claims.model import Claim, Kind

departure = sympy.Symbol("D", real=True)
connected, disconnected = sympy.symbols("F_ring F_blocks", real=True)

_NETWORK = (
    "four input and four output domains with two numbers each, two trained outputs for each input; in every trained "
    r"pair $\langle x x^\top \rangle = I$, and $\langle y x^\top \rangle$ is diagonal with the entries 2 and 1; full "
    "batch, half-mse, only trained pairs are drawn"
)

REDUCTION = Claim(
    id="race.trained.reduction",
    title="Trained strengths of an aligned start beside the reduction",
    protocol="Four domains, two partners: the trained strengths of an aligned start stay within 1 % of the reduction",
    kind=Kind.EMPIRICAL,
    statement=Lt(departure, Rational(1, 100)),
    assumptions=(
        _NETWORK,
        r"aligned start with $b_1 = 1/5$ and $b_2 = 2/5$ in both modes, learning rate 1/100, times 1, 2, ..., 20; $D$ "
        "is the largest relative departure of $b_1$ or $b_2$, in any mode and at any time",
    ),
)
ZERO_SHOT = Claim(
    id="race.trained.zero_shot",
    title="Untrained pairs of trained routing networks",
    protocol="Four domains, two partners, two hidden units: networks that have learned also answer untrained pairs, "
    "within 1/100, where the graph of trained pairs is a ring, and not all do where it is two blocks",
    kind=Kind.EMPIRICAL,
    statement=sympy.And(Lt(connected, Rational(1, 100)), Gt(disconnected, Rational(1, 10))),
    assumptions=(
        _NETWORK,
        r"two hidden units, entries of all weights at $t = 0$ of standard deviation 3/10, learning rate 1/2, "
        "$t = 500$",
        r"$F$ is the largest error of untrained pairs, $\lvert Y - D_o W E_i \rvert^2/\lvert Y \rvert^2$ averaged "
        "over them, among the networks whose error of trained pairs is below $10^{-6}$; at least a quarter must "
        "have learned",
    ),
)

CLAIMS = (REDUCTION, ZERO_SHOT)
