"""The values of the claims on the race, from the gradients of the unreduced networks and from all tables of pairs."""

from collections.abc import Sequence
from itertools import compress, product
from random import Random

import numpy as np
from flint import fmpq_mat
from mpmath import mp, mpf

from tests.pages.numerics import flow, slope, solved
from tests.pages.paths import Network, flowed, rest, until

# --- two pathways through one weight ----------------------------------------------------------------------------------


def path(at: dict[str, mpf], moving: str) -> mpf:
    """Return -dL/dw/tau of one weight, on inputs x = 1 that open the first gate, the second, or both."""
    first, second, both = at["D11"] - at["D12"], at["D22"] - at["D12"], at["D12"]

    def loss(change: mpf) -> mpf:
        b, a1, a2 = (at[name] + (change if name == moving else 0) for name in ("b", "a1", "a2"))
        errors = [
            first * (at["S1"] / first - b * a1) ** 2,
            second * (at["S2"] / second - b * a2) ** 2,
            both * (b * (a1 + a2)) ** 2,
        ]
        return sum(errors) / 2

    return -slope(loss) / at["tau"]


# --- contexts that share a weight -------------------------------------------------------------------------------------


def growth(m: mpf, P: mpf, s: mpf, tau: mpf, t: mpf, u0: mpf) -> mpf:
    """Return b + sum_j a_j/sqrt(m) under the linear flow of L = -P s b sum_j a_j, from readouts that differ."""
    count, rate = int(m), P * s / tau
    readouts = [mpf(j) / 9 for j in range(count)]
    start = [u0 - sum(readouts) / mp.sqrt(m), *readouts]
    matrix = [[mpf(0), *[rate] * count], *([rate, *[mpf(0)] * count] for _ in range(count))]
    b, *a = flow(matrix, [mpf(0)] * (count + 1), start, t)
    return b + sum(a) / mp.sqrt(m)


def wait(m: mpf, P: mpf, s: mpf, w0: mpf, w1: mpf) -> mpf:
    """Return the time, in units of tau, from the output w0 of m contexts to w1, balanced at the start: b^2 = m a^2."""
    count = int(m)
    readout = mp.sqrt(w0 / mp.sqrt(m))
    network = Network(tuple((j, count) for j in range(count)), s, P)
    return until(network, [*[readout] * count, w0 / readout], (0, count), w1)


def beside(m: mpf, P: mpf, s: mpf, tau: mpf, t: mpf, w0: mpf) -> mpf:
    """Return log v - log(w)/sqrt(m): w of the pathway that m contexts share, v of the private one of each of them."""
    count = int(m)
    both = [(j, count) for j in range(count)] + [(count + 1 + j, 2 * count + 1 + j) for j in range(count)]
    network = Network(tuple(both), s, P, 2 * tuple(range(count)))
    readout = mp.sqrt(w0 / mp.sqrt(m))
    weights = flowed(network, [*[readout] * count, w0 / readout, *[mp.sqrt(w0)] * (2 * count)], t / tau)
    return mp.log(weights[-1] * weights[-1 - count]) - mp.log(weights[0] * weights[count]) / mp.sqrt(m)


# --- the routing network ----------------------------------------------------------------------------------------------


def pairs(M: mpf, K: mpf) -> list[tuple[int, int]]:
    """Return the trained pairs of input i and outputs i, i - 1, ..., i - K + 1, counted modulo M."""
    return [(i, (i - k) % int(M)) for i in range(int(M)) for k in range(int(K))]


def routing(M: mpf, K: mpf, s: mpf, P: mpf) -> Network:
    """Return the network of one mode: M encoders, the shared weight, M decoders."""
    shared = int(M)
    return Network(tuple((i, shared, shared + 1 + o) for i, o in pairs(M, K)), s, P)


def aligned(M: mpf, b1: mpf, b2: mpf) -> list[mpf]:
    """Return the weights of one mode where all encoders and decoders are the same."""
    return [b1] * int(M) + [b2] + [b1] * int(M)


def turn(angle: int) -> np.ndarray:
    """Return the rotation by an angle."""
    return np.array([[mp.cos(angle), -mp.sin(angle)], [mp.sin(angle), mp.cos(angle)]])


def velocities(M: mpf, K: mpf, P: mpf, s: mpf, b1: mpf, b2: mpf) -> dict[str, list[np.ndarray]]:
    """Return -dL/dW of the encoders, the shared matrix and the decoders, turned back by their rotations.

    There are two modes. The point gives the strengths of the first; the others are chosen here.
    """
    count, hidden, middle = int(M), turn(1), turn(2)
    inputs, outputs = [turn(3 + i) for i in range(count)], [turn(7 + o) for o in range(count)]
    ends, shared, targets = (np.diag([x, y]) for x, y in ((b1, mpf(2)), (b2, mpf(1) / 3), (s, mpf(3) / 2)))
    sides = {  # left rotation, right rotation, strengths
        "E": [(hidden, one.T, ends) for one in inputs],
        "W": [(middle, hidden.T, shared)],
        "D": [(one, middle.T, ends) for one in outputs],
    }
    weights = {name: [left @ inner @ right for left, right, inner in each] for name, each in sides.items()}

    def loss() -> mpf:
        errors = (
            outputs[o] @ targets @ inputs[i].T - weights["D"][o] @ weights["W"][0] @ weights["E"][i]
            for i, o in pairs(M, K)
        )
        return P * sum((error**2).sum() for error in errors) / 2

    def down(matrix: np.ndarray, place: tuple[int, int]) -> mpf:
        before = matrix[place]

        def moved(change: mpf) -> mpf:
            matrix[place] = before + change
            return loss()

        found = -slope(moved)
        matrix[place] = before
        return found

    gradient = {
        name: [np.array([[down(one, (i, j)) for j in (0, 1)] for i in (0, 1)]) for one in each]
        for name, each in weights.items()
    }
    return {
        name: [left.T @ one @ right.T for one, (left, right, _) in zip(gradient[name], sides[name], strict=True)]
        for name in sides
    }


def departure(**at: mpf) -> mpf:
    """Return the largest velocity beside a diagonal, or difference of an encoder or decoder from the first encoder."""
    found = velocities(**at)
    ends = found["E"] + found["D"]
    beside = [abs(one[i, 1 - i]) for one in ends + found["W"] for i in (0, 1)]
    return max(beside + [abs(one[i, i] - ends[0][i, i]) for one in ends for i in (0, 1)])


def kept(M: mpf, K: mpf, P: mpf, s: mpf, tau: mpf, t: mpf, b10: mpf, b20: mpf) -> mpf:
    """Return b^2 - sum_i a_i^2 at a time."""
    weights = flowed(routing(M, K, s, P), aligned(M, b10, b20), t / tau)
    return weights[int(M)] ** 2 - mp.fsum(w**2 for w in weights[: int(M)])


def end(M: mpf, K: mpf, s: mpf, b10: mpf, b20: mpf) -> mpf:
    """Return the shared weight at rest; P sets the pace alone."""
    return rest(routing(M, K, s, 1 / (M * K)), aligned(M, b10, b20))[int(M)]


def cubic(M: mpf, K: mpf, s: mpf, b10: mpf, b20: mpf) -> mpf:
    """Return b^3 - Q b at rest."""
    b = end(M, K, s, b10, b20)
    return b**3 - (b20**2 - M * b10**2) * b


def learned(M: mpf, K: mpf, P: mpf, s: mpf, b10: mpf, b20: mpf, b2: mpf) -> mpf:
    """Return the time, in units of tau, in which the shared weight grows from b20 to b2."""
    return until(routing(M, K, s, P), aligned(M, b10, b20), (int(M),), b2)


# --- untrained pairs --------------------------------------------------------------------------------------------------


def fourth(**at: mpf) -> mpf:
    """Return Y_oi' X where Y_o'i' X = Y_o'i, by the outputs D A of three pairs."""
    other_output, other_input = ([[at[f"{x}{i}{j}"] for j in (1, 2)] for i in (1, 2)] for x in "pq")
    beside, *across = (dotted(row, other_input) for row in ([at["d1"], at["d2"]], *other_output))
    below = [row[0] * at["a1"] + row[1] * at["a2"] for row in other_output]
    return mp.fdot(beside, solved(across, below))


def dotted(row: Sequence[mpf], matrix: Sequence[Sequence[mpf]]) -> list[mpf]:
    """Return a row times a matrix."""
    return [mp.fdot(row, column) for column in zip(*matrix, strict=True)]


def parts(table: Sequence[tuple[int, int]], count: int) -> list[set[tuple[str, int]]]:
    """Return the parts of the graph that joins each input to the outputs that it is trained with."""
    found = [{(side, k)} for side in "io" for k in range(count)]
    for i, o in table:
        joined = [one for one in found if ("i", i) in one or ("o", o) in one]
        found = [one for one in found if one not in joined] + [set().union(*joined)]
    return found


def open_outputs(table: Sequence[tuple[int, int]], count: int, rank: int) -> int:
    """Return how many directions of all outputs change none of the trained ones.

    The targets are U_o V_i. Without training error A_i = G V_i and D_o = U_o G^-1, with a matrix G for each part.
    """
    numbers = Random(1)
    a, d = {}, {}
    for part in parts(table, count):
        shared = invertible(rank, numbers)
        for side, k in sorted(part):
            own = invertible(rank, numbers)
            if side == "i":
                a[k] = shared * own
            else:
                d[k] = own * shared.inv()
    changes = {(i, o): change(i, o, a[i], d[o], count) for i, o in product(range(count), repeat=2)}
    trained = [row for pair in table for row in changes[pair]]
    every = [row for rows in changes.values() for row in rows]
    return fmpq_mat(every).rank() - (fmpq_mat(trained).rank() if trained else 0)


def invertible(rank: int, numbers: Random) -> fmpq_mat:
    """Return a matrix of whole numbers that has an inverse."""
    while True:
        found = fmpq_mat(rank, rank, [numbers.randint(-9, 9) for _ in range(rank**2)])
        if found.det():
            return found


def change(i: int, o: int, a: fmpq_mat, d: fmpq_mat, count: int) -> list[list]:
    """Return the derivatives of the entries of D_o A_i by all entries of all A, then of all D."""
    rank, rows = a.nrows(), []
    size = rank**2
    for x, y in product(range(rank), repeat=2):
        row = [0] * (2 * count * size)
        for k in range(rank):
            row[i * size + k * rank + y] = d[x, k]
            row[(count + o) * size + x * rank + k] = a[k, y]
        rows.append(row)
    return rows


def free(M: mpf, r: mpf, c: mpf) -> int:
    """Return the open directions of all tables with c parts, which must be as many in each."""
    count = int(M)
    every = list(product(range(count), repeat=2))
    tables = [list(compress(every, chosen)) for chosen in product((0, 1), repeat=len(every))]
    (found,) = {open_outputs(one, count, int(r)) for one in tables if len(parts(one, count)) == c}
    return found


VALUES = {
    "race.path.own": lambda **at: path(at, "a1"),
    "race.path.shared": lambda **at: path(at, "b"),
    "race.private.strength": beside,
    "race.routing.aligned": departure,
    "race.routing.balanced_limit": lambda M, K, s, b10: end(M, K, s, b10, mp.sqrt(M) * b10),
    "race.routing.balanced_time": lambda M, K, P, tau, c, y0, y1: (
        tau * learned(M, K, P, c**3 / M, y0 * c / mp.sqrt(M), y0 * c, y1 * c)
    ),
    "race.routing.conserved": kept,
    "race.routing.ends": lambda tau, **at: velocities(**at)["E"][0][0, 0] / tau,
    "race.routing.limit": cubic,
    "race.routing.shared": lambda tau, **at: velocities(**at)["W"][0][0, 0] / tau,
    "race.routing.time": lambda tau, M, b20, **at: (
        tau * learned(M, b10=mp.sqrt((b20**2 - at.pop("lambda")) / M), b20=b20, **at)
    ),
    "race.sharing.growth": growth,
    "race.sharing.time": lambda tau, **at: tau * wait(**at),
    "race.sharing.wins": lambda m1, m2, **at: wait(m2, **at) / wait(m1, **at),
    "race.zero_shot.free": free,
    "race.zero_shot.output": fourth,
}
