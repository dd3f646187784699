"""Laws of spins, x in {-1, 1}^n with every configuration possible, through gates at sites: A, b and the range of A.

A gate at site i is 0, 1 or (1 +- x_i)/2 on spins, so that its features g x_j = (x_j +- x_i x_j)/2 are combinations of
at most two monomials prod_{j in S} x_j, |S| <= 2. Monomials are linearly independent functions where every
configuration has a positive probability, so that A = F M F^T with M positive definite and F the coefficients of the
features: the range of A is that of F.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cache, partial
from typing import Any, Protocol, runtime_checkable

import numpy as np
from jaxtyping import Int, Shaped

from theory.moments.arithmetic import Arithmetic, Numbers
from theory.moments.basis import GateBasis, Vector, require_linear
from theory.moments.directions import Direction
from theory.moments.exact_moments import ALWAYS_OR_NEVER, require_rows
from theory.moments.exact_range import Component, RangedFeatures, components
from theory.moments.feature_moments import squared_labels
from theory.moments.gate_events import open_on
from theory.moments.gate_signs import refuse_gate
from theory.moments.half_spaces import HalfSpace
from theory.moments.sign_features import SignFeatures, SignMoments
from theory.moments.statistics import require_centred
from theory.moments.symmetric import Dense
from theory.problem import AlwaysGate, InputError, Law, Network, SiteGate, resolved

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
    opened = open_on(replace(gate, site=0), np.array([[-1], [1]], dtype=object), where)
    dark, bright = (_ONE * int(state) for state in opened)
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


def _places(gates: GateBasis, n: int) -> Iterator[Int[np.ndarray, " M"]]:
    """Yield the rows of A in groups whose gates are never open together; gates that never open are left out."""
    rows = (*gates.coefficients, *gates.constants)
    ends = np.cumsum([n] * len(gates.coefficients) + [1] * len(gates.constants))
    parts = np.split(np.arange(ends[-1]), ends[:-1])
    for group in components(np.array([[bool(gates.product(u, v)) for v in rows] for u in rows])):
        opening = [parts[k] for k in group if any(rows[k])]
        if opening:
            yield np.concatenate(opening)


def _features(gates: GateBasis, n: int) -> list[Feature]:
    """The features of all rows of A as combinations of monomials, with their coefficients."""
    spins = [frozenset(), *(frozenset((function.direction.site,)) for function in gates.half_spaces)]

    def feature(row: Vector, factor: Monomial) -> Feature:
        return {spin ^ factor: number for spin, number in zip(spins, row, strict=True) if number}

    inputs = [feature(row, frozenset((j,))) for row in gates.coefficients for j in range(n)]
    return [*inputs, *(feature(row, frozenset()) for row in gates.constants)]


def _ranges(gates: GateBasis, n: int) -> tuple[Component, ...]:
    """Return the groups of rows with their features over monomials, times 2: whole numbers."""
    features, found = _features(gates, n), []
    for places in _places(gates, n):
        own = [features[place] for place in places]
        index = {monomial: v for v, monomial in enumerate(dict.fromkeys(m for feature in own for m in feature))}
        matrix = np.zeros((len(own), len(index)), dtype=int)
        for row, feature in enumerate(own):
            for monomial, number in feature.items():
                matrix[row, index[monomial]] = int(2 * number)
        found.append(Component.of(places, matrix))
    if not found:
        raise InputError(
            "No gate of this network ever opens on spins, so that nothing is learned.",
            "Move the bounds of the gates between -1 and 1.",
        )
    return tuple(found)


def spin_features(
    law: Law, network: Network, arithmetic: Arithmetic, classes: Callable[[int], SpinMoments]
) -> RangedFeatures:
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
    said = ", by counting in the products of spins that the features are made of"
    find = partial(_ranges, gates, law.n)
    return RangedFeatures(SignFeatures(gates, moments), find, said, tuple(_remarks(network)))


def _remarks(network: Network) -> Iterator[str]:
    """Yield a sentence for each gate at a site that never changes."""
    for unit, gate in enumerate(resolved(network.gates)):
        site, constant, _ = on_spins(gate, f"network.gates[{unit}]")
        if site is None and not isinstance(gate, AlwaysGate):
            yield f"unit {unit}: its gate at site {gate.site} is {ALWAYS_OR_NEVER[int(constant)]}, as x is -1 or 1."
