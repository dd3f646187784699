"""Stationary processes through half-spaces: the moments of signs, summed over classes; notes, eq. (6), (7) and (12).

A class of a law has x = xi + m with xi odd under the symmetry of the process, and its mean m. In class c, for products
e of half-spaces, with r = E[e xi],

    E[e x] = r + E[e] m,   E[e x x^T] = E[e xi xi^T] + r m^T + m r^T + E[e] m m^T.

Of signs s_i of the latent at 0, E[s_i] = 0, E[s_i s_j xi] = 0 and E[s_i xi xi^T] = 0; `tails` has all other products.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from typing import Any

import numpy as np
from jaxtyping import Shaped

from theory.moments.arithmetic import Arithmetic
from theory.moments.basis import GateBasis, Key
from theory.moments.directions import half_space
from theory.moments.exact_range import RangedFeatures
from theory.moments.feature_moments import squared_labels
from theory.moments.latent_rank import regular, require_independent
from theory.moments.nonlinearities.gates import basis_of, check_gates, independent
from theory.moments.nonlinearities.piecewise import on_range
from theory.moments.sign_features import SignFeatures, SignMoments
from theory.moments.statistics import ClassStatistics, Process, class_statistics, stationary
from theory.moments.symmetric import Dense, Symmetric
from theory.moments.tails import ClassTails
from theory.problem import Cubic, Identity, InputError, Network, NonlinearGP, OutOfReachError

# A certified integral over three signs of which one has a threshold takes 1 ms at 40 digits, over four of which two
# have one ten times as long.
SECONDS = {1: 0.001, 2: 0.012}
MOST_SECONDS = 60


def process_moments(
    law: Process, network: Network, arithmetic: Arithmetic, centred: bool | None = None
) -> SignFeatures | RangedFeatures:
    """A, b and <y.y> of a gated-linear network on a stationary process, of any number of classes, priors and means.

    `centred` is False for a part of a mixture whose other parts have means: then gates at 0 are tails here too.

    Gates: sites and directions with any bounds, always, repeated, in any combination; on the input of a law that has a
    latent, directions of one site, and at 0 of two with weights of equal size. Entries are accurate to a few roundings
    of their largest term. Raises OutOfReachError for other gates and networks. Sources: notes, eq. (6), (7); small-bump
    note, eq. (7), (8), corrected.

    The two half-spaces of one site have halves of <x x^T>:

    >>> from theory.moments.arithmetic import FLOAT64
    >>> from theory.problem import NonlinearGP, SiteGate
    >>> law = NonlinearGP(3, (2, 1), 1, "open", "unit-variance", (1, 0))
    >>> network = Network("gated-linear", "mean", 2, (SiteGate(0, lo=0), SiteGate(0, hi=0)))
    >>> np.diag(process_moments(law, network, FLOAT64).assembled()).round(12).tolist()
    [0.5, 0.5, 0.5, 0.5, 0.5, 0.5]
    """
    gates = basis_of(law, network, centred)
    if not any(any(row) for row in gates.coefficients):
        raise InputError("No gate of this network ever opens, so that nothing is learned.", "Move the gates' bounds.")
    unlike = (function for function in gates.half_spaces if function.soft or function.direction.site is None)
    if law.clipped and law.latent and any(unlike) and not any(regular(law, c) for c in range(law.classes)):
        raise OutOfReachError(
            "Soft gates and gates along several sites have no exact moments where the ring is clipped in every class: "
            "its latent is degenerate, and different functions of it may be the same gate.",
            'Use hard gates at single sites, simulate it (gdln simulate), or use boundary = "open".',
        )
    if isinstance(law, NonlinearGP):  # the kernel of others is never singular, or they judge it themselves
        require_independent(law)
        check_gates(law, network, gates)
    seconds = _certified_seconds(law, gates)
    if arithmetic.dtype is object and seconds > MOST_SECONDS:
        raise OutOfReachError(
            f"The certified integrals over signs at thresholds that these gates need take {seconds:.0f} s; more than "
            f"{MOST_SECONDS} s is refused.",
            "Leave `digits` out for float64, or use fewer sites, thresholds or overlapping gates.",
        )
    classes = _Classes(law, gates, arithmetic)
    if arithmetic.dtype is not object:
        tails, entries = [len(key) for key in _keys_of_tails(gates)], law.classes * law.n * (law.n + 1) // 2
        classes.classes[0].require_time(entries * tails.count(1), entries * tails.count(2))
    features = SignFeatures(gates, classes.moments, seconds)
    if not isinstance(law, NonlinearGP) or not law.latent or independent(law, gates):
        return features
    return on_range(law, features)


def _certified_seconds(law: Process, gates: GateBasis) -> float:
    """How long the certified integrals over one or two tails and two signs take; Gaussian and cubic x have none."""
    if not law.latent or gates.odd or isinstance(law.nonlinearity, Identity | Cubic):
        return 0.0
    return law.classes * law.n * (law.n + 1) / 2 * sum(SECONDS[len(key)] for key in _keys_of_tails(gates))


def _keys_of_tails(gates: GateBasis) -> list[Key]:
    """The products of half-spaces that occur in A and contain a tail."""
    rows = gates.coefficients
    keys = {key for u in rows for v in rows for key in gates.product(u, v)}
    return [key for key in keys if any(gates.half_spaces[i].tail for i in key)]


@dataclass(frozen=True, eq=False)
class _Classes:
    """The classes of a law and the directions of its gates; every moment is computed at its first use and stored."""

    law: Process
    gates: GateBasis
    arithmetic: Arithmetic

    @property
    def moments(self) -> SignMoments:
        """The population moments of products of signs."""
        law, number = self.law, self.arithmetic.rational
        return SignMoments(
            n=law.n,
            arithmetic=self.arithmetic,
            second=cache(self._second),
            first=cache(self._first),
            zeroth=cache(self._zeroth),
            output=cache(self._output),
            label=cache(self._label),
            y2=number(squared_labels(law)),
            outputs=(law.outputs,) if law.outputs > 1 else (),
            parity=not law.means and self.gates.odd,
            joint=0.25 if law.latent else 0.0,
            circulant=law.boundary != "open" and not law.means,
        )

    @cached_property
    def classes(self) -> list[ClassStatistics]:
        """The statistics of the classes, without their means."""
        return [class_statistics(self.law, c, self.arithmetic) for c in range(self.law.classes)]

    @cached_property
    def _shares(self) -> list[Any]:
        return [self.arithmetic.rational(p) for p in self.law.probabilities]

    @cached_property
    def _weights(self) -> Shaped[np.ndarray, "C m"]:
        """P(c) y_c, the label as a vector."""
        law, number = self.law, self.arithmetic.rational
        rows = [[number(p * y) for y in label] for p, label in zip(law.probabilities, law.label_vectors, strict=True)]
        return np.array(rows, dtype=self.arithmetic.dtype)

    @cached_property
    def _means(self) -> Shaped[np.ndarray, "C n"]:
        rows = [[self.arithmetic.rational(entry) for entry in row] for row in self.law.means]
        return np.array(rows, dtype=self.arithmetic.dtype)

    @cached_property
    def _tails(self) -> list[ClassTails]:
        means = self.law.means or ((),) * self.law.classes
        return [ClassTails(own, self.gates.half_spaces, mean) for own, mean in zip(self.classes, means, strict=True)]

    def _is_sign(self, key: Key) -> bool:
        return len(key) == 1 and not self.gates.half_spaces[key[0]].tail

    def _are_signs(self, key: Key) -> bool:
        return not any(self.gates.half_spaces[i].tail for i in key)

    @cached_property
    def _known(self) -> dict[Key, list[Shaped[np.ndarray, " n"]] | None]:
        return {}

    def _centred(self, key: Key) -> list[Shaped[np.ndarray, " n"]] | None:
        """E[e xi | class c], class by class; None where it is 0 by symmetry."""
        if key not in self._known:
            if self._is_sign(key):
                v = self.gates.half_spaces[key[0]].direction
                self._known[key] = [half_space(statistics, v) for statistics in self.classes]
            else:
                even = self._are_signs(key)
                self._known[key] = None if even else [tails.first(key) for tails in self._tails]
        return self._known[key]

    def _zeroths(self, key: Key) -> list[Any] | None:
        """E[e | class c], class by class; None where it is 0 by symmetry."""
        if not key:
            return [self.arithmetic.rational(Fraction(1))] * self.law.classes
        return None if self._is_sign(key) else [tails.zeroth(key) for tails in self._tails]

    def _firsts(self, key: Key) -> list[Shaped[np.ndarray, " n"]] | None:
        """E[e x | class c] = r + E[e] m, class by class; None where it is 0 by symmetry."""
        r, e = self._centred(key), self._zeroths(key)
        if not self.law.means or e is None:
            return r
        moved = [share * m for share, m in zip(e, self._means, strict=True)]
        return moved if r is None else [a + b for a, b in zip(r, moved, strict=True)]

    def _second(self, key: Key) -> Symmetric | None:
        """E[e x x^T]; None where it is 0 by symmetry."""
        law, means = self.law, self.law.means
        if not key:
            centred = stationary(law, self._mixed([statistics.covariances for statistics in self.classes]))
        elif self._is_sign(key):
            centred = None
        else:
            centred = Dense(self._mixed([tails.second(key) for tails in self._tails]))
        if not means:
            return centred
        r, e, moved = self._centred(key), self._zeroths(key), []
        for c, m in enumerate(self._means):
            crossed = 0 if r is None else np.multiply.outer(r[c], m)
            moved.append(crossed + np.transpose(crossed) + (0 if e is None else e[c] * np.multiply.outer(m, m)))
        total = self._mixed(moved)
        return Dense(total if centred is None else centred.dense() + total)

    def _first(self, key: Key) -> Shaped[np.ndarray, " n"] | None:
        found = self._firsts(key)
        return None if found is None else self._mixed(found)

    def _zeroth(self, key: Key) -> Any | None:
        found = self._zeroths(key)
        return None if found is None else self._mixed(found) if key else found[0]

    def _output(self, key: Key) -> Shaped[np.ndarray, "*m n"] | None:
        found = self._firsts(key)
        return None if found is None else self._labelled(found)

    def _label(self, key: Key) -> Shaped[np.ndarray, "*m"] | None:
        found = self._zeroths(key)
        if key or found is None:
            return None if found is None else self._labelled(found)
        law = self.law
        exact = [
            sum((p * y[o] for p, y in zip(law.probabilities, law.label_vectors, strict=True)), Fraction(0))
            for o in range(law.outputs)
        ]
        labels = np.array([self.arithmetic.rational(value) for value in exact], dtype=self.arithmetic.dtype)
        return labels if law.outputs > 1 else labels[0, ...]

    def _mixed(self, values: list[Any]) -> Any:
        """The sum over classes, each with its probability."""
        return sum(
            (share * value for share, value in zip(self._shares[1:], values[1:], strict=True)),
            self._shares[0] * values[0],
        )

    def _labelled(self, values: list[Any]) -> Any:
        """sum_c P(c) y_c value_c, for one output without the axis of the outputs."""
        found = np.tensordot(self._weights.T, np.stack(values), 1)
        return found if self.law.outputs > 1 else found[0, ...]
