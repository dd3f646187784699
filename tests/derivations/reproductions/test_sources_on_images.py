"""The experiments on images, on small sets in the real formats, beside plain networks and kernels in NumPy."""

from itertools import product

import numpy as np
import pytest
import torch

from derivations.reproductions.catalog import reproductions
from derivations.reproductions.model import Cell
from derivations.reproductions.sources import dgn_fig_5, dgn_fig_6, dgn_fig_7, dlgn_fig_7, npk_table_2
from sim.deep import LabelledImages, Start, scales_by_fan_in
from tests.sim.deep.plain import KINDS, Plain, batches, descend
from tests.tolerances_of_reproductions import ALIGNMENT, ROUNDED
from theory.problem import InputError

SEED = 21


def digits(size):
    """The images of the digits 4 and 7 and their labels -1 and 1, by NumPy."""
    data = LabelledImages("mnist", "unit", "signs", classes=(4, 7), size=size).load(torch.float64).training()
    return data.x.numpy(), data.y[:, 0].numpy()


def theta(start, replicate, sizes):
    """The initial weights as training has them, in float32."""
    shapes = zip(sizes[1:], sizes[:-1], strict=True)
    return [start.draw(replicate, False, level, shape).astype(np.float32) for level, shape in enumerate(shapes)]


def test_the_alignment_at_the_start_is_that_of_the_path_kernel():
    found = dgn_fig_6.cell({"optimiser": "adam", "networks": 2, "epochs": 1, "examples": 8}, SEED)
    x, y = digits(8)
    sizes = (784, *(dgn_fig_6.WIDTH,) * dgn_fig_6.LEVELS, 1)
    start = Start("normal", scales_by_fan_in(sizes, 2), SEED)
    for replicate in range(2):
        z, paths = x, np.ones((8, 8))
        for layer in theta(start, replicate, sizes)[:-1]:
            q = z @ layer.astype(float).T
            z = np.maximum(q, 0)
            paths *= (q > 0).astype(float) @ (q > 0).T
        kernel = x @ x.T * paths
        expected = y @ np.linalg.solve(kernel / np.trace(kernel), y)
        assert abs(found["alignment"][replicate, 0] / expected - 1) < ALIGNMENT
        assert abs(found["active"][replicate, 0] / (np.diag(paths).mean() / 50**4) - 1) < ALIGNMENT
    assert found["alignment"].shape == (2, 2)
    assert (found["training error"][:, 1] < found["training error"][:, 0]).all()


def test_the_change_of_the_path_kernel_is_that_of_a_plain_network():
    """One epoch of Adam in plain torch, and the path kernels before and after it, over their traces."""
    found = dgn_fig_6.cell({"optimiser": "adam", "networks": 1, "epochs": 1, "examples": 8}, SEED)
    x, _ = digits(8)
    data = LabelledImages("mnist", "unit", "signs", classes=(4, 7)).load().training()
    sizes = (784, *(dgn_fig_6.WIDTH,) * dgn_fig_6.LEVELS, 1)
    weights = [torch.from_numpy(layer) for layer in theta(Start("normal", scales_by_fan_in(sizes, 2), SEED), 0, sizes)]
    network = Plain(KINDS["relu"], weights, [])

    def kernel():
        z, paths = x, np.ones((8, 8))
        for layer in list(network.theta)[:-1]:
            q = z @ layer.detach().double().numpy().T
            z = np.maximum(q, 0)
            paths *= (q > 0).astype(float) @ (q > 0).T
        own = x @ x.T * paths
        return own / np.trace(own)

    before = kernel()
    rows = batches(len(data.x), dgn_fig_6.BATCH, SEED, 0, -(-len(data.x) // dgn_fig_6.BATCH))
    for _ in descend(network, data.x, data.y, "half-mse", lambda own: torch.optim.Adam(own, lr=3e-4), rows):
        pass
    change = np.linalg.norm(kernel() - before) / np.linalg.norm(before)
    assert found["change"][0, 0] == 0
    assert abs(found["change"][0, 1] / change - 1) < ALIGNMENT


def test_accuracies_of_the_table_are_those_of_plain_networks():
    """ReLU, and FRNPF with the initial weights as gates: two runs for two epochs of two steps of Adam each."""
    epochs, sizes = 2, (784, *npk_table_2.WIDTHS, 10)
    found = npk_table_2.cell({"optimiser": "adam", "rate": 3e-4, "epochs": epochs, "size": 0, "runs": 2}, SEED)
    images = LabelledImages("mnist", "unit", "class").load()
    data, held_out = images.training(), images.held_out()
    start = Start("normal", scales_by_fan_in(sizes, 2), SEED)
    for run, (name, own_gates) in product(range(2), (("relu", False), ("frnpf-same", True))):
        weights = [torch.from_numpy(layer) for layer in theta(start, run, sizes)]
        network = Plain(KINDS[name], weights, weights[:-1] if own_gates else [])
        rows = batches(len(data.x), npk_table_2.BATCH, SEED, run, 2 * epochs)
        optimiser = lambda own: torch.optim.Adam(own, lr=3e-4)  # noqa: E731
        for _ in descend(network, data.x, data.y, "softmax-cross-entropy", optimiser, rows):
            pass
        right = (network(held_out.x, None).argmax(dim=1) == held_out.y).sum().item()
        assert found[name][run] == 100 * (1 - (len(held_out.x) - right) / len(held_out.x))


def test_the_best_rate_counts():
    """Two rates: of each method the one with the larger mean accuracy."""
    cells = [
        npk_table_2_cell(rate, index, 90 + 5 * (rate == 0.1) + index) for rate in (0.1, 0.01) for index in range(2)
    ]
    found = reproductions()["npk-table-2-mnist"].measure(cells)
    assert found["relu, sgd"].tolist() == [95.0, 96.0]
    assert found["dnpfl ahead, sgd"].tolist() == [0.0, 0.0]


@pytest.mark.parametrize("own", [{}, {"labels": "random"}, {"pixels": "random"}], ids=["true", "labels", "pixels"])
def test_training_on_random_labels_and_pixels(own):
    """Accuracies after one epoch and after two, each a step of Adam on all images, beside plain networks."""
    name = " ".join(["random", *own]) if own else "true"
    found = dgn_fig_5.cell({"set": name, "epochs": 2, "size": 0}, SEED)
    images = LabelledImages("mnist", "unit", "class", seed=SEED, **own).load()
    data, held_out = images.training(), images.held_out()
    sizes = (784, *dgn_fig_5.WIDTHS, 10)
    start = Start("normal", scales_by_fan_in(sizes, 2), SEED)
    weights = [torch.from_numpy(layer) for layer in theta(start, 0, sizes)]
    shapes = zip(sizes[1:-1], sizes[:-2], strict=True)
    gates = [torch.from_numpy(start.draw(0, True, level, shape)).float() for level, shape in enumerate(shapes)]
    for kind, second in (("relu", []), ("galu", gates)):
        network = Plain(KINDS[kind], weights, second)
        rows = batches(len(data.x), dgn_fig_5.BATCH, SEED, 0, 2)
        optimiser = lambda own: torch.optim.Adam(own, lr=3e-4)  # noqa: E731
        taken = descend(network, data.x, data.y, "softmax-cross-entropy", optimiser, rows)
        accuracies = [100 * (network(data.x, None).argmax(dim=1) == data.y).double().mean().item() for _ in taken]
        assert np.abs(found[f"{kind} training"] - [accuracies[1:]]).max() < ROUNDED
        wrong = (network(held_out.x, None).argmax(dim=1) != held_out.y).double().mean().item()
        assert abs(found[f"{kind} test"][0] - 100 * (1 - wrong)) < ROUNDED


def test_galu_is_faster_where_its_mean_accuracy_in_training_is_larger():
    numbers = {"relu training": [50.0, 90.0], "galu training": [60.0, 90.0], "relu test": 98.0, "galu test": 96.0}
    cells = [
        Cell({"set": name, "epochs": 2, "size": 0}, 0, {key: np.array([value]) for key, value in numbers.items()})
        for name in ("true", "random labels", "random pixels")
    ]
    found = dgn_fig_5.measure(cells)
    assert found["GaLU faster, random labels"].tolist() == [5.0]
    assert found["ReLU ahead"].tolist() == [2.0]
    assert set(found) == {"ReLU ahead", *(f"GaLU faster, {one.setting['set']}" for one in cells)}


def npk_table_2_cell(rate, index, accuracy):
    setting = {"optimiser": "sgd", "rate": rate, "epochs": npk_table_2.EPOCHS, "size": 0, "runs": 1}
    return Cell(setting, index, {name: np.array([accuracy]) for name in npk_table_2.METHODS})


def test_gates_that_adapt_are_compared_with_frozen_ones():
    """The accuracies of two kinds beside plain networks after one step of RMSprop; differences as the rule says."""
    found = dgn_fig_7.cell({"epochs": 1, "size": 0, "examples": 6, "runs": 2}, SEED)
    assert set(found) == set(reproductions()["dgn-fig-7"].numbers)
    images = LabelledImages("mnist", "unit", "signs", classes=(4, 7)).load()
    data, held_out = images.training(), images.held_out()
    sizes = (784, *dgn_fig_7.WIDTHS, 1)
    start = Start("signs", scales_by_fan_in(sizes, 2), SEED)
    for run, (name, own_gates) in product(range(2), (("relu", False), ("frnpf-same", True))):
        weights = [torch.from_numpy(layer) for layer in theta(start, run, sizes)]
        network = Plain(KINDS[name], weights, weights[:-1] if own_gates else [])
        rows = batches(len(data.x), dgn_fig_7.BATCH, SEED, run, 1)
        optimiser = lambda own: torch.optim.RMSprop(own, lr=1e-4)  # noqa: E731
        for _ in descend(network, data.x, data.y, "half-mse", optimiser, rows):
            pass
        right = (network(held_out.x, None).sign() == held_out.y).double().mean().item()
        assert found[name][run] == 100 * right
    cells = [Cell({}, 0, found)]
    measured = dgn_fig_7.measure(cells)
    assert (measured["relu ahead"] == found["relu"] - found["galu"]).all()
    assert (measured["relu nu"] == np.log(found["galu nu"]) - np.log(found["relu nu"])).all()


def test_paths_are_counted_on_both_halves_of_the_classes():
    """At the start, by a plain ReLU network: the product of the numbers of open gates, averaged over each half."""
    found = dlgn_fig_7.cell({"epochs": 1, "size": 0}, SEED)
    data = LabelledImages("fashion-mnist", "unit", "class", labels="clusters", seed=SEED).load().training()
    sizes = (784, *dlgn_fig_7.WIDTHS, 10)
    start = Start("normal", scales_by_fan_in(sizes, 2), SEED)
    z, paths = data.x.numpy(), 1.0
    for layer in theta(start, 0, sizes)[:-1]:
        q = z @ layer.T
        z, paths = np.maximum(q, 0), paths * (q > 0).sum(axis=1)
    simple = data.y.numpy() < 5
    assert abs(found["relu paths simple"][0, 0] / paths[simple].mean() - 1) < ALIGNMENT
    assert abs(found["relu paths complex"][0, 0] / paths[~simple].mean() - 1) < ALIGNMENT
    assert found["relu paths simple"].shape == (1, 4)


# The experiments that train on a GPU, with a setting of one short cell each.
_SHORT = {"size": 0, "epochs": 1, "examples": 6, "networks": 1, "runs": 1, "width": 2, "filters": 2, "nodes": 3}
ON_A_GPU = (
    "dgn-experiment-6",
    "dgn-fig-5",
    "dgn-fig-6",
    "dgn-fig-7",
    "dgn-table-4",
    "dlgn-circle",
    "dlgn-circle-he",
    "dlgn-fig-7",
    "dlgn-fig-7-pytorch",
    "dlgn-table-1",
    "dlgn-table-2",
    "npk-fig-3-alignment",
    "npk-fig-3-stages",
    "npk-table-2-mnist",
    "npk-table-2-cifar",
)


def test_the_experiments_that_take_a_device():
    assert sorted(name for name, one in reproductions().items() if "cuda" in one.devices) == sorted(ON_A_GPU)


@pytest.mark.parametrize("name", ON_A_GPU)
def test_the_device_of_a_cell_is_that_of_its_training(name):
    """A name that is none is refused by the settings of the training."""
    one = reproductions()[name]
    setting = one.designs["quick"].settings[0]
    short = {**setting, **{key: value for key, value in _SHORT.items() if key in setting}}
    with pytest.raises(InputError, match="device = 'nowhere' is not known"):
        one.cell(short, SEED, "nowhere")
