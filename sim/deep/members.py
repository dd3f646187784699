"""The kinds of deep gated networks that the papers train, by their names there, as data.

A member says where its gates are from and what flows through them (`theory.problem.DeepNetwork`), and which of its
weights learn: Theta, the weights of the values, and Theta_g, those of a second network that gives the gates.

    member        gates from                          Theta     Theta_g
    relu          its own preactivations, hard        learns
    soft_relu     its own preactivations, soft        learns
    dln           none: all open                      learns
    frg           coins, one for each example         learns
    galu          a second ReLU network, hard         learns    fixed
    frnpf         a second ReLU network, hard         learns    fixed, independent of Theta or equal to it at the start
    flnpf         a trained ReLU network, hard        learns    fixed
    dnpfl         a second ReLU network, soft         learns    learns
    soft_galu     a second gated network, soft        learns    learns
    gates_only    a second gated network, soft        fixed     learns
    dlgn          a second linear network, soft       learns    learns
    dlgn_pwc      the same; z_0 is the vector of ones
    fixed_dlgn    a second linear network, hard       learns    fixed

Each of them is a mixture of experts, yhat = sum over paths of f_path(x) g_path(x): f is the product of the gates along
the path, and g the product of the weights, linear in x and constant in a dlgn_pwc (Half-space Feature Learning, section
2, eq. (1)). With one hidden level of K nodes a path is a node: dlgn((K,), beta) mixes K linear experts with half-space
gates. The papers define no other head.

Sources: Deep Gated Networks, Tables 1 to 3 and Experiments 3 to 5; Neural Path Features, section 5; Half-space Feature
Learning, sections 2.2, 2.3 and 4, whose gates 1[q >= 0] have slope 0: a DLGN whose gates learn needs a soft gate.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import torch

from theory.problem import (
    AllOpenGates,
    BernoulliGates,
    DeepNetwork,
    FullyConnected,
    HardResponse,
    InputError,
    NetworkGates,
    OutOfReachError,
    OwnGates,
    SoftResponse,
)

Widths = tuple[int, ...]
Number = Fraction | int | str


@dataclass(frozen=True, eq=False)
class Member:
    """A kind of network: its declaration, whether Theta learns, and where Theta_g starts if it is stored.

    The declaration gives the gates of the levels and their widths; the layers between them are those of the family.
    `features` are the stored Theta_g_1, ..., Theta_g_(d-1), each (replicates, ...). Raises InputError where
    nothing learns, where hard gates are to learn (their slope is 0), or where features are given without a second
    network; OutOfReachError for the architectures of `theory.problem` with convolutions.

    >>> relu((4, 4)).gates_learn, soft_galu((4, 4), 4, 0).gates_learn
    (False, True)
    """

    name: str
    network: DeepNetwork
    values_learn: bool = True
    features: tuple[torch.Tensor, ...] | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.network.architecture, FullyConnected):
            raise OutOfReachError(
                f'{self.name}: the architecture "{self.network.architecture.kind}" is not trained.',
                "Write architecture = FullyConnected(), and give the family `layers` with convolutions.",
            )
        if self.gates_learn and isinstance(self.network.gating.gate, HardResponse):
            raise InputError(
                f"{self.name}: hard gates have slope 0, so that the weights Theta_g would keep their initial numbers.",
                "Give the gates a SoftResponse, or write frozen=True.",
            )
        if not self.values_learn and not self.gates_learn:
            raise InputError(f"{self.name}: neither Theta nor Theta_g learns.", "Let one of them learn.")
        if self.features is not None:
            self._check_features(self.features)

    @property
    def gates_learn(self) -> bool:
        """Whether a second network gives the gates and learns."""
        return isinstance(self.network.gating, NetworkGates) and not self.network.gating.frozen

    @property
    def learned(self) -> tuple[str, ...]:
        """The names of the parameters that learn."""
        network = self.network
        return (network.names if self.values_learn else ()) + (network.gating_names if self.gates_learn else ())

    def _check_features(self, features: Sequence[torch.Tensor]) -> None:
        if not isinstance(self.network.gating, NetworkGates):
            raise InputError(f"{self.name}: stored features are weights of a second network, and it has none.", _GATES)
        if not all(bool(theta.isfinite().all()) for theta in features):
            raise InputError(
                f"{self.name}: the stored features are not all finite.",
                "Store those of a network that did not diverge.",
            )
        widths = self.network.widths
        if [theta.shape[1] if theta.ndim > 2 else 0 for theta in features] != list(widths):
            raise InputError(
                f"{self.name}: the stored features have the shapes {[tuple(theta.shape) for theta in features]}, which "
                f"do not fit the widths {widths}.",
                "Give Theta_1, ..., Theta_(d-1) of a network of the same widths, each (replicates, target, ...).",
            )


_GATES = "Give the network NetworkGates, or leave the features out."
_CLOSED, _OPEN = HardResponse("closed"), HardResponse("open")


def relu(widths: Widths) -> Member:
    """A ReLU network: G_l = 1[q_l > 0].

    >>> relu((3,)).network.gating
    OwnGates(gate=HardResponse(at_zero='closed'))
    """
    return Member("relu", DeepNetwork(widths, OwnGates(_CLOSED)))


def soft_relu(widths: Widths, beta: Number, epsilon: Number) -> Member:
    """A soft-ReLU network: G_l = (1 + epsilon)/(1 + exp(-beta q_l)).

    >>> soft_relu((3,), 4, "1/10").network.gating.gate.epsilon
    Fraction(1, 10)
    """
    return Member("soft-relu", DeepNetwork(widths, OwnGates(SoftResponse(beta, epsilon))))


def dln(widths: Widths) -> Member:
    """A deep linear network: all gates are open.

    >>> dln((3,)).network.gating
    AllOpenGates()
    """
    return Member("dln", DeepNetwork(widths, AllOpenGates()))


def frg(widths: Widths, mu: Number, seed: int) -> Member:
    """Fixed random gates: independent coins, 1 with probability mu, for each training example, node and replicate.

    >>> frg((3,), "1/2", seed=0).network.gating.mu
    Fraction(1, 2)
    """
    return Member("frg", DeepNetwork(widths, BernoulliGates(mu, seed)))


def galu(widths: Widths, start: str = "own") -> Member:
    """A GaLU network: the gates are those of a second ReLU network that keeps its initial weights.

    `start` is "own", independent of Theta, or "same": Theta_g is the initial Theta.

    >>> galu((3,)).gates_learn
    False
    """
    return Member("galu", DeepNetwork(widths, NetworkGates("relu", _CLOSED, True, start)))


def frnpf(widths: Widths, start: str) -> Member:
    """Fixed random neural path features, `start` "own" (independent) or "same" (dependent initialisation).

    >>> frnpf((3,), "same").name
    'frnpf-same'
    """
    return Member(f"frnpf-{start}", galu(widths, start).network)


def flnpf(widths: Widths, features: Sequence[torch.Tensor]) -> Member:
    """Fixed learned neural path features: the gates of a trained ReLU network, whose Theta_1, ... are `features`.

    >>> flnpf((1,), [torch.ones(5, 1, 2)]).features[0].shape
    torch.Size([5, 1, 2])
    """
    return Member("flnpf", galu(widths).network, features=tuple(features))


def dnpfl(widths: Widths, beta: Number) -> Member:
    """Decoupled learning of path features and values: the soft gates of a second ReLU network that learns.

    >>> dnpfl((3,), 8).network.gating.network
    'relu'
    """
    return Member("dnpfl", DeepNetwork(widths, NetworkGates("relu", SoftResponse(beta, 0), False)))


def soft_galu(widths: Widths, beta: Number, epsilon: Number) -> Member:
    """A soft-GaLU network: the soft gates of a second network, z^g_l = q^g_l * G_l, that learns.

    >>> soft_galu((3,), 4, 0).network.gating.network
    'gated'
    """
    return Member("soft-galu", DeepNetwork(widths, NetworkGates("gated", SoftResponse(beta, epsilon), False)))


def gates_only(widths: Widths, beta: Number, epsilon: Number) -> Member:
    """A soft-GaLU network that learns its gates alone: Theta keeps its initial numbers.

    >>> gates_only((3,), 4, 0).values_learn
    False
    """
    return Member("gates-only", soft_galu(widths, beta, epsilon).network, values_learn=False)


def dlgn(widths: Widths, beta: Number) -> Member:
    """A deep linearly gated network: the soft gates of a second network without nonlinearity, which learns.

    >>> dlgn((3,), 10).network.gating.network
    'linear'
    """
    return Member("dlgn", DeepNetwork(widths, NetworkGates("linear", SoftResponse(beta, 0), False)))


def dlgn_pwc(widths: Widths, beta: Number) -> Member:
    """A DLGN with constant experts: z_0 is the vector of ones, and x acts through the gates alone.

    >>> dlgn_pwc((3,), 10).network.value_input
    'ones'
    """
    return Member("dlgn-pwc", DeepNetwork(widths, dlgn(widths, beta).network.gating, value_input="ones"))


def fixed_dlgn(widths: Widths) -> Member:
    """A DLGN whose gates 1[q >= 0] are those of the initial, linear second network.

    >>> fixed_dlgn((3,)).network.gating.gate.at_zero
    'open'
    """
    return Member("fixed-dlgn", DeepNetwork(widths, NetworkGates("linear", _OPEN, True)))
