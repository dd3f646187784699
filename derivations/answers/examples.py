"""Examples of a law for answers and pages, drawn as networks are measured."""

from typing import TYPE_CHECKING

from theory.problem import Law

if TYPE_CHECKING:
    from sim.data.sample import Draw


def drawn(law: Law, rows: int, seed: int = 0, networks: int = 1) -> "Draw":
    """Return `rows` examples for each of the first networks of a seed, from their streams of measurements, in float64.

    Raises OutOfReachError for a law without a sampler.
    """
    import torch

    from sim.data.sample import prepare
    from sim.random.streams import MEASUREMENT, stream
    from sim.training.backends.choice import fastest_normals

    cpu = torch.device("cpu")
    fill = fastest_normals(cpu)
    streams = [stream(seed, network, MEASUREMENT, fill=fill) for network in range(networks)]
    return prepare(law, cpu, torch.float64).draw(streams, rows)
