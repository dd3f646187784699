"""Networks that train on fresh examples, and their weights beside formulas: the coefficient along a vector, the rate at
which a mode approaches its end, and the optimum with a gate that is held at one site."""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from jaxtyping import Float

from derivations.reproductions.model import Setting
from theory.flow import solve
from theory.problem import Law, Network, NormalInitialisation, Problem, Simulation, SiteGate, Training
from theory.problem.parameters import Initial


def online(
    setting: Setting,
    seed: int,
    law: Law,
    network: Network,
    times: Sequence[Fraction | int],
    *,
    rate: Fraction | int,
    batch: int,
    samples: int,
    scale: Fraction | int,
    loss: str = "half-mse",
    **biases: Initial | None,
) -> Problem:
    """Return the problem of the networks of a setting, each with examples and normal weights of its own.

    `scale` is the standard deviation of the weights at the start; `samples` are those of a measurement.
    """
    training = Training(loss, 1, NormalInitialisation(scale, seed), tuple(times), **biases)
    settings = Simulation(
        "online", samples, rate, int(setting["networks"]), seed, batch, initialisation="per-replicate"
    )
    return Problem(law, network, training, settings)


def held_gate_field(law: Law, threshold: Fraction | int = 0, on: str = "latent") -> Float[np.ndarray, " n"]:
    """Return w_1 at the optimum of two units whose gates are open on either side of a threshold at the middle site."""
    middle = law.n // 2
    gates = SiteGate(middle, lo=threshold, on=on), SiteGate(middle, hi=threshold, on=on)
    at_rest = Training("half-mse", 1, NormalInitialisation(0, 0), (1,))
    exact = solve(Problem(law, Network("gated-linear", "mean", 2, gates), at_rest))
    return np.asarray(exact.fixed_point[0], dtype=float)


def along(values: Float[np.ndarray, "S P"], direction: Float[np.ndarray, " P"]) -> Float[np.ndarray, " S"]:
    """Return the least-squares coefficient of each row along a vector.

    >>> along(np.array([[2.0, 4.0], [1.0, 2.0]]), np.array([1.0, 2.0])).tolist()
    [2.0, 1.0]
    """
    return values @ direction / (direction @ direction)


def largest_mode(
    A: Float[np.ndarray, "P P"], b: Float[np.ndarray, " P"]
) -> tuple[float, Float[np.ndarray, " P"], float]:
    """Return eigenvalue and eigenvector of A and the coefficient of A^+ b, of the mode where this is largest.

    >>> largest_mode(np.diag([2.0, 1.0]), np.array([6.0, 1.0]))[0]
    2.0
    """
    values, vectors = np.linalg.eigh(A)
    # Eigenvalues that are 0 by rounding, as with redundant gates, have a b of 0: their modes do not move.
    moving = values > len(values) * np.finfo(float).eps * values[-1]
    ends = np.where(moving, vectors.T @ b, 0) / np.where(moving, values, 1)
    chosen = int(np.abs(ends).argmax())
    return float(values[chosen]), vectors[:, chosen], float(ends[chosen])


def exponent(start: Float[np.ndarray, " S"], now: Float[np.ndarray, " S"], end: float) -> Float[np.ndarray, " S"]:
    """Return ln((end - u(0))/(end - u(t))) of a mode u: its rate times t where it approaches its end exponentially.

    Raises no error where the mode is beyond its end: the result is then not finite, and is refused by the rule.

    >>> float(exponent(np.array([0.0]), np.array([1 - np.exp(-3.0)]), 1.0)[0].round(9))
    3.0
    """
    return np.log((end - start) / (end - now))


def descent_rate(rate: float, step: float) -> float:
    """Return -ln(1 - r eta)/eta, at which gradient descent of learning rate eta decays a mode of rate r in the flow.

    >>> round(descent_rate(1.0, 0.01), 5)
    1.00503
    """
    return -float(np.log1p(-rate * step)) / step
