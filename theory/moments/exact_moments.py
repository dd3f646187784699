"""A and b in fractions, for laws of finitely many inputs."""

from dataclasses import dataclass
from fractions import Fraction
from math import lcm

import numpy as np
from jaxtyping import Bool, Shaped

from theory.moments.arithmetic import LARGEST_EXACT
from theory.moments.gate_events import Contexts, open_on
from theory.problem import AlwaysGate, Network, OutOfReachError, resolved

# The most rows of A: (K n)^2 exact integers, as many floats, and five more such arrays for gaps of four sites: 200 MB.
MOST_ROWS = 2_000
# The most gated inputs of examples, each a Python integer of some 30 bytes: 300 MB.
MOST_FEATURES = 10_000_000
ALWAYS_OR_NEVER = {1: "always open", 0: "never open (what it gates keeps its initial value)"}


@dataclass(frozen=True, eq=False)
class ExactMoments:
    """The moments as exact numbers: A = rows/denominator, b = first (fractions), <y.y> = y2.

    Rows are whole numbers, of 64 bits or Python's, and unit-major, k n + j; with biases K + 1 more follow, those of the
    features g_1, ..., g_K and 1/s. `first` is (P,), or (P, m) for m outputs. `notes` name gates that never change.
    `spanning` are columns that span the range of A where they are fewer than its rows, in whole numbers.

    <x x^T> = [[2, 1], [1, 2]]/3 for the three inputs (1, 0), (0, 1), (1, 1):

    >>> rows, first = np.array([[2, 1], [1, 2]]), np.array([Fraction(2, 3), Fraction(0)])
    >>> moments = ExactMoments(1, 2, rows, 3, first, Fraction(1))
    >>> moments.second.shape, moments.columns.shape
    ((1, 1, 2, 2), (2, 1))
    """

    units: int
    n: int
    rows: Shaped[np.ndarray, "P P"]
    denominator: int
    first: Shaped[np.ndarray, "P *m"]
    y2: Fraction
    notes: tuple[str, ...] = ()
    spanning: Shaped[np.ndarray, "P N"] | None = None

    @property
    def second(self) -> Shaped[np.ndarray, "K K n n"]:
        """Sigma^xx(p_k, p_l) times the denominator."""
        units, n = self.units, self.n
        return self.rows[: units * n, : units * n].reshape(units, n, units, n).transpose(0, 2, 1, 3)

    @property
    def columns(self) -> Shaped[np.ndarray, "P m"]:
        """b with one column for each output, also where there is one."""
        return self.first.reshape(len(self.first), -1)


def require_rows(network: Network, n: int) -> None:
    """Raise OutOfReachError where A has too many rows for exact numbers.

    >>> require_rows(Network("relu", "mean", 3), 1000)
    Traceback (most recent call last):
    ...
    theory.problem.errors.OutOfReachError: A has K n = 3000 rows; the exact moments of more than 2000 fill the ...
    """
    if network.units * n > MOST_ROWS:
        raise OutOfReachError(
            f"A has K n = {network.units * n} rows; the exact moments of more than {MOST_ROWS} fill the memory.",
            "Use fewer sites or units.",
        )


@dataclass(frozen=True, eq=False)
class Examples:
    """N examples one by one: x (N, n) in exact numbers, their probabilities, labels as vectors of m numbers, contexts.

    >>> half = Fraction(1, 2)
    >>> data = Examples(np.array([[half], [Fraction(1)]], dtype=object), (half, half), ((Fraction(1),), (Fraction(0),)))
    >>> str(sum(p * x for p, x in zip(data.probabilities, data.x[:, 0])))  # <x>
    '3/4'
    """

    x: Shaped[np.ndarray, "N n"]
    probabilities: tuple[Fraction, ...]
    labels: tuple[tuple[Fraction, ...], ...]
    context: Contexts = None


def require_examples(count: int, network: Network, n: int) -> None:
    """Raise OutOfReachError where the features of `count` examples are too many for exact numbers.

    >>> require_examples(10**6, Network("relu", "mean", 1), 40)
    Traceback (most recent call last):
    ...
    theory.problem.errors.OutOfReachError: 1000000 examples have 40000000 gated inputs; the exact moments take ...
    """
    if count * network.units * n > MOST_FEATURES:
        raise OutOfReachError(
            f"{count} examples have {count * network.units * n} gated inputs; the exact moments take the examples one "
            f"by one, up to {MOST_FEATURES} numbers.",
            "Use fewer examples, sites or units, or simulate it (gdln simulate).",
        )


def of_examples(data: Examples, network: Network) -> ExactMoments:
    """A = <phi phi^T> and b = <phi y> as fractions, by sums over the examples. Sources: notes, eq. (6), (7), (12).

    Gates: at sites and along directions of the input with any bounds, of contexts, always and repeated.

    >>> half = Fraction(1, 2)
    >>> data = Examples(np.array([[half], [Fraction(1)]], dtype=object), (half, half), ((Fraction(1),), (Fraction(0),)))
    >>> moments = of_examples(data, Network("gated-linear", "mean", 1, (AlwaysGate(),)))
    >>> str(Fraction(moments.rows.item(), moments.denominator)), str(moments.first.item())
    ('5/8', '1/4')
    """
    n = data.x.shape[1]
    x, common = whole_numbers(data.x)
    weights, total = whole_numbers(np.array(data.probabilities, dtype=object))
    labels = np.array(data.labels, dtype=object)
    gates, opened = resolved(network.gates), opened_on(data, network)
    features = (opened[:, :, None] * x[:, None, :]).reshape(len(x), -1)
    if network.has_biases:
        ends = np.concatenate([opened, np.full((len(x), 1), int(1 / network.scale), dtype=object)], axis=1)
        features = np.concatenate([features, common * ends], axis=1)
    weighed = features * weights[:, None]
    first = np.array((weighed.T @ labels) * Fraction(1, total * common), dtype=object)
    largest = max(1, max(map(abs, features.ravel().tolist()), default=1))
    rows = _product(features, weighed, largest**2 * total)
    notes = tuple(
        f"unit {unit}: its gate is {ALWAYS_OR_NEVER[int(column[0])]}, on all of the {len(x)} examples."
        for unit, (column, gate) in enumerate(zip(opened.T, gates, strict=True))
        if len(set(column.tolist())) == 1 and not isinstance(gate, AlwaysGate)
    )
    squares = zip(data.probabilities, data.labels, strict=True)
    y2 = sum((p * y * y for p, label in squares for y in label), Fraction(0))
    b = first[:, 0] if labels.shape[1] == 1 else first
    spanning = features.T if len(features) < len(rows) else None
    return ExactMoments(network.units, n, rows, total * common**2, b, y2, notes, spanning)


def opened_on(data: Examples, network: Network) -> Bool[np.ndarray, "N K"]:
    """Return the examples on which each gate is open. Raises OutOfReachError for a gate that examples do not decide.

    >>> data = Examples(np.array([[Fraction(1)], [Fraction(-1)]], dtype=object), (Fraction(1, 2),) * 2, ((), ()))
    >>> opened_on(data, Network("gated-linear", "mean", 1, (AlwaysGate(),))).tolist()
    [[True], [True]]
    """
    gates = resolved(network.gates)
    return np.array([open_on(gate, data.x, f"network.gates[{k}]", data.context) for k, gate in enumerate(gates)]).T


def whole_numbers(fractions: Shaped[np.ndarray, "..."]) -> tuple[Shaped[np.ndarray, "..."], int]:
    """Return the numbers times their least common denominator, as Python integers, and that denominator.

    >>> whole_numbers(np.array([Fraction(1, 2), Fraction(2, 3)]))[0].tolist()
    [3, 4]
    """
    flat = [Fraction(value) for value in fractions.ravel().tolist()]
    denominator = lcm(*{value.denominator for value in flat})
    whole = [value.numerator * (denominator // value.denominator) for value in flat]
    return np.array(whole, dtype=object).reshape(fractions.shape), denominator


def _product(left: Shaped[np.ndarray, "N P"], right: Shaped[np.ndarray, "N P"], largest: int) -> np.ndarray:
    """Return left^T right for integers: in float64 where every partial sum is below 2^53 and exact, else by flint."""
    if largest < LARGEST_EXACT:
        return (left.astype(float).T @ right.astype(float)).astype(np.int64)
    from flint import fmpz_mat

    rows = (fmpz_mat(left.T.tolist()) * fmpz_mat(right.tolist())).tolist()
    return np.array([[int(entry) for entry in row] for row in rows], dtype=object)
