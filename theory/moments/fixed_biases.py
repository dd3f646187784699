"""Fixed biases: the weights learn what the biases leave of y.

With yhat = s (w . phi + beta . psi), where psi = (g_1, ..., g_K, 1/s) and beta = (b_1, ..., b_K, b_out) stay as they
are, the error y - yhat is that of a network without biases whose target is y' = y - s beta . psi. A is that of the
weights alone, and

    <phi y'> = <phi y> - s <phi psi'> beta,   <y'.y'> = <y.y> - 2 s beta . <psi y> + s^2 beta . <psi psi'> beta.

The moments on the right are those of the network that learns its biases. Source: notes, eq. (1), (3), (12).
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from jaxtyping import Shaped

from theory.moments.arithmetic import FLOAT64, Arithmetic
from theory.moments.exact_range import RangedFeatures
from theory.moments.feature_moments import Block, FeatureMoments, Structure, feature_moments
from theory.moments.sign_features import SignFeatures
from theory.problem import NormalInitialisation, Problem


def moments_of(problem: Problem, arithmetic: Arithmetic = FLOAT64) -> FeatureMoments:
    """A, b and <y.y> of a problem: those of its law and network, and of the target y' where its biases are fixed.

    Raises OutOfReachError as `feature_moments` does.

    The bias 1 of an open gate takes 1 off every label, here off 1 and -1:

    >>> from theory.problem import AlwaysGate, FiniteData, Network, Training
    >>> law, network = FiniteData([[1, 0], [0, 1]], [1, -1]), Network("gated-linear", "mean", 1, (AlwaysGate(),))
    >>> training = Training("half-mse", 1, [[0, 0]], (1,), hidden_bias0=[1], output_bias0=0)
    >>> moments = moments_of(Problem(law, replace(network, biases="fixed"), training))
    >>> moments.b.tolist(), moments.y2
    ([0.0, -1.0], 2.0)
    """
    network = problem.one_layer
    if network.biases != "fixed":
        return feature_moments(problem.data, network, arithmetic)
    bare = feature_moments(problem.data, replace(network, biases="none"), arithmetic)
    biases = fixed_biases(problem).reshape(problem.data.outputs, -1)
    if isinstance(bare, SignFeatures | RangedFeatures):
        sums = bare if isinstance(bare, SignFeatures) else bare.sums
        first, square = _by_products(sums, biases, network.scale)
    else:
        learned = feature_moments(problem.data, replace(network, biases="trained"), arithmetic)
        numbers = [arithmetic.rational(value) for value in biases.ravel().tolist()]
        columns = learned.b.reshape(len(learned.b), -1)
        in_numbers = np.array(numbers, dtype=arithmetic.dtype).reshape(biases.shape)
        scale = arithmetic.rational(network.scale)
        first, square = left_over(learned.A.dense(), columns, np.asarray(learned.y2), in_numbers, scale)
    return FixedBiasMoments(bare, first[:, 0] if problem.data.outputs == 1 else first, square.item())


def _by_products(
    bare: SignFeatures, biases: Shaped[np.ndarray, "m C"], s: Fraction
) -> tuple[Shaped[np.ndarray, "Kn m"], Shaped[np.ndarray, ""]]:
    """<phi y'> and <y'.y'> with s beta . psi as an exact combination of the gates: what is 0 by symmetry stays 0."""
    gates, y2, columns = bare.gates, bare.y2, []
    for output, (*hidden, last) in enumerate(biases.tolist()):
        weighed = [(s * b, row) for b, row in zip(hidden, gates.coefficients, strict=True)]
        offset = [sum((b * row[c] for b, row in weighed), Fraction(0)) for c in range(1 + len(gates.half_spaces))]
        offset = (offset[0] + last, *offset[1:])
        own = [bare.correlated(row).reshape(-1, bare.signs.n)[output] for row in gates.coefficients]
        taken = [bare.shifted(row, offset) for row in gates.coefficients]
        columns.append(np.concatenate(own) - np.concatenate(taken))
        y2 = y2 - 2 * np.atleast_1d(bare.labelled(offset))[output] + bare.overlap(offset, offset)
    return np.stack(columns, axis=-1), np.asarray(y2)


def exact_start(problem: Problem) -> dict[str, Shaped[np.ndarray, "..."]]:
    """Return the initial numbers of each parameter as fractions; random ones are exact float64 numbers.

    >>> from theory.problem import AlwaysGate, FiniteData, Network, Training
    >>> law, network = FiniteData([[1]], [1]), Network("gated-linear", "mean", 1, (AlwaysGate(),))
    >>> exact_start(Problem(law, network, Training("half-mse", 1, [["1/3"]], (1,))))["w"].tolist()
    [[Fraction(1, 3)]]
    """
    drawn, exact = problem.start(), {}
    for parameter in problem.parameters:
        given, numbers = problem.training.initial(parameter.name), drawn[parameter.name]
        stated = numbers if isinstance(given, NormalInitialisation) else np.array(given, dtype=object)
        whole = [Fraction(entry) for entry in np.broadcast_to(stated, parameter.shape).ravel().tolist()]
        exact[parameter.name] = np.array(whole, dtype=object).reshape(parameter.shape)
    return exact


def fixed_biases(problem: Problem) -> Shaped[np.ndarray, "*m C"]:
    """Return b_1, ..., b_K, b_out of a problem with fixed biases as fractions, one row for each of m > 1 outputs.

    >>> from theory.problem import AlwaysGate, FiniteData, Network, Training
    >>> network = Network("gated-linear", "mean", 1, (AlwaysGate(),), biases="fixed")
    >>> training = Training("half-mse", 1, [[0]], (1,), hidden_bias0=["1/2"], output_bias0=2)
    >>> [str(number) for number in fixed_biases(Problem(FiniteData([[1]], [1]), network, training))]
    ['1/2', '2']
    """
    start = exact_start(problem)
    last = start["b_out"] if problem.data.outputs == 1 else start["b_out"][None]
    return np.moveaxis(np.concatenate([start["b"], last]), 0, -1)


def left_over(
    A: Shaped[np.ndarray, "*G P P"],
    b: Shaped[np.ndarray, "*G P m"],
    y2: Shaped[np.ndarray, " *G"],
    biases: Shaped[np.ndarray, "m C"],
    s: Any,
) -> tuple[Shaped[np.ndarray, "*G Kn m"], Shaped[np.ndarray, " *G"]]:
    """<phi y'> and <y'.y'> from the moments with the features psi of the biases, which are the last C of the P.

    phi = psi = 1 and y = 3 with the bias 1:

    >>> b, y2 = left_over(np.ones((2, 2)), np.full((2, 1), 3.0), np.array(9.0), np.array([[1.0]]), 1.0)
    >>> b.tolist(), y2.item()
    ([[2.0]], 4.0)
    """
    rows = A.shape[-1] - biases.shape[-1]
    offset = s * (A[..., rows:] @ biases.T)
    square = s * (biases.T * (offset - 2 * b)[..., rows:, :]).sum(axis=(-2, -1))
    return (b - offset)[..., :rows, :], np.asarray(y2 + square)


@dataclass(frozen=True, eq=False)
class FixedBiasMoments(FeatureMoments):
    """The moments of the weights beside fixed biases: A of `bare`, the network without them, and <phi y'>, <y'.y'>.

    >>> from theory.problem import AlwaysGate, FiniteData, Network
    >>> law, network = FiniteData([[1]], [3]), Network("gated-linear", "mean", 1, (AlwaysGate(),))
    >>> moments = FixedBiasMoments(feature_moments(law, network), np.array([2.0]), 4.0)
    >>> moments.blocks[0].rhs.tolist()
    [[2.0]]
    """

    bare: FeatureMoments
    first: Shaped[np.ndarray, "Kn *m"]
    square: Any

    @property
    def arithmetic(self) -> Arithmetic:
        """The numbers: float64 or balls."""
        return self.bare.arithmetic

    @property
    def certified_seconds(self) -> float:
        """About how long the integrals of these moments in balls take."""
        return self.bare.certified_seconds

    @property
    def b(self) -> Shaped[np.ndarray, "Kn *m"]:
        """<phi y'>."""
        return self.first

    @property
    def y2(self) -> Any:
        """<y'.y'>."""
        return self.square

    @cached_property
    def structure(self) -> Structure:
        """Rank and decoupling of A, that of the weights."""
        own = self.bare.structure
        return replace(own, notes=(*own.notes, "the biases are fixed: the weights learn what these leave of y."))

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """The decoupled parts of A, with the forces of the target y'."""
        force = np.moveaxis(self.first, 0, -1)
        return tuple(replace(block, rhs=block.project(force)) for block in self.bare.blocks)

    @property
    def amplification(self) -> float:
        """That of the moments without biases."""
        return self.bare.amplification

    def assembled(self) -> Shaped[np.ndarray, "Kn Kn"]:
        """A as an array."""
        return self.bare.assembled()
