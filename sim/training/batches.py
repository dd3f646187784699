"""Fresh examples, one batch for every step of an online run."""

from collections.abc import Iterator, Sequence

from sim.data.sample import Sampler
from sim.networks.examples import Examples, examples_of
from sim.training.sizes import columns, grouping
from sim.training.state import Replicate


def fresh_batches(replicates: Sequence[Replicate], sampler: Sampler, step: int) -> Iterator[Examples]:
    """Yield the batches of an online run from a step on; blocks of steps are drawn at once, none longer than the run.

    Networks that share one stream share one draw: their examples are views of the same memory.
    """
    problem, last = replicates[0].problem, replicates[0].snapshot_steps[-1]
    batch = problem.simulated().batch
    rows = batch * min(grouping(batch, columns(problem)).steps, last - step)
    apart = replicates[:1] if problem.simulated().shared_stream else replicates
    streams = [replicate.stream(step) for replicate in apart]
    room = sampler.room(len(apart), rows)
    while True:
        block = examples_of(problem, sampler.draw(streams, rows, room))
        block = block if len(apart) == len(replicates) else block.shared_by(len(replicates))
        for start in range(0, rows, batch):
            yield block.part(slice(None), slice(start, start + batch))
