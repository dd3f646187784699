"""The rule of a refinement: from the numbers of finished cells to the cells of the next generation, or to the end.

It is a function of these numbers alone. Each call begins again with the first generation, looks cells up by their place
and decides a generation only when the numbers of all cells before it are there. So the order in which cells were
finished, who made them, and what else is finished do not matter.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import pairwise, product

from derivations.sweeps.decisions import Values, changes, kept, networks_needed
from theory.problem.refine import CHANGE, Refine

SETTLED, FINEST, MOST_CELLS = "settled", "finest", "most-cells"

# A cell of the rule: its places in the finest grids ("change"), or the cell of the first generation and the number of
# times that others with further networks come before it ("interval").
Spot = tuple[int, ...]
Box = tuple[tuple[int, int], ...]  # its first and its last place along each axis


@dataclass(frozen=True)
class End:
    """The reason why a refinement ended: SETTLED, FINEST or MOST_CELLS, and in words."""

    kind: str
    why: str


@dataclass(frozen=True)
class Generations:
    """The cells of each generation that is decided, and why there is no further one; None while cells lack numbers.

    `boxes` are the undivided boxes of a grid, from which a picture can be drawn; none for "interval".
    """

    spots: tuple[tuple[Spot, ...], ...]
    end: End | None
    boxes: tuple[Box, ...] = ()


def generations(start: Sequence[Sequence[int]] | int, values: Mapping[Spot, Values], refine: Refine) -> Generations:
    """Return the generations that follow from the finished cells' `values`, one number for each network.

    `start` has the places of the first generation in the finest grid along each axis ("change"), or the number of its
    cells ("interval"). A cell without a number, because it diverged or is no valid problem, has no values: ().

    >>> rule = Refine("interval", "loss", 1, "0.95", 40, half_width=1)
    >>> generations(1, {(0, 0): (0.0, 1.0, 2.0)}, rule).spots  # 19 networks are needed, three a cell
    (((0, 0),), ((0, 1), (0, 2), (0, 3), (0, 4), (0, 5), (0, 6)))
    >>> generations(1, {(0, 0): (0.0, 0.2, 0.4)}, rule).end.kind
    'settled'
    """
    rule = _by_changes if refine.where == CHANGE else _by_intervals
    return rule(start, values, refine)


def _by_changes(start: Sequence[Sequence[int]], values: Mapping[Spot, Values], refine: Refine) -> Generations:
    """Divide boxes whose edges show a change, until none does or only those of the finest grid do."""

    @cache  # two boxes share an edge, and a box that stays is looked at again
    def differ(first: Spot, second: Spot) -> bool:
        return changes(values[first], values[second], refine.step, refine.confidence)

    boxes: list[Box] = [*product(*(pairwise(places) for places in start))]
    made = [tuple(product(*start))]
    known = set(made[0])
    while values.keys() >= set(made[-1]):
        while True:
            found = [box for box in boxes if any(differ(*pair) for pair in neighbours(box, known))]
            divided = {box for box in found if any(high - low > 1 for low, high in box)}
            if not divided:
                return Generations(tuple(made), _end_of_changes(bool(found), refine), tuple(boxes))
            parts = [part for box in boxes for part in (_parts(box) if box in divided else [box])]
            new = {corner for box in parts for corner in product(*box)} - known
            if new:
                break
            boxes = parts  # neighbours have made all points of the halves, so that these can be judged at once
        if (end := _end_by_number(len(known), len(new), refine)) is not None:
            return Generations(tuple(made), end, tuple(boxes))
        boxes = parts
        made.append(tuple(sorted(new)))
        known |= new
    return Generations(tuple(made), None, tuple(boxes))


def neighbours(box: Box, known: set[Spot]) -> Iterator[tuple[Spot, Spot]]:
    """Yield the pairs of known points that follow each other along an edge of the box: corners and points between.

    >>> list(neighbours(((0, 4),), {(0,), (4,)}))
    [((0,), (4,))]
    """
    for along, (low, high) in enumerate(box):
        for ends in product(*(box[:along] + box[along + 1 :])):
            edge = [(*ends[:along], place, *ends[along:]) for place in range(low, high + 1)]
            yield from pairwise(spot for spot in edge if spot in known)


def _parts(box: Box) -> Iterator[Box]:
    """The halves of a box along every axis along which there is a place between its ends."""
    halves = []
    for low, high in box:
        middle = (low + high) // 2
        halves.append([(low, middle), (middle, high)] if high - low > 1 else [(low, high)])
    return product(*halves)


def _end_of_changes(some: bool, refine: Refine) -> End:
    if some:
        return End(FINEST, f"All changes of more than {_short(refine.step)} lie between points of the finest grid.")
    return End(SETTLED, f"No two neighbours are shown to differ by more than {_short(refine.step)}.")


def _by_intervals(start: int, values: Mapping[Spot, Values], refine: Refine) -> Generations:
    """Add cells to each of the first ones until it has as many networks as its own scatter asks for."""
    made = [tuple((cell, 0) for cell in range(start))]
    count = [1] * start
    while values.keys() >= set(made[-1]):
        further = []
        for cell in range(start):
            pilot = values[cell, 0]
            needed = networks_needed(pilot, refine.half_width, refine.confidence)
            lacking = 0 if needed is None else needed - sum(len(kept(values[cell, k])) for k in range(count[cell]))
            further.append(max(0, -(-lacking // len(pilot))) if pilot else 0)
        new = sum(further)  # it may be far more than can be listed
        if not new:
            without = sum(len(kept(values[cell, 0])) < 2 for cell in range(start))
            rest = f" ({without} of {start} points have no number, because networks diverged)" if without else ""
            return Generations(tuple(made), End(SETTLED, f"{_intervals_in_words(refine)}{rest}."))
        if (end := _end_by_number(sum(map(len, made)), new, refine)) is not None:
            return Generations(tuple(made), end)
        made.append(tuple((cell, count[cell] + k) for cell, more in enumerate(further) for k in range(more)))
        count = [there + more for there, more in zip(count, further, strict=True)]
    return Generations(tuple(made), None)


def _intervals_in_words(refine: Refine) -> str:
    percent = _short(100 * refine.confidence)
    return f"The half width of every {percent} % interval is at most {_short(refine.half_width)}"


def _end_by_number(there: int, new: int, refine: Refine) -> End | None:
    if there + new <= refine.most_cells:
        return None
    return End(
        MOST_CELLS,
        f"The next generation would have {new} more cells, {there + new} in all, and most_cells is "
        f"{refine.most_cells}. Raise it; finished cells are kept.",
    )


def _short(number: Fraction) -> str:
    return f"{float(number):.6g}"
