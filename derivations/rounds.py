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

    A piece that exceeds the budget has a round of its own; no other round takes longer than the budget.

    >>> from types import SimpleNamespace
    >>> one = SimpleNamespace(name="one", seconds=4.0)
    >>> len(rounds([one] * 5, budget=10.0)), [len(part) for part in rounds([one] * 5, budget=3.0)]
    (3, [1, 1, 1, 1, 1])
    """
    too_long = [[piece] for piece in pieces if piece.seconds > budget]
    return [*too_long, *_within([piece for piece in pieces if piece.seconds <= budget], budget)] or [[]]


def _within(pieces: Sequence[Piece], budget: float) -> list[list[Piece]]:
    """Divide pieces that fit the budget, each on its own; none makes no round."""
    if not pieces:
        return []
    count = max(1, ceil(sum(piece.seconds for piece in pieces) / budget))
    while True:
        parts: list[list[Piece]] = [[] for _ in range(count)]
        spent = [0.0] * count
        for piece in sorted(pieces, key=lambda one: (-one.seconds, one.name)):
            least = spent.index(min(spent))
            parts[least].append(piece)
            spent[least] += piece.seconds
        if max(spent) <= budget:
            return parts
        count += 1
