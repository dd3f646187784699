"""The base of every observable: a name, and the meaning of each axis of its array."""

from typing import ClassVar


class Observable:
    """A quantity that theory predicts and the simulator estimates, each in its own way.

    An observable is a frozen dataclass in a file of this folder. `name` is its word in sweep files; `axes` names the
    index of each axis of the array ("bias" has the K hidden biases and then the one at the output).

    >>> from theory.problem import OBSERVABLES
    >>> OBSERVABLES["weights"].axes
    ('time', 'unit', 'site')
    """

    name: ClassVar[str]
    axes: ClassVar[tuple[str, ...]]
