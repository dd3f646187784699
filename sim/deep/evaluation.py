"""Means over a set of examples of what each network of a member does: its loss, and its share of wrong classes."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from math import prod

import torch
from jaxtyping import Float

from sim.deep.batches import ExampleSet
from sim.deep.family import Family
from sim.deep.losses import mistakes, penalties

# Numbers of one layer of all networks in a pass that measures: on a CPU a few megabytes, so that caches suffice; on a
# GPU more, so that a layer has work for every multiprocessor.
_CHUNK_NUMBERS = {"cpu": 2**20, "cuda": 2**24}
_MEASURES = {"loss": penalties, "error": mistakes}

Parameters = Mapping[str, torch.Tensor]


def parts_of(family: Family, x: torch.Tensor) -> Iterator[slice]:
    """Yield the examples of a set in parts that are few enough for a pass that measures; see `_CHUNK_NUMBERS`."""
    numbers = _CHUNK_NUMBERS.get(x.device.type, _CHUNK_NUMBERS["cpu"])
    rows = max(1, numbers // (family.replicates * max(prod(layer.before) for layer in family.plan)))
    for start in range(0, len(x), rows):
        yield slice(start, start + rows)


def set_means(
    family: Family,
    name: str,
    weights: Parameters,
    data: ExampleSet,
    loss: str,
    given: Sequence[torch.Tensor] = (),
    measure: str = "loss",
) -> Float[torch.Tensor, " S"]:
    """Return the loss ("loss") or the share of wrong classes ("error") of each network of a member on a whole set.

    >>> from sim.deep.family import Start
    >>> from sim.deep.members import dln
    >>> family = Family((dln((1,)),), 1, 1, 1, Start("signs", (1.0, 1.0), 0))
    >>> weights = {"Theta_1": torch.ones(1, 1, 1), "Theta_2": torch.ones(1, 1, 1)}
    >>> data = ExampleSet(torch.tensor([[1.0], [2.0]]), torch.tensor([[1.0], [-1.0]]))
    >>> [set_means(family, "dln", weights, data, "mse", (), measure).item() for measure in ("loss", "error")]
    [4.5, 0.5]
    """
    of_examples: Callable[..., torch.Tensor] = partial(_MEASURES[measure], loss)
    total = torch.zeros(family.replicates, dtype=torch.float64, device=data.x.device)
    for part in parts_of(family, data.x):
        yhat = family.forward(name, weights, data.x[part].unsqueeze(0), [level[:, part] for level in given]).output
        y = data.y[part].expand(family.replicates, *data.y[part].shape)
        total += of_examples(yhat, y).sum(dim=1, dtype=torch.float64)
    return total / len(data.x)
