"""One dispatch from a nonlinearity to the statistics of a class, and to those of its inputs."""

from functools import singledispatch
from typing import Any

from theory.moments.arithmetic import Arithmetic
from theory.moments.process_inputs import ProcessInputs
from theory.moments.statistics import ClassStatistics
from theory.problem import Erf, NonlinearGP, OutOfReachError


@singledispatch
def statistics_through(nonlinearity: Any, law: NonlinearGP, c: int, arithmetic: Arithmetic) -> ClassStatistics:
    """Return the statistics of class `c` of a law with this nonlinearity. Raises OutOfReachError for an unknown one.

    >>> from theory.moments.arithmetic import FLOAT64
    >>> law = NonlinearGP(4, (2, 1), 1, "open", "unit-variance", (1, 0), nonlinearity="identity")
    >>> statistics_through(law.nonlinearity, law, 0, FLOAT64).covariances[0].item()
    1.0
    """
    del law, c, arithmetic
    raise _unknown(nonlinearity)


@statistics_through.register
def _(nonlinearity: Erf, law: NonlinearGP, c: int, arithmetic: Arithmetic) -> ClassStatistics:
    del nonlinearity
    return ClassStatistics(law, c, arithmetic)


@singledispatch
def inputs_through(nonlinearity: Any, law: NonlinearGP, c: int) -> ProcessInputs:
    """Return the statistics of the inputs of class `c`. Raises OutOfReachError for an unknown nonlinearity.

    >>> law = NonlinearGP(4, (2, 1), 1, "open", "unit-variance", (1, 0), nonlinearity="sign")
    >>> inputs_through(law.nonlinearity, law, 0).kurtosis.tolist()
    [-2.0, -2.0, -2.0, -2.0]
    """
    del law, c
    raise _unknown(nonlinearity)


@inputs_through.register
def _(nonlinearity: Erf, law: NonlinearGP, c: int) -> ProcessInputs:
    del nonlinearity
    return ProcessInputs(law, c)


def _unknown(nonlinearity: Any) -> OutOfReachError:
    kind = type(nonlinearity).__name__
    return OutOfReachError(
        f"The nonlinearity {kind} has no exact moments.",
        "Sample it, or register them in a file of theory/moments/nonlinearities/.",
    )
