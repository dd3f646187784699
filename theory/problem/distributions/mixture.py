"""Mixtures of laws inside each class: their definition."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

from theory.problem.distributions.base import Label, Law, Mean, set_field
from theory.problem.errors import InputError
from theory.problem.numbers import positive, shown, whole

MOST_COMPONENTS = 100


@dataclass(frozen=True)
class Component:
    """A part of a mixture: in class `category` an example is drawn from `law` with the probability `weight`.

    `law` has one class, with the label of that class. In problem files the key of `category` is `class`, and the keys
    of the law stand beside it, without `labels`.

    >>> from theory.problem import NonlinearGP
    >>> list(Component(0, Fraction(1, 2), NonlinearGP(4, (2,), 1, "open", "none", (1,))).table())
    ['class', 'weight', 'law', 'n', 'xi', 'gain', 'boundary', 'normaliser']
    """

    category: int
    weight: Fraction
    law: Law

    def table(self) -> dict[str, Any]:
        """Return the component as a table of a problem file."""
        law = self.law
        said = [one.name for one in fields(law) if one.init and one.name != "labels"]
        plain = {one.name: one.default for one in fields(law)}
        changed = {name: getattr(law, name) for name in said if getattr(law, name) != plain[name]}
        return {"class": self.category, "weight": self.weight, "law": law.law} | changed


@dataclass(frozen=True)
class Mixture(Law):
    """In class c, x is drawn from one of the components of that class, each with its weight; then means[c] is added.

    The weights of a class add up to 1. Components are laws of one class on the same n sites, each with its own
    parameters and kind; their `means` tell clusters of a class apart. There is no latent: gates look at the input.

    Raises InputError for components of different n, classes without a component or with other weights, and components
    that are no law of one class: finite data, tables and mixtures.

    >>> from theory.problem import GaussianClone
    >>> narrow, wide = (GaussianClone(4, (xi,), 1, "open", "none", (1,)) for xi in (1, 3))
    >>> law = Mixture([Component(0, "1/4", narrow), Component(0, "3/4", wide)], [1])
    >>> law.n, [str(share) for share, _ in law.parts]
    (4, ['1/4', '3/4'])
    """

    components: tuple[Component, ...]
    labels: tuple[Label, ...]
    priors: tuple[Fraction, ...] = field(default=(), kw_only=True)
    means: tuple[Mean, ...] = field(default=(), kw_only=True)

    law: ClassVar[str] = "mixture"

    def __post_init__(self) -> None:
        given, labels = self.components, self.labels
        if not isinstance(given, list | tuple) or not 0 < len(given) <= MOST_COMPONENTS:
            raise InputError(
                f"data.components = {shown(given)} must be 1 to {MOST_COMPONENTS} components.",
                "Write one [[data.components]] for each, with class, weight, law and the fields of the law.",
            )
        labels = list(labels) if isinstance(labels, list | tuple) else []
        set_field(self, "components", tuple(_component(part, k, labels) for k, part in enumerate(given)))
        sizes = sorted({part.law.n for part in self.components})
        if len(sizes) > 1:
            raise InputError(
                f"data.components have n = {' and '.join(map(str, sizes))} sites.", "Give all the same number of sites."
            )
        self.check_classes()
        for c in range(self.classes):
            total = sum((part.weight for part in self.of_class(c)), Fraction(0))
            if total != 1:
                raise InputError(
                    f"The weights of the components of class {c} add up to {total}, not to 1.",
                    f'Write components with class = {c} and exact weights, such as "1/3".',
                )
        for k, part in enumerate(self.components):
            if part.law.labels[0] != self.labels[part.category]:
                raise InputError(
                    f"data.components[{k}] has the label {shown(part.law.labels[0])} and is in class {part.category}, "
                    f"which has {shown(self.labels[part.category])}.",
                    "Give its law the label of the class.",
                )

    @property
    def n(self) -> int:
        """The number of sites."""
        return self.components[0].law.n

    @property
    def boundary(self) -> str:
        """That of all components, "open" where they differ."""
        boundaries = {part.law.boundary for part in self.components}
        return boundaries.pop() if len(boundaries) == 1 else "open"

    def of_class(self, c: int) -> tuple[Component, ...]:
        """Return the components of class `c`, in their order."""
        return tuple(part for part in self.components if part.category == c)

    @cached_property
    def parts(self) -> tuple[tuple[Fraction, Law], ...]:
        """The probability of each component over all classes, and its law with the mean of its class added."""
        components = []
        for part in self.components:
            law = part.law
            if self.means:
                mean_of_law = law.means[0] if law.means else (Fraction(0),) * self.n
                mean = tuple(a + b for a, b in zip(mean_of_law, self.means[part.category], strict=True))
                law = replace(law, means=(mean,))
            components.append((self.probabilities[part.category] * part.weight, law))
        return tuple(components)


def _component(value: object, k: int, labels: list[Any]) -> Component:
    """Return the component of a table or a `Component`, checked; a table's law has the label of its class."""
    where = f"data.components[{k}]"
    if isinstance(value, Component):
        category, weight, law = value.category, value.weight, value.law
    elif isinstance(value, Mapping) and "class" in value:
        category, weight = value["class"], value.get("weight", 1)
    else:
        raise InputError(
            f"{where} = {shown(value)} is no component.", "Give class, weight, law and the fields of the law."
        )
    whole(category, f"{where}.class", least=0, most=max(len(labels) - 1, 0), why="data.labels has no such class")
    weight = positive(weight, f"{where}.weight", "it is a probability")
    if isinstance(value, Mapping):
        from theory.problem.toml import law_of  # it reads every law, this one among them

        table = {key: entry for key, entry in value.items() if key not in ("class", "weight")}
        _require_mixable(table.get("law"), where)
        law = law_of(table, where, labels=(labels[category],))
    _require_mixable(law.law, where)
    if law.classes != 1:
        raise InputError(f"{where} has a law of {law.classes} classes.", "Give its law one class.")
    return Component(category, weight, law)


def _require_mixable(word: object, where: str) -> None:
    if word in ("finite", "table", Mixture.law):
        raise InputError(
            f'{where} has the law "{word}", which cannot be a component: its classes are its own.',
            "Give the components themselves, or write the mixed examples as one finite data set.",
        )
