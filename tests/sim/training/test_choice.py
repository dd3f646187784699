"""Which back end trains what: planted laws, gates, models and losses get the named reason, never an AttributeError."""

import sys
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import pytest
import torch

from sim.data.gaussian import gaussian_sampler
from sim.data.sample import sampler_of
from sim.gates.gating import opens
from sim.networks.activations import activation_named
from sim.networks.losses import loss_named
from sim.random.streams import reference_normals
from sim.train import train
from sim.training.backends import names, short
from sim.training.backends.choice import fastest_normals
from sim.training.backends.names import preferred
from sim.training.optimisers import optimiser_of
from tests.sim.cases import gated, line, problem
from theory.problem import (
    FiniteData,
    Gate,
    Law,
    Network,
    OutOfReachError,
    SiteGate,
    latent_correlation,
)

CPU = torch.device("cpu")
NUMBA = names.numba_is_installed()
NEEDS_NUMBA = pytest.mark.skipif(not NUMBA, reason="numba is not installed (extra `speed`)")


@dataclass(frozen=True)
class MadeUpLaw(Law):
    """A law that only this file knows."""

    n: int = 4
    labels: tuple[Fraction, ...] = (Fraction(1), Fraction(0))

    law: ClassVar[str] = "made-up"
    boundary: ClassVar[str] = "open"


@dataclass(frozen=True)
class MadeUpGate(Gate):
    """A gate that only this file knows."""

    kind: ClassVar[str] = "made-up"


@pytest.fixture
def simulated():
    """The made-up law and gate, simulated as two new files would do it; afterwards both are unknown again."""

    def sampler(law, device, dtype):
        kernels = [(latent_correlation(line(), c),) for c in (0, 1)]
        return gaussian_sampler(line(), kernels, None, 1.0, device, dtype)

    sampler_of.register(MadeUpLaw, sampler)
    opens.register(MadeUpGate, lambda _gate, draw: draw.x[..., 0] > draw.x[..., 1])
    yield
    for dispatch, kind in ((sampler_of, MadeUpLaw), (opens, MadeUpGate)):
        # singledispatch has no way back: the registry is closed over, and its cache follows a new registration
        registry = next(
            cell.cell_contents for cell in dispatch.register.__closure__ if isinstance(cell.cell_contents, dict)
        )
        registry.pop(kind)
        dispatch._clear_cache()


def test_a_gate_without_a_simulation_is_named():
    for backend in ("auto", "reference"):
        with pytest.raises(OutOfReachError, match=r"No simulation of the gate MadeUpGate.*sim/gates.*site"):
            train(problem(network=gated((MadeUpGate(), SiteGate(1)))), "cpu", backend=backend)


@NEEDS_NUMBA
@pytest.mark.parametrize(
    ("data", "network", "reason"),
    [
        (MadeUpLaw(), Network("relu", "mean", 2), "draw Gaussian laws and their erf alone, not the law made-up"),
        (line(), gated((SiteGate(1), MadeUpGate())), "open no gates of the kind made-up"),
    ],
    ids=["law", "gate"],
)
def test_a_new_law_or_gate_is_left_to_torch_with_its_reason(simulated, data, network, reason):
    """With its two files a law or gate trains at once; the compiled loops say why they do not take its steps."""
    for backend in ("auto", "compiled"):
        run = train(problem(data, network), "cpu", backend=backend)
        assert (run.backend, run.fallback) == ("compiled", f"Torch takes the steps: the compiled loops {reason}.")


DATA = FiniteData([[1, 0, 0, 1], [0, 1, 1, 0]], [1, -1])


@NEEDS_NUMBA
def test_what_the_loops_do_not_draw_is_left_to_torch():
    gates = (SiteGate(1, lo=0, on="input"), SiteGate(1, hi=0, on="input"))
    for data, reason in [
        (line(xi=(2, 1, 1), labels=(1, 0, 2)), "draw two equally likely classes"),
        (line(priors=("1/4", "3/4")), "draw two equally likely classes"),
        (line(means=((1, 0, 0, 0), (0, 0, 0, 0))), "draw no class means"),
        (line(labels=((1, 0), (0, 1))), "train one output"),
        (DATA, "draw Gaussian laws and their erf alone, not the law finite"),
    ]:
        run = train(problem(data, gated(gates)), "cpu")
        assert (run.backend, reason in run.fallback) == ("compiled", True)


def test_unknown_activations_losses_and_optimizers_are_named():
    for named, word in ((activation_named, "activation"), (loss_named, "loss")):
        with pytest.raises(OutOfReachError, match=f'No simulation of the {word} "made-up"'):
            named("made-up")
    settings = problem().simulation
    object.__setattr__(settings, "optimizer", "made-up")
    with pytest.raises(OutOfReachError, match='No simulation of the optimizer "made-up"'):
        optimiser_of(settings)


def test_without_numba_nothing_is_compiled(monkeypatch):
    expected = train(problem(), "cpu", backend="reference")
    monkeypatch.setitem(sys.modules, "numba", None)
    assert not names.numba_is_installed()
    run = train(problem(), "cpu")
    assert run.backend == preferred("cpu") == "reference"
    assert "need numba" in run.fallback
    assert (run.weights == expected.weights).all()  # the reference takes no numba where there is one
    assert fastest_normals(CPU) is reference_normals
    with pytest.raises(OutOfReachError, match="need numba, which is not installed"):
        train(problem(), "cpu", backend="compiled")


def test_short_runs_and_few_steps():
    question, samples = problem(), problem(samples=10**6)
    assert (short.is_short(question), short.has_few_steps(question)) == (True, True)
    assert (short.is_short(samples), short.has_few_steps(samples)) == (False, True)
    long = problem(times=(10**5,))
    assert (short.is_short(long), short.has_few_steps(long)) == (False, False)
    assert not short.is_short(problem(mode="full-batch", batch=None, samples=10**6))
