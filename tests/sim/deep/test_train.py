"""Batched training of every member against one plain network at a time, with autograd and torch.optim."""

from functools import partial

import pytest
import torch

from sim import deep
from tests.sim.deep.families import DTYPE, EXAMPLES, REPLICATES, data, family, plain, weights
from tests.sim.deep.plain import KINDS, batches, descend
from tests.sim.deep.plain import loss as plain_loss
from tests.tolerances_of_deep_training import DEEP_LOSS, DEEP_TRAINING, STEPS

RATE, SEED = 0.02, 4
OPTIMISERS = {
    "sgd": (deep.SGD, partial(torch.optim.SGD, lr=RATE)),
    "momentum": (deep.momentum(0.8), partial(torch.optim.SGD, lr=RATE, momentum=0.8)),
    "rmsprop": (deep.rmsprop(0.9), partial(torch.optim.RMSprop, lr=RATE, alpha=0.9)),
    "adam": (deep.adam(), partial(torch.optim.Adam, lr=RATE)),
}
LOSSES = {"half-mse": 2, "mse": 1, "cross-entropy": 2, "softmax-cross-entropy": 3}
EVERY = range(STEPS + 1)


def trained(of, examples, loss="half-mse", optimiser=deep.SGD, steps=STEPS, batch=4, stages=EVERY, **more):
    options = {"rate": RATE, "dtype": DTYPE, **more}
    settings = deep.Settings(loss, optimiser, batch=batch, seed=SEED, **options)
    return deep.train_family(of, examples, settings, steps, stages=stages)


def farthest(run, name, loss, optimiser, batch=4, order=None):
    """The largest distance of the weights of a member from those of plain networks, at any step, relative."""
    apart = 0.0
    for replicate in range(REPLICATES):
        network = plain(run.family, name, replicate, run.at(0))
        rows = batches(EXAMPLES, batch, SEED, replicate if order is None else order, STEPS)
        for step, expected in enumerate(descend(network, run.data.x, run.data.y, loss, optimiser, rows)):
            found = weights(run.family, name, replicate, run.at(step))
            assert [t.shape for t in found] == [t.shape for t in expected]
            for a, b in zip(found, expected, strict=True):
                apart = max(apart, float((a - b).abs().max() / b.abs().max()))
    return apart


@pytest.mark.parametrize("loss", LOSSES)
def test_each_step_is_that_of_a_plain_network(loss):
    run = trained(family(outputs=LOSSES[loss]), data(loss, LOSSES[loss]), loss)
    for name in KINDS:
        assert farthest(run, name, loss, OPTIMISERS["sgd"][1]) <= DEEP_TRAINING, name


@pytest.mark.parametrize(("kind", "batch"), [("momentum", 4), ("rmsprop", 100), ("adam", 4)])
def test_each_optimiser_is_that_of_torch(kind, batch):
    """Also where the whole set is a batch."""
    run = trained(family(), data(), optimiser=OPTIMISERS[kind][0], batch=batch)
    for name in ("relu", "frg", "soft-galu", "dlgn-pwc"):
        assert farthest(run, name, "half-mse", OPTIMISERS[kind][1], batch) <= DEEP_TRAINING, name


def test_replicates_may_share_their_batches():
    shared = trained(family(), data(), shared_batches=True)
    own = trained(family(), data())
    for name in ("relu", "frg", "dnpfl"):
        assert farthest(shared, name, "half-mse", OPTIMISERS["sgd"][1], order=0) <= DEEP_TRAINING
        assert farthest(own, name, "half-mse", OPTIMISERS["sgd"][1], order=0) > 1000 * DEEP_TRAINING


def test_members_may_have_rates_of_their_own():
    rates = {"relu": 0.01, "soft-galu": 0.03}
    run = trained(family(set(rates)), data(), rate=rates)
    for name, rate in rates.items():
        assert farthest(run, name, "half-mse", partial(torch.optim.SGD, lr=rate)) <= DEEP_TRAINING


@pytest.mark.parametrize("loss", LOSSES)
def test_losses_are_those_of_plain_networks(loss):
    examples = data(loss, LOSSES[loss])
    run = trained(family(outputs=LOSSES[loss]), examples, loss, stages=(0,))
    for name in KINDS:
        for step in (0, STEPS):
            for replicate, found in enumerate(run.losses(name, step)):
                network = plain(run.family, name, replicate, run.at(step))
                expected = plain_loss(loss, network(examples.x, torch.arange(EXAMPLES)), examples.y).item()
                assert abs(found - expected) <= DEEP_LOSS * max(1, expected)


def test_a_diverging_network_leaves_the_others_alone():
    chosen = {"relu", "soft-galu", "dln"}
    calm = trained(family(chosen), data(), rate=dict.fromkeys(chosen, 0.01), steps=60)
    wild = trained(family(chosen), data(), rate={"relu": 0.01, "soft-galu": 0.01, "dln": 1e6}, steps=60)
    assert wild.diverged("dln").all()
    for name in ("relu", "soft-galu"):
        assert not wild.diverged(name).any()
        pairs = zip(*(run.family.of(name, run.at(60)).values() for run in (calm, wild)), strict=True)
        assert all(torch.equal(a, b) for a, b in pairs)


def test_a_network_stops_below_its_loss_and_the_others_go_on():
    chosen, optimiser = ("relu", "dln", "soft-galu"), deep.adam()
    free = trained(family(chosen), data(), optimiser=optimiser, steps=150, stages=range(0, 151, 10))
    stops = {"stop_below": 0.3, "stop_every": 10}
    run = trained(family(chosen), data(), optimiser=optimiser, steps=150, stages=(0,), **stops)
    seen = set()
    for name in chosen:
        history = [free.losses(name, step) for step in range(0, 151, 10)]
        for replicate, stopped in enumerate(run.stopped(name)):
            below = [10 * k for k, losses in enumerate(history) if losses[replicate] <= 0.3]
            assert stopped == (below[0] if below else None)
            seen.add(stopped is None)
            at = 150 if stopped is None else stopped
            pairs = zip(
                weights(run.family, name, replicate, run.at(150)),
                weights(free.family, name, replicate, free.at(at)),
                strict=True,
            )
            assert all(torch.equal(a, b) for a, b in pairs)
    assert seen == {True, False}
