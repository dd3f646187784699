"""Training on a device beside the processor: the numbers of the processor, and no step that waits.

Without a GPU a device is emulated (`emulated`), which computes on the processor by the rules of a GPU. Besides, a run
on the processor is made with another default device, where a tensor without a device of its own would land.
"""

from dataclasses import replace
from math import prod

import pytest
import torch

from sim import deep
from sim.deep import batches, train
from sim.deep.files import digest_of
from sim.deep.optimisers import descend, moved_by_rate
from tests.sim.deep.architectures import CASES
from tests.sim.deep.emulated import NAME, Away, Emulated, known_by_name, steps_watched
from tests.sim.deep.families import DTYPE, data, family
from tests.sim.deep.plain import KINDS
from tests.sim.deep.test_train import LOSSES, OPTIMISERS
from tests.tolerances import SIM_GRADIENT
from tests.tolerances_of_deep_training import DEEP_LOSS, DEEP_TRAINING, LAYERS_TRAINING, STEPS
from theory.problem import InputError, OutOfReachError

TOTAL, CUT = 4, 2  # steps on 11 examples in batches of 4, 4 and 3, into the second epoch
# Optimisers do not see the layers: each is taken with one architecture, and each architecture with one of them.
PAIRS = [*((None, name) for name in OPTIMISERS), *((case, "adam") for case in CASES), ("residual", "sgd")]
CHOSEN = set(KINDS) - {"frg"}  # coins have no values on other examples
GPU = (pytest.mark.gpu, pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device"))


@pytest.fixture
def elsewhere(monkeypatch):
    known_by_name(monkeypatch)
    return NAME


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
    assert not any(isinstance(each, Away) or each.device.type != "cpu" for each in found.values())
    return [name for name, each in found.items() if not torch.equal(each, expected[name])] == []


@pytest.mark.parametrize(("case", "optimiser"), PAIRS)
def test_a_run_elsewhere_is_that_of_the_processor_and_no_step_waits(case, optimiser, elsewhere, monkeypatch):
    of, examples, own = family(case=case), inputs_of(case), OPTIMISERS[optimiser][0]
    more = {"optimiser": own, "stop_below": 0.6, "stop_every": 2}
    members = KINDS if (case, optimiser) == (None, "sgd") else {"frg"}
    expected = everything(deep.train_family(of, examples, settings(**more), TOTAL, stages=(0, CUT)), members)
    with Emulated() as device, steps_watched(monkeypatch, device) as waits:
        run = deep.train_family(of, examples, settings(elsewhere, **more), TOTAL, stages=(0, CUT))
        assert same(everything(run, members), expected)
    assert device.operations > 100 * TOTAL
    assert waits == []
    assert device.waits, "measuring and recording wait"
    assert (run.state.stopped >= 0).any()


@pytest.mark.parametrize(("loss", "outputs", "shared"), [*((*own, False) for own in LOSSES.items()), ("mse", 1, True)])
def test_every_loss_and_order_of_batches_is_that_of_the_processor(loss, outputs, shared, elsewhere, monkeypatch):
    of, examples = family(outputs=outputs), data(loss, outputs)
    more = {"loss": loss, "shared_batches": shared, "batch": 11 if shared else 4}
    expected = everything(deep.train_family(of, examples, settings(**more), TOTAL))
    with Emulated() as device, steps_watched(monkeypatch, device) as waits:
        assert same(everything(deep.train_family(of, examples, settings(elsewhere, **more), TOTAL)), expected)
    assert waits == []


def held_out():
    generator = torch.Generator().manual_seed(8)
    x = torch.randn(20, 3, generator=generator, dtype=DTYPE)
    return deep.ExampleSet(x, torch.randn(20, 1, generator=generator, dtype=DTYPE).sign())


@pytest.mark.parametrize("first", ["cpu", NAME])
def test_a_run_goes_on_from_its_files_on_another_device(first, elsewhere, tmp_path):
    """With early stopping by a validation set; also the folder of its stages goes on."""
    second = elsewhere if first == "cpu" else "cpu"
    of, examples = family({"relu", "flnpf", "dnpfl", "gates-only"}), data()
    rule, more = deep.Validation(held_out(), "loss", every=2, patience=1), {"optimiser": deep.adam()}
    whole = deep.train_family(of, examples, settings(**more), 12, validation=rule, stages=(0, 12))
    with Emulated():
        begun = deep.train_family(
            of, examples, settings(first, **more), 7, validation=rule, stages=(0,), folder=tmp_path
        )
        deep.save_checkpoint(begun, tmp_path / "run")
        state = deep.load_checkpoint(tmp_path / "run", of, examples, settings(second, **more), rule)
        resumed = deep.train_family(
            of,
            examples,
            settings(second, **more),
            12,
            state=state,
            validation=rule,
            stages=(12,),
            folder=tmp_path,
        )
        assert same(everything(resumed), everything(whole))
        assert (resumed.errors("relu", 12, held_out()) == whole.errors("relu", 12, held_out())).all()
    assert (resumed.state.stopped >= 0).any()


def test_the_digest_of_a_run_leaves_out_the_device_alone(elsewhere):
    of, examples = family(), data()
    here, there = (digest_of(of, settings(device), examples, None) for device in ("cpu", elsewhere))
    assert here == there
    assert digest_of(of, settings(rate=0.03), examples, None) != here


@pytest.mark.parametrize("name", KINDS)
def test_kernels_elsewhere_are_those_of_the_processor(name, elsewhere):
    of, examples, rows = family(), data(), torch.tensor([7, 1, 4])
    for more in ({"rows": rows}, {} if name == "frg" else {"x": held_out().x}):
        expected = deep.kernels_of(of, name, of.starting(DTYPE), examples, **more)
        with Emulated() as device:
            found = deep.kernels_of(of, name, of.starting(DTYPE), examples, device=elsewhere, **more)
        assert device.operations > 0
        for part in ("tangent", "of_gates", "overlap"):
            a, b = getattr(found, part), getattr(expected, part)
            assert (a is b is None) or (torch.equal(a, b) and not isinstance(a, Away))
        assert all(torch.equal(a, b) for a, b in zip(found.gates, expected.gates, strict=True))


def test_a_watch_sees_copies_in_the_memory_of_the_processor(elsewhere):
    of, examples = family({"relu"}), data()
    watch = deep.Watch(lambda step, parameters: parameters, steps=(0, 2))
    with Emulated():
        run = deep.train_family(of, examples, settings(elsewhere), 4, stages=(0, 2), watch=watch)
    for step, parameters in watch.results().items():
        assert not any(isinstance(theta, Away) for theta in parameters.values())
        assert all(torch.equal(theta, run.at(step)[name]) for name, theta in parameters.items())


@pytest.mark.parametrize(("case", "optimiser"), PAIRS)
def test_every_tensor_has_a_device_of_its_own(case, optimiser, tmp_path):
    """With another default device, a tensor made without one would land there and the run would fail."""
    of, examples, own = family(case=case), inputs_of(case), OPTIMISERS[optimiser][0]
    more = {"optimiser": own, "stop_below": 0.6, "stop_every": 2}
    members = KINDS if (case, optimiser) == (None, "sgd") else {"frg"}
    expected = everything(deep.train_family(of, examples, settings(**more), TOTAL, stages=(0, CUT)), members)
    with torch.device("meta"):
        begun = deep.train_family(of, examples, settings(**more), CUT, stages=(0, CUT), folder=tmp_path)
        deep.save_checkpoint(begun, tmp_path / "run")
        state = deep.load_checkpoint(tmp_path / "run", of, examples, settings(**more))
        run = deep.train_family(of, examples, settings(**more), TOTAL, state=state, folder=tmp_path)
        assert same(everything(run, members), expected)


def test_validation_watching_and_kernels_have_devices_of_their_own():
    of, examples, others = family(CHOSEN), data(), held_out()
    rule = deep.Validation(others, "error", every=2, patience=1)

    def measure(_step, parameters):
        with torch.device("meta"):  # a context belongs to a thread
            return {name: deep.kernels_of(of, name, parameters, examples).tangent for name in sorted(CHOSEN)}

    seen = []
    for default in ("cpu", "meta"):
        watch = deep.Watch(measure, steps=(0, 4))
        with torch.device(default):
            run = deep.train_family(of, examples, settings(), 6, validation=rule, watch=watch, stages=(0,))
            errors = run.errors("relu", 6, others)
        seen.append((everything(run), errors, watch.results()))
    (first, errors, kernels), (second, again, beside) = seen
    assert same(second, first)
    assert (errors == again).all()
    assert all(torch.equal(kernels[4][name], beside[4][name]) for name in CHOSEN)


def test_sets_of_examples_lie_on_the_processor():
    sets = (deep.Circle(8, 1, 3), deep.UniformTargets("square", 4, 0), deep.UniformTargets("one", 4, 0))
    images = deep.LabelledImages("mnist", "standard", "signs", classes=(4, 7), size=4, test_size=2, pixels="random")
    expected = [each.load() for each in sets], images.load().training()
    with torch.device("meta"):
        found = [each.load() for each in sets], images.load().training()
    for a, b in zip((*found[0], found[1]), (*expected[0], expected[1]), strict=True):
        assert torch.equal(a.x, b.x)
        assert torch.equal(a.y, b.y)


def reads_a_number(moving, *given):
    """As a step that prints its loss does."""
    TAKE(moving, *given)
    moving.losses().max().item()


def copies_to_the_processor(moving, *given):
    TAKE(moving, *given)
    moving.rates.to("cpu")


def chooses_by_a_mask(moving, *given):
    TAKE(moving, *given)
    moving.rates[moving.rates > 0]


TAKE = train._Moving.take_step


@pytest.mark.parametrize(
    ("take", "listed"),
    [
        (reads_a_number, "aten._local_scalar_dense"),
        (copies_to_the_processor, "aten._to_copy"),
        (chooses_by_a_mask, "aten.index"),
    ],
)
def test_a_step_that_waits_is_found(take, listed, elsewhere, monkeypatch):
    monkeypatch.setattr(train._Moving, "take_step", take)
    with Emulated() as device, steps_watched(monkeypatch, device) as waits:
        deep.train_family(family({"relu"}), data(), settings(elsewhere), 2)
    assert waits
    assert set(waits) == {listed}


def test_a_step_on_tensors_of_two_devices_is_found(elsewhere, monkeypatch):
    """Rows, rates or gates that stay on the processor."""

    def here(*given):
        return batches.rows_of_batches(*given[:-1], "cpu")

    monkeypatch.setattr(train, "rows_of_batches", here)
    with Emulated(), pytest.raises(AssertionError, match="tensors of two devices"):
        deep.train_family(family({"relu"}), data(), settings(elsewhere), 2)


def test_a_number_that_goes_to_the_device_in_a_step_is_found(elsewhere, monkeypatch):
    def sends_a_number(moving, *given):
        TAKE(moving, *given)
        moving.rates.mul_(torch.tensor(1.0, device=moving.rates.device))

    monkeypatch.setattr(train._Moving, "take_step", sends_a_number)
    with Emulated(), pytest.raises(AssertionError, match="made on the device from a number of the processor"):
        deep.train_family(family({"relu"}), data(), settings(elsewhere), 2)


def test_a_tensor_without_a_device_of_its_own_is_found(monkeypatch):
    monkeypatch.setattr(train.Best, "before", lambda networks, _device: train.Best(torch.zeros(networks), None))
    with torch.device("meta"), pytest.raises(Exception, match="meta"):
        deep.train_family(family({"relu"}), data(), settings(), 2, validation=deep.Validation(held_out(), "loss", 1, 1))


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


def apart(found, expected):
    """The largest distance of the parameters of two runs at the end, relative to the largest of each stack."""
    pairs = [(theta, expected.state.parameters[name]) for name, theta in found.state.parameters.items()]
    return max(float((a - b).abs().max() / b.abs().max()) for a, b in pairs)


@pytest.mark.parametrize(("case", "optimiser"), PAIRS)
@GPU[0]
@GPU[1]
def test_a_gpu_trains_as_the_processor_does(case, optimiser):
    of, examples, own = family(case=case), inputs_of(case), OPTIMISERS[optimiser][0]
    runs = [deep.train_family(of, examples, settings(name, optimiser=own), STEPS) for name in ("cuda", "cpu")]
    # Each of the two is this close to a plain network.
    assert apart(*runs) <= 2 * (DEEP_TRAINING if case is None else LAYERS_TRAINING)


@GPU[0]
@GPU[1]
def test_a_gpu_measures_as_the_processor_does():
    run = deep.train_family(family(), data(), settings("cuda"), STEPS)
    here = replace(run, settings=settings("cpu"))
    for name in KINDS:
        found, expected = run.losses(name, STEPS), here.losses(name, STEPS)
        assert (abs(found - expected) <= 2 * DEEP_LOSS * expected.clip(min=1)).all()


@pytest.mark.parametrize("optimiser", OPTIMISERS)
@GPU[0]
@GPU[1]
def test_a_run_goes_on_bit_for_bit_on_a_gpu_and_on_the_other_device_to_rounding(optimiser, tmp_path):
    of, examples, more = family(), data(), {"optimiser": OPTIMISERS[optimiser][0]}
    whole = {name: deep.train_family(of, examples, settings(name, **more), STEPS) for name in ("cuda", "cpu")}
    for first in whole:
        deep.save_checkpoint(deep.train_family(of, examples, settings(first, **more), 7), tmp_path / "run")
        for second in whole:
            state = deep.load_checkpoint(tmp_path / "run", of, examples, settings(second, **more))
            run = deep.train_family(of, examples, settings(second, **more), STEPS, state=state)
            if first == second:
                assert all(
                    torch.equal(theta, whole[first].state.parameters[name])
                    for name, theta in run.state.parameters.items()
                )
            assert apart(run, whole[second]) <= 2 * DEEP_TRAINING


@GPU[0]
@GPU[1]
def test_kernels_on_a_gpu_are_those_of_the_processor_to_rounding():
    of, examples = family(), data()
    for name in KINDS:
        found, expected = (
            deep.kernels_of(of, name, of.starting(DTYPE), examples, device=device) for device in ("cuda", "cpu")
        )
        for part in ("tangent", "overlap"):
            a, b = getattr(found, part), getattr(expected, part)
            assert torch.linalg.norm(a - b) <= 2 * SIM_GRADIENT * torch.linalg.norm(b)


def moved_on(device, networks=6):
    """The stacks of two parameters, and the entries of a step of Adam; the fourth network has a rate of its own."""
    rng = torch.Generator().manual_seed(networks)
    shapes = ((networks, 3, 5), (networks, 7))
    stacks = [
        [torch.randn(shape, generator=rng, dtype=DTYPE).square().to(device) for _ in range(4)] for shape in shapes
    ]
    rates = [0.1 if network != 3 else 0.2 for network in range(networks)]
    return stacks, moved_by_rate([(rates, *own) for own in stacks], deep.adam(), 2)


def test_neighbours_of_one_rate_share_an_entry_on_a_device_and_not_on_the_processor(elsewhere):
    with Emulated():
        found = moved_on(elsewhere)[1]
    assert {rate: [len(theta) for theta in moved.thetas] for rate, moved in found.items()} == {
        0.1: [3, 2, 3, 2],
        0.2: [1, 1],
    }
    assert {rate: len(moved.thetas) for rate, moved in moved_on("cpu")[1].items()} == {0.1: 10, 0.2: 2}


@GPU[0]
@GPU[1]
def test_the_step_of_a_network_on_a_gpu_does_not_depend_on_its_neighbours():
    stacks, moved = moved_on("cuda")
    alone = [
        moved_by_rate([(rates, *(x[n : n + 1].clone() for x in own)) for own in stacks], deep.adam(), 2)
        for n, rates in enumerate([[0.1]] * 3 + [[0.2]] + [[0.1]] * 2)
    ]
    for own in (moved, *alone):
        for rate, some in own.items():
            descend(deep.adam(), some, rate)
    for network, own in enumerate(alone):
        for place, stack in enumerate(stacks):
            (some,) = own.values()
            assert torch.equal(some.thetas[place][0], stack[0][network])


def test_a_state_keeps_its_numbers_on_the_way_to_a_device_and_back(elsewhere):
    state = deep.train_family(family({"relu"}), data(), settings(optimiser=deep.adam()), 2).state
    with Emulated() as device:
        there = state.to(elsewhere)
        assert all(isinstance(theta, Away) for theta in (*there.parameters.values(), *there.first.values()))
        back = there.to("cpu")
    assert device.waits
    for part in ("parameters", "first", "second"):
        assert all(torch.equal(theta, getattr(back, part)[name]) for name, theta in getattr(state, part).items())
    assert torch.equal(back.stopped, state.stopped)
