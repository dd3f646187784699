"""Deep networks of problem files in training: gradients and steps beside plain torch, one network at a time."""

from fractions import Fraction

import pytest
import torch

from sim.networks.choice import network_of
from sim.networks.examples import Examples
from sim.train import train
from tests.deep_cases import CLOSED, DATA, OPEN, SOFT, problem_of
from tests.sim.deep.families import members
from tests.sim.deep.plain import KINDS, Plain, loss
from tests.tolerances import SIM_GRADIENT
from theory.problem import (
    BernoulliGates,
    DeepNetwork,
    FixedGates,
    InputError,
    NetworkGates,
    NonlinearGP,
    NormalInitialisation,
    OutOfReachError,
    OwnGates,
    Problem,
    Simulation,
    Training,
)

LAW = NonlinearGP(3, (2, 1), 1, "open", "unit-variance", (1, -1))
TRAINED = ("relu", "soft-relu", "dln", "galu", "frnpf-same", "dnpfl", "soft-galu", "dlgn", "dlgn-pwc", "fixed-dlgn")
OTHER_LOSSES = [("mse", "relu"), ("cross-entropy", "soft-galu")]
STEPS, ROWS = 5, 20


def question(network, data=LAW, kind="half-mse", **changes):
    settings = {"mode": "full-batch", "samples": ROWS, "learning_rate": "1/8", "replicates": 2, "seed": 3}
    settings |= {"initialisation": "per-replicate"} | changes
    training = Training(kind, 1, NormalInitialisation("1/2", 1), (Fraction(1, 8), Fraction(STEPS, 8)))
    return Problem(data, network, training, Simulation(**settings))


def networks():
    return {member.name: member.network for member in members() if member.name in TRAINED}


def plain(name, problem, parameters):
    """The plain network with the weights of one network."""
    network = problem.network
    own = [parameters[theta].double() for theta in network.names]
    return Plain(KINDS[name], own, [parameters[theta].double() for theta in network.gating_names])


@pytest.mark.parametrize(("kind", "name"), [*(("half-mse", name) for name in TRAINED), *OTHER_LOSSES])
def test_gradients_are_those_of_one_plain_network_after_the_other(name, kind):
    problem = question(networks()[name], kind=kind)
    starts = [{key: torch.from_numpy(array) for key, array in problem.start(s).items()} for s in range(2)]
    generator = torch.Generator().manual_seed(2)
    x = torch.randn(2, ROWS, 3, generator=generator, dtype=torch.float64)
    y = torch.randn(2, ROWS, generator=generator, dtype=torch.float64).sign()
    stack = {key: torch.stack([start[key] for start in starts]) for key in starts[0]}
    found = network_of(problem).gradient(stack, Examples(x, y))
    assert set(found) == {each.name for each in problem.parameters if each.trained}
    for s, start in enumerate(starts):
        own = plain(name, problem, start)
        loss(kind, own(x[s], None), y[s][:, None]).backward()
        expected = dict(zip((*problem.network.names, *problem.network.gating_names), own.parameters(), strict=True))
        for key, gradient in found.items():
            assert (gradient[s] - expected[key].grad).abs().max() < SIM_GRADIENT


def test_convolutions_have_the_gradients_of_single_passes():
    """Autograd through one network at a time, without vmap."""
    problem = problem_of("shared", NetworkGates("gated", SOFT, frozen=False))
    start = {key: torch.from_numpy(array) for key, array in problem.start().items()}
    x = torch.tensor([[float(value) for value in row] for row in DATA.x], dtype=torch.float64)
    y = torch.tensor([1.0, 0.0, -1.0, 2.0], dtype=torch.float64)
    stack = {key: torch.stack([theta, 2 * theta]) for key, theta in start.items()}
    network = network_of(problem)
    found = network.gradient(stack, Examples(x.expand(2, -1, -1), y.expand(2, -1)))
    for s, scale in enumerate((1, 2)):
        alone = {key: (scale * theta)[None].requires_grad_() for key, theta in start.items()}
        value = (network.predict(alone, Examples(x[None], y[None])) - y).square().mean() / 2
        for key, gradient in zip(alone, torch.autograd.grad(value, list(alone.values())), strict=True):
            assert (found[key][s] - gradient[0]).abs().max() < SIM_GRADIENT * max(1, float(gradient.abs().max()))


def test_several_outputs_are_summed():
    law = NonlinearGP(3, (2, 1), 1, "open", "unit-variance", ((1, 0), (0, 1)))
    problem = question(DeepNetwork((4,), OwnGates(CLOSED)), law, mode="online", batch=5)
    start = {key: torch.from_numpy(array)[None] for key, array in problem.start(0).items()}
    x, y = torch.ones(1, 1, 3, dtype=torch.float64), torch.zeros(1, 1, 2, dtype=torch.float64)
    outputs = network_of(problem).predict(start, Examples(x, y))
    assert outputs.shape == (1, 1, 2)
    # L = |yhat|^2/2 is homogeneous of degree 4 in the weights of a ReLU network of two layers.
    found = network_of(problem).gradient(start, Examples(x, y))
    total = sum(float((found[key] * start[key]).sum()) for key in start)
    assert abs(total - 4 * float(outputs.square().sum()) / 2) < SIM_GRADIENT
    assert train(problem, "cpu").parameters["Theta_2"].shape == (2, 2, 2, 4)


def test_frozen_gates_stay_and_resumed_runs_repeat():
    problem = question(networks()["galu"], mode="online", batch=4)
    run = train(problem, "cpu", dtype=torch.float32)
    first, last = (run.parameters["Theta_g_1"][:, place] for place in (0, 1))
    assert (first == last).all()
    assert not (run.parameters["Theta_1"][:, 0] == run.parameters["Theta_1"][:, 1]).all()


@pytest.mark.parametrize("gating", [BernoulliGates("1/2", 0), FixedGates([[[1, 0]] * 4])], ids=["bernoulli", "fixed"])
def test_gates_of_listed_examples_are_refused(gating):
    with pytest.raises(OutOfReachError, match="gives gates to listed examples"):
        train(question(DeepNetwork((2,), gating), DATA), "cpu")


def test_hard_gates_that_are_to_learn_are_refused():
    with pytest.raises(InputError, match="slope is 0"):
        train(question(DeepNetwork((2,), NetworkGates("linear", OPEN, frozen=False))), "cpu")
