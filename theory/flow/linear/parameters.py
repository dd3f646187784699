"""The parameters of a network, as the vector theta = (w, b_1, ..., b_K, b_out) of the flow and as separate arrays."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Shaped

from theory.problem import Problem


@dataclass(frozen=True)
class Parameters:
    """Weights (..., K, n), and the biases b_1, ..., b_K, b_out (..., C) where the network trains them, else None.

    C = K + 1. Any leading axes (times) are shared; numbers are float64, balls or decimal strings. With m > 1 `outputs`
    the weights are (..., K, m, n) and the biases (..., C, m), and theta has a row for each output, (..., m, P): all
    outputs have the same features.
    """

    weights: Shaped[np.ndarray, "..."]
    biases: Shaped[np.ndarray, "..."] | None = None
    outputs: int = 1

    @classmethod
    def of(cls, theta: Shaped[np.ndarray, "*any P"], units: int, n: int, outputs: int = 1) -> "Parameters":
        """The parts of theta: P = K n without biases and K n + K + 1 with them.

        >>> Parameters.of(np.arange(9.0), 2, 3).biases.tolist()
        [6.0, 7.0, 8.0]
        >>> Parameters.of(np.zeros((5, 2, 6)), 2, 3, outputs=2).weights.shape
        (5, 2, 2, 3)
        """
        w, biases = np.split(theta, [units * n], axis=-1)
        w, biases = w.reshape(*w.shape[:-1], units, n), biases if biases.shape[-1] else None
        if outputs > 1:
            w, biases = np.moveaxis(w, -3, -2), None if biases is None else np.moveaxis(biases, -2, -1)
        return cls(w, biases, outputs)

    @property
    def theta(self) -> Shaped[np.ndarray, "*any P"]:
        """The flat vector, unit after unit, biases last; one row for each of m > 1 outputs.

        >>> Parameters(np.ones((2, 3)), np.zeros(3)).theta.tolist()
        [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0]
        """
        w, biases = self.weights, self.biases
        if self.outputs > 1:
            w, biases = np.moveaxis(w, -2, -3), None if biases is None else np.moveaxis(biases, -1, -2)
        flat = w.reshape(*w.shape[:-2], -1)
        return flat if biases is None else np.concatenate([flat, biases], axis=-1)

    @property
    def hidden_biases(self) -> Shaped[np.ndarray, "*any K"] | None:
        """b_1, ..., b_K."""
        if self.biases is None:
            return None
        return self.biases[..., :-1] if self.outputs == 1 else self.biases[..., :-1, :]

    @property
    def output_bias(self) -> Shaped[np.ndarray, "*any"] | None:
        """b_out."""
        if self.biases is None:
            return None
        return self.biases[..., -1] if self.outputs == 1 else self.biases[..., -1, :]


def initial(problem: Problem) -> Float[np.ndarray, "*m P"]:
    """theta(0) in float64.

    >>> from theory.problem import AlwaysGate, FiniteData, Network, Training
    >>> law, network = FiniteData([[1, 0]], [1]), Network("gated-linear", "mean", 2, (AlwaysGate(),) * 2)
    >>> initial(Problem(law, network, Training("half-mse", 1, [[1, 2], [3, 4]], (1,)))).tolist()
    [1.0, 2.0, 3.0, 4.0]
    """
    return joined(problem, problem.start())


def joined(problem: Problem, start: dict[str, Shaped[np.ndarray, "..."]]) -> Shaped[np.ndarray, "*m P"]:
    """theta of the numbers of each parameter by its name, as `Problem.start` gives them.

    >>> from theory.problem import AlwaysGate, FiniteData, Network, Training
    >>> law, network = FiniteData([[1, 0]], [1]), Network("gated-linear", "mean", 1, (AlwaysGate(),), biases="trained")
    >>> training = Training("half-mse", 1, [[1, 2]], (1,), hidden_bias0=[3], output_bias0=4)
    >>> problem = Problem(law, network, training)
    >>> joined(problem, problem.start()).tolist()  # w, then b_1, then b_out
    [1.0, 2.0, 3.0, 4.0]
    """
    outputs = problem.data.outputs
    if problem.network.biases != "trained":
        return Parameters(start["w"], outputs=outputs).theta
    last = start["b_out"] if outputs == 1 else start["b_out"][None]
    return Parameters(start["w"], np.concatenate([start["b"], last]), outputs).theta
