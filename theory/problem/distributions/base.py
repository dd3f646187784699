"""The base of every data law: classes with labels and priors, and inputs on n sites."""

import re
from collections.abc import Callable
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

from theory.problem.errors import InputError
from theory.problem.numbers import exact, memory_of_square, positive, shown, whole

Label = Fraction | tuple[Fraction, ...]
Mean = tuple[Fraction, ...]
MOST_SITES = 10_000
MOST_CLASSES = 1_000
_SHA256 = re.compile(r"[0-9a-f]{64}")
ONE_EACH = "Give one for each class, such as [2.0, 1.0]."


class Law:
    """A distribution of examples (x, y): x in R^n, y the label of the example's class c = 0, ..., C - 1.

    A law is a frozen dataclass in a file of this folder. `law` is its word in problem files; `latent` is True if it has
    latent variables, on which gates may depend; `boundary` is that of its line of sites. It has the fields or
    properties `n`, `labels`, `priors` and `means`. Its `__post_init__` checks its own fields and then calls
    `check_classes`.

    Class c has the probability priors[c], 1/C where `priors` is (), and the label labels[c]: a number, or m numbers for
    a network with m outputs. means[c], where `means` is not (), are n numbers that are added to x after the law's
    construction.

    `contexts` are the contexts of its examples, in ascending order: () for a law without contexts.

    >>> from theory.problem import SinglePulse
    >>> law = SinglePulse(8, [[3, 4], [5, 6], [7, 7]], "zero-one", "none", [1, 0, -1], priors=["1/2", "1/4", "1/4"])
    >>> law.classes, sum(p * y for p, y in zip(law.probabilities, law.labels))  # C and <y>
    (3, Fraction(1, 4))
    """

    law: ClassVar[str]
    latent: ClassVar[bool] = False
    boundary: str
    n: int
    labels: tuple[Label, ...]
    priors: tuple[Fraction, ...] = ()
    means: tuple[Mean, ...] = ()
    contexts: tuple[int, ...] = ()

    def check_classes(self) -> None:
        """Make labels, priors and means exact. Raises InputError unless each has one entry per class."""
        set_field(self, "labels", _labels(self.labels))
        set_field(self, "priors", _priors(self.priors, self.classes))
        set_field(self, "means", _means(self.means, self.classes, self.n))

    def each_class(
        self, name: str, convert: Callable[[Any, str], Any], what: str = "numbers", hint: str = ONE_EACH
    ) -> None:
        """Convert the field `name` entry by entry; `what` says what its entries are, in errors.

        Raises InputError unless the field has one entry for each label.
        """
        values, where = getattr(self, name), f"data.{name}"
        if not isinstance(values, list | tuple) or (isinstance(self.labels, list | tuple) and not values):
            raise InputError(f"{where} = {shown(values)} must be a list of {what}.", hint)
        if isinstance(self.labels, list | tuple) and len(values) != len(self.labels):
            raise InputError(
                f"{where} has {len(values)} entries, data.labels {len(self.labels)}: each class needs one of both.",
                hint,
            )
        set_field(self, name, tuple(convert(value, f"{where}[{c}]") for c, value in enumerate(values)))

    @property
    def classes(self) -> int:
        """C, the number of classes."""
        return len(self.labels)

    @cached_property
    def probabilities(self) -> tuple[Fraction, ...]:
        """The probability of each class: the priors, or 1/C each."""
        return self.priors or (Fraction(1, self.classes),) * self.classes

    @cached_property
    def label_vectors(self) -> tuple[tuple[Fraction, ...], ...]:
        """The label of each class as a vector of m numbers, also where m = 1."""
        return tuple(label if isinstance(label, tuple) else (label,) for label in self.labels)

    @property
    def outputs(self) -> int:
        """m, the number of entries of a label."""
        return len(self.label_vectors[0])


def set_field(instance: object, name: str, value: Any) -> None:
    """Set a field of a frozen dataclass during its construction.

    >>> from theory.problem import SiteGate
    >>> gate = SiteGate(1)
    >>> set_field(gate, "site", 2)
    >>> gate.site
    2
    """
    object.__setattr__(instance, name, value)


def pair(values: object, where: str, convert: Callable[[Any, str], Any], what: str, hint: str) -> tuple[Any, Any]:
    """Return the two entries of `values`, each converted. Raises InputError for anything else."""
    if not isinstance(values, list | tuple) or len(values) != 2:
        raise InputError(f"{where} = {shown(values)} must be two {what}.", hint)
    return convert(values[0], f"{where}[0]"), convert(values[1], f"{where}[1]")


def whole_range(ends: object, where: str, most: int, what: str, why: str) -> tuple[int, int]:
    """Return the ends a <= b of a range of whole numbers from 1 to `most`; errors name `what` it is and `why` not more.

    >>> whole_range([3, 4], "data.widths[0]", 40, "width", "a pulse does not fit a ring of 40 sites")
    (3, 4)
    """
    hint = f"Give the least and the largest {what}, such as [3, 4]."
    least, largest = pair(ends, where, lambda end, at: whole(end, at, 1, most, why), "whole numbers", hint)
    if least > largest:
        raise InputError(f"{where} = [{least}, {largest}] contains no {what}.", f"Give the least {what} first.")
    return least, largest


def number_of_sites(n: object) -> int:
    """Return data.n, a whole number from 2 to 10000. Raises InputError otherwise.

    >>> number_of_sites(40)
    40
    """
    return whole(n, "data.n", least=2, most=MOST_SITES, why=_memory)


def _memory(sites: int) -> str:
    return f"a covariance of so many sites takes {memory_of_square(sites)} of memory"


def grid_shape(shape: object) -> tuple[int, int]:
    """Return rows and columns of a grid. Raises InputError for sides below 2 and for more than 10000 sites.

    >>> grid_shape([3, 4])
    (3, 4)
    """
    hint = "Give rows and columns, such as [20, 20]."
    sides = pair(shape, "data.shape", lambda side, at: whole(side, at, 2, MOST_SITES), "whole numbers", hint)
    sites = sides[0] * sides[1]
    if sites > MOST_SITES:
        raise InputError(
            f"data.shape = [{sides[0]}, {sides[1]}] has {sites} sites, more than {MOST_SITES}.",
            f"Give a smaller grid: {_memory(sites)}.",
        )
    return sides


def check_grid(law: Law) -> None:
    """Make the field `shape` of a law the rows and columns of its n sites, or None where it is empty.

    Raises InputError for a grid of another number of sites.
    """
    shape = grid_shape(law.shape) if law.shape else None
    if shape is not None and shape[0] * shape[1] != law.n:
        raise InputError(
            f"data.shape = {list(shape)} has {shape[0] * shape[1]} sites, and the inputs have n = {law.n}.",
            "Give rows and columns whose product is n, or leave shape out for sites on a line.",
        )
    set_field(law, "shape", shape)


def identify(law: Law, digest: str, where: str) -> None:
    """Make the field `sha256` of a law that of its content, which lies at `where`; if given, it is checked.

    Raises InputError where it is that of another content, or no sha256.
    """
    given = law.sha256
    if given and not (isinstance(given, str) and _SHA256.fullmatch(given)):
        raise InputError(
            f"data.sha256 = {shown(given)} is not a sha256 of 64 hexadecimal digits.", "Leave it out to take the file."
        )
    if given not in ("", digest):
        raise InputError(
            f"{where} has the sha256 {digest}, and data.sha256 asks for {given}: it is another file.",
            "Put the right content there, or leave sha256 out to take this one.",
            "file",
        )
    set_field(law, "sha256", digest)


def one_label(value: object, where: str) -> Label:
    """A number, or a vector of numbers; a vector of one number is that number.

    >>> one_label(["1/2", 3], "label"), one_label([3], "label")
    ((Fraction(1, 2), Fraction(3, 1)), Fraction(3, 1))
    """
    if not isinstance(value, list | tuple):
        return exact(value, where)
    if not value:
        raise InputError(f"{where} = [] is no label.", "Give a number, or m numbers for m outputs.")
    entries = tuple(exact(entry, f"{where}[{index}]") for index, entry in enumerate(value))
    return entries[0] if len(entries) == 1 else entries


def same_length(labels: tuple[Label, ...], where: str) -> None:
    """Raise InputError where labels have different numbers of entries."""
    lengths = sorted({len(label) if isinstance(label, tuple) else 1 for label in labels})
    if len(lengths) > 1:
        raise InputError(
            f"{where} have {' and '.join(map(str, lengths))} entries: the network has one output for each.",
            "Give every label the same number of entries.",
        )


def _labels(values: object) -> tuple[Label, ...]:
    where = "data.labels"
    if not isinstance(values, list | tuple) or not values:
        raise InputError(f"{where} = {shown(values)} must be a list of labels.", ONE_EACH)
    if len(values) > MOST_CLASSES:
        raise InputError(
            f"{where} has {len(values)} entries, more than {MOST_CLASSES} classes.",
            'Give the examples themselves, by law = "finite".',
        )
    labels = tuple(one_label(value, f"{where}[{c}]") for c, value in enumerate(values))
    same_length(labels, where)
    return labels


def _priors(values: object, classes: int) -> tuple[Fraction, ...]:
    """The priors as exact numbers that sum to 1; () where all are equal, so that equal laws compare equal."""
    where = "data.priors"
    if not isinstance(values, list | tuple) or len(values) not in (0, classes):
        raise InputError(f"{where} = {shown(values)} must be {classes} probabilities.", "Give one for each class.")
    priors = tuple(positive(value, f"{where}[{c}]", "it is a probability") for c, value in enumerate(values))
    if priors and sum(priors) != 1:
        raise InputError(
            f"{where} add up to {sum(priors)}, not to 1.", 'Write exact fractions, such as ["1/3", "2/3"].'
        )
    return () if len(set(priors)) <= 1 else priors


def _means(values: object, classes: int, n: int) -> tuple[Mean, ...]:
    """The class means as n numbers each; () where all are zero."""
    where = "data.means"
    if not isinstance(values, list | tuple) or len(values) not in (0, classes):
        raise InputError(
            f"{where} = {shown(values)} must be {classes} means.",
            "Give one for each class: n numbers, or one number for all sites.",
        )
    means = tuple(_mean(value, f"{where}[{c}]", n) for c, value in enumerate(values))
    return means if any(any(mean) for mean in means) else ()


def _mean(value: object, where: str, n: int) -> Mean:
    if not isinstance(value, list | tuple):
        return (exact(value, where),) * n
    if len(value) != n:
        raise InputError(
            f"{where} has {len(value)} numbers; the data have n = {n} sites.",
            "Give one number for each site, or a single number for all of them.",
        )
    return tuple(exact(entry, f"{where}[{site}]") for site, entry in enumerate(value))
