"""Rounds: timed work divided into parts that each fit a budget."""

from collections.abc import Sequence
from math import ceil
from typing import Protocol, TypeVar


class Timed(Protocol):
    """A piece of work: its name, and the seconds that it takes."""

    @property
    def name(self) -> str:
        """The name, by which pieces of equal length are ordered."""

    @property
    def seconds(self) -> float:
        """The time that the piece takes."""


Piece = TypeVar("Piece", bound=Timed)


def rounds(pieces: Sequence[Piece], budget: float) -> list[list[Piece]]:
    """Divide the pieces into as few rounds as keep the budget, the longest pieces first.

    No round takes longer than the budget, or than the longest piece where that exceeds the budget.

    >>> from types import SimpleNamespace
    >>> one = SimpleNamespace(name="one", seconds=4.0)
    >>> len(rounds([one] * 5, budget=10.0))
    3
    """
    if not pieces:
        return [[]]
    allowed = max(budget, max(piece.seconds for piece in pieces))
    count = max(1, ceil(sum(piece.seconds for piece in pieces) / allowed))
    while True:
        parts: list[list[Piece]] = [[] for _ in range(count)]
        spent = [0.0] * count
        for piece in sorted(pieces, key=lambda one: (-one.seconds, one.name)):
            least = spent.index(min(spent))
            parts[least].append(piece)
            spent[least] += piece.seconds
        if max(spent) <= allowed:
            return parts
        count += 1
