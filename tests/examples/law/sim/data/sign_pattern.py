"""Samples of white noise with a pattern of random sign: n normal numbers, and the sign of one more."""

from dataclasses import dataclass

import numpy as np
import torch

from sim.data.classes import draw_classes
from sim.data.sample import PlainSampler, sampler_of
from sim.random.streams import Stream
from theory.problem.distributions.sign_pattern import SignPattern


@dataclass(frozen=True, eq=False)
class SignPatternSampler(PlainSampler):
    """The pattern times the strength of each class, (C, n)."""

    patterns: torch.Tensor

    def inputs(self, streams: list[Stream], rows: int) -> tuple[torch.Tensor, np.ndarray]:
        """Draw `rows` examples for each stream, from n + 1 normal numbers each."""
        classes = draw_classes(self.law.probabilities, streams, rows)
        noise = torch.empty(len(streams), rows, self.n + 1, dtype=self.dtype, device=self.device)
        for source, numbers in zip(streams, noise, strict=True):
            source.normals(numbers)
        category = torch.from_numpy(classes).to(self.device)
        return noise[..., : self.n] + noise[..., self.n :].sign() * self.patterns[category], classes


@sampler_of.register
def sign_pattern_sampler(law: SignPattern, device: torch.device, dtype: torch.dtype) -> SignPatternSampler:
    """Return the sampler of the law."""
    strength = torch.tensor([float(one) for one in law.strength], dtype=dtype, device=device)
    patterns = strength[:, None] * torch.tensor(law.pattern, dtype=dtype, device=device)
    return SignPatternSampler(law, device, dtype, patterns)
