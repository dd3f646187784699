"""Laws of spins, x in {-1, 1}^n with every configuration possible, through gates at sites: A, b and the range of A.

A gate at site i is 0, 1 or (1 +- x_i)/2 on spins, so that its features g x_j = (x_j +- x_i x_j)/2 are combinations of
at most two monomials prod_{j in S} x_j, |S| <= 2. Monomials are linearly independent functions where every
configuration has a positive probability, so that A = F M F^T with M positive definite and F the coefficients of the
features: the range of A is that of F. F is the incidence matrix of a signed graph: monomials are its vertices, features
its edges, or half-edges where they are one monomial. A connected component has as many independent columns as vertices,
or one less where signs sigma of its vertices exist that make F sigma = 0 on all of its edges (it is balanced).
"""

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from math import inf
from typing import Any, Protocol, runtime_checkable

import numpy as np
from jaxtyping import Int, Shaped

from theory.moments.arithmetic import Arithmetic, Numbers
from theory.moments.basis import GateBasis, Vector, require_linear
from theory.moments.directions import Direction
from theory.moments.exact_moments import ALWAYS_OR_NEVER, ExactMoments, gram, require_rows, whole_numbers
from theory.moments.feature_moments import Block, FeatureMoments, Structure, squared_labels
from theory.moments.gate_signs import refuse_gate, require_hard
from theory.moments.half_spaces import HalfSpace
from theory.moments.sign_features import SignFeatures, SignMoments
from theory.moments.statistics import require_centred
from theory.moments.symmetric import Dense
from theory.problem import AlwaysGate, InputError, Law, Network, OutOfReachError, SiteGate, resolved

Sites = tuple[int, ...]
Monomial = frozenset[int]
Feature = dict[Monomial, Fraction]
_ZERO, _HALF, _ONE = Fraction(0), Fraction(1, 2), Fraction(1)


@runtime_checkable
class SpinMoments(Protocol):
    """The moments of one class of spins with the product of the spins at some sites, in an arithmetic."""

    def zeroth(self, sites: Sites) -> Any:
        """E prod_{i in sites} x_i."""

    def first(self, sites: Sites) -> Shaped[np.ndarray, " n"]:
        """E[prod_{i in sites} x_i x_j] for every j."""

    def second(self, sites: Sites) -> Shaped[np.ndarray, "n n"]:
        """E[prod_{i in sites} x_i x_j x_k] for all j, k."""


def on_spins(gate: Any, where: str) -> tuple[int | None, Fraction, Fraction]:
    """Return (site, a, b) of a gate that is a + b x_site on spins; the site is None for a gate that is constant.

    Raises OutOfReachError for gates of other kinds than sites and always, on a latent, and soft.

    >>> [str(number) for number in on_spins(SiteGate(3, hi="1/2", on="input"), "network.gates[0]")]
    ['3', '1/2', '-1/2']
    """
    if isinstance(gate, AlwaysGate):
        return None, _ONE, _ZERO
    if not isinstance(gate, SiteGate):
        refuse_gate(gate, where, {SiteGate: None, AlwaysGate: None})
    if (gate.lo, gate.hi) == (-inf, inf):
        return None, _ONE, _ZERO
    require_hard(gate, where)
    if gate.on != "input":
        raise OutOfReachError(f"{where} is on the latent, which spins do not have.", 'Write on = "input".')
    dark, bright = (_ONE * (gate.lo <= spin < gate.hi) for spin in (-1, 1))
    return (None if dark == bright else gate.site), (dark + bright) / 2, (bright - dark) / 2


def spin_basis(network: Network) -> GateBasis:
    """Return the gates of a network over 1 and the spins at their sites, s_i = x_i.

    >>> network = Network("gated-linear", "mean", 2, (SiteGate(3, lo=0, on="input"), SiteGate(3, hi=0, on="input")))
    >>> [[str(number) for number in row] for row in spin_basis(network).coefficients]
    [['1/2', '1/2'], ['1/2', '-1/2']]
    """
    require_linear(network)
    found = [on_spins(gate, f"network.gates[{k}]") for k, gate in enumerate(resolved(network.gates))]
    sites = sorted({site for site, _, _ in found if site is not None})
    rows = tuple((a, *(b if site == own else _ZERO for own in sites)) for site, a, b in found)
    functions = tuple(HalfSpace(Direction(((site, _ONE),))) for site in sites)
    if not network.has_biases:
        return GateBasis(functions, rows)
    return GateBasis(functions, rows, (*rows, (1 / network.scale, *(_ZERO for _ in sites))))


@dataclass(frozen=True, eq=False)
class SpinFeatures(FeatureMoments):
    """The moments of a gated-linear network on spins: `sums` over products of gates, on the exact range of A.

    `remarks` name the gates that never change.

    Two spins that are independent and fair: A = 1 without gates.

    >>> from theory.problem.distributions.ising import Ising
    >>> from theory.moments import feature_moments
    >>> law, network = Ising(2, "open", (1, 0), beta=(0, 0)), Network("gated-linear", "mean", 1, (AlwaysGate(),))
    >>> moments = feature_moments(law, network)
    >>> moments.A.dense().tolist(), moments.structure.rank
    ([[1.0, 0.0], [0.0, 1.0]], 2)
    """

    sums: SignFeatures
    remarks: tuple[str, ...]

    @property
    def arithmetic(self) -> Arithmetic:
        """The numbers: float64 or balls."""
        return self.sums.arithmetic

    @cached_property
    def _assembled(self) -> Shaped[np.ndarray, "P P"]:
        return self.sums.assembled()

    def assembled(self) -> Shaped[np.ndarray, "P P"]:
        """A as an array."""
        return self._assembled

    @property
    def b(self) -> Shaped[np.ndarray, "P *m"]:
        """<phi y>."""
        return self.sums.b

    @property
    def y2(self) -> Any:
        """<y.y>."""
        return self.sums.y2

    @cached_property
    def _places(self) -> tuple[Int[np.ndarray, " M"], ...]:
        """The rows of A in groups: gates of different groups are never open together, and closed gates are left out."""
        from theory.moments.exact_range import components

        gates, n = self.sums.gates, self.sums.signs.n
        rows = (*gates.coefficients, *gates.constants)
        ends = np.cumsum([n] * len(gates.coefficients) + [1] * len(gates.constants))
        together = np.array([[bool(gates.product(u, v)) for v in rows] for u in rows])
        parts = [np.arange(end - (n if k < len(gates.coefficients) else 1), end) for k, end in enumerate(ends)]
        found = [[k for k in group.tolist() if any(rows[k])] for group in components(together)]
        if not any(found):
            raise InputError(
                "No gate of this network ever opens on spins, so that nothing is learned.",
                "Move the bounds of the gates between -1 and 1.",
            )
        return tuple(np.concatenate([parts[k] for k in group]) for group in found if group)

    @cached_property
    def _features(self) -> list[Feature]:
        """The features of all rows of A as combinations of monomials."""
        gates, n = self.sums.gates, self.sums.signs.n
        spins = [frozenset(), *(frozenset((function.direction.site,)) for function in gates.half_spaces)]

        def feature(row: Vector, factor: Monomial) -> Feature:
            return {spin ^ factor: number for spin, number in zip(spins, row, strict=True) if number}

        inputs = [feature(row, frozenset((j,))) for row in gates.coefficients for j in range(n)]
        return [*inputs, *(feature(row, frozenset()) for row in gates.constants)]

    @cached_property
    def _ranges(self) -> tuple["Range", ...]:
        return tuple(Range.of([self._features[place] for place in places]) for places in self._places)

    @cached_property
    def structure(self) -> Structure:
        """Rank and decoupling of A, from the signed graphs of the features."""
        ranks, size = [found.rank for found in self._ranges], len(self._features)
        notes = list(self.remarks)
        if sum(ranks) < size:
            notes.append(
                f"A has rank {sum(ranks)} of {size}, exactly, by counting in the products of spins that the features "
                "are made of; the other directions keep their initial values."
            )
        pieces = f"{len(ranks)} block{'s' if len(ranks) > 1 else ''}"
        notes.append(f"A decouples into {pieces}; kernels of at most {max(ranks)} rows.")
        return Structure(sum(ranks), max(ranks), False, tuple(notes))

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """A block for each group of gates, in the features themselves where they are independent."""
        return tuple(self._block(*both) for both in zip(self._places, self._ranges, strict=True))

    def _block(self, places: Int[np.ndarray, " M"], own: "Range") -> Block:
        arithmetic = self.arithmetic
        kernel, rhs = self.assembled()[np.ix_(places, places)], self.b[places]
        directions = own.directions(arithmetic)
        if own.rank < len(places):
            kernel, rhs = directions @ kernel @ directions.T, directions @ rhs
        return Block(
            n=1,
            directions=directions[None],
            constants=np.empty((1, 0, 0), dtype=arithmetic.dtype),
            scales=np.array([arithmetic.rational(_ONE)], dtype=arithmetic.dtype),
            kernel=Dense((kernel + kernel.T) / 2),
            rhs=rhs.T[..., None, :],
            places=places,
        )


@dataclass(frozen=True, eq=False)
class Range:
    """The column space of features over monomials: `matrix` (M, vertices) in fractions, and its independent columns.

    (x_0 + x_1)/2 and (x_1 + x_2)/2 make a balanced path of three vertices, x_0 beside it an unbalanced one:

    >>> half, one = Fraction(1, 2), Fraction(1)
    >>> x = [frozenset((j,)) for j in range(3)]
    >>> path = [{x[0]: half, x[1]: half}, {x[1]: half, x[2]: half}]
    >>> Range.of(path).rank, Range.of([*path, {x[0]: one}]).rank
    (2, 3)
    """

    matrix: Shaped[np.ndarray, "M V"]
    kept: list[int]

    @property
    def rank(self) -> int:
        """The rank of the features."""
        return len(self.kept)

    @classmethod
    def of(cls, features: list[Feature]) -> "Range":
        """Return the column space of features of one or two monomials with coefficients of one size."""
        index = {monomial: v for v, monomial in enumerate(dict.fromkeys(m for feature in features for m in feature))}
        matrix = np.full((len(features), len(index)), _ZERO, dtype=object)
        for row, feature in enumerate(features):
            for monomial, number in feature.items():
                matrix[row, index[monomial]] = number
        edges = [[(index[monomial], number > 0) for monomial, number in feature.items()] for feature in features]
        dropped = {component[0] for component, balanced in _components(edges, len(index)) if balanced}
        return cls(matrix, [v for v in range(len(index)) if v not in dropped])

    def directions(self, arithmetic: Arithmetic) -> Numbers:
        """Return orthonormal vectors that span the range, as rows: the unit vectors where the features are independent.

        In float64 they are Q of the QR decomposition of the independent columns, in balls those of an exact
        elimination.
        """
        size = len(self.matrix)
        if self.rank == size:
            zero, one = arithmetic.rational(_ZERO), arithmetic.rational(_ONE)
            return np.where(np.eye(size, dtype=bool), one, zero).astype(arithmetic.dtype)
        if arithmetic.dtype is float:
            return np.linalg.qr(self.matrix[:, self.kept].astype(float))[0].T
        return _eliminated(self.matrix, arithmetic)


def _components(edges: list[list[tuple[int, bool]]], vertices: int) -> Iterator[tuple[list[int], bool]]:
    """Yield the vertices of each connected component of a signed graph, and whether it is balanced.

    Signs of the vertices are carried along the edges: coefficients of one sign ask for opposite signs.
    """
    ahead: dict[int, list[tuple[int, bool]]] = defaultdict(list)
    halves = {edge[0][0] for edge in edges if len(edge) == 1}
    for (u, plus), (v, also) in (edge for edge in edges if len(edge) == 2):
        ahead[u].append((v, plus == also))
        ahead[v].append((u, plus == also))
    sign: dict[int, bool] = {}
    for start in range(vertices):
        if start in sign:
            continue
        sign[start], component = True, [start]
        for u in component:  # grows while it is read
            for v, opposite in ahead[u]:
                if v not in sign:
                    sign[v] = sign[u] != opposite
                    component.append(v)
        consistent = all((sign[v] != sign[u]) == opposite for u in component for v, opposite in ahead[u])
        yield component, consistent and not halves.intersection(component)


def _eliminated(matrix: Shaped[np.ndarray, "M V"], arithmetic: Arithmetic) -> Numbers:
    """Return orthonormal rows that span the columns of a matrix of fractions, those of F F^T, by exact elimination."""
    from theory.moments.exact_range import pieces

    whole, _ = whole_numbers(matrix)
    nothing = np.full(len(matrix), _ZERO, dtype=object)
    found = pieces(ExactMoments(1, len(matrix), gram(whole.T), 1, nothing, _ZERO))
    rows = []
    for piece in found:
        for vector, norm in zip(piece.vectors, piece.norms, strict=True):
            row = np.full(len(matrix), arithmetic.rational(_ZERO), dtype=arithmetic.dtype)
            length = arithmetic.sqrt(arithmetic.rational(norm))
            row[piece.places] = [arithmetic.rational(Fraction(number)) / length for number in vector]
            rows.append(row)
    return np.array(rows, dtype=arithmetic.dtype)


def spin_features(
    law: Law, network: Network, arithmetic: Arithmetic, classes: Callable[[int], SpinMoments]
) -> SpinFeatures:
    """Return the moments of a network on a law of spins; `classes(c)` has the moments of class c.

    Gates: at sites with any bounds, always and repeated. Raises OutOfReachError for other gates, class means, and where
    A is too large.
    """
    require_centred(law, "The gated moment")
    require_rows(network, law.n)
    gates = spin_basis(network)
    own = [classes(c) for c in range(law.classes)]
    shares = [arithmetic.rational(p) for p in law.probabilities]
    labels = np.array([[arithmetic.rational(y) for y in label] for label in law.label_vectors], dtype=arithmetic.dtype)
    outputs = (law.outputs,) if law.outputs > 1 else ()

    def sites(key: Sites) -> Sites:
        return tuple(gates.half_spaces[i].direction.site for i in key)

    @cache
    def second(key: Sites) -> Dense:
        return Dense(sum(p * one.second(sites(key)) for p, one in zip(shares, own, strict=True)))

    @cache
    def firsts(key: Sites) -> list[Numbers]:
        return [p * one.first(sites(key)) for p, one in zip(shares, own, strict=True)]

    @cache
    def zeroths(key: Sites) -> list[Any]:
        return [p * one.zeroth(sites(key)) for p, one in zip(shares, own, strict=True)]

    def labelled(values: list[Any]) -> Numbers:
        """Return sum_c y_c values[c], with a leading axis of m for m > 1 outputs."""
        total = sum(np.multiply.outer(y, value) for y, value in zip(labels, values, strict=True))
        return np.asarray(total if outputs else total[0])

    moments = SignMoments(
        law.n,
        arithmetic,
        second=second,
        first=lambda key: sum(firsts(key)),
        zeroth=lambda key: sum(zeroths(key)),
        output=lambda key: labelled(firsts(key)),
        label=lambda key: labelled(zeroths(key)),
        y2=arithmetic.rational(squared_labels(law)),
        outputs=outputs,
        parity=False,
    )
    return SpinFeatures(SignFeatures(gates, moments), tuple(_remarks(network)))


def _remarks(network: Network) -> Iterator[str]:
    """Yield a sentence for each gate at a site that never changes."""
    for unit, gate in enumerate(resolved(network.gates)):
        site, constant, _ = on_spins(gate, f"network.gates[{unit}]")
        if site is None and not isinstance(gate, AlwaysGate):
            yield f"unit {unit}: its gate at site {gate.site} is {ALWAYS_OR_NEVER[int(constant)]}, as x is -1 or 1."
