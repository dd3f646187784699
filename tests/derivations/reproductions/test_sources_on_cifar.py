"""The experiments on CIFAR, with small networks on small sets in the real format, beside plain networks."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
import torch

from derivations.reproductions import convolutional, stored
from derivations.reproductions.catalog import reproductions
from derivations.reproductions.convolutional import BATCH
from derivations.reproductions.model import Design
from derivations.reproductions.rules import together
from derivations.reproductions.running import run
from derivations.reproductions.sources import (
    dgn_experiment_6,
    dgn_table_4,
    dlgn_table_1,
    dlgn_table_2,
    npk_fig_3_stages,
    npk_table_2_cifar,
)
from sim.deep import LabelledImages, Start
from tests.sim.deep.architectures import after, convolved, flat, pooled, skipping, widened
from tests.sim.deep.plain import Kind, Plain, batches, descend, linear
from tests.tolerances_of_reproductions import FLOAT32_MOVES
from theory.problem import OutOfReachError
from theory.problem.datasets.folder import VARIABLE

SEED = 33
# Settings of two channels, or of the smallest network, for one or two epochs on the 100 images of the small set.
TINY = {
    "dgn-experiment-6": [{"width": 2, "epochs": 1, "size": 0}],
    "dgn-table-4": [
        {"kind": kind, "beta": beta, "epsilon": epsilon, "width": 2, "epochs": 1, "size": 0}
        for kind, beta, epsilon in (("dln", 0, "0"), ("relu", 0, "0"), ("soft-relu", 24, "0.4"))
    ],
    "npk-table-2-cifar": [
        {"network": network, "optimiser": "sgd", "rate": rate, "width": 2, "epochs": 1, "size": 0}
        for network in ("vconv", "gconv")
        for rate in (0.1, 0.01)
    ],
    "npk-fig-3-stages": [{"width": 2, "epochs": 6, "size": 20}],
    "dlgn-table-1": [{"filters": 2, "nodes": 3, "epochs": 1, "size": 0}],
    "dlgn-table-2": [
        {"network": "resnet-8", "dataset": name, "epochs": 1, "size": 0} for name in ("cifar-10", "cifar-100")
    ],
}
EXPERIMENTS = [one for one in reproductions().values() if any("cifar" in name for name in one.datasets)]


@pytest.mark.parametrize("one", EXPERIMENTS, ids=lambda one: one.name)
def test_an_experiment_runs_from_its_files_to_its_verdict(one, tmp_path):
    """Two runs of each setting, through the store; the settings are those of the designs with smaller numbers."""
    tiny = TINY[one.name]
    for design in one.designs.values():
        assert all(set(setting) == set(tiny[0]) for setting in design.settings)
    small = replace(one, designs={**one.designs, "quick": Design("small", tuple(tiny), 2, 1)})
    ran = run(small, "quick", tmp_path / "store")
    assert ran.made == 2 * len(tiny)
    for cell in ran.finished:
        for name in one.numbers:
            assert cell.numbers[name].shape == (1,)
            assert 0 <= cell.numbers[name] <= 100
    found = stored.result(small, "quick", ran)
    assert found["rows"]
    assert all(row["value"] is None for row in found["rows"]), "a small network was compared with a printed number"
    assert found["verdict"] == together([row["verdict"] for row in found["rows"]])
    assert run(small, "quick", tmp_path / "store").made == 0


@pytest.mark.parametrize("one", EXPERIMENTS, ids=lambda one: one.name)
def test_without_its_files_an_experiment_says_what_it_needs(one, tmp_path, monkeypatch):
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    with pytest.raises(OutOfReachError) as refused:
        run(one, "full", tmp_path / "store")
    assert "--from cifar-10" in f"{refused.value.message} {refused.value.hint}"


def images(dataset="cifar-10"):
    split = LabelledImages(dataset, "unit", "class").load()
    return split.training(), split.held_out()


def drawn(shapes, scales, seed, second=False):
    """The initial weights of a network, of which the fan-in of each layer is that of its shape."""
    start = Start("normal", scales or tuple((2 / np.prod(shape[1:])) ** 0.5 for shape in shapes), seed)
    return [
        torch.from_numpy(start.draw(0, second, level, shape).astype(np.float32)) for level, shape in enumerate(shapes)
    ]


@pytest.fixture
def runs(monkeypatch):
    """The runs of the training that a cell asks for, in turn."""
    made = []
    trained = convolutional.trained

    def recording(*args, **options):
        made.append(trained(*args, **options))
        return made[-1]

    monkeypatch.setattr(convolutional, "trained", recording)
    return made


def moved_alike(run, name, weights):
    """Whether Theta, and the second network if it learns, moved from the start as a plain network did."""
    moved, apart = 0.0, 0.0
    own = run.family.of(name, run.state.parameters)
    for theta, first, last in zip(own.values(), weights[0], weights[-1], strict=True):
        moved += (last - first).abs().sum().item()
        apart += (theta[0] - last).abs().sum().item()
    return moved > 0 and apart < FLOAT32_MOVES * moved


def plain(kind, shapes, products, rate, epochs, seed=SEED, scales=None, second=None):
    """The accuracies in percent on the test images after 0, 1, ... epochs of Adam, and the weights at these times.

    The weights of a second network follow those of the values.
    """
    data, held_out = images()
    if second is None:
        second = [] if kind.gates in ("own", "relu itself", "open") else drawn(shapes, scales, seed, True)[:-1]
    network = Plain(kind, drawn(shapes, scales, seed), second, products=products, shape=(3, 32, 32))
    epoch = -(-len(data.x) // BATCH)
    rows = batches(len(data.x), BATCH, seed, 0, epoch * epochs)
    accuracies, weights = [], []
    taken = descend(network, data.x, data.y, "softmax-cross-entropy", lambda own: torch.optim.Adam(own, lr=rate), rows)
    for step, _ in enumerate(taken):
        if step % epoch == 0:
            with torch.no_grad():
                wrong = (network(held_out.x, None).argmax(dim=1) != held_out.y).sum().item()
            accuracies.append(100 * (1 - wrong / len(held_out.x)))
            weights.append([theta.detach().clone() for theta in network.parameters()])
    return accuracies, weights


def convolutions(*channels):
    return [(after_, before, 3, 3) for before, after_ in pairwise((3, *channels))]


VCONV = (
    [*convolutions(2, 2, 4, 4), (8, 4 * 32 * 32), (8, 8), (10, 8)],
    [*[convolved(1)] * 4, after(flat), linear, linear],
)
GCONV = ([*convolutions(2, 2, 4, 4), (8, 4), (8, 8), (10, 8)], [*[convolved(1)] * 4, after(pooled), linear, linear])


def test_soft_relu_and_its_best_epoch(runs):
    setting = {"kind": "soft-relu", "beta": 4, "epsilon": "0.1", "width": 2, "epochs": 3, "size": 0}
    expected, weights = plain(Kind("own", 4, 0.1), *VCONV, 3e-4, 3)
    assert dgn_table_4.cell(setting, SEED)["test accuracy"].tolist() == [max(expected)]
    assert moved_alike(*runs, "soft-relu", weights)


def test_gates_alone(runs):
    expected, weights = plain(Kind("gated", 4, 0.0, values_learn=False, gates_learn=True), *VCONV, 3e-4, 3)
    assert dgn_experiment_6.cell({"width": 2, "epochs": 3, "size": 0}, SEED)["accuracy"].tolist() == [max(expected)]
    assert moved_alike(*runs, "gates-only", weights)


def test_learned_features_of_the_table_and_of_the_stages(runs):
    """FLNPF: the gates of the ReLU network after the last epoch, or after that of a stage, and new values."""
    _, trained = plain(Kind("relu itself"), *GCONV, 3e-4, 6)
    setting = {"network": "gconv", "optimiser": "adam", "rate": 3e-4, "width": 2, "epochs": 6, "size": 0}
    found = npk_table_2_cifar.cell(setting, SEED)
    stages = npk_fig_3_stages.cell({"width": 2, "epochs": 6, "size": 0}, SEED)
    for stage in (1, 6):
        expected, weights = plain(Kind("relu"), *GCONV, 3e-4, 6, seed=SEED ^ 1, second=trained[stage][:-1])
        assert stages[f"flnpf-{stage}"].tolist() == [expected[-1]]
        assert moved_alike(runs[3], f"flnpf-{stage}", weights)
    assert moved_alike(runs[1], "flnpf", weights)
    assert found["flnpf"].tolist() == [expected[-1]]
    expected, weights = plain(Kind("relu"), *GCONV, 3e-4, 6, second=drawn(GCONV[0], None, SEED)[:-1])
    for family, accuracies in ((runs[0], found), (runs[2], stages)):
        assert moved_alike(family, "frnpf-same", weights)
        assert accuracies["frnpf-same"].tolist() == [expected[-1]]
    expected, weights = plain(Kind("relu", 8, gates_learn=True), *GCONV, 3e-4, 6)
    assert moved_alike(runs[0], "dnpfl", weights)
    assert found["dnpfl"].tolist() == [expected[-1]]


def test_linear_gates_with_convolutions(runs):
    shapes = [*convolutions(2, 2, 2, 2, 2), (3, 2), (10, 3)]
    products = [*[convolved(1)] * 5, after(pooled), linear]
    found = dlgn_table_1.cell({"filters": 2, "nodes": 3, "epochs": 6, "size": 0}, SEED)
    for name, ones in (("dlgn", False), ("dlgn-pwc", True)):
        expected, weights = plain(Kind("linear", 4, ones=ones, gates_learn=True), shapes, products, 2e-4, 6)
        assert found[f"{name} test"].tolist() == [expected[-1]]
        assert moved_alike(*runs, name, weights)


def test_residual_networks(runs):
    """Three blocks: skips from levels 1, 3 and 5, the last two to half the grid and twice the channels."""
    shapes = [*convolutions(4, 4, 4, 8, 8, 16, 16), (10, 16)]
    products = [
        convolved(1),
        convolved(1),
        skipping(convolved(1), 1),
        convolved(1, 2),
        widened(convolved(1), 3),
        convolved(1, 2),
        widened(convolved(1), 5),
        after(pooled),
    ]
    fan_ins = [27, 36, 36, 36, 72, 72, 144, 16]
    ends = [1, 1, 3, 1, 3, 1, 3, 1]  # three blocks share the variance
    scales = tuple((2 / (fan_in * blocks)) ** 0.5 for fan_in, blocks in zip(fan_ins, ends, strict=True))
    found = dlgn_table_2.cell({"network": "resnet-8", "dataset": "cifar-10", "epochs": 4, "size": 0}, SEED)
    for name, kind in (("relu", Kind("relu itself")), ("dlgn", Kind("linear", 4, gates_learn=True))):
        expected, weights = plain(kind, shapes, products, 2e-4, 4, scales=scales)
        assert found[f"{name} test"].tolist() == [expected[-1]]
        assert moved_alike(*runs, name, weights)


def test_the_residual_networks_have_the_layers_of_their_names():
    """34 and 110 layers with weights; the grid is halved three and two times."""
    for name, depth, halved in (("resnet-34", 34, 3), ("resnet-110", 110, 2)):
        plan = dlgn_table_2.PLANS[name].layers().plan(10)
        assert len(plan) == depth
        assert plan[-2].after[1:] == (32 // 2**halved,) * 2
