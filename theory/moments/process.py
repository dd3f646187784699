"""Stationary processes through half-spaces: the sums over classes of what gates need, notes, eq. (6), (7) and (12).

A class of a law has x = xi + m with xi odd under the symmetry of the process, and its mean m. In class c, for signs s_i
of the latent at 0, with r_i = E[s_i xi] and C = E[xi xi^T],

    E[x] = m,  E[s_i x] = r_i,  E[s_i s_j x] = E[s_i s_j] m,   E[x x^T] = C + m m^T,
    E[s_i x x^T] = r_i m^T + m r_i^T,   E[s_i s_j x x^T] = E[s_i s_j xi xi^T] + E[s_i s_j] m m^T.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from itertools import combinations
from typing import Any

import numpy as np
from jaxtyping import Shaped

from theory.moments.arithmetic import Arithmetic
from theory.moments.basis import GateBasis, gate_basis
from theory.moments.directions import half_space, two_sign_block, two_signs
from theory.moments.feature_moments import squared_labels
from theory.moments.infinite_line import line_bound
from theory.moments.sign_features import Key, SignFeatures, SignMoments
from theory.moments.statistics import ClassStatistics, class_statistics, stationary, two_site_blocks
from theory.moments.symmetric import Dense, Symmetric
from theory.problem import Network, NonlinearGP, OutOfReachError


def process_moments(law: NonlinearGP, network: Network, arithmetic: Arithmetic) -> SignFeatures:
    """A, b and <y.y> of a gated-linear network on a stationary process, of any number of classes, priors and means.

    Gates: sites and directions at threshold 0, always, repeated, in any combination; on the input of a law that has a
    latent, directions of one site or of two with weights of equal size. Entries are accurate to a few roundings of
    their largest term. Raises OutOfReachError for other gates and networks. Sources: notes, eq. (6), (7); small-bump
    note, eq. (7), (8), corrected.

    The half-spaces of one site divide <x x^T> between them:

    >>> from theory.moments.arithmetic import FLOAT64
    >>> from theory.problem import SiteGate
    >>> law = NonlinearGP(3, (2, 1), 1, "open", "unit-variance", (1, 0))
    >>> network = Network("gated-linear", "mean", 2, (SiteGate(0, lo=0), SiteGate(0, hi=0)))
    >>> np.diag(process_moments(law, network, FLOAT64).assembled()).round(12).tolist()
    [0.5, 0.5, 0.5, 0.5, 0.5, 0.5]
    """
    gates = gate_basis(network, law.latent, centred=not law.means)
    if law.clipped and law.latent and any(direction.site is None for direction in gates.directions):
        raise OutOfReachError(
            "Gates along several sites have no exact moments where the ring is clipped: its latent is degenerate, and "
            "different directions may be the same gate.",
            'Gate single sites, simulate it (gdln simulate), or use boundary = "open".',
        )
    return SignFeatures(gates, _Process(law, gates, arithmetic).moments)


def process_second_moments(law: NonlinearGP, arithmetic: Arithmetic) -> Shaped[np.ndarray, "C n n"]:
    """E[x x^T | class c] for every class.

    Neighbours have asin(kappa^2 exp(-1/xi^2))/asin(kappa^2), with kappa^2 = 2/3 at gain 1:

    >>> from theory.moments.arithmetic import FLOAT64
    >>> moments = process_second_moments(NonlinearGP(2, (2, 1), 1, "open", "unit-variance", (1, 0)), FLOAT64)
    >>> xi = np.array([2, 1])
    >>> np.abs(moments[:, 0, 1] - np.arcsin(2 / 3 * np.exp(-1 / xi**2)) / np.arcsin(2 / 3)).max().round(12).item()
    0.0
    """
    process = _Process(law, GateBasis((), ()), arithmetic)
    return np.stack([process.second_of(c, ()).dense() for c in range(law.classes)])


@dataclass(frozen=True, eq=False)
class _Process:
    """The classes of a law and the directions of its gates; every moment is computed once, when it is asked for."""

    law: NonlinearGP
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
            parity=not law.means,
            circulant=law.boundary != "open" and not law.means,
            whole_line=lambda: line_bound(law, lambda: self.classes, gaussian=not law.latent),
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
    def _half_spaces(self) -> list[list[Shaped[np.ndarray, " n"]]]:
        """E[s_i xi | class c] for every direction, class by class."""
        return [[half_space(statistics, v) for statistics in self.classes] for v in self.gates.directions]

    @cached_property
    def _pairs(self) -> dict[Key, list[Any]]:
        """E[s_i s_j | class c] as far as they were asked for, class by class."""
        return {}

    def _two_signs(self, c: int, key: Key) -> Any:
        """E[s_i s_j | class c]."""
        if key not in self._pairs:
            v, w = (self.gates.directions[i] for i in key)
            self._pairs[key] = [two_signs(statistics, v, w) for statistics in self.classes]
        return self._pairs[key][c]

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

    def _second(self, key: Key) -> Symmetric | None:
        law = self.law
        if not law.means:
            if len(key) == 0:
                return stationary(law, self._mixed([statistics.covariances for statistics in self.classes]))
            if len(key) == 1:
                return None
        return Dense(self._mixed([self.second_of(c, key).dense() for c in range(law.classes)]))

    def second_of(self, c: int, key: Key) -> Symmetric:
        """E[e x x^T | class c] of a product of signs e; not for single signs without means, which give zero."""
        law, statistics = self.law, self.classes[c]
        m = self._means[c] if law.means else None
        if len(key) == 1:
            outer = np.multiply.outer(self._half_spaces[key[0]][c], m)
            return Dense(outer + outer.T)
        if len(key) == 0:
            centred, share = stationary(law, statistics.covariances), self.arithmetic.rational(Fraction(1))
        else:
            centred, share = Dense(self._two_sign_block(c, key)), None
        if m is None:
            return centred
        share = self._two_signs(c, key) if share is None else share
        return Dense(centred.dense() + share * np.multiply.outer(m, m))

    def _two_sign_block(self, c: int, key: Key) -> Shaped[np.ndarray, "n n"]:
        """E[s_i s_j xi xi^T | class c]; pairs of sites of one lag are made together, and each is handed out once."""
        v, w = (self.gates.directions[i] for i in key)
        if v.site is None or w.site is None:
            return two_sign_block(self.classes[c], v, w)
        if (c, key) not in self._blocks:
            same = self._pairs_by_lag[self._lag(key)]
            sites = [tuple(self.gates.directions[i].site for i in pair) for pair in same]
            made = two_site_blocks(self.classes[c], sites)
            self._blocks.update({(c, pair): block for pair, block in zip(same, made, strict=True)})
        return self._blocks.pop((c, key))

    @cached_property
    def _blocks(self) -> dict[tuple[int, Key], Shaped[np.ndarray, "n n"]]:
        """Blocks that were made with others and are not asked for yet."""
        return {}

    def _lag(self, key: Key) -> int:
        i, j = (self.gates.directions[direction].site for direction in key)
        return int(self.classes[0].lags_of(i)[j])

    @cached_property
    def _pairs_by_lag(self) -> dict[int, list[Key]]:
        """Pairs of directions that are sites, by the lag between them."""
        sites = [index for index, direction in enumerate(self.gates.directions) if direction.site is not None]
        found: dict[int, list[Key]] = {}
        for key in combinations(sites, 2):
            found.setdefault(self._lag(key), []).append(key)
        return found

    def _first(self, key: Key) -> Shaped[np.ndarray, " n"] | None:
        if len(key) == 1:
            return self._mixed(self._half_spaces[key[0]])
        if not self.law.means:
            return None
        if not key:
            return self._mixed(list(self._means))
        return self._mixed([self._two_signs(c, key) * self._means[c] for c in range(self.law.classes)])

    def _zeroth(self, key: Key) -> Any | None:
        if not key:
            return self.arithmetic.rational(Fraction(1))
        return None if len(key) == 1 else self._mixed([self._two_signs(c, key) for c in range(self.law.classes)])

    def _output(self, key: Key) -> Shaped[np.ndarray, "*m n"] | None:
        if key:
            return self._labelled(self._half_spaces[key[0]])
        return self._labelled(list(self._means)) if self.law.means else None

    def _label(self, key: Key) -> Shaped[np.ndarray, "*m"] | None:
        if key:
            return None
        law = self.law
        exact = [
            sum((p * y[o] for p, y in zip(law.probabilities, law.label_vectors, strict=True)), Fraction(0))
            for o in range(law.outputs)
        ]
        found = np.array([self.arithmetic.rational(value) for value in exact], dtype=self.arithmetic.dtype)
        return found if law.outputs > 1 else found[0, ...]
