"""Images of digits (MNIST) or of clothing (Fashion-MNIST) as laws: their definition."""

from collections import Counter
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

import numpy as np
from jaxtyping import Float, Int

from theory.problem.datasets.folder import read_file
from theory.problem.datasets.pixels import block_means
from theory.problem.distributions.base import Label
from theory.problem.distributions.rows import RowsLaw
from theory.problem.errors import InputError
from theory.problem.numbers import one_of, shown, whole
from theory.problem.table_files import Rows

PARTS = {"train": "train", "test": "t10k"}
CENTRINGS = ("none", "mean")
_SIDE, _CATEGORIES = 28, 10


@dataclass(frozen=True)
class _Images28(RowsLaw):
    """Class c: an image of one of the categories[c] of a data set, each image of the class with the same probability.

    A category is a number from 0 to 9, as the files have it; an entry of `categories` is one or a list of them. `part`
    is that of the data set: 60000 images to train, 10000 to test. x_i is the mean of downsample x downsample pixels,
    0 to 1, row by row; with centring = "mean" the mean <x> of the law is subtracted. Class c has the probability
    priors[c], 1/C where none are given, whatever the numbers of images are.

    The files are read when the examples are used first. Raises InputError for fields that do not fit, and
    OutOfReachError at that first use where the data set is not on the machine.
    """

    categories: tuple[tuple[int, ...], ...]
    part: str
    centring: str
    labels: tuple[Label, ...]
    downsample: int = field(default=1, kw_only=True)
    priors: tuple[Fraction, ...] = field(default=(), kw_only=True)

    centrings: ClassVar[tuple[str, ...]] = CENTRINGS

    def __post_init__(self) -> None:
        one_of(self.part, "data.part", PARTS)
        one_of(self.centring, "data.centring", CENTRINGS)
        whole(self.downsample, "data.downsample", least=1, most=_SIDE, why=f"an image has {_SIDE} rows")
        if _SIDE % self.downsample:
            sides = [side for side in range(1, _SIDE + 1) if _SIDE % side == 0]
            raise InputError(
                f"data.downsample = {self.downsample} does not divide the {_SIDE} rows of an image.",
                f"Choose one of: {', '.join(map(str, sides))}.",
            )
        self.each_class(
            "categories", _categories, "categories", "Give one for each class, such as [3, 8] or [[0, 1], 2]."
        )
        twice = [number for number, count in Counter(sum(self.categories, ())).items() if count > 1]
        if twice:
            raise InputError(
                f"data.categories names {twice[0]} twice: its images would have two classes.", "Name it once."
            )
        self.check_classes()

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of the sites."""
        return (_SIDE // self.downsample,) * 2

    @property
    def n(self) -> int:
        """The number of sites."""
        return self.shape[0] * self.shape[1]

    @cached_property
    def _chosen(self) -> tuple[Int[np.ndarray, " N"], Int[np.ndarray, " N"]]:
        """The places in the file of the images of all classes, and their classes."""
        numbers = read_file(self.law, f"{PARTS[self.part]}-labels-idx1-ubyte")
        classes = np.full(_CATEGORIES, -1)
        for c, members in enumerate(self.categories):
            classes[list(members)] = c
        places = np.flatnonzero(classes[numbers] >= 0)
        return places, classes[numbers[places]]

    @property
    def category(self) -> Int[np.ndarray, " N"]:
        """The class of each example."""
        return self._chosen[1]

    @cached_property
    def class_labels(self) -> Float[np.ndarray, "C m"]:
        """The labels of the classes in float64."""
        return np.array(self.label_vectors, dtype=float)

    @cached_property
    def rows(self) -> Rows:
        """The examples: inputs, labels and probabilities, as arrays."""
        places, category = self._chosen
        images = read_file(self.law, f"{PARTS[self.part]}-images-idx3-ubyte")
        x = block_means(images[places], self.downsample).reshape(len(places), self.n)
        shares = np.array(self.probabilities, dtype=float) / np.bincount(category, minlength=self.classes)
        probabilities = shares[category]
        if self.centring == "mean":
            x -= probabilities @ x
        return Rows(x, self.class_labels[category], probabilities)


@dataclass(frozen=True)
class Mnist(_Images28):
    """Handwritten digits, 28 x 28 pixels: the categories are the digits.

    >>> law = Mnist([[0, 2, 4, 6, 8], [1, 3, 5, 7, 9]], "train", "mean", [1, -1], downsample=2)
    >>> law.n, law.shape, law.probabilities
    (196, (14, 14), (Fraction(1, 2), Fraction(1, 2)))
    """

    law: ClassVar[str] = "mnist"


@dataclass(frozen=True)
class FashionMnist(_Images28):
    """Articles of clothing, 28 x 28 pixels. The categories are

    0 T-shirt, 1 trousers, 2 pullover, 3 dress, 4 coat, 5 sandal, 6 shirt, 7 sneaker, 8 bag, 9 ankle boot.

    >>> FashionMnist([0, 9], "test", "none", [1, 0]).categories
    ((0,), (9,))
    """

    law: ClassVar[str] = "fashion-mnist"


def _categories(value: object, where: str) -> tuple[int, ...]:
    """One category or a list of them."""
    entries = value if isinstance(value, list | tuple) else [value]
    if not entries:
        raise InputError(f"{where} = {shown(value)} names no category.", "Give numbers from 0 to 9.")
    return tuple(
        whole(entry, where, least=0, most=_CATEGORIES - 1, why="the categories are 0 to 9") for entry in entries
    )
