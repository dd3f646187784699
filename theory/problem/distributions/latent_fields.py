"""Fields of laws with a stationary Gaussian latent that hold one value for all classes, or one for each."""

from fractions import Fraction
from itertools import repeat
from typing import Any

from theory.problem.correlations import GAUSSIAN, Correlation, correlation_of
from theory.problem.distributions.base import Law, set_field
from theory.problem.errors import InputError
from theory.problem.numbers import exact, positive, shown


def declare_correlation(law: Any) -> None:
    """Make `correlation` one Correlation, or one for each class where they differ. Raises InputError for anything else.

    >>> from theory.problem import NonlinearGP
    >>> law = NonlinearGP(4, (2, 1), 1, "open", "none", (1, 0), correlation=("exponential", "exponential"))
    >>> law.correlation
    ExponentialCorrelation()
    """
    if not isinstance(law.correlation, list | tuple):
        set_field(law, "correlation", correlation_of(law.correlation, "data.correlation"))
        return
    law.each_class("correlation", correlation_of, "correlations", 'Give one for each class, or one such as "gaussian".')
    if len(set(law.correlation)) == 1:
        set_field(law, "correlation", law.correlation[0])


def declare_lengths(law: Any) -> None:
    """Make `xi` exact: a positive length for each class whose correlation has one, and 0 for the others; () for none.

    Raises InputError for anything else.

    >>> from theory.problem import NonlinearGP
    >>> NonlinearGP(4, (), 1, "open", "none", (1, 0), correlation={"kind": "table", "values": [1, "1/2"]}).xi
    ()
    """
    declared = law.correlation
    kinds = declared if isinstance(declared, tuple) else (declared,)
    if not any(kind.needs_length for kind in kinds):
        if law.xi != () and law.xi != []:
            raise InputError(
                f"data.xi = {shown(law.xi)} is not used: a correlation of the kind {kinds[0].kind} has no length.",
                "Leave xi out.",
            )
        set_field(law, "xi", ())
        return
    turn = iter(declared) if isinstance(declared, tuple) else repeat(declared)
    law.each_class("xi", lambda value, where: _length(next(turn, GAUSSIAN), value, where))


def _length(kind: Correlation, value: Any, where: str) -> Fraction:
    if kind.needs_length:
        formula = " in exp(-d^2/xi^2)" if kind == GAUSSIAN else ""
        return positive(value, where, f"it is the correlation length{formula}")
    if exact(value, where) != 0:
        raise InputError(
            f"{where} = {shown(value)} is not used: a correlation of the kind {kind.kind} has no length.", "Write 0."
        )
    return Fraction(0)


def declare_gain(law: Any) -> None:
    """Make `gain` one exact number, or one for each class where they differ. Raises InputError unless it is positive.

    >>> from theory.problem import NonlinearGP
    >>> NonlinearGP(4, (2, 1), (3, 3), "open", "none", (1, 0)).gain
    Fraction(3, 1)
    """
    why = "erf(gain z) is zero at gain 0 and the sign convention is gain > 0"
    if not isinstance(law.gain, list | tuple):
        set_field(law, "gain", positive(law.gain, "data.gain", why))
        return
    law.each_class("gain", lambda value, where: positive(value, where, why))
    if len(set(law.gain)) == 1:
        set_field(law, "gain", law.gain[0])


def without_length(table: dict[str, Any], law: type[Law]) -> dict[str, Any]:
    """Return the table [data] of a problem file with `xi` = [] where it is left out and no correlation has a length.

    >>> from theory.problem import NonlinearGP
    >>> without_length({"correlation": {"kind": "table", "values": [1]}}, NonlinearGP)["xi"]
    []
    """
    if "xi" in table or not hasattr(law, "kernels") or "correlation" not in table:
        return table
    given = table["correlation"]
    kinds = [correlation_of(each, "data.correlation") for each in (given if isinstance(given, list) else [given])]
    return table if any(kind.needs_length for kind in kinds) else {**table, "xi": []}
