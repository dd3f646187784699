"""Where the gates of a deep network come from, and how a preactivation becomes a gate."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
from jaxtyping import Float

from theory.problem.errors import InputError
from theory.problem.numbers import exact, one_of, positive, shown, whole

AT_ZERO = ("closed", "open")
GATING_NETWORKS = ("relu", "linear", "gated")
STARTS = ("own", "same")
# Part of the key of the draws, so that gates and weights of one seed are independent.
_GATES = 1


@dataclass(frozen=True)
class HardResponse:
    """chi(q) = 1 for q > 0, 0 for q < 0; chi(0) is 0 where `at_zero` is "closed" and 1 where it is "open".

    Papers differ on chi(0), and it matters: behind closed gates all preactivations are exactly 0. Raises InputError
    for another word. Sources: Deep Gated Networks, Table 2, and Neural Path Features ("closed"); Half-space Feature
    Learning, eq. (2) and (4) ("open").

    >>> HardResponse("closed").at_zero
    'closed'
    """

    at_zero: str

    kind: ClassVar[str] = "hard"

    def __post_init__(self) -> None:
        one_of(self.at_zero, "network.gating.gate.at_zero", AT_ZERO)


@dataclass(frozen=True)
class SoftResponse:
    """chi(q) = (1 + epsilon)/(1 + exp(-beta q)), between 0 and 1 + epsilon, for beta > 0 and epsilon >= 0.

    For beta -> oo it tends to (1 + epsilon) 1[q > 0]. Raises InputError for other numbers. Source: Deep Gated Networks,
    Table 2, where chi_epsilon(v) has v = -beta q.

    >>> SoftResponse(4, "1/10")
    SoftResponse(beta=Fraction(4, 1), epsilon=Fraction(1, 10))
    """

    beta: Fraction
    epsilon: Fraction

    kind: ClassVar[str] = "soft"

    def __post_init__(self) -> None:
        where = "network.gating.gate"
        beta = positive(self.beta, f"{where}.beta", "a larger preactivation must open the gate further")
        epsilon = exact(self.epsilon, f"{where}.epsilon")
        if epsilon < 0:
            raise InputError(
                f"{where}.epsilon = {epsilon} must be >= 0: an open gate has the value 1 + epsilon.", "Write 0 or 0.1."
            )
        object.__setattr__(self, "beta", beta)
        object.__setattr__(self, "epsilon", epsilon)


Response = HardResponse | SoftResponse
RESPONSES = {response.kind: response for response in (HardResponse, SoftResponse)}


@dataclass(frozen=True)
class OwnGates:
    """G_l = chi(q_l): with a hard gate a ReLU network, with a soft one the network that the papers call soft-ReLU.

    >>> OwnGates(HardResponse("closed")).gate.kind
    'hard'
    """

    gate: Response

    kind: ClassVar[str] = "own"

    def __post_init__(self) -> None:
        _check_response(self.gate)


@dataclass(frozen=True)
class AllOpenGates:
    """G_l = 1: a deep linear network.

    >>> AllOpenGates.kind
    'open'
    """

    kind: ClassVar[str] = "open"


@dataclass(frozen=True)
class FixedGates:
    """G_l of the s-th example is values[l - 1][s], a number >= 0 for each node of the level.

    A convolutional level counts its nodes channel by channel, position by position. Raises InputError for numbers below
    0 and for rows of different lengths; the numbers of rows and nodes are compared with those of the problem.

    >>> gates = FixedGates([[[1, 0], [1, 1]], [["1/2"], [1]]])  # two examples, levels of 2 nodes and of 1
    >>> gates.values[1]
    ((Fraction(1, 2),), (Fraction(1, 1),))
    """

    values: tuple[tuple[tuple[Fraction, ...], ...], ...]

    kind: ClassVar[str] = "fixed"

    def __post_init__(self) -> None:
        where, hint = "network.gating.values", "Give a list for each hidden level: a row of gates for each example."
        if not _is_list(self.values) or not all(_is_list(level) and level for level in self.values):
            raise InputError(f"{where} = {shown(self.values)} must be the gates of each hidden level.", hint)
        levels = []
        for index, level in enumerate(self.values):
            if not all(_is_list(row) for row in level):
                raise InputError(f"{where}[{index}] = {shown(level)} must be rows of gates.", hint)
            rows = (
                tuple(_gate(value, f"{where}[{index}][{s}][{node}]") for node, value in enumerate(row))
                for s, row in enumerate(level)
            )
            levels.append(tuple(rows))
        object.__setattr__(self, "values", tuple(levels))

    def check_shape(self, examples: int, nodes: tuple[int, ...]) -> None:
        """Raise InputError unless there is a row for each example and in it a number for each node of the level."""
        where = "network.gating.values"
        if len(self.values) != len(nodes):
            raise InputError(
                f"{where} has {len(self.values)} levels; the network has {len(nodes)} hidden levels.",
                "Give the gates of each hidden level.",
            )
        for index, (level, needed) in enumerate(zip(self.values, nodes, strict=True)):
            if len(level) != examples:
                raise InputError(
                    f"{where}[{index}] has {len(level)} rows of gates; the data have {examples} examples.",
                    "Give a row for each example.",
                )
            lengths = sorted({len(row) for row in level})
            if lengths != [needed]:
                raise InputError(
                    f"{where}[{index}] has rows of {' and '.join(map(str, lengths))} gates; the level has {needed} "
                    "nodes.",
                    "Give a number for each node; a convolutional level has channels times positions nodes.",
                )


@dataclass(frozen=True)
class BernoulliGates:
    """Gates that are open, 1, with probability mu and else closed, 0: independent for each example, level and node.

    They are drawn once, from `seed`, and do not depend on the weights. Raises InputError for a mu outside [0, 1] and a
    negative seed. Source: Deep Gated Networks, section 2 (fixed random gating, FRG).

    >>> share = BernoulliGates("1/4", seed=0).drawn(level=1, examples=200, nodes=100).mean()
    >>> bool(abs(share - 1 / 4) < 0.02), BernoulliGates(1, seed=0).drawn(level=1, examples=1, nodes=3).tolist()
    (True, [[1.0, 1.0, 1.0]])
    """

    mu: Fraction
    seed: int

    kind: ClassVar[str] = "bernoulli"

    def __post_init__(self) -> None:
        mu = exact(self.mu, "network.gating.mu")
        if not 0 <= mu <= 1:
            raise InputError(
                f"network.gating.mu = {shown(str(mu))} is no probability.", 'Give a number from 0 to 1, such as "1/2".'
            )
        object.__setattr__(self, "mu", mu)
        whole(self.seed, "network.gating.seed", least=0)

    def drawn(self, level: int, examples: int, nodes: int, replicate: int | None = None) -> Float[np.ndarray, "s w"]:
        """Return the gates of a level, 1, 2, ..., a row for each example; other replicates have other gates."""
        key = () if replicate is None else (replicate,)
        rng = np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(*key, _GATES, level)))
        return (rng.random((examples, nodes)) < float(self.mu)).astype(float)


@dataclass(frozen=True)
class NetworkGates:
    """G_l = chi(q^g_l) of a second network of the same shape, which sees x: q^g_l = Theta_g_l z^g_(l-1), z^g_0 = x.

    `network` says how the second network goes on: "relu" is z^g_l = max(q^g_l, 0), "linear" is z^g_l = q^g_l, and
    "gated" is z^g_l = q^g_l * G_l, which is the same as "relu" where the gates are hard. Its weights keep their
    initial numbers where `frozen` is True, and are learned otherwise. They start from training.w0 under the names
    Theta_g_1, ..., or, where `start` is "same", from the numbers of Theta_1, .... Raises InputError for other words.

    Sources: Deep Gated Networks, Table 2 ("gated") and GaLU; Neural Path Features, section 4 ("relu"; dependent
    initialisation is start = "same"); Half-space Feature Learning, eq. (4) ("linear").

    >>> NetworkGates("linear", HardResponse("open"), frozen=False).start
    'own'
    """

    network: str
    gate: Response
    frozen: bool
    start: str = "own"

    kind: ClassVar[str] = "network"

    def __post_init__(self) -> None:
        one_of(self.network, "network.gating.network", GATING_NETWORKS)
        one_of(self.start, "network.gating.start", STARTS)
        _check_response(self.gate)
        if not isinstance(self.frozen, bool):
            raise InputError(
                f"network.gating.frozen = {shown(self.frozen)} is neither true nor false.", "Write true or false."
            )


Gating = OwnGates | AllOpenGates | FixedGates | BernoulliGates | NetworkGates
GATINGS = {each.kind: each for each in (OwnGates, AllOpenGates, FixedGates, BernoulliGates, NetworkGates)}


def _check_response(gate: object) -> None:
    if not isinstance(gate, Response):
        raise InputError(
            f"network.gating.gate = {shown(gate)} is no response of a gate to its preactivation.",
            'Write { kind = "hard", at_zero = "closed" } or { kind = "soft", beta = 4.0, epsilon = 0.1 }.',
        )


def _gate(value: object, where: str) -> Fraction:
    number = exact(value, where)
    if number < 0:
        raise InputError(f"{where} = {number} must be >= 0: 0 is closed, 1 is open.", "Give gates of 0 or more.")
    return number


def _is_list(value: object) -> bool:
    return isinstance(value, list | tuple)
