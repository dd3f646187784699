"""A finite data set through gates in float64, where its exact moments are out of reach: many features, few examples.

Two gates that are never open on one example have <g_k g_l x x^T> = 0, so that units decouple into the connected
components of "open together": exclusive gates are blocks. A component of M features and N examples has rank min(M, N)
at most. Where it is less than M (few examples, or linearly dependent gates), the right singular vectors of the N x M
matrix of features span the range of A, and what is orthogonal to them never moves. Its rank is exact: that of a Gram
matrix of whole numbers. Source: notes, eq. (8)-(12).
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Bool, Float, Int, Shaped

from theory.moments.arithmetic import FLOAT64, Arithmetic
from theory.moments.exact_moments import MOST_FEATURES, Examples, gram, opened_on, whole_numbers
from theory.moments.feature_moments import Block, FeatureMoments, Structure
from theory.moments.symmetric import Dense
from theory.problem import InputError, Network, OutOfReachError


@dataclass(frozen=True, eq=False)
class Component:
    """Coupled units, the examples that open one of them, their features that are not always 0, and the exact rank.

    `kept` counts the features of the units from 0, `places` the same entries of theta.
    """

    units: Int[np.ndarray, " U"]
    examples: Int[np.ndarray, " N"]
    kept: Int[np.ndarray, " M"]
    places: slice | Int[np.ndarray, " M"]
    rank: int


@dataclass(frozen=True, eq=False)
class ExampleFeatures(FeatureMoments):
    """The moments of N examples: x (N, n), gates (N, K), probabilities (N,) and labels (N, m), each in float64.

    One example has rank 1, whatever the number of sites:

    >>> from fractions import Fraction
    >>> from theory.problem import AlwaysGate
    >>> one = Examples(np.array([[Fraction(3), Fraction(4)]], dtype=object), (Fraction(1),), ((Fraction(2),),))
    >>> features = example_features(one, Network("gated-linear", "mean", 1, (AlwaysGate(),)))
    >>> features.structure.rank, features.assembled().tolist(), features.b.tolist(), features.y2
    (1, [[9.0, 12.0], [12.0, 16.0]], [6.0, 8.0], 4.0)
    """

    x: Float[np.ndarray, "N n"]
    opened: Float[np.ndarray, "N K"]
    probabilities: Float[np.ndarray, " N"]
    y: Float[np.ndarray, "N m"]
    components: tuple[Component, ...]
    arithmetic: Arithmetic = FLOAT64

    @property
    def _size(self) -> int:
        return self.opened.shape[1] * self.x.shape[1]

    def _features(self, component: Component) -> Float[np.ndarray, "N M"]:
        """sqrt(p) g_k x of the component's examples, unit-major."""
        at = component.examples
        gates = self.opened[np.ix_(at, component.units)] * np.sqrt(self.probabilities[at])[:, None]
        return (gates[:, :, None] * self.x[at][:, None, :]).reshape(len(at), -1)[:, component.kept]

    def assembled(self) -> Float[np.ndarray, "P P"]:
        """A as an array."""
        A = np.zeros((self._size, self._size))
        every = np.arange(self._size)
        for component in self.components:
            features, places = self._features(component), every[component.places]
            A[np.ix_(places, places)] = features.T @ features
        return A

    @cached_property
    def b(self) -> Float[np.ndarray, "P *m"]:
        """<x~ y>, unit-major."""
        labels = self.y * self.probabilities[:, None]
        b = np.einsum("ek,ej,eo->kjo", self.opened, self.x, labels, optimize=True).reshape(self._size, -1)
        return b[:, 0] if b.shape[1] == 1 else b

    @cached_property
    def y2(self) -> float:
        """<y.y>."""
        return float(self.probabilities @ (self.y**2).sum(axis=1))

    @cached_property
    def structure(self) -> Structure:
        """The exact rank of A and its decoupling."""
        ranks, size = [component.rank for component in self.components], self._size
        notes = [f"A has rank {sum(ranks)} of {size}, exactly, from the examples in whole numbers."]
        if sum(ranks) < size:
            notes.append("The directions that no example has keep w0.")
        pieces = f"{len(ranks)} block{'s' if len(ranks) > 1 else ''}"
        notes.append(f"A decouples into {pieces}; kernels of at most {max(ranks)} rows.")
        return Structure(sum(ranks), max(ranks), False, tuple(notes))

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """A block for each component."""
        return tuple(self._block(component) for component in self.components)

    def _block(self, component: Component) -> Block:
        """Return the block in the component's features if they are independent, else in its right singular vectors."""
        features, at = self._features(component), component.examples
        if component.rank == features.shape[1]:
            directions, kernel = np.eye(component.rank), features.T @ features
            products = features
        else:
            _, lengths, vectors = np.linalg.svd(features, full_matrices=False)
            directions, kernel = vectors[: component.rank], np.diag(lengths[: component.rank] ** 2)
            products = features @ directions.T
        rhs = (products.T @ (self.y[at] * np.sqrt(self.probabilities[at])[:, None])).T
        return Block(
            n=1,
            directions=directions[None],
            constants=np.empty((1, 0, 0)),
            scales=np.ones(1),
            kernel=Dense(kernel),
            rhs=rhs if rhs.shape[0] == 1 else rhs[:, None, :],
            places=component.places,
        )


def example_features(data: Examples, network: Network) -> ExampleFeatures:
    """The moments of examples without biases, in float64, with exact ranks.

    Raises OutOfReachError where the features are too many numbers or a component is too large for an exact rank,
    InputError where no gate opens on an input that is not 0.

    Two gates at one site are never open together: two blocks of one site each.

    >>> from fractions import Fraction
    >>> from theory.problem import SiteGate
    >>> x = np.array([[Fraction(1)], [Fraction(-2)]], dtype=object)
    >>> data = Examples(x, (Fraction(1, 2),) * 2, ((Fraction(1),), (Fraction(0),)))
    >>> gates = SiteGate(0, lo=0, on="input"), SiteGate(0, hi=0, on="input")
    >>> features = example_features(data, Network("gated-linear", "mean", 2, gates))
    >>> [block.kernel.dense().round(12).tolist() for block in features.blocks]
    [[[0.5]], [[2.0]]]
    """
    opened = opened_on(data, network)
    whole, _ = whole_numbers(data.x)
    gates, nonzero = opened.astype(float), (whole != 0).any(axis=1)
    together = (gates[nonzero].T @ gates[nonzero]) > 0
    found = []
    for units in _components(together):
        examples = np.flatnonzero(nonzero & (gates[:, units] > 0).any(axis=1))
        if len(examples):
            found.append(_component(whole, opened, units, examples))
    if not found:
        raise InputError(
            "A = <x~ x~^T> is 0: no gate of this network ever opens on an input that is not 0, so nothing is learned.",
            "Move the bounds of the gates between the values of the inputs.",
        )
    probabilities = np.array([float(share) for share in data.probabilities])
    labels = np.array([[float(entry) for entry in label] for label in data.labels])
    return ExampleFeatures(data.x.astype(float), gates, probabilities, labels, tuple(found))


def _components(together: np.ndarray) -> list[Int[np.ndarray, " U"]]:
    from theory.moments.exact_range import components

    return components(together)


def _component(
    x: Shaped[np.ndarray, "N n"],
    opened: Bool[np.ndarray, "N K"],
    units: Int[np.ndarray, " U"],
    examples: Int[np.ndarray, " E"],
) -> Component:
    """The component of some units, with x in whole numbers."""
    n = x.shape[1]
    if len(examples) * len(units) * n > MOST_FEATURES:
        raise OutOfReachError(
            f"A coupled component has {len(examples)} examples of {len(units) * n} gated inputs; the limit is "
            f"{MOST_FEATURES} numbers.",
            "Use fewer examples, sites or units that are open together.",
        )
    features = (opened[np.ix_(examples, units)][:, :, None] * x[examples][:, None, :]).reshape(len(examples), -1)
    kept = np.flatnonzero((features != 0).any(axis=0))
    places = (units[:, None] * n + np.arange(n)).ravel()[kept]
    together = places[-1] - places[0] == len(places) - 1
    return Component(
        units,
        examples,
        kept,
        slice(int(places[0]), int(places[-1]) + 1) if together else places,
        _rank(features[:, kept]),
    )


def _rank(features: Shaped[np.ndarray, "N M"]) -> int:
    """Return the exact rank of an integer matrix, which is that of the Gram matrix of its rows or columns."""
    from flint import fmpz_mat, nmod_mat

    from theory.moments.exact_range import MOST_REGULAR_ROWS, PRIMES

    fewer = min(features.shape)
    if fewer > MOST_REGULAR_ROWS:
        raise OutOfReachError(
            f"A coupled component has {features.shape[0]} examples and {features.shape[1]} features: exact ranks are "
            f"found for up to {MOST_REGULAR_ROWS} of the fewer.",
            "Use fewer examples, sites or units that are open together.",
        )
    matrix = fmpz_mat(gram(features.T if fewer == len(features) else features).tolist())
    # The rank modulo a prime is at most the rank, and the rank at most the number of rows.
    return fewer if nmod_mat(matrix, PRIMES[0]).rank() == fewer else matrix.rank()
