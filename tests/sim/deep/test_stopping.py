"""Early stopping by a validation set, and shares of wrong classes, beside plain networks one at a time."""

import pytest
import torch

from sim import deep
from tests.sim.deep.families import DTYPE, REPLICATES, data, family, plain, weights
from tests.sim.deep.plain import KINDS
from tests.sim.deep.plain import loss as plain_loss
from tests.tolerances_of_deep_training import DEEP_LOSS
from theory.problem import InputError

STEPS, EVERY, PATIENCE = 40, 5, 3
SETTINGS = deep.Settings("half-mse", deep.adam(), 0.02, batch=4, seed=4, dtype=DTYPE)
CHOSEN = set(KINDS) - {"frg"}


def held_out(outputs=1):
    """Examples with labels 1 and -1 that are not those of training."""
    generator = torch.Generator().manual_seed(8)
    x = torch.randn(20, 3, generator=generator, dtype=DTYPE)
    return deep.ExampleSet(x, torch.randn(20, outputs, generator=generator, dtype=DTYPE).sign())


def value(measure, network, examples):
    """The loss or the share of wrong signs of a plain network."""
    yhat = network(examples.x, torch.arange(len(examples.x))).detach()
    if measure == "loss":
        return plain_loss("half-mse", yhat, examples.y).item()
    return (torch.sign(yhat) != examples.y).any(dim=1).double().mean().item()


@pytest.fixture(scope="module")
def free():
    return deep.train_family(family(CHOSEN), data(), SETTINGS, STEPS, stages=range(0, STEPS + 1, EVERY))


@pytest.mark.parametrize("measure", ["loss", "error"])
def test_a_network_stops_without_a_smaller_value_and_keeps_its_weights(measure, free):
    """By the rule in plain Python, on the weights of a run without validation."""
    examples = held_out()
    run = deep.train_family(
        family(CHOSEN), data(), SETTINGS, STEPS, validation=deep.Validation(examples, measure, EVERY, PATIENCE)
    )
    seen = set()
    for name in sorted(CHOSEN):
        smallest, reached = run.best(name)
        for replicate in range(REPLICATES):
            history, expected = [], None
            for step in range(0, STEPS + 1, EVERY):
                network = plain(free.family, name, replicate, free.at(step))
                history.append(value(measure, network, examples))
                if (
                    expected is None
                    and len(history) > PATIENCE
                    and min(history[-PATIENCE:]) >= min(history[:-PATIENCE])
                ):
                    expected = step
                    break
            assert run.stopped(name)[replicate] == expected
            seen.add(expected is None)
            assert abs(smallest[replicate] - min(history)) <= DEEP_LOSS * max(1, min(history))
            assert reached[replicate] == EVERY * history.index(min(history))
            at = STEPS if expected is None else expected
            pairs = zip(
                weights(run.family, name, replicate, run.at(STEPS)),
                weights(free.family, name, replicate, free.at(at)),
                strict=True,
            )
            assert all(torch.equal(a, b) for a, b in pairs)
    assert seen == ({True, False} if measure == "loss" else {False})  # shares of errors stand still early


def test_a_resumed_run_stops_where_the_uninterrupted_one_does(tmp_path):
    rule = deep.Validation(held_out(), "loss", EVERY, PATIENCE)
    chosen = {"relu", "dnpfl", "dln"}
    whole = deep.train_family(family(chosen), data(), SETTINGS, 60, validation=rule)
    begun = deep.train_family(family(chosen), data(), SETTINGS, 23, validation=rule)
    deep.save_checkpoint(begun, tmp_path / "run")
    state = deep.load_run(tmp_path / "run", family(chosen), data(), SETTINGS, rule).state
    resumed = deep.train_family(family(chosen), data(), SETTINGS, 60, state=state, validation=rule)
    assert torch.equal(resumed.state.stopped, whole.state.stopped)
    assert torch.equal(resumed.state.best.values, whole.state.best.values)
    assert torch.equal(resumed.state.best.steps, whole.state.best.steps)
    assert all(torch.equal(resumed.state.parameters[name], theta) for name, theta in whole.state.parameters.items())
    others = [
        None,
        deep.Validation(held_out(), "loss", EVERY, 4),
        deep.Validation(held_out(), "error", EVERY, PATIENCE),
    ]
    moved = held_out()
    moved.x[0] += 1
    for other in (*others, deep.Validation(moved, "loss", EVERY, PATIENCE)):
        with pytest.raises(InputError, match="state of another run"):
            deep.load_run(tmp_path / "run", family(chosen), data(), SETTINGS, other)


@pytest.mark.parametrize(("loss", "outputs"), [("half-mse", 1), ("cross-entropy", 2), ("softmax-cross-entropy", 3)])
def test_errors_are_those_of_plain_networks(loss, outputs):
    trained_on = data(loss, outputs)
    if loss == "half-mse":
        trained_on = deep.ExampleSet(trained_on.x, trained_on.y.sign())
    settings = deep.Settings(loss, deep.SGD, 0.02, batch=4, seed=4, dtype=DTYPE)
    run = deep.train_family(family(outputs=outputs), trained_on, settings, 3)
    generator = torch.Generator().manual_seed(1)
    x = torch.randn(30, 3, generator=generator, dtype=DTYPE)
    y = torch.randint(0, 3, (30,), generator=generator)
    if loss != "softmax-cross-entropy":
        y = torch.randn(30, outputs, generator=generator, dtype=DTYPE).sign()
    others = deep.ExampleSet(x, y)
    for name in KINDS:
        for examples, argument in ((trained_on, None), (others, others)):
            if name == "frg" and argument is not None:
                continue
            errors = run.errors(name, 3, argument)
            for replicate in range(REPLICATES):
                network = plain(run.family, name, replicate, run.at(3))
                yhat = network(examples.x, torch.arange(len(examples.x)))
                right = yhat.argmax(1) == examples.y if outputs == 3 else (yhat.sign() == examples.y).all(1)
                assert abs(errors[replicate] - (1 - right.double().mean().item())) <= DEEP_LOSS
