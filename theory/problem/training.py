"""Declaration of training: the loss, the time constant, the initial weights and biases, the times of interest."""

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import ClassVar

from theory.problem.errors import InputError
from theory.problem.numbers import exact, one_of, positive, shown
from theory.problem.parameters import (
    Initial,
    InitialByName,
    NormalInitialisation,
    nested,
    one_for_each_unit,
    rows_of_numbers,
)

# The fields with the initial numbers of each parameter of a network with one hidden layer.
INITIAL = {"w": "w0", "b": "hidden_bias0", "b_out": "output_bias0", "a": "readout0"}
LOSSES = ("half-mse", "mse", "cross-entropy")


@dataclass(frozen=True)
class Training:
    """tau dw/dt = -dL/dw from w0 (K, n); L is the average over the data that `loss` names.

    "half-mse" is 1/2 <(y - yhat)^2>, "mse" is <(y - yhat)^2>, and "cross-entropy" is <log(1 + exp(-y yhat))>, for
    labels y = +-1: minus the log of the probability 1/(1 + exp(-y yhat)) of the label. Biases and readout weights,
    where the network trains them, follow the same flow from hidden_bias0 (K), output_bias0 and readout0 (K); fixed
    biases stay at these values. Each is None where the network has none. The weights of a graph start from one law for
    all, or each from its own. `times` are t, in the same unit as tau, and strictly increase from a value >= 0;
    `elapsed` is t/tau. Raises InputError for other times, another loss, tau <= 0 and initial numbers that are neither a
    law nor rows of numbers.

    >>> training = Training("half-mse", tau=2, w0=[[0, 0]], times=[1, 4])
    >>> [str(time) for time in training.elapsed]  # t/tau
    ['1/2', '2']
    """

    loss: str
    tau: Fraction
    w0: Initial
    times: tuple[Fraction, ...]
    hidden_bias0: Initial | None = None
    output_bias0: Initial | None = None
    readout0: Initial | None = None

    where: ClassVar[str] = "training.w0"

    def __post_init__(self) -> None:
        one_of(self.loss, "training.loss", LOSSES)
        object.__setattr__(self, "tau", positive(self.tau, "training.tau", "it is the time constant of the flow"))
        if not isinstance(self.w0, NormalInitialisation | InitialByName):
            object.__setattr__(self, "w0", rows_of_numbers(self.w0, "training.w0"))
        for name in ("hidden_bias0", "readout0"):
            if not isinstance(getattr(self, name), NormalInitialisation | None):
                object.__setattr__(self, name, one_for_each_unit(getattr(self, name), f"training.{name}"))
        if self.output_bias0 is not None:
            object.__setattr__(self, "output_bias0", nested(self.output_bias0, "training.output_bias0"))
        object.__setattr__(self, "times", _times(self.times))

    def initial(self, parameter: str) -> Initial | None:
        """Return the initial numbers, or their law, of the parameter "w", "b", "b_out" or "a"; None if not given.

        For a weight of a graph they are the numbers given under its name, or the law that all weights share.
        """
        if parameter in INITIAL:
            return getattr(self, INITIAL[parameter])
        return _by_name(self.w0, parameter)

    @property
    def elapsed(self) -> tuple[Fraction, ...]:
        """t/tau at each of the times, on which the flow and the number of steps depend."""
        return tuple(time / self.tau for time in self.times)


@dataclass(frozen=True)
class InitialWeights:
    """The weights of a deep network that is evaluated and not trained: one law for all, or each by its name.

    It stands in the place of a Training that would have no use. Raises InputError for anything else.

    >>> InitialWeights(InitialByName((("Theta_1", [[1, 2]]), ("Theta_2", [[3]])))).initial("Theta_2")
    ((Fraction(3, 1),),)
    """

    w0: NormalInitialisation | InitialByName

    where: ClassVar[str] = "weights"

    def __post_init__(self) -> None:
        if not isinstance(self.w0, NormalInitialisation | InitialByName):
            raise InputError(
                f"weights = {shown(self.w0)} must be a law or weights by name.",
                "Write [weights] and below it Theta_1 = [[...], ...] and so on.",
            )

    def initial(self, parameter: str) -> Initial:
        """Return the initial numbers of a parameter, or their law."""
        return _by_name(self.w0, parameter)


def _by_name(w0: Initial, parameter: str) -> Initial:
    return w0.of(parameter) if isinstance(w0, InitialByName) else w0


def _times(times: object) -> tuple[Fraction, ...]:
    if not isinstance(times, list | tuple) or not times:
        raise InputError("training.times must be a list of at least one time.", "Write for example [1.0, 10.0].")
    values = tuple(exact(time, f"training.times[{index}]") for index, time in enumerate(times))
    if values[0] < 0 or any(later <= earlier for earlier, later in pairwise(values)):
        first = ", ".join(str(value) for value in values[:6])
        hint = "Sort the times, and leave out negative and repeated ones."
        raise InputError(f"training.times = [{first}] must be >= 0 and strictly increase.", hint)
    return values
