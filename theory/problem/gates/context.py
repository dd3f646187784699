"""Declaration of a gate that opens in some contexts of the data: one column of a routing table."""

from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

from theory.problem.errors import InputError
from theory.problem.gates.base import Gate
from theory.problem.numbers import shown, whole


@dataclass(frozen=True)
class ContextGate(Gate):
    """g = 1 for the examples whose context is one of `open`, and 0 for all others.

    `open` are whole numbers >= 0, kept in ascending order. The data say which context each example has
    (`FiniteData.context`). Raises InputError where `open` is empty or names a context twice.

    >>> ContextGate([2, 0]).open
    (0, 2)
    """

    open: tuple[int, ...]

    kind: ClassVar[str] = "context"

    def __post_init__(self) -> None:
        if not isinstance(self.open, list | tuple) or not self.open:
            raise InputError(
                f"gate.open = {shown(self.open)} must be a list of at least one context.", "Write for example [0, 2]."
            )
        contexts = tuple(sorted(whole(context, "gate.open", least=0) for context in self.open))
        twice = [context for context, following in pairwise(contexts) if context == following]
        if twice:
            raise InputError(f"gate.open names the context {twice[0]} twice.", "Name each context once.")
        object.__setattr__(self, "open", contexts)
