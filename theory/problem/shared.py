"""Parts that problems of one sweep have in common, made once."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

_MOST = 2**16  # remembered parts; a hundred thousand seeds are then made anew, which costs time and no memory
_Part = TypeVar("_Part")


@dataclass
class Shared:
    """A memory of parts by the objects that they were made of. The objects are compared by identity and kept alive.

    >>> shared, table = Shared(), {"n": 4}
    >>> shared.once("law", (table,), lambda: [1]) is shared.once("law", (table,), lambda: [2])
    True
    >>> shared.once("law", ({"n": 4},), lambda: [2])
    [2]
    """

    _known: dict[tuple[Any, ...], tuple[tuple[Any, ...], Any]] = field(default_factory=dict)

    def once(self, what: str, sources: tuple[Any, ...], make: Callable[[], _Part]) -> _Part:
        """Return the part `what` that `make()` returned for the same objects, or returns now."""
        key = (what, *map(id, sources))
        if key not in self._known:
            part = make()
            if len(self._known) >= _MOST:
                self._known.clear()
            self._known[key] = sources, part  # an object that is kept shares its id with no other
        return self._known[key][1]
