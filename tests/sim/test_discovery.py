"""Every declaration of a law, a gate or an observable has its simulation."""

import pytest

from sim.data.sample import sampler_of
from sim.gates.gating import opens
from sim.measure.source import values_of
from theory.problem import GATES, LAWS, OBSERVABLES, RepeatedGate
from theory.problem.distributions.sampled import SampledLaw


@pytest.mark.parametrize(
    ("declared", "dispatch"),
    [
        ({SampledLaw if issubclass(kind, SampledLaw) else kind for kind in LAWS.values()}, sampler_of),
        ({gate for gate in GATES.values() if gate is not RepeatedGate}, opens),
        (set(OBSERVABLES.values()), values_of),
    ],
    ids=["laws", "gates", "observables"],
)
def test_every_declaration_is_simulated(declared, dispatch):
    """`resolved` replaces a RepeatedGate by the gate that it repeats; laws that draw examples share one sampler."""
    assert declared - dispatch.registry.keys() == set()
