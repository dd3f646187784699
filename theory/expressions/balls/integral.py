"""Arb's integral of a Python function, from which no exception is lost.

`acb.integral` goes on after an exception in its integrand. The exception stays set, and the next look-up of an
attribute that CPython has not cached may clear it: the integral then misses a value, and its ball is wrong.
"""

from collections.abc import Callable
from typing import Any

from flint import acb, arb

from theory.problem.errors import origin

Integrand = Callable[[acb, bool], acb]


def integral(integrand: Integrand, start: acb, end: acb, **limits: Any) -> acb:
    """Return `acb.integral(integrand, start, end, **limits)`; raises the first exception of the integrand.

    >>> integral(lambda x, analytic: x.exp(), acb(0), acb(1)).real.contains(arb(1).exp() - 1)
    True
    """
    errors: list[BaseException] = []

    def guarded(x: acb, analytic: bool) -> acb:
        try:
            x.is_finite()  # a call into compiled code raises what is still set
            if not errors:
                return integrand(x, analytic)
        except BaseException as error:  # noqa: BLE001 - raised below, interrupts too
            errors.append(error)
        return acb(arb("nan"))

    try:
        total = acb.integral(guarded, start, end, **limits)
    except SystemError as error:
        errors.append(error)
    if errors:
        raise origin(errors[0]) from None
    return total
