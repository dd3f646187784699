"""The compiled back end against the reference, number by number and step by step; skipped without numba."""

from dataclasses import replace
from fractions import Fraction

import mpmath
import numpy as np
import pytest
import torch

from sim.random.streams import LOW, TRAINING, stream
from sim.train import train
from sim.training.backends.choice import backend_for
from tests.sim.cases import EVERY_GATE, OPTIMIZERS, SOFT, every_network, far, gated, grid, learned, line, named, problem
from tests.tolerances import COMPILED_ERF_DOUBLE, COMPILED_NORMAL, SIM_DESCENT, SIM_DESCENT_SINGLE
from theory.problem import DirectionGate, GaussianClone, InputError, Network, OutOfReachError

numba = pytest.importorskip("numba", reason="numba is not installed (extra `speed`)")
from sim.training.backends.compiled.normals import compiled_normals  # noqa: E402 - it needs numba


def both(question, **settings):
    return tuple(train(question, "cpu", backend=backend, **settings) for backend in ("reference", "compiled"))


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
@pytest.mark.parametrize("shape", [(1, 1), (1200, 10)])
def test_rows_are_those_of_the_reference(shape, dtype):
    """To rounding in float64; in float32 the same but where that rounding crosses the middle between two numbers."""
    own = stream(2**40 + 3, 5, TRAINING, 2**32 - 700)
    found, expected = torch.empty(shape, dtype=dtype), torch.empty(shape, dtype=torch.float64)
    compiled_normals(own, found)
    own.normals(expected)
    own_rounding = torch.finfo(dtype).eps * expected.abs() / 2 if dtype is torch.float32 else 0
    assert ((found.double() - expected).abs() <= own_rounding + COMPILED_NORMAL * np.finfo(float).eps).all()


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_extreme_words(dtype):
    """The logarithm next to 0 and 1, the angle at every quadrant's edge."""
    from sim.training.backends.compiled import numbers

    edges = np.array([0, 1, 2**29 - 1, 2**29, 2**30, 2**31 - 1, 2**31, 3 * 2**30, LOW - 1, LOW], np.uint32)
    edges = np.concatenate([edges, np.uint32(np.sqrt(0.5) * 2**32) + np.arange(-3, 4, dtype=np.int64)]).astype(
        np.uint32
    )
    a, b = (part.ravel() for part in np.meshgrid(edges, edges))
    first, second = np.empty(a.size, dtype), np.empty(a.size, dtype)
    (numbers.pairs64 if dtype is np.float64 else numbers.pairs32)(a, b, first, second)
    radius = np.sqrt(-2 * np.log1p(-(2.0**32 - a - 0.5) / 2**32))
    angle = 2 * np.pi * (b + 0.5) / 2**32
    for found, expected in ((first, radius * np.cos(angle)), (second, radius * np.sin(angle))):
        assert np.abs(found - expected).max() < COMPILED_NORMAL * np.finfo(dtype).eps


def test_erf_in_double_precision():
    """Within two units of the last place of the function itself, by mpmath; infinities and NaN come out as they are."""
    from sim.training.backends.compiled.error_function import FLAT64, inputs

    random = np.random.default_rng(0)
    dense = np.concatenate([np.linspace(-6.5, 6.5, 701), random.normal(size=300), np.linspace(0.99, 1.01, 201)])
    tiny = 10.0 ** np.linspace(-323, 0, 100)
    t = np.concatenate([dense, tiny, -tiny, [5e-324, FLAT64, np.nextafter(1, 0)]])
    out = np.empty((1, t.size))
    inputs(t[None], t.size, 1.0, 1.0, out)
    with mpmath.workdps(40):
        exact = [mpmath.erf(mpmath.mpf(float(number))) for number in t]
        apart = [abs(mpmath.mpf(float(one)) - other) for one, other in zip(out[0], exact, strict=True)]
    place = np.spacing(np.abs(np.array([float(number) for number in exact])))
    # A number below the least normal one is rounded to a multiple of 5e-324, at most once more.
    assert (np.array([float(number) for number in apart]) <= COMPILED_ERF_DOUBLE * place).all()
    ends = np.array([0.0, -0.0, np.inf, -np.inf, 1e308, -7.0, np.nan])
    out = np.empty((1, ends.size))
    inputs(ends[None], ends.size, 1.0, 1.0, out)
    assert out[0, :6].tolist() == [0, 0, 1, -1, 1, -1]
    assert np.signbit(out[0, :2]).tolist() == [False, True]
    assert np.isnan(out[0, 6])


BATCHES = (1, 8, 40)  # of `single_steps`, of `steps`, and of `wide_steps` or matrix products


@pytest.mark.parametrize(("part", "batch"), list(enumerate(BATCHES)))
def test_step_by_step(part, batch):
    """Networks of every model, biases and readout, the losses in turn; some in single precision too."""
    networks = every_network()[part::3]
    times, losses = tuple(Fraction(step, 8) for step in (0, 1, 2, 3, 5, 20)), ("mse", "cross-entropy", "half-mse")
    far_apart = []
    for number, network in enumerate(networks):
        loss = losses[number % 3]
        question = problem(network=network, loss=loss, batch=batch, times=times, learning_rate=Fraction(1, 8))
        reference, compiled = both(question)
        assert (reference.backend, compiled.backend) == ("reference", "compiled")
        assert (reference.weights[:, 0] == compiled.weights[:, 0]).all()
        if not far(learned(compiled), learned(reference)) < SIM_DESCENT:
            far_apart.append((named(network), loss))
        if number % 5 == 0:
            single = train(question, "cpu", dtype=torch.float32, backend="compiled")
            if not far(learned(single), learned(reference)) < SIM_DESCENT_SINGLE:
                far_apart.append((named(network), "float32"))
    assert far_apart == []


@pytest.mark.parametrize(
    "law",
    [
        line(GaussianClone, labels=(-1, 2)),
        line(n=70, gain=3),
        line(n=258, boundary="ring", xi=(1, "1/2")),
        grid(shape=(4, 3), boundary="torus", xi=(1, "1/2")),
    ],
    ids=str,
)
def test_other_laws(law):
    for batch in (1, 50):
        reference, compiled = both(problem(law, Network("relu", "mean", 9), batch=batch, learning_rate=Fraction(1, 16)))
        assert far(compiled.weights, reference.weights) < SIM_DESCENT


@pytest.mark.parametrize("batch", [1, 8, 40])
def test_divergence_of_one_network_leaves_the_others(batch):
    """Far beyond the stable rate the networks diverge, each at its own step, and are frozen where the reference is."""
    question = problem(batch=batch, learning_rate=Fraction(60), times=(0, 60, 6000), replicates=4)
    reference, compiled = both(question)
    assert compiled.diverged.any()
    assert (compiled.diverged == reference.diverged).all()
    assert np.isfinite(compiled.weights).all()
    alone = train(question, "cpu", backend="compiled", replicates=[2])
    assert (alone.weights[0] == compiled.weights[2]).all()


def test_auto_takes_it_where_it_can():
    run, full = train(problem(), "cpu"), problem(mode="full-batch", samples=10, batch=None)
    assert (run.backend, run.fallback) == ("compiled", None)
    assert "draw fresh examples" in train(full, "cpu").fallback
    assert train(full, "cpu", backend="reference").fallback is None
    with pytest.raises(OutOfReachError, match="run on the CPU"):
        backend_for("compiled", problem(), torch.device("cuda"))
    with pytest.raises(InputError, match="backend = 'fast' is not known"):
        train(problem(), "cpu", backend="fast")


ALONG = [{1: 1, 2: -2}, ["1/2", 0, 3, -1], {3: 5}]
DIRECTIONS = [
    tuple(DirectionGate(v, lo=-1, hi="3/2", on=on, sharpness=beta) for v in ALONG)
    for on, beta in (("latent", np.inf), ("latent", 2), ("input", Fraction(1, 3)))
]


@pytest.mark.parametrize(("gates", "batch"), list(zip(DIRECTIONS, (1, 40, 8), strict=True)), ids=["1", "40", "8"])
def test_directions_step_by_step(gates, batch):
    question = problem(line(gain=3), gated(gates), batch=batch, learning_rate=Fraction(1, 8))
    reference, compiled = both(question)
    assert far(compiled.weights, reference.weights) < SIM_DESCENT
    single = train(question, "cpu", dtype=torch.float32, backend="compiled")
    assert far(single.weights, reference.weights) < SIM_DESCENT_SINGLE


def test_hard_gates_along_several_inputs_are_left_to_the_reference():
    gates = (DirectionGate({1: 1, 2: -1}, lo=0, on="input"),)
    assert "along several saturated inputs" in train(problem(network=gated(gates)), "cpu").fallback
    assert train(problem(line(GaussianClone), gated(gates)), "cpu").fallback is None
    assert train(problem(network=gated((DirectionGate({1: 1}, lo=0, on="input"),))), "cpu").fallback is None


TWO = [gated(SOFT, "trained-sum", "trained"), gated(EVERY_GATE, "mean", "fixed")]


@pytest.mark.parametrize("settings", OPTIMIZERS, ids=lambda settings: settings["optimizer"])
@pytest.mark.parametrize(("network", "batch"), list(zip(TWO, (1, 40), strict=True)))
def test_optimizers_step_by_step(network, settings, batch):
    question = problem(network=network, batch=batch, learning_rate=Fraction(1, 16), **settings)
    reference, compiled = both(question)
    assert far(learned(compiled), learned(reference)) < SIM_DESCENT
    times = question.training.times
    until, after = (replace(question, training=replace(question.training, times=t)) for t in (times[:2], times[2:]))
    state = train(until, "cpu", backend="compiled").state
    resumed = train(after, "cpu", backend="compiled", resume=state)
    assert far(learned(resumed), learned(reference)[:, 2:]) < SIM_DESCENT
