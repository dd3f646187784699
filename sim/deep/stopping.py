"""Early stopping by a set of examples that is not trained on."""

from dataclasses import dataclass

import torch

from sim.deep.batches import ExampleSet
from sim.deep.family import Family
from sim.deep.losses import check_classes, check_labels
from theory.problem.numbers import one_of, whole

MEASURES = ("loss", "error")


@dataclass(frozen=True, eq=False)
class Validation:
    """A network stops once `patience` measurements on `data` in a row have brought no smaller value than before.

    Every `every` steps, the first before training, each network is measured by its `measure`: "loss", or "error", the
    share of examples with a wrong class. The weights of a network that stops are those of that step, not those of its
    smallest value; record stages to return to these. Raises InputError for other words and numbers below 1.

    >>> held = ExampleSet(torch.ones(1, 2), torch.ones(1, 1))
    >>> Validation(held, "error", every=100, patience=5).measure
    'error'
    """

    data: ExampleSet
    measure: str
    every: int
    patience: int

    def __post_init__(self) -> None:
        one_of(self.measure, "measure", MEASURES)
        whole(self.every, "every", least=1)
        whole(self.patience, "patience", least=1)

    def checked(self, family: Family, loss: str, dtype: torch.dtype) -> "Validation":
        """Return the validation in the type of training. Raises InputError for labels that do not fit the loss."""
        check_labels(loss, self.data.y, len(self.data.x), family.outputs)
        if self.measure == "error":
            check_classes(loss, self.data.y)
        return Validation(self.data.to(dtype), self.measure, self.every, self.patience)


@dataclass(frozen=True, eq=False)
class Best:
    """The smallest value of each network so far, and the step at which it was first reached; -1: none.

    >>> first = Best.before(2).after(torch.tensor([3.0, float("nan")]), 0)
    >>> first.after(torch.tensor([4.0, 1.0]), 10).steps.tolist()
    [0, 10]
    """

    values: torch.Tensor
    steps: torch.Tensor

    @classmethod
    def before(cls, networks: int, device: str = "cpu") -> "Best":
        """Return the record before the first measurement."""
        values = torch.full((networks,), torch.inf, dtype=torch.float64, device=device)
        return cls(values, torch.full((networks,), -1, device=device))

    def after(self, values: torch.Tensor, step: int) -> "Best":
        """Return the record after a measurement."""
        better = values < self.values
        return Best(torch.where(better, values, self.values), self.steps.masked_fill(better, step))
