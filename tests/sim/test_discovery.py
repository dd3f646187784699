"""The rooms of the simulator find their files, load nothing outside of `sim`, and every declaration has its file."""

import sys

import pytest

import sim.data
import sim.gates
import sim.measure
from sim.data.sample import sampler_of
from sim.discovery import load
from sim.gates.gating import opens
from sim.measure.source import values_of
from tests.paths import ROOT
from theory.problem import GATES, LAWS, OBSERVABLES, RepeatedGate
from theory.problem.distributions.sampled import SampledLaw


def test_a_new_file_is_found(tmp_path, monkeypatch):
    """A room that does not exist until the test writes it, below `sim` by its name alone."""
    room = tmp_path / "planted"
    room.mkdir()
    (room / "__init__.py").write_text("")
    (room / "new_law.py").write_text("seen = 1\n")
    monkeypatch.setattr("sim.__path__", [*sim.__path__, str(tmp_path)])
    assert load("sim.planted", [str(room)]) == ("sim.planted.new_law",)
    assert sys.modules.pop("sim.planted.new_law").seen == 1
    sys.modules.pop("sim.planted")


def file_of(kind):
    """The name of the file that declares a class."""
    return kind.__module__.rpartition(".")[2]


@pytest.mark.parametrize(
    ("declared", "dispatch", "room"),
    [
        (
            {law: SampledLaw if issubclass(kind, SampledLaw) else kind for law, kind in LAWS.items()},
            sampler_of,
            "sim/data",
        ),
        ({kind: gate for kind, gate in GATES.items() if gate is not RepeatedGate}, opens, "sim/gates"),
        (OBSERVABLES, values_of, "sim/measure"),
    ],
    ids=["laws", "gates", "observables"],
)
def test_every_declaration_is_simulated_by_the_file_of_its_name(declared, dispatch, room):
    """RepeatedGate is replaced by the gate that it repeats; `resolved` does that for every gate.

    Laws that draw their own examples share one sampler.
    """
    missing = {
        name: f"write {room}/{file_of(kind)}.py"
        for name, kind in declared.items()
        if kind not in dispatch.registry or not (ROOT / room / f"{file_of(kind)}.py").exists()
    }
    assert missing == {}
