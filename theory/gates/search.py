"""The gates with the least loss, by enumeration in exact numbers.

For gates g_1, ..., g_K, functions of x, the best weights have the loss <y^2> - b' A^+ b, with A = <x~ x~'>, b = <x~ y>
and x~ = (g_1 x, ..., g_K x): localization notes, (16), and (18) with second moments. The search assigns to one input
after the other the set of gates that are open there. The loss on the inputs assigned so far, with weights that are best
for these alone, never falls when another input is added; so a partial gating that loses more than the second-best
complete one is given up. Gates are interchangeable, and one order of them is kept. There are about 2^(K N)/K! gatings.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from jaxtyping import Bool, Shaped

from theory.gates.half_spaces import separable
from theory.gates.support import Support
from theory.moments.exact_moments import whole_numbers
from theory.problem import InputError, OutOfReachError
from theory.problem.numbers import one_of, whole

KINDS = ("any", "exclusive", "tiling", "half-spaces", "exclusive half-spaces", "tiling half-spaces")
MOST_INPUTS = 24
MOST_GATES = 4
MOST_SOLVED = 1_000_000  # least-squares problems: 15 s of processor time with 8 weights, 95 s with 32
MOST_KEPT = 1_000  # gatings that are kept where more share the least loss


@dataclass(frozen=True)
class Optimum:
    """The least loss over the gates of a kind: `mse` is <(y - yhat)^2>, without the factor 1/2.

    `count` gatings have it, up to the order of the gates. `gatings` are the first 1000 of them: for each gate a whole
    number, whose bit a is 1 where the gate is open on input a. `following` is the next larger loss, None if there is
    none. `solved` least-squares problems were solved.

    One input is fitted where its only gate is open, and lost where it is closed:

    >>> from theory.gates import support_of
    >>> from theory.problem import FiniteData
    >>> best = optimum(support_of(FiniteData([[2]], [3])), 1)
    >>> best.gatings, str(best.mse), str(best.following)
    (((1,),), '0', '9')
    """

    kind: str
    mse: Fraction
    gatings: tuple[tuple[int, ...], ...]
    count: int
    following: Fraction | None
    solved: int


def optimum(support: Support, gates: int, kind: str = "any") -> Optimum:
    """Return the least loss of `gates` gates of a kind, over all of them, and the gates that have it.

    Kinds: "any" functions of x; "exclusive", at most one open on each input; "tiling", exactly one; "half-spaces"
    v.x >= theta, and those of them that are exclusive or tile. Raises OutOfReachError for more than 24 inputs, for more
    than 16 inputs and half-spaces, and where more than a million least-squares problems would have to be solved.

    Three inputs whose best weights are 1, 2 and 3, and one with the label 0: where both gates are open the weights add.

    >>> from theory.gates import support_of
    >>> from theory.problem import FiniteData
    >>> support = support_of(FiniteData([[6], [3], [2], [7]], [6, 6, 6, 0]))
    >>> [str(optimum(support, 2, kind).mse) for kind in ("any", "exclusive")]
    ['0', '9/13']
    """
    one_of(kind, "kind", KINDS)
    whole(gates, "gates", least=1, most=MOST_GATES, why="the gatings of more cannot be enumerated")
    if support.size > MOST_INPUTS:
        raise OutOfReachError(
            f"The law has {support.size} different nonzero inputs; gates are enumerated on up to {MOST_INPUTS}.",
            "Use fewer sites or widths, or finite data of fewer examples.",
        )
    search = _Search(_Regression(support, gates), _patterns(gates, kind), _prefixes(support, kind))
    search.run()
    return search.result(kind, support.lost)


def loss_of(support: Support, opened: Bool[np.ndarray, "N K"]) -> Fraction:
    """Return <(y - yhat)^2> of the best weights behind the given gates, exactly.

    >>> from theory.gates import support_of
    >>> from theory.problem import FiniteData
    >>> str(loss_of(support_of(FiniteData([[1], [2]], [1, 0])), np.array([[True], [True]])))
    '2/5'
    """
    if len(opened) != support.size:
        raise InputError(
            f"The gates are given on {len(opened)} inputs of {support.size}.", "Give a row for each input."
        )
    regression = _Regression(support, opened.shape[1])
    state = regression.start
    for a, row in enumerate(opened.tolist()):
        state = regression.extended(state, a, sum(1 << k for k, on in enumerate(row) if on))
    return support.lost + _fraction(state.loss)


def _patterns(gates: int, kind: str) -> tuple[int, ...]:
    """The sets of gates that may be open on an input, as bits."""
    if kind in ("any", "half-spaces"):
        return tuple(range(2**gates))
    alone = tuple(1 << k for k in range(gates))
    return alone if kind.startswith("tiling") else (0, *alone)


def _prefixes(support: Support, kind: str) -> list[set[int]] | None:
    """For i = 0, ..., N the sets of the first i inputs on which one gate may be open; None where all may be."""
    if not kind.endswith("half-spaces"):
        return None
    allowed = np.flatnonzero(separable(support.x)).tolist()
    return [{number & ((1 << i) - 1) for number in allowed} for i in range(support.size + 1)]


def _fraction(number: Any) -> Fraction:
    return Fraction(int(number.p), int(number.q))


@dataclass(frozen=True)
class _State:
    """The first inputs with their gates: the matrix (A | b) of whole numbers, sum p |y|^2 of them, and their loss.

    Numbers are those of flint: fmpz_mat, fmpq and fmpq.
    """

    matrix: Any
    squares: Any
    loss: Any


class _Regression:
    """The least squares of weights behind K gates, input by input, in whole numbers.

    The predictions on N inputs span the columns of X, of which r independent ones suffice: A has K r rows.
    """

    def __init__(self, support: Support, gates: int) -> None:
        from flint import fmpq, fmpz_mat

        self.gates, self.size = gates, support.size
        x = _independent_columns(whole_numbers(support.x)[0])
        weights, total = whole_numbers(np.array(support.probabilities, dtype=object))
        sums, scale = whole_numbers(
            np.array([[w * y for y in label] for w, label in zip(weights, support.means, strict=True)], dtype=object)
        )
        self.rows = gates * x.shape[1]
        self.outputs = sums.shape[1] if len(sums) else 1
        self.scale = fmpq(1, total)
        # With b times `scale` the loss is (sum |s|^2/w - b' A^+ b/scale^2)/total, s the sums of labels.
        self.over = fmpq(1, scale**2)
        self.squares = [
            sum((fmpq(int(s) ** 2, int(w)) * self.over for s in row), fmpq(0))
            for row, w in zip(sums.tolist(), weights.tolist(), strict=True)
        ]
        self.parts = [
            [fmpz_mat(self._part(x[a], int(weights[a]), sums[a], pattern)) for pattern in range(2**gates)]
            for a in range(self.size)
        ]
        self.start = _State(fmpz_mat(self.rows, self.rows + self.outputs), fmpq(0), fmpq(0))

    def _part(self, x: np.ndarray, weight: int, sums: np.ndarray, pattern: int) -> list[list[int]]:
        """Return the terms of (A | b) that one input adds with these gates open."""
        feature = np.kron([pattern >> k & 1 for k in range(self.gates)], x).astype(object)
        return np.concatenate([weight * np.outer(feature, feature), np.outer(feature, sums)], axis=1).tolist()

    def extended(self, state: _State, a: int, pattern: int) -> _State:
        """Return the state with input `a` added and the gates of `pattern` open on it."""
        squares = state.squares + self.squares[a]
        if not pattern:
            return _State(state.matrix, squares, state.loss + self.squares[a] * self.scale)
        matrix = state.matrix + self.parts[a][pattern]
        return _State(matrix, squares, (squares - self._explained(matrix) * self.over) * self.scale)

    def _explained(self, matrix: Any) -> Any:
        """b' A^+ b, from the solution of A w = b in which the weights without a pivot are 0."""
        from flint import fmpq, fmpz

        reduced, denominator, rank = matrix.rref()
        total, column = fmpz(0), 0
        for row in range(rank):
            while not reduced[row, column]:
                column += 1
            for output in range(self.rows, self.rows + self.outputs):
                total += matrix[column, output] * reduced[row, output]
        return fmpq(total, denominator)


def _independent_columns(x: Shaped[np.ndarray, "N n"]) -> Shaped[np.ndarray, "N r"]:
    """Return columns of x that span the space of all its columns."""
    from flint import fmpz_mat

    if not len(x):
        return x[:, :0]
    reduced, _, rank = fmpz_mat(x.tolist()).rref()
    pivots = [next(column for column in range(x.shape[1]) if reduced[row, column]) for row in range(rank)]
    return x[:, pivots]


@dataclass
class _Search:
    """The search over gatings, input by input, for the two least losses."""

    regression: _Regression
    patterns: Sequence[int]
    prefixes: list[set[int]] | None
    losses: list = field(default_factory=list)  # the least loss and the next
    gatings: list[tuple[int, ...]] = field(default_factory=list)
    count: int = 0
    solved: int = 0

    def run(self) -> None:
        """Search from the first input on."""
        gates = self.regression.gates
        self._assign(0, self.regression.start, (0,) * gates, (True,) * (gates - 1))

    def result(self, kind: str, lost: Fraction) -> Optimum:
        """Return the result; `lost` is added to the losses."""
        if not self.losses:
            raise OutOfReachError(f'No gates are of the kind "{kind}" on these inputs.', "Use more gates.")
        least, *following = (lost + _fraction(loss) for loss in self.losses)
        return Optimum(kind, least, tuple(self.gatings), self.count, next(iter(following), None), self.solved)

    def _assign(self, a: int, state: _State, opened: tuple[int, ...], tied: tuple[bool, ...]) -> None:
        """Assign gates to the inputs from `a` on; `tied` are the gates that equal the next one so far."""
        if a == self.regression.size:
            self._keep(state.loss, opened)
            return
        children = []
        for pattern in self.patterns:
            bits = [pattern >> k & 1 for k in range(len(opened))]
            if any(both and bits[k] < bits[k + 1] for k, both in enumerate(tied)):
                continue
            extended = tuple(gate | bit << a for gate, bit in zip(opened, bits, strict=True))
            if self.prefixes is not None and not self.prefixes[a + 1].issuperset(extended):
                continue
            self._count(pattern)
            children.append((self.regression.extended(state, a, pattern), extended, bits))
        for child, extended, bits in sorted(children, key=lambda one: one[0].loss):
            if len(self.losses) < 2 or child.loss <= self.losses[1]:
                still = tuple(both and bits[k] == bits[k + 1] for k, both in enumerate(tied))
                self._assign(a + 1, child, extended, still)

    def _count(self, pattern: int) -> None:
        self.solved += bool(pattern)
        if self.solved > MOST_SOLVED:
            raise OutOfReachError(
                f"{self.regression.size} inputs and {self.regression.gates} gates have too many gatings: the search "
                f"has solved {MOST_SOLVED} least-squares problems and is not through.",
                "Use fewer inputs or gates, or a kind with fewer gatings, such as exclusive.",
            )

    def _keep(self, loss: Any, opened: tuple[int, ...]) -> None:
        if not self.losses or loss < self.losses[0]:
            self.losses = [loss, *self.losses[:1]]
            self.gatings, self.count = [], 0
        elif loss > self.losses[0]:
            if len(self.losses) < 2 or loss < self.losses[1]:
                self.losses = [self.losses[0], loss]
            return
        self.count += 1
        if len(self.gatings) < MOST_KEPT:
            self.gatings.append(opened)
