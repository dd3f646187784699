"""The base of laws that are lists of examples in float64, one of which is drawn at a time."""

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np
from jaxtyping import Float, Int

from theory.problem.distributions.base import Law
from theory.problem.table_files import Rows


class RowsLaw(Law, ABC):
    """A law of finitely many examples: row i of `rows.x` is drawn with the probability rows.probabilities[i].

    There is no latent; sites lie on an open line or grid. Statistics of such a law are sums over its rows.
    """

    boundary: ClassVar[str] = "open"

    @property
    @abstractmethod
    def rows(self) -> Rows:
        """The examples: inputs, labels, probabilities and contexts, as arrays."""

    @property
    @abstractmethod
    def category(self) -> Int[np.ndarray, " N"]:
        """The class of each example."""

    @property
    @abstractmethod
    def class_labels(self) -> Float[np.ndarray, "C m"]:
        """The labels of the classes in float64."""
