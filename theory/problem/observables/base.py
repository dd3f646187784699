"""The base of every observable: a name, and what each axis of its array runs over."""

from typing import ClassVar


class Observable:
    """A quantity that theory predicts and the simulator estimates, each in its own way.

    An observable is a frozen dataclass in a file of this folder. `name` is its word in sweep files; `axes` says what
    each axis of the array runs over ("bias" has the K hidden biases and then the one at the output).

    >>> from theory.problem import OBSERVABLES
    >>> OBSERVABLES["weights"].axes
    ('time', 'unit', 'site')
    """

    name: ClassVar[str]
    axes: ClassVar[tuple[str, ...]]
