"""Training in torch: a Python loop over the steps with the gradient written out.

The network and its data are those of `derivations.benchmarks.peers.jax_scan`. Examples are sorted by class, one matrix
product each, and torch's own randn and erf take 4.1 and 2.6 ns a number, most of the time of a step of 1,000 examples.
"""

import numpy as np
import torch
from jaxtyping import Float

from derivations.benchmarks.peers.law import Train, factors, over_normaliser
from theory.problem import Problem


def torch_loop(problem: Problem, networks: int, block: int, steps: int) -> Train:
    """Return the training of `networks` side by side by batched products; `block` steps draw their examples at once.

    It takes `steps` steps, rounded up to a whole number of blocks.
    """
    first, second = (torch.from_numpy(factor) for factor in factors(problem))
    n, units, batch = problem.data.n, problem.network.units, problem.simulated().batch
    rate = float(problem.simulated().learning_rate) / (batch * units)
    gain, over = float(problem.data.gain), over_normaliser(problem)
    labels = torch.tensor([float(label) for label in problem.data.labels])
    blocks, shape = -(-steps // block), (block, networks, batch)
    rows = block * networks * batch
    generator = torch.Generator().manual_seed(0)
    z = torch.empty(rows, n)

    def draw() -> tuple[torch.Tensor, torch.Tensor]:
        heads = torch.rand(rows, generator=generator) < 0.5
        tails = rows - int(heads.sum())
        noise = torch.randn(rows, len(first), generator=generator)
        torch.mm(noise[:tails], first, out=z[:tails])
        torch.mm(noise[tails:], second, out=z[tails:])
        x = z.mul_(gain).erf_().mul_(over)
        if block * networks == 1:  # the order of the examples of one step does not matter
            heads = torch.arange(rows) >= tails
        else:
            x = x[torch.where(heads, tails - 1 + heads.cumsum(0), (~heads).cumsum(0) - 1)]
        return x.view(*shape, n), labels[heads.long()].view(shape)

    def run() -> Float[np.ndarray, "networks K n"]:
        w = torch.from_numpy(problem.w0()).float().repeat(networks, 1, 1)
        for _ in range(blocks):
            for x, y in zip(*draw(), strict=True):
                h = torch.bmm(x, w.mT)
                residual = torch.relu(h).mean(dim=2).sub_(y)
                w.baddbmm_(((h > 0) * residual[:, :, None]).mT, x, alpha=-rate)
        return w.numpy()

    return run
