"""Training on a GPU has the numbers of the processor, and every tensor has a device.

Without a GPU, a run on the processor is made with another default device, where a tensor without a device would land.
"""

from dataclasses import replace
from math import prod

import pytest
import torch

from sim import deep
from tests.sim.deep.architectures import CASES
from tests.sim.deep.families import DTYPE, data, family
from tests.sim.deep.plain import KINDS
from tests.sim.deep.test_train import OPTIMISERS
from theory.problem import InputError, OutOfReachError

TOTAL, CUT = 4, 2  # steps on 11 examples in batches of 4, 4 and 3, into the second epoch
PAIRS = [(None, "sgd"), ("widening residual", "adam")]
GPU = (pytest.mark.gpu, pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device"))


def settings(device="cpu", loss="half-mse", optimiser=deep.SGD, **more):
    own = {"rate": 0.02, "batch": 4, "seed": 4, "dtype": DTYPE, **more}
    return deep.Settings(loss, optimiser, device=device, **own)


def inputs_of(case):
    return data(inputs=data().x.shape[1] if case is None else prod(CASES[case].layers.shape))


def everything(run, members=()):
    """All numbers of a run: state, stages, stops, and what is measured at its end on the members."""
    state, found = run.state, {}
    for part in ("parameters", "first", "second"):
        found |= {f"{part} {name}": theta for name, theta in (getattr(state, part) or {}).items()}
    found |= {"stopped": state.stopped, "best": state.best.values, "best steps": state.best.steps}
    for step in sorted(run.stages):
        found |= {f"stage {step} {name}": theta for name, theta in run.stages[step].items()}
    for name in members:
        recorded = deep.recorded(run, name, state.step)
        found |= {f"{name} losses": torch.from_numpy(run.losses(name, state.step)), f"{name} output": recorded.output}
        found |= {f"{name} gates {level}": gate for level, gate in enumerate(recorded.gates)}
    return found


def same(found, expected):
    assert found.keys() == expected.keys()
    assert not any(each.device.type != "cpu" for each in found.values())
    return [name for name, each in found.items() if not torch.equal(each, expected[name])] == []


@pytest.mark.parametrize(("case", "optimiser"), PAIRS)
def test_every_tensor_has_a_device_of_its_own(case, optimiser, tmp_path):
    """With another default device, a tensor made without one would land there and the run would fail."""
    of, examples, own = family(case=case), inputs_of(case), OPTIMISERS[optimiser][0]
    more = {"optimiser": own, "stop_below": 0.6, "stop_every": 2}
    members = KINDS if (case, optimiser) == (None, "sgd") else {"frg"}
    expected = everything(deep.train_family(of, examples, settings(**more), TOTAL, stages=(0, CUT)), members)
    with torch.device("meta"):
        begun = deep.train_family(of, examples, settings(**more), CUT, stages=(0, CUT))
        deep.save_checkpoint(begun, tmp_path / "run")
        kept = deep.load_run(tmp_path / "run", of, examples, settings(**more))
        run = deep.train_family(of, examples, settings(**more), TOTAL, state=kept.state)
        assert same(everything(replace(run, stages=kept.stages), members), expected)


def test_the_device_of_settings_is_one_that_is_there(monkeypatch):
    assert deep.Settings("half-mse", deep.SGD, 0.1, 4, 0).device == "cpu"
    with pytest.raises(InputError, match="device = 'gpu' is not known"):
        settings("gpu")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert settings("auto").device == "cpu"
    with pytest.raises(OutOfReachError, match="no CUDA device") as refused:
        settings("cuda")
    assert refused.value.kind == "device"
    with pytest.raises(OutOfReachError, match="no CUDA device"):
        deep.kernels_of(family(), "relu", family().starting(DTYPE), data(), device="cuda")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert (settings("auto").device, settings("cuda").device, settings("cpu").device) == ("cuda", "cuda", "cpu")
