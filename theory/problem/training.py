"""Training, as a declaration: the loss, the time constant, the initial weights and biases, the times looked at."""

from dataclasses import InitVar, dataclass
from fractions import Fraction
from itertools import pairwise
from typing import ClassVar

import numpy as np
from jaxtyping import Float

from theory.problem.errors import InputError
from theory.problem.numbers import exact, one_of, positive, shown, whole

HIDDEN_BIASES, READOUT = 0, 1
LOSSES = ("half-mse", "mse", "cross-entropy")


@dataclass(frozen=True)
class NormalInitialisation:
    """Independent N(0, scale^2) entries: numpy.random.default_rng(SeedSequence(seed)).normal(0, scale, shape).

    `where` names what is initialised in errors.
    """

    scale: Fraction
    seed: int
    where: InitVar[str] = "training.w0"

    law: ClassVar[str] = "normal"

    def __post_init__(self, where: str) -> None:
        object.__setattr__(self, "scale", exact(self.scale, f"{where}.scale"))
        if self.scale < 0:
            raise InputError(
                f"{where}.scale = {self.scale} must be >= 0: it is a standard deviation.", "Drop the sign."
            )
        whole(self.seed, f"{where}.seed", least=0)


@dataclass(frozen=True)
class Training:
    """tau dw/dt = -dL/dw from w0 (K, n); L is the average over the data that `loss` names.

    "half-mse" is 1/2 <(y - yhat)^2>, "mse" is <(y - yhat)^2>, and "cross-entropy" is <log(1 + exp(-y yhat))>, for
    labels y = +-1: minus the log of the probability 1/(1 + exp(-y yhat)) of the label. Biases and readout weights,
    where the network trains them, follow the same flow from hidden_bias0 (K), output_bias0 and readout0 (K); fixed
    biases stay at these values. Each is None where the network has none. `times` are t, in the same unit as tau, and
    strictly increase from a value >= 0; `elapsed` is t/tau.
    """

    loss: str
    tau: Fraction
    w0: tuple[tuple[Fraction, ...], ...] | NormalInitialisation
    times: tuple[Fraction, ...]
    hidden_bias0: tuple[Fraction, ...] | NormalInitialisation | None = None
    output_bias0: Fraction | None = None
    readout0: tuple[Fraction, ...] | NormalInitialisation | None = None

    def __post_init__(self) -> None:
        one_of(self.loss, "training.loss", LOSSES)
        object.__setattr__(self, "tau", positive(self.tau, "training.tau", "it is the time constant of the flow"))
        if not isinstance(self.w0, NormalInitialisation):
            object.__setattr__(self, "w0", _rows(self.w0))
        for name in ("hidden_bias0", "readout0"):
            if not isinstance(getattr(self, name), NormalInitialisation | None):
                object.__setattr__(self, name, _one_each(getattr(self, name), f"training.{name}"))
        if self.output_bias0 is not None:
            object.__setattr__(self, "output_bias0", exact(self.output_bias0, "training.output_bias0"))
        object.__setattr__(self, "times", _times(self.times))

    @property
    def elapsed(self) -> tuple[Fraction, ...]:
        """t/tau at each of the times: what the flow and the number of steps depend on."""
        return tuple(time / self.tau for time in self.times)


def _rows(rows: object) -> tuple[tuple[Fraction, ...], ...]:
    if not isinstance(rows, list | tuple) or not all(isinstance(row, list | tuple) for row in rows):
        raise InputError(
            "training.w0 must be K rows of n numbers or a law.",
            'Write [[...], ...] or { law = "normal", scale = 0.001, seed = 0 }.',
        )
    return tuple(
        tuple(exact(entry, f"training.w0[{k}][{j}]") for j, entry in enumerate(row)) for k, row in enumerate(rows)
    )


def _one_each(values: object, where: str) -> tuple[Fraction, ...]:
    if not isinstance(values, list | tuple):
        raise InputError(
            f"{where} = {shown(values)} must be K numbers or a law.",
            'Write [0.0, 0.1, ...] or { law = "normal", scale = 0.001, seed = 0 }.',
        )
    return tuple(exact(value, f"{where}[{k}]") for k, value in enumerate(values))


def _times(times: object) -> tuple[Fraction, ...]:
    if not isinstance(times, list | tuple) or not times:
        raise InputError("training.times must be a list of at least one time.", "Write for example [1.0, 10.0].")
    values = tuple(exact(time, f"training.times[{index}]") for index, time in enumerate(times))
    if values[0] < 0 or any(later <= earlier for earlier, later in pairwise(values)):
        first = ", ".join(str(value) for value in values[:6])
        raise InputError(f"training.times = [{first}] must be >= 0 and strictly increase.", "Sort the times.")
    return values


def initial_weights(
    w0: tuple[tuple[Fraction, ...], ...] | NormalInitialisation,
    units: int,
    n: int,
    replicate: int | None = None,
) -> Float[np.ndarray, "K n"]:
    """w(0) in float64, the same for theory and simulation; with `replicate`, that replicate's own draw.

    A replicate's draw uses SeedSequence(seed, spawn_key=(replicate,)), so replicates are independent of each other.
    """
    if not isinstance(w0, NormalInitialisation):
        return np.array([[float(entry) for entry in row] for row in w0])
    return _drawn(w0, () if replicate is None else (replicate,), (units, n))


def initial_of_each_unit(
    given: tuple[Fraction, ...] | NormalInitialisation, units: int, purpose: int, replicate: int | None = None
) -> Float[np.ndarray, " K"]:
    """b_k(0) (`purpose` HIDDEN_BIASES) or a_k(0) (READOUT) in float64; with `replicate`, that replicate's own draw.

    The spawn keys are those of w(0) with (0, purpose) behind, so that an equal seed gives numbers independent of w(0)
    and of each other.
    """
    if not isinstance(given, NormalInitialisation):
        return np.array([float(entry) for entry in given])
    return _drawn(given, (0, purpose) if replicate is None else (replicate, 0, purpose), (units,))


def _drawn(law: NormalInitialisation, spawn_key: tuple[int, ...], shape: tuple[int, ...]) -> np.ndarray:
    rng = np.random.default_rng(np.random.SeedSequence(law.seed, spawn_key=spawn_key))
    return rng.normal(0.0, float(law.scale), shape)
