"""Sums of moments over parts of a law that share their gates: A = sum_k p_k A_k, b = sum_k p_k b_k.

The parts have the same gates on x, so that products of gates are the same exact combinations in each, and only the
numbers of `SignMoments` add up. Where the parts have no more than gates' dependences in common, the range of A is that
of each part: see `GateBasis`. Parts of finitely many inputs add up as fractions.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from math import lcm
from typing import Any

import numpy as np

from theory.moments.arithmetic import Arithmetic
from theory.moments.basis import GateBasis, Key
from theory.moments.exact_features import ExactFeatures
from theory.moments.exact_moments import ExactMoments
from theory.moments.feature_moments import FeatureMoments
from theory.moments.sign_features import SignFeatures, SignMoments
from theory.moments.symmetric import Circulant, Dense, Symmetric
from theory.problem import OutOfReachError

Parts = Sequence[tuple[Fraction, FeatureMoments]]


def mixed(parts: Parts, arithmetic: Arithmetic) -> FeatureMoments:
    """Return the moments of the mixture of parts with their probabilities.

    Raises OutOfReachError for parts whose moments are of different forms, which do not add up.

    Two copies of one law, mixed, have its moments:

    >>> from theory.moments.arithmetic import FLOAT64
    >>> from theory.moments.process import process_moments
    >>> from theory.problem import GaussianClone, Network, SiteGate
    >>> law = GaussianClone(3, (2,), 1, "open", "unit-variance", (1,))
    >>> one = process_moments(law, Network("gated-linear", "mean", 1, (SiteGate(0, lo=0, on="input"),)), FLOAT64)
    >>> both = mixed([(Fraction(1, 4), one), (Fraction(3, 4), one)], FLOAT64)
    >>> np.abs(both.A.dense() - one.A.dense()).max().round(12).item(), np.abs(both.b - one.b).max().round(12).item()
    (0.0, 0.0)
    """
    shares, features = zip(*parts, strict=True)
    if all(isinstance(part, ExactFeatures) for part in features):
        return ExactFeatures(_exactly(shares, [part.exact for part in features]), arithmetic)
    if all(isinstance(part, SignFeatures) for part in features):
        gates = [_on_x(part.gates) for part in features]
        if all(own == gates[0] for own in gates):
            weights = [arithmetic.rational(share) for share in shares]
            signs = _signs(weights, [part.signs for part in features])
            return SignFeatures(features[0].gates, signs, sum(part.certified_seconds for part in features))
    raise OutOfReachError(
        "The components of this mixture have moments of different forms through these gates, which do not add up.",
        "Use components that are all Gaussian processes, clones or elliptical, or all single pulses; or simulate it "
        "(gdln simulate).",
    )


def _on_x(gates: GateBasis) -> GateBasis:
    """Return the basis without the mark of laws with a latent: all gates of a mixture look at x."""
    return replace(gates, half_spaces=tuple(replace(own, on_input=False) for own in gates.half_spaces))


def _exactly(shares: Sequence[Fraction], parts: Sequence[ExactMoments]) -> ExactMoments:
    weights = [share / part.denominator for share, part in zip(shares, parts, strict=True)]
    denominator = lcm(*(weight.denominator for weight in weights))
    rows = sum(int(w * denominator) * part.rows.astype(object) for w, part in zip(weights, parts, strict=True))
    first = sum(share * part.first for share, part in zip(shares, parts, strict=True))
    y2 = sum((share * part.y2 for share, part in zip(shares, parts, strict=True)), Fraction(0))
    notes = tuple(note for note in parts[0].notes if all(note in part.notes for part in parts))
    return ExactMoments(parts[0].units, parts[0].n, rows, denominator, first, y2, notes)


def _signs(weights: Sequence[Any], parts: Sequence[SignMoments]) -> SignMoments:
    """Return the moments of the mixture, each computed at its first use."""
    first = parts[0]

    def added(name: str) -> Callable[[Key], Any]:
        def moment(key: Key) -> Any:
            values = [(weight, getattr(part, name)(key)) for weight, part in zip(weights, parts, strict=True)]
            known = [(weight, value) for weight, value in values if value is not None]
            return _sum(known) if known else None

        return cache(moment)

    return SignMoments(
        n=first.n,
        arithmetic=first.arithmetic,
        second=added("second"),
        first=added("first"),
        zeroth=added("zeroth"),
        output=added("output"),
        label=added("label"),
        y2=_sum([(weight, part.y2) for weight, part in zip(weights, parts, strict=True)]),
        outputs=first.outputs,
        parity=all(part.parity for part in parts),
        joint=max(part.joint for part in parts),
        circulant=all(part.circulant for part in parts),
    )


def _sum(terms: Sequence[tuple[Any, Any]]) -> Any:
    """Return the weighted sum of numbers, arrays or symmetric matrices; of one structure where all have it."""
    values = [value for _, value in terms]
    if not isinstance(values[0], Symmetric):
        return sum((weight * value for weight, value in terms[1:]), terms[0][0] * values[0])
    if all(isinstance(value, Circulant) and value.axes == values[0].axes for value in values):
        return Circulant(sum(weight * np.asarray(value.first_row) for weight, value in terms), values[0].axes)
    return Dense(sum(weight * value.dense() for weight, value in terms))
