"""The base of every gate, and of gates that open where a number lies between two bounds."""

from typing import ClassVar

from theory.problem.errors import InputError
from theory.problem.numbers import exact_or_infinite, one_of

VARIABLES = ("latent", "input")


class Gate:
    """The base of gates. A gate multiplies its unit by g(x), which is 0 or 1, or between them for a soft gate.

    A gate is a frozen dataclass in a file of this folder; `kind` is its word in problem files. A gate that depends on
    sites has `sites`, in order, and `on`: "latent" if it depends on z there, "input" if on x. A gate that was given for
    a fixed number of sites has `size`. `in_files` is True if problem files may declare it.

    >>> from theory.problem import AlwaysGate, DirectionGate
    >>> DirectionGate({3: 1, 5: -1}).sites, sites_of(AlwaysGate())
    ((3, 5), ())
    """

    kind: ClassVar[str]
    in_files: ClassVar[bool] = True


def sites_of(gate: Gate) -> tuple[int, ...]:
    """Return the sites on which a gate depends; () for a gate that depends on none.

    >>> from theory.problem import AlwaysGate, SiteGate
    >>> sites_of(SiteGate(20)), sites_of(AlwaysGate())
    ((20,), ())
    """
    return getattr(gate, "sites", ())


def looks_on(gate: Gate) -> str | None:
    """ "latent" or "input", which a gate looks at; None for one that looks at neither.

    >>> from theory.problem import AlwaysGate, SiteGate
    >>> looks_on(SiteGate(20)), looks_on(SiteGate(20, on="input")), looks_on(AlwaysGate())
    ('latent', 'input', None)
    """
    return getattr(gate, "on", None)


def check_interval(gate: Gate, what: str) -> None:
    """Make lo, hi and the sharpness of a gate exact; `what` names it in errors.

    Raises InputError where no number lies between the bounds, and for a sharpness that is not positive.
    """
    one_of(gate.on, "gate.on", VARIABLES)
    for name in ("lo", "hi", "sharpness"):
        object.__setattr__(gate, name, exact_or_infinite(getattr(gate, name), f"gate.{name}"))
    if not gate.lo < gate.hi:
        raise InputError(
            f"{what}: lo = {gate.lo} is not below hi = {gate.hi}, so it would never open.",
            "Give lo < hi; leave one out for a half-space.",
        )
    if gate.sharpness <= 0:
        raise InputError(
            f"{what}: sharpness = {gate.sharpness} must be > 0: it is beta in Phi(beta (v - lo)).",
            "Give a positive number, or leave it out for a hard gate.",
        )
