"""What a network learns, as one vector theta = (w, b_1, ..., b_K, b_out) for the flow, and in parts for a reader."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Shaped

from theory.problem import Problem


@dataclass(frozen=True)
class Parameters:
    """Weights, and the biases b_1, ..., b_K, b_out where the network trains them (None where it has none).

    C = K + 1. Any leading axes (times) are shared; numbers are float64, balls or decimal strings.
    """

    weights: Shaped[np.ndarray, "*any K n"]
    biases: Shaped[np.ndarray, "*any C"] | None = None

    @classmethod
    def of(cls, theta: Shaped[np.ndarray, "*any P"], units: int, n: int) -> "Parameters":
        """The parts of theta: P = K n without biases and K n + K + 1 with them."""
        w, biases = np.split(theta, [units * n], axis=-1)
        return cls(w.reshape(*w.shape[:-1], units, n), biases if biases.shape[-1] else None)

    @property
    def theta(self) -> Shaped[np.ndarray, "*any P"]:
        """The flat vector, unit after unit, biases last.

        >>> Parameters(np.ones((2, 3)), np.zeros(3)).theta.tolist()
        [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0]
        """
        flat = self.weights.reshape(*self.weights.shape[:-2], -1)
        return flat if self.biases is None else np.concatenate([flat, self.biases], axis=-1)

    @property
    def hidden_biases(self) -> Shaped[np.ndarray, "*any K"] | None:
        """b_1, ..., b_K."""
        return None if self.biases is None else self.biases[..., :-1]

    @property
    def output_bias(self) -> Shaped[np.ndarray, "*any"] | None:
        """b_out."""
        return None if self.biases is None else self.biases[..., -1]


def initial(problem: Problem) -> Float[np.ndarray, " P"]:
    """theta(0) in float64."""
    return Parameters(problem.w0(), problem.biases0()).theta
