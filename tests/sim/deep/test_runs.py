"""Checkpoints, recorded stages and their gates, mini-batches, and what is refused."""

import pytest
import torch

from sim import deep
from sim.deep.batches import rows_of_batches
from tests.sim.deep.families import DTYPE, EXAMPLES, INPUTS, REPLICATES, WIDTHS, data, family
from tests.sim.deep.plain import batches
from theory.problem import DeepNetwork, FixedGates, InputError

SETTINGS = {
    "sgd": deep.Settings("half-mse", deep.SGD, 0.02, batch=4, seed=4),
    "adam, stopping": deep.Settings("half-mse", deep.adam(), 0.01, 4, 4, stop_below=0.4, stop_every=5),
    "momentum, float64": deep.Settings("half-mse", deep.momentum(0.9), 0.01, 4, 4, dtype=DTYPE),
    "rmsprop, shared": deep.Settings("half-mse", deep.rmsprop(), 0.01, 4, 4, shared_batches=True),
}


def same_state(first, second):
    """Whether two states are equal bit for bit."""
    assert first.step == second.step
    assert torch.equal(first.stopped, second.stopped)
    for part in ("parameters", "first", "second"):
        a, b = getattr(first, part), getattr(second, part)
        if a is None or b is None:
            assert a is b
            continue
        assert a.keys() == b.keys()
        if not all(a[name].dtype == b[name].dtype and torch.equal(a[name], b[name]) for name in a):
            return False
    return True


@pytest.mark.parametrize(("name", "cut"), [("adam, stopping", 7), ("momentum, float64", 5), ("rmsprop, shared", 7)])
def test_a_resumed_run_is_the_uninterrupted_one_bit_for_bit(name, cut, tmp_path):
    settings, of, examples = SETTINGS[name], family(), data()
    whole = deep.train_family(of, examples, settings, 20, stages=(12,))
    begun = deep.train_family(of, examples, settings, cut)
    deep.save_checkpoint(begun, tmp_path / "run")
    state = deep.load_run(tmp_path / "run", family(), data(), settings).state
    assert same_state(state, begun.state)
    resumed = deep.train_family(of, examples, settings, 20, state=state, stages=(12,))
    assert same_state(resumed.state, whole.state)
    assert all(torch.equal(resumed.at(12)[theta], whole.at(12)[theta]) for theta in whole.at(12))
    assert same_state(state, begun.state), "the state from which a run resumes is not changed"
    if settings.stop_below is not None:
        assert (whole.state.stopped >= 0).any()


def test_the_checkpoint_of_another_run_is_refused(tmp_path):
    settings = SETTINGS["sgd"]
    run = deep.train_family(family(), data(), settings, 2)
    deep.save_checkpoint(run, tmp_path / "run")
    other = data()
    other.y[0] += 1
    stored = deep.flnpf(WIDTHS, [theta + 1 for theta in family().member("flnpf").features])
    for of, examples, how in (
        (family({"relu"}), data(), settings),
        (family(law="signs"), data(), settings),
        (family(), other, settings),
        (family(), data(), SETTINGS["adam, stopping"]),
        (family(), data(), SETTINGS["rmsprop, shared"]),
        (
            deep.Family((*family().members[:8], stored, *family().members[9:]), 2, 3, 1, family().start),
            data(),
            settings,
        ),
    ):
        with pytest.raises(InputError, match="state of another run"):
            deep.load_run(tmp_path / "run", of, examples, how)


def test_stages_that_this_call_does_not_pass_are_refused():
    run = deep.train_family(family({"relu"}), data(), SETTINGS["sgd"], 2, stages=(0, 2))
    assert sorted(run.stages) == [0, 2]
    for stages, missed in (((1, 2, 3), r"\[1\]"), ((3, 5), r"\[5\]")):
        with pytest.raises(InputError, match=f"stages {missed} are not among the steps 2 to 4"):
            deep.train_family(family({"relu"}), data(), SETTINGS["sgd"], 4, state=run.state, stages=stages)


def test_a_step_that_is_not_recorded_and_a_file_without_a_state_are_refused(tmp_path):
    run = deep.train_family(family({"relu"}), data(), SETTINGS["sgd"], 2, stages=(0,))
    with pytest.raises(InputError, match="step 5 are not recorded") as raised:
        run.at(5)
    assert raised.value.hint == "Recorded steps: 0, 2."
    (tmp_path / "run").write_bytes(b"nothing")
    with pytest.raises(InputError, match="holds no state"):
        deep.load_run(tmp_path / "run", family(), data(), SETTINGS["sgd"])


@pytest.mark.parametrize(("batch", "step"), [(4, 0), (4, 5), (20, 1)])
def test_batches_are_those_of_whole_epochs_from_any_step(batch, step):
    found = rows_of_batches(EXAMPLES, batch, 4, REPLICATES, step)
    expected = [batches(EXAMPLES, batch, 4, replicate, step + 9)[step:] for replicate in range(REPLICATES)]
    for own in zip(*expected, strict=True):
        rows = next(found)
        assert torch.equal(rows.expand(REPLICATES, -1), torch.stack(own))


def test_fixed_gates_are_those_that_are_given():
    values = [[[(s + i) % 2 for i in range(width)] for s in range(EXAMPLES)] for width in WIDTHS]
    member = deep.Member("fixed", DeepNetwork(WIDTHS, FixedGates(values)))
    of, examples = deep.Family((member,), 2, INPUTS, 1, deep.Start("signs", (1, 1, 1), 0)), data()
    own, given = of.of("fixed", of.starting(DTYPE)), of.given_gates("fixed", examples)
    found = of.forward("fixed", own, examples.x.unsqueeze(0), given)
    assert [level[1].tolist() for level in found.gates] == values


def test_starting_weights():
    """Replicates differ, members share Theta, the second network has numbers of its own or the same ones."""
    of = family(law="signs")
    start = of.starting(DTYPE)
    relu, same, own = (of.of(name, start) for name in ("relu", "frnpf-same", "frnpf-own"))
    stored = of.of("flnpf", start)
    assert torch.equal(relu["Theta_1"].abs(), torch.full((2, 5, 3), 0.6, dtype=DTYPE))
    assert not torch.equal(relu["Theta_1"][0], relu["Theta_1"][1])
    assert torch.equal(relu["Theta_2"], of.of("dlgn", start)["Theta_2"])
    assert torch.equal(same["Theta_g_2"], relu["Theta_2"])
    assert not torch.equal(own["Theta_g_2"], relu["Theta_2"])
    assert torch.equal(stored["Theta_g_1"], of.member("flnpf").features[0])
    alone = family({"dlgn"}, law="signs")
    assert torch.equal(alone.of("dlgn", alone.starting(DTYPE))["Theta_g_1"], of.of("dlgn", start)["Theta_g_1"])


def test_scales_are_those_of_the_layers():
    assert deep.scales_by_fan_in((4, 16, 1), 1) == (0.5, 0.25)
