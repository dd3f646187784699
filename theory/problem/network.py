"""Declarations of networks with one hidden layer."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from theory.problem.errors import InputError
from theory.problem.gates import Gate, RepeatedGate
from theory.problem.numbers import exact, memory_of_square, one_of, whole

ACTIVATIONS = ("linear", "relu", "leaky-relu", "erf", "sigmoid")
MODELS = ("gated-linear", *ACTIVATIONS[1:])
READOUTS = ("mean", "sum", "trained-mean", "trained-sum")
BIASES = ("none", "fixed", "trained")
MOST_UNITS = 100_000


@dataclass(frozen=True)
class Network:
    """yhat(x) = s sum_k a_k f_k(x) + b_out, s = 1/K for the readouts "mean" and "trained-mean", 1 for the other two.

    The readout weights a_k are 1 for "mean" and "sum", and learned with w for "trained-mean" and "trained-sum".
    f_k(x) = g_k(x) (w_k.x + b_k) for "gated-linear" (notes, eq. 3); sigma(w_k.x + b_k) otherwise, with
    sigma(h) = max(h, 0) for "relu", h where h > 0 and slope h elsewhere for "leaky-relu", erf(h/sqrt(2)) for "erf"
    (notes, section 1) and 1/(1 + exp(-h)) for "sigmoid". biases "trained" are K hidden ones b_k and one at the output,
    b_out (notes, eq. 1), all learned with w; "fixed" ones keep the values given; "none" leaves them out: all are 0.

    Raises InputError for unknown words, gates that do not fit the model or the units, and a slope that is missing or
    that the model does not have.

    >>> network = Network("leaky-relu", "mean", 4, slope="1/100")
    >>> str(network.scale), str(network.slope), network.has_biases, network.trains_readout
    ('1/4', '1/100', False, False)
    """

    model: str
    readout: str
    units: int
    gates: tuple[Gate, ...] = ()
    biases: str = "none"
    slope: Fraction | None = None

    gated: ClassVar[str] = "gated-linear"

    def __post_init__(self) -> None:
        one_of(self.model, "network.model", MODELS)
        one_of(self.readout, "network.readout", READOUTS)
        one_of(self.biases, "network.biases", BIASES)
        whole(self.units, "network.units", least=1, most=MOST_UNITS, why=_memory_of_pairs)
        self._check_slope()
        self._check_gates()

    def _check_slope(self) -> None:
        if (self.slope is not None) != (self.model == "leaky-relu"):
            said = "has no" if self.slope is not None else "needs a"
            raise InputError(
                f'network: model "{self.model}" {said} slope.',
                'It is that of "leaky-relu" where h <= 0, such as slope = 0.01; papers differ, so it has no default.',
            )
        if self.slope is not None:
            object.__setattr__(self, "slope", exact(self.slope, "network.slope"))

    def _check_gates(self) -> None:
        if self.model == self.gated and len(self.gates) != self.units:
            raise InputError(
                f"network: {self.units} units but {len(self.gates)} gates.",
                "Give one [[network.gates]] table per unit and leave `units` out.",
            )
        if self.model != self.gated and self.gates:
            raise InputError(
                f'network: model "{self.model}" gates itself, yet {len(self.gates)} gates are given.',
                'Remove [[network.gates]] and give `units`, or use model = "gated-linear".',
            )
        for index, gate in enumerate(self.gates):
            if isinstance(gate, RepeatedGate) and gate.of >= index:
                raise InputError(
                    f"network.gates[{index}] repeats unit {gate.of}, which is not an earlier unit.",
                    f"Let `of` name a unit from 0 to {index - 1}." if index else "Let the first gate be a plain one.",
                )

    @property
    def has_biases(self) -> bool:
        """True if the network has biases b_1, ..., b_K and b_out, fixed or trained."""
        return self.biases != "none"

    @property
    def trains_readout(self) -> bool:
        """True if the readout weights a_1, ..., a_K are learned; otherwise all are 1."""
        return self.readout.startswith("trained-")

    @property
    def activation(self) -> str:
        """sigma of the hidden units: "linear" where gates are given, otherwise that of the model."""
        return "linear" if self.model == self.gated else self.model

    @property
    def scale(self) -> Fraction:
        """s, the factor of the readout before the sum over units."""
        return Fraction(1, self.units) if self.readout.endswith("mean") else Fraction(1)


def _memory_of_pairs(units: int) -> str:
    return f"one number for each pair of units takes {memory_of_square(units)} of memory"
