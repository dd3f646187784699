"""The sampler of laws that draw their own examples: streams, blocks, faults of a draw."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
import torch

from sim.data.sample import prepare
from sim.data.sampled import BLOCK
from sim.random.streams import TRAINING, stream
from theory.problem import InputError
from theory.problem.distributions.sampled import SampledLaw

CPU = torch.device("cpu")


@dataclass(frozen=True)
class Shifted(SampledLaw):
    """Normal numbers about the class: 0 or 3."""

    law: ClassVar[str] = "shifted"
    n: ClassVar[int] = 4
    labels: ClassVar[tuple] = (1, -1)

    def draw(self, generator, rows):
        category = generator.integers(0, 2, rows)
        return generator.standard_normal((rows, self.n)) + 3.0 * category[:, None], category


@dataclass(frozen=True)
class Faulty(Shifted):
    """A law whose draw is changed by `spoil`."""

    spoil: object = None

    def draw(self, generator, rows):
        return self.spoil(*super().draw(generator, rows))


def drawn(counts, seed=3, network=1, purpose=TRAINING, start=0, law=None):
    """x and category of successive draws, joined."""
    sampler, own = prepare(law or Shifted(), CPU, torch.float64), stream(seed, network, purpose, start)
    parts = [sampler.draw([own], rows) for rows in counts]
    return (torch.cat([getattr(part, name)[0] for part in parts]) for name in ("x", "category"))


@pytest.mark.parametrize("counts", [[3, 700, 97], [BLOCK, BLOCK, 800 - 2 * BLOCK]])
def test_a_draw_does_not_depend_on_its_division(counts):
    for whole, parts in zip(drawn([800]), drawn(counts), strict=True):
        assert torch.equal(whole, parts)


@pytest.mark.parametrize("start", [1, BLOCK - 1, BLOCK, 700])
def test_a_resumed_stream_continues_with_the_same_examples(start):
    for whole, rest in zip(drawn([800]), drawn([800 - start], start=start), strict=True):
        assert torch.equal(whole[start:], rest)


FAULTS = {
    "x of the shape": lambda x, category: (x[:, 1:], category),
    "x as float32": lambda x, category: (x.astype(np.float32), category),
    "x as a list": lambda x, category: (x.tolist(), category),
    "category of the shape": lambda x, category: (x, category[1:]),
    "category as float64": lambda x, category: (x, category * 1.0),
    "category as bool": lambda x, category: (x, category > 0),
    "nan at row 0, site 2": lambda x, category: (np.where(np.arange(4) == 2, np.nan, x), category),
    "inf at row 0, site 2": lambda x, category: (np.where(np.arange(4) == 2, np.inf, x), category),
    "1e\\+101 at row 0, site 0": lambda x, category: (0 * x + 1e101, category),
    "the class 2; data.labels has 2 entries": lambda x, category: (x, category + 1),
    "the class -1": lambda x, category: (x, category - 1),
    "a ndarray, not two arrays": lambda x, category: x,
    "a tuple of 3, not two arrays": lambda x, category: (x, category, category),
    "a NoneType, not two arrays": lambda x, category: None,
}


def test_a_fault_of_a_draw_is_named():
    for said, spoil in FAULTS.items():
        with pytest.raises(InputError, match=said):
            next(drawn([10], law=Faulty(spoil)))
