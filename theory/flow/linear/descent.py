"""Gradient descent in discrete steps, exactly, at any step size; and the loss of given weights."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from theory.flow.linear.convention import Convention, convention
from theory.flow.linear.parameters import Parameters, initial
from theory.flow.linear.spectrum import dense_spectrum, spectrum
from theory.moments import FeatureMoments, GatedMoments, moments_of
from theory.problem import InputError, OutOfReachError, Problem


def power_and_sum(
    x: Float[np.ndarray, "*any"], steps: int
) -> tuple[Float[np.ndarray, "*any"], Float[np.ndarray, "*any"]]:
    """(1 - x)^N and sum_{k<N} (1 - x)^k = (1 - (1 - x)^N)/x, the latter continued by N at x = 0.

    For |x| < 1/2 it uses log1p and expm1, which are accurate as x -> 0; elsewhere 1 - x is accurate enough.

    >>> [part.tolist() for part in power_and_sum(np.array([0.0, 1.0]), 3)]
    [[1.0, 0.0], [3.0, 1.0]]
    """
    small = np.abs(x) < 0.5
    with np.errstate(over="ignore"):
        exponent = steps * np.log1p(-np.where(small, x, 0.0))
        power = np.where(small, np.exp(exponent), (1 - np.where(small, 0.0, x)) ** steps)
        divisor = np.where(x == 0, 1.0, x)
        total = np.where(small, -np.expm1(exponent), 1 - power) / divisor
    return power, np.where(x == 0, float(steps), total)


def gradient_descent(
    A: Float[np.ndarray, "Kn Kn"],
    b: Float[np.ndarray, " Kn"],
    w0: Float[np.ndarray, "K n"],
    eta: float,
    s: float,
    ell: float,
    steps: Sequence[int],
) -> Float[np.ndarray, "T K n"]:
    """The weights after each number of `steps` of w <- w - eta ell s (s A w - b), for any moments A, b.

    In the eigenbasis of A: u_N = (1 - x)^N u_0 + eta ell s c sum_{k<N} (1 - x)^k, x = eta ell s^2 lambda. With the
    moments of a sample this is full-batch training on it. Raises InputError where the steps are so large that the
    weights overflow. Source: design, rule 6 of validation; notes, eq. (9), discretised.

    >>> gradient_descent(np.eye(2), np.array([1.0, 2.0]), np.zeros((1, 2)), 0.5, 1.0, 1.0, [0, 1]).tolist()
    [[[0.0, 0.0]], [[0.5, 1.0]]]
    """
    modes = dense_spectrum(A)
    u0, c = modes.to_modes(w0.reshape(-1)), modes.to_modes(b)
    descended = [_descend(u0, c, modes.values, eta, s, ell, count) for count in steps]
    return np.stack([modes.from_modes(u) for u in descended]).reshape(len(steps), *w0.shape)


def _descend(
    u0: np.ndarray, c: np.ndarray, lam: np.ndarray, eta: float, s: float, ell: float, steps: int
) -> np.ndarray:
    x = eta * ell * s**2 * lam
    power, total = power_and_sum(x, steps)
    with np.errstate(over="ignore", invalid="ignore"):
        u = power * u0 + eta * ell * s * total * c
    if not np.isfinite(u).all():
        raise InputError(
            f"{steps} steps of gradient descent overflow: learning rate times the largest rate is {x.max():.4g}, and "
            "above 2 every step enlarges the error.",
            f"Use a learning rate below {eta * 2 / x.max():.4g}.",
        )
    return u


def steps_at_times(problem: Problem) -> tuple[int, ...]:
    """The steps of plain gradient descent until each of training.times, t/(tau simulation.learning_rate).

    Raises InputError where a time is not a whole number of steps or without a [simulation] table; OutOfReachError for
    an optimizer other than "sgd".

    >>> from theory.problem import AlwaysGate, FiniteData, Network, NormalInitialisation, Simulation, Training
    >>> law, network = FiniteData([[1, 0], [0, 1]], [1, -1]), Network("gated-linear", "mean", 1, (AlwaysGate(),))
    >>> training = Training("half-mse", 2, NormalInitialisation(0, 0), (0, 1))
    >>> steps_at_times(Problem(law, network, training, Simulation("full-batch", 2, "1/4", 2, 0)))
    (0, 2)
    """
    settings = problem.simulated()
    if settings.optimizer != "sgd":
        raise OutOfReachError(
            f'Discrete steps are predicted for optimizer = "sgd", which has no memory, not for "{settings.optimizer}".',
            "Simulate it, or ask for the flow.",
        )
    counts = [elapsed / settings.learning_rate for elapsed in problem.training.elapsed]
    for time, count in zip(problem.training.times, counts, strict=True):
        if count.denominator != 1:
            raise InputError(
                f"training.times: t = {time} is {float(count):.6g} steps of tau * learning_rate.",
                "Choose times that are whole multiples of tau * learning_rate.",
            )
    return tuple(map(int, counts))


def discrete(problem: Problem) -> Parameters:
    """The mean weights (T, K, n) and biases (T, K + 1) of plain gradient descent at training.times.

    The step is eta = simulation.learning_rate; time t is t/(tau eta) steps. Exact for population moments at any
    eta, and for the mean over replicates of SGD on fresh data. Raises InputError where a time is not a whole number
    of steps or without a [simulation] table; OutOfReachError for an optimizer other than "sgd".

    >>> from theory.problem import AlwaysGate, FiniteData, Network, NormalInitialisation, Simulation, Training
    >>> law, network = FiniteData([[1, 0], [0, 1]], [1, -1]), Network("gated-linear", "mean", 1, (AlwaysGate(),))
    >>> training = Training("half-mse", 1, NormalInitialisation(0, 0), (0, 1))
    >>> steps = Simulation("full-batch", 2, "1/2", 2, 0)
    >>> discrete(Problem(law, network, training, steps)).weights[:, 0].round(4).tolist()  # 1 - (3/4)^2 after two steps
    [[0.0, 0.0], [0.4375, -0.4375]]
    """
    steps_at_times(problem)  # refuses what has no whole number of steps
    return descended(problem, moments_of(problem))  # refuses what has no exact flow


def descended(problem: Problem, moments: FeatureMoments) -> Parameters:
    """The weights and biases of `discrete` on given moments, such as those of examples; errors as `discrete`.

    >>> from theory.moments.table import SampleMoments
    >>> from theory.problem import AlwaysGate, FiniteData, Network, NormalInitialisation, Simulation, Training
    >>> law, network = FiniteData([[1], [2]], [1, 1]), Network("gated-linear", "mean", 1, (AlwaysGate(),))
    >>> training = Training("half-mse", 1, NormalInitialisation(0, 0), (1,))
    >>> problem = Problem(law, network, training, Simulation("full-batch", 2, 1, 2, 0))
    >>> descended(problem, SampleMoments(np.array([[1.0]]), np.array([[3.0]]), 9.0)).weights.tolist()
    [[[3.0]]]
    """
    counts, rate = steps_at_times(problem), problem.simulated().learning_rate
    rules: Convention = convention(problem)
    start = initial(problem)
    theta = np.repeat(start[None], len(counts), axis=0)
    for block in moments.blocks:
        modes = spectrum(block.kernel)
        u0, c = modes.to_modes(block.project(start)), modes.to_modes(block.rhs)
        lam = block.scales[:, None] * modes.values
        for index, count in enumerate(counts):
            u = _descend(u0, c, lam, float(rate), float(rules.s), float(rules.ell), count)
            theta[index][..., block.places] += block.embed(modes.from_modes(u - u0))
    return Parameters.of(theta, problem.network.units, problem.data.n, problem.data.outputs)


def mse_at(
    moments: GatedMoments,
    weights: Float[np.ndarray, "..."],
    s: float,
    biases: Float[np.ndarray, "..."] | None = None,
) -> Float[np.ndarray, "*any"]:
    """<(y - yhat)^2> = <y^2> - 2 s b.theta + s^2 theta.A theta of any weights and biases; no factor 1/2.

    weights are (..., K, n) and biases (..., K + 1): theta = (w, b_1, ..., b_K, b_out) with the moments of a network
    with biases, and w alone with those of one without.
    For m > 1 outputs weights are (..., K, m, n), biases (..., C, m), and the sum over outputs is returned.
    Raises InputError where `biases` and the moments do not fit.

    >>> from theory.moments import gated_moments
    >>> from theory.problem import AlwaysGate, FiniteData, Network, NormalInitialisation, Training
    >>> law, network = FiniteData([[1, 0], [0, 1]], [1, -1]), Network("gated-linear", "mean", 1, (AlwaysGate(),))
    >>> problem = Problem(law, network, Training("half-mse", 1, NormalInitialisation(0, 0), (1,)))
    >>> bool(abs(mse_at(gated_moments(problem), np.array([[1.0, 0.0]]), 1.0) - 0.5) <= 8 * np.finfo(float).eps)
    True
    """
    trained, outputs = moments.problem.network.biases == "trained", moments.problem.data.outputs
    if (biases is None) == trained:
        raise InputError(
            f"The moments are those of a network with{'' if trained else 'out'} trained biases.",
            "Give biases (..., K + 1) exactly where the network trains them.",
        )
    theta = Parameters(weights, biases, outputs).theta
    inner = (theta * moments.b.T).sum(axis=-1), (moments.features.A.matvec(theta) * theta).sum(axis=-1)
    linear, quadratic = inner if outputs == 1 else (x.sum(axis=-1) for x in inner)
    return np.asarray(moments.y2 - 2 * s * linear + s**2 * quadratic)
