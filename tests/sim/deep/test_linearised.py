"""Linearised networks beside linear models with the derivatives of plain networks, and beside the map of K0."""

import numpy as np
import pytest
import torch

from sim import deep
from tests.sim.deep.families import DTYPE, EXAMPLES, REPLICATES, data, family, plain
from tests.sim.deep.plain import batches, jacobian
from tests.sim.deep.plain import loss as plain_loss
from tests.sim.deep.test_train import LOSSES, OPTIMISERS, RATE, SEED
from tests.tolerances_of_deep_training import LINEARISED
from theory.problem import InputError, OutOfReachError

STEPS, BATCH = 5, 4
NAMES = ["dlgn", "gates-only", "relu", "soft-galu"]
OTHERS = torch.randn(3, 3, generator=torch.Generator().manual_seed(2), dtype=DTYPE)


def linearised(of, examples, loss="half-mse", optimiser=deep.SGD, rate=RATE):
    settings = deep.Settings(loss, optimiser, rate, BATCH, SEED, dtype=DTYPE)
    return deep.train_linearised(of, examples, settings, STEPS, stages=(0, 3))


def derivatives(network, x):
    """yhat (N, m), and its derivatives (N, m, P) in what learns."""
    own = [p for p in network.parameters() if p.requires_grad]
    return network(x, torch.arange(len(x))).detach(), jacobian(network, x, own)


def moved(network, run, replicate, of_torch, x):
    """yhat of the linear model on x after the steps, trained by torch.optim."""
    start, J = derivatives(network, run.data.x)
    move = torch.nn.Parameter(torch.zeros(J.shape[2], dtype=DTYPE))
    optimiser = of_torch([move])
    for rows in batches(EXAMPLES, BATCH, SEED, replicate, STEPS):
        optimiser.zero_grad()
        plain_loss(run.settings.loss, start[rows] + J[rows] @ move, run.data.y[rows]).backward()
        optimiser.step()
    begun, J = derivatives(network, x)
    return begun + J @ move.detach()


def agrees(run, name, of_torch, case=None):
    others = OTHERS if case is None else run.data.x[:2] + 1
    for replicate in range(REPLICATES):
        network = plain(run.family, name, replicate, run.start, case)
        for x in (None, others):
            expected = moved(network, run, replicate, of_torch, run.data.x if x is None else x)
            found = run.outputs(name, STEPS, x)[replicate]
            assert float((found - expected).abs().max()) <= LINEARISED * float(expected.abs().max())


@pytest.mark.parametrize(("loss", "optimiser"), list(zip(LOSSES, OPTIMISERS, strict=True)))
def test_it_is_the_linear_model_in_the_weights(loss, optimiser):
    """Every loss with another optimiser."""
    own, of_torch = OPTIMISERS[optimiser]
    run = linearised(family(NAMES, outputs=LOSSES[loss]), data(loss, LOSSES[loss]), loss, own)
    for name in NAMES:
        agrees(run, name, of_torch)


def test_convolutions_and_skips_are_linearised_too():
    case, names = "residual", ["relu", "soft-galu"]
    of = family(names, case=case)
    run = linearised(of, data(inputs=of.inputs), optimiser=deep.adam())
    for name in names:
        agrees(run, name, OPTIMISERS["adam"][1], case)


def test_losses_and_errors_are_those_of_the_outputs():
    run = linearised(family(["relu", "dlgn"], outputs=3), data("softmax-cross-entropy", 3), "softmax-cross-entropy")
    for name in ("relu", "dlgn"):
        for step in (0, 3, STEPS):
            yhat = run.outputs(name, step)
            losses = [torch.nn.functional.cross_entropy(own, run.data.y).item() for own in yhat]
            assert np.abs(run.losses(name, step) - losses).max() <= LINEARISED * max(losses)
            wrong = (yhat.argmax(dim=2) != run.data.y).double().mean(dim=1)
            assert run.errors(name, step).tolist() == wrong.tolist()
    held = deep.ExampleSet(OTHERS, torch.tensor([0, 1, 2]))
    assert run.errors("relu", 3, held).shape == (REPLICATES,)


def test_what_is_not_linearised_is_refused():
    settings = deep.Settings("half-mse", deep.SGD, RATE, BATCH, SEED, dtype=DTYPE)
    with pytest.raises(OutOfReachError, match="gates of frg"):
        deep.train_linearised(family(), data(), settings, 1)
    with pytest.raises(InputError, match=r"stages \[3\] are not among the steps 0 to 2"):
        deep.train_linearised(family(["relu"]), data(), settings, 2, stages=(0, 3))
    stopping = deep.Settings("half-mse", deep.SGD, RATE, BATCH, SEED, stop_below=0.1)
    with pytest.raises(InputError, match="do not stop early"):
        deep.train_linearised(family(["relu"]), data(), stopping, 2)
    with pytest.raises(InputError, match="4 inputs, the family 3"):
        deep.train_linearised(family(["relu"]), data(inputs=4), settings, 2)
    run = linearised(family(["relu"]), data())
    with pytest.raises(InputError, match="step 2 are not recorded") as raised:
        run.outputs("relu", 2)
    assert raised.value.hint == "Recorded steps: 0, 3, 5."
    with pytest.raises(InputError, match="4 inputs, the family 3"):
        run.outputs("relu", 3, torch.ones(2, 4))
    with pytest.raises(InputError, match="no member 'dln'"):
        run.outputs("dln", 3)
