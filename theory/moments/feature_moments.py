"""The moments that the linear flow depends on, A = <phi phi^T>, b = <phi y> and <y.y>, and the laws that have them.

phi are the features of a network that is linear in its trained parameters: (g_1 x, ..., g_K x), and with biases also
g_1, ..., g_K and 1/s. The moments of a law are registered by the file of this folder that has the name of the law's
file in `theory.problem.distributions`.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import singledispatch
from typing import Any

import numpy as np
from jaxtyping import Shaped

from theory.moments.arithmetic import FLOAT64, Arithmetic
from theory.moments.symmetric import Symmetric
from theory.problem import Law, Network, OutOfReachError
from theory.problem.discovery import registered


@dataclass(frozen=True, eq=False)
class Block:
    """A decoupled part of the flow: `copies` uncoupled problems scales[a] * kernel.

    directions[a, p] are K-vectors and constants[a, q] vectors over the C = K + 1 biases (C = 0 without them), each
    orthonormal over all blocks. The N = d n + e coordinates u[a], directions[a, p] . w[:, j] over (p, j) and then
    constants[a, q] . biases over q, obey du/dt = ell s (rhs[a] - s scales[a] kernel u). Directions that mix units,
    sites and biases are P-vectors over theta: then n = 1, P stands for K, and there are no constants. With m > 1
    outputs theta, u and rhs have a leading axis of m: every output has the same flow. `places` are the entries of theta
    to which the directions and constants refer; all others are 0 in this block.

    The blocks of A of full rank carry all of theta:

    >>> from theory.problem import AlwaysGate, FiniteData, Network
    >>> law, network = FiniteData([[1, 0], [1, 1]], [1, -1]), Network("gated-linear", "mean", 1, (AlwaysGate(),))
    >>> (block,) = feature_moments(law, network).blocks
    >>> block.embed(block.project(np.array([3.0, 5.0]))).tolist()
    [3.0, 5.0]
    """

    n: int
    directions: Shaped[np.ndarray, "copies d K"]
    constants: Shaped[np.ndarray, "copies e C"]
    scales: Shaped[np.ndarray, " copies"]
    kernel: Symmetric
    rhs: Shaped[np.ndarray, "*m copies N"]
    places: slice | Shaped[np.ndarray, " P"] = field(default_factory=lambda: slice(None))

    def project(self, theta: Shaped[np.ndarray, "*m P"]) -> Shaped[np.ndarray, "*m copies N"]:
        """Return the coordinates u of theta = (w, biases)."""
        copies, d, units = self.directions.shape
        theta = theta[..., self.places]
        outputs = theta.shape[:-1]
        w, biases = theta[..., : units * self.n].reshape(*outputs, units, self.n), theta[..., units * self.n :]
        weights = (self.directions.reshape(copies * d, units) @ w).reshape(*outputs, copies, d * self.n)
        if not self.constants.size:
            return weights
        return np.concatenate([weights, (self.constants @ biases[..., None, :, None])[..., 0]], axis=-1)

    def embed(self, u: Shaped[np.ndarray, "*m copies N"]) -> Shaped[np.ndarray, "*m P"]:
        """Return the entries at `places` of the theta with coordinates u in this block and 0 in all others."""
        copies, d, units = self.directions.shape
        _, e, biases = self.constants.shape
        outputs = u.shape[:-2]
        directions, weights = self.directions.reshape(copies * d, units), u[..., : d * self.n]
        if self.n == 1:  # one product of matrices, where the other form has one for each entry of the leading axes
            w = weights.reshape(*outputs, copies * d) @ directions
        else:
            w = (directions.T @ weights.reshape(*outputs, copies * d, self.n)).reshape(*outputs, units * self.n)
        if not biases:
            return w
        constants = u[..., d * self.n :].reshape(*outputs, copies * e)
        return np.concatenate([w, constants @ self.constants.reshape(copies * e, biases)], axis=-1)


@dataclass(frozen=True)
class Structure:
    """Facts about A from exact linear algebra, known before its numbers are computed.

    `rank` is the rank of A and `rows` the number of rows of its largest kernel; `circulant` is True if every kernel is,
    so that the DFT diagonalises it. `notes` state these facts in words.

    >>> from theory.problem import AlwaysGate, FiniteData, Network
    >>> law, network = FiniteData([[1, 1], [2, 2]], [1, -1]), Network("gated-linear", "mean", 1, (AlwaysGate(),))
    >>> feature_moments(law, network).structure.rank  # the two sites are equal
    1
    """

    rank: int
    rows: int
    circulant: bool
    notes: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Operator:
    """A = sum over blocks of Q^T (scales (x) kernel) Q, a symmetric operator on theta that needs no P x P array.

    >>> from theory.problem import AlwaysGate, NonlinearGP, Network
    >>> law = NonlinearGP(6, (1, 1), 1, "ring", "unit-variance", (1, 0))
    >>> A = feature_moments(law, Network("gated-linear", "mean", 1, (AlwaysGate(),))).A
    >>> theta = np.arange(6.0)
    >>> np.abs(A.matvec(theta) - A.dense() @ theta).max().round(12).item()
    0.0
    """

    moments: "FeatureMoments"

    @property
    def rank(self) -> int:
        """The rank of A, exactly."""
        return self.moments.structure.rank

    @property
    def blocks(self) -> tuple[Block, ...]:
        """The decoupled parts."""
        return self.moments.blocks

    def dense(self) -> Shaped[np.ndarray, "P P"]:
        """A as an array, unit-major: row k n + j, and with biases K + 1 rows more."""
        return self.moments.assembled()

    def matvec(self, theta: Shaped[np.ndarray, "*any P"]) -> Shaped[np.ndarray, "*any P"]:
        """Return A theta in float64, block by block: on rings in O(P log n) and without an n x n array."""
        total = np.zeros_like(theta)
        for block in self.blocks:
            moved = block.scales[:, None] * block.kernel.matvec(block.project(theta))
            total[..., block.places] += block.embed(moved)
        return total


class FeatureMoments(ABC):
    """A, b = <phi y> and y2 = <y.y>: everything that the linear flow depends on.

    `A` is an `Operator`: dense() returns the array; the loss uses matvec, and the flow uses blocks and rank. b is (P,),
    or (P, m) for m outputs. Numbers are those of `arithmetic`: float64, or balls at the precision of their first use.
    Source: notes, eq. (6), (7), (12).

    A network that is linear in x has the plain moments, here of the inputs (1, 0), (0, 1) with labels 1 and -1:

    >>> from theory.problem import AlwaysGate, FiniteData, Network
    >>> law, network = FiniteData([[1, 0], [0, 1]], [1, -1]), Network("gated-linear", "mean", 1, (AlwaysGate(),))
    >>> moments = feature_moments(law, network)
    >>> moments.A.dense().tolist(), moments.b.tolist(), moments.y2
    ([[0.5, 0.0], [0.0, 0.5]], [0.5, -0.5], 1.0)
    """

    arithmetic: Arithmetic
    certified_seconds: float = 0.0  # what integrals of the same moments in balls take, about

    @property
    def A(self) -> Operator:
        """<phi phi^T>."""
        return Operator(self)

    @property
    @abstractmethod
    def b(self) -> Shaped[np.ndarray, "P *m"]:
        """<phi y>."""

    @property
    @abstractmethod
    def y2(self) -> Any:
        """<y.y>."""

    @property
    @abstractmethod
    def structure(self) -> Structure:
        """Rank and decoupling of A, exactly."""

    @property
    @abstractmethod
    def blocks(self) -> tuple[Block, ...]:
        """The decoupled parts of A with their part of b."""

    @property
    def amplification(self) -> float:
        """How much larger than A the terms are whose roundings A has: 1 where nothing cancels."""
        return 1.0

    @abstractmethod
    def assembled(self) -> Shaped[np.ndarray, "P P"]:
        """A as an array."""


Maker = Callable[[Any, Network, Arithmetic], FeatureMoments]


@singledispatch
def law_moments(law: Any, network: Network, arithmetic: Arithmetic) -> FeatureMoments:
    """Return a law's moments; files of this folder register them, and this default raises OutOfReachError.

    >>> from theory.problem import AlwaysGate, Network
    >>> law_moments("a law that nobody wrote", Network("gated-linear", "mean", 1, (AlwaysGate(),)), FLOAT64)
    Traceback (most recent call last):
    ...
    theory.problem.errors.OutOfReachError: The law str has no moments through gates here; these laws have them: ...
    """
    del network, arithmetic
    known = ", ".join(sorted(kind.__name__ for kind in law_moments.registry if kind is not object))
    raise OutOfReachError(
        f"The law {type(law).__name__} has no moments through gates here; these laws have them: {known}.",
        f"Simulate it (gdln simulate), or write theory/moments/{type(law).__module__.rpartition('.')[2]}.py.",
    )


def squared_labels(law: Law) -> Fraction:
    """<y.y>, exactly.

    >>> from theory.problem import FiniteData
    >>> str(squared_labels(FiniteData([[1], [2]], [1, "1/2"])))
    '5/8'
    """
    labels = zip(law.probabilities, law.label_vectors, strict=True)
    return sum((p * y * y for p, label in labels for y in label), Fraction(0))


def exactly(dispatch: Any, law: Law) -> Callable[..., Any]:
    """Return the function that a singledispatch has for exactly this type of law, or its default.

    A law that derives from another has other moments: it does not inherit them; it shares those of an abstract class.

    The clone derives from NonlinearGP and has moments of its own:

    >>> from theory.problem import GaussianClone, NonlinearGP
    >>> clone = GaussianClone(4, (2, 1), 1, "open", "none", (1, 0))
    >>> exactly(law_moments, clone) is law_moments.dispatch(NonlinearGP)
    False
    """
    return registered(dispatch, law)


def feature_moments(law: Law, network: Network, arithmetic: Arithmetic = FLOAT64) -> FeatureMoments:
    """A, b and <y.y> of a gated-linear network on the data of a law.

    Raises OutOfReachError for a law without moments here, for gates and networks without exact moments, and where A is
    too large to be exact.

    >>> from theory.problem import AlwaysGate, NonlinearGP, Network, SiteGate
    >>> law = NonlinearGP(4000, (2, 1), 1, "ring", "unit-variance", (1, 0))
    >>> network = Network("gated-linear", "mean", 2, (SiteGate(site=7, lo=0), SiteGate(site=7, hi=0)))
    >>> moments = feature_moments(law, network)
    >>> moments.A.rank, moments.b.shape, moments.y2
    (8000, (8000,), 0.5)
    """
    return exactly(law_moments, law)(law, network, arithmetic)
