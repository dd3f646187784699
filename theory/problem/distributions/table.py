"""A table of examples in float64, from a file or made from second moments: its definition."""

import os
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

import numpy as np
from jaxtyping import Float, Int

from theory.problem.distributions.base import MOST_SITES, Label, check_grid, identify, set_field
from theory.problem.distributions.rows import RowsLaw
from theory.problem.errors import InputError
from theory.problem.numbers import shown
from theory.problem.second_moments import ContextMoments, examples_with, read_moments
from theory.problem.table_files import Rows, read_table


@dataclass(frozen=True)
class Table(RowsLaw):
    """N examples from a file, or examples made from the second moments of each context; one is drawn at a time.

    `file` is an archive or a CSV (see `theory.problem.table_files.read_table`), read once, when the law is made. Only
    the content identifies the law: `sha256`, if given, is checked against it, and laws of equal content are equal
    wherever their files are. `moments` give for context 0, 1, ... the probability, xx, yx and yy; the law is then that
    of the examples that `theory.problem.second_moments.examples_with` makes, and gates at sites look at these.

    The classes are the distinct labels in the order in which they first appear. There is no latent; sites lie on an
    open line, or on a grid of `shape` = (rows, columns), row by row. Raises InputError for a file that cannot be read
    or has another content, for moments that no examples have, and for a grid of another number of sites.

    >>> one = {"probability": "1/2", "xx": [[1]], "yx": [["1/2"]], "yy": [[1]]}
    >>> law = Table(moments=[one, one | {"yx": [[0]]}])
    >>> law.n, law.outputs, law.contexts, len(law.rows.x)
    (1, 1, (0, 1), 8)
    """

    file: str = field(default="", compare=False)
    sha256: str = ""
    moments: tuple[ContextMoments, ...] = ()
    shape: tuple[int, int] | tuple[()] | None = ()

    law: ClassVar[str] = "table"

    def __post_init__(self) -> None:
        if bool(self.file) == bool(self.moments):
            said = "both `file` and `moments`" if self.file else "neither `file` nor `moments`"
            raise InputError(f'data.law = "table" has {said}.', 'Write file = "data.npz", or [[data.moments]].')
        set_field(self, "_rows", self._of_file() if self.file else self._of_moments())
        if self.n > MOST_SITES:
            raise InputError(f"data.file has n = {self.n} sites, more than {MOST_SITES}.", "Use fewer.")
        check_grid(self)

    def _of_file(self) -> Rows:
        if not isinstance(self.file, str):
            raise InputError(f"data.file = {shown(self.file)} must be a path.", 'Write for example "data.npz".')
        set_field(self, "file", os.path.abspath(self.file))
        rows, digest = read_table(self.file)
        identify(self, digest, self.file)
        return rows

    def _of_moments(self) -> Rows:
        if self.sha256:
            raise InputError("data.sha256 is that of a file, and the data are given by moments.", "Leave it out.")
        set_field(self, "moments", read_moments(self.moments, "data.moments"))
        return examples_with(self.moments, "data.moments")

    @property
    def rows(self) -> Rows:
        """The examples: inputs, labels, probabilities and contexts, as arrays."""
        return self._rows

    @property
    def n(self) -> int:
        """The number of sites."""
        return self.rows.x.shape[1]

    @property
    def outputs(self) -> int:
        """m, how many numbers a label has."""
        return self.rows.y.shape[1]

    @cached_property
    def contexts(self) -> tuple[int, ...]:
        """The different contexts, in ascending order."""
        return () if self.rows.context is None else tuple(np.unique(self.rows.context).tolist())

    @cached_property
    def _labelled(self) -> tuple[Float[np.ndarray, "C m"], Int[np.ndarray, " N"]]:
        """The distinct labels by first appearance, and the class of each example."""
        labels, first, inverse = np.unique(self.rows.y, axis=0, return_index=True, return_inverse=True)
        order = np.argsort(first)
        place = np.empty_like(order)
        place[order] = np.arange(len(order))
        return labels[order], place[inverse.ravel()]

    @property
    def category(self) -> Int[np.ndarray, " N"]:
        """The class of each example."""
        return self._labelled[1]

    @property
    def class_labels(self) -> Float[np.ndarray, "C m"]:
        """The distinct labels, in the order in which they first appear, in float64."""
        return self._labelled[0]

    @cached_property
    def labels(self) -> tuple[Label, ...]:
        """The distinct labels once more, in exact numbers."""
        rows = [tuple(map(Fraction, row)) for row in self.class_labels.tolist()]
        return tuple(row[0] if self.outputs == 1 else row for row in rows)

    @cached_property
    def probabilities(self) -> tuple[Fraction, ...]:
        """The probability of each class: the sum over its examples in float64."""
        sums = np.bincount(self.category, self.rows.probabilities, len(self.class_labels))
        return tuple(map(Fraction, sums.tolist()))
