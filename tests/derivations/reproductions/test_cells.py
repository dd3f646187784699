"""The cells of experiments on small settings beside plain NumPy and plain torch."""

import numpy as np
import pytest
import torch

from derivations.reproductions.catalog import reproductions
from derivations.reproductions.networks import network
from derivations.reproductions.sources import (
    dgn_fig_5,
    dgn_fig_6,
    dgn_fig_9,
    dgn_fig_10,
    dlgn_fig_7,
    npk_fig_1,
)
from sim.deep import LabelledImages, Start, galu, relu, scales_by_fan_in
from tests.sim.deep.plain import KINDS, Plain, batches, descend
from tests.tolerances import SIM_GRADIENT
from tests.tolerances_of_reproductions import ALIGNMENT, FLOAT32_ERRORS, FLOAT32_KERNEL, ROUNDED
from theory.problem import InputError

SEED = 21


def test_deep_linear_networks_beside_a_plain_loop():
    """Experiment 8 in NumPy: products of matrices, gradients by the product rule, and K as the sum of their squares."""
    depth, networks, seed = 4, 2, 17
    result = dgn_fig_10.cell({"depth": depth, "networks": networks}, seed)
    width = dgn_fig_10.WIDTH
    start = Start("signs", (width**-0.5,) * depth, seed)
    sizes = [1, *[width] * (depth - 1), 1]
    for each in range(networks):
        layers = [start.draw(each, False, level, (sizes[level + 1], sizes[level])) for level in range(depth)]
        for step in range(dgn_fig_10.STEPS + 1):
            before, after = [np.eye(1)], [np.eye(1)]
            for theta in layers:
                before.append(theta @ before[-1])
            for theta in reversed(layers):
                after.insert(0, after[0] @ theta)
            error = before[-1].item() - 1
            gradients = [after[level + 1].T @ before[level].T for level in range(depth)]
            kernel = sum((gradient**2).sum() for gradient in gradients)
            norm = np.sqrt(sum((theta**2).sum() for theta in layers))
            # 25 steps of products of four layers: each step adds roundings of the gradient, and shrinks errors.
            allowed = 26 * SIM_GRADIENT
            assert abs(result["square"][each, step] - error**2) < allowed
            assert abs(result["kernel"][each, step] / kernel - 1) < allowed
            assert abs(result["norm"][each, step] / norm - 1) < allowed
            layers = [theta - 0.1 / depth * error * g for theta, g in zip(layers, gradients, strict=True)]


@pytest.mark.parametrize("kind", [relu, galu])
def test_kernel_and_training_beside_autograd(kind):
    """K0 from the Jacobian at held gates, and gradient descent on 1/2 sum e^2, both by autograd."""
    rng = np.random.default_rng(3)
    data = {"x": rng.uniform(-1, 1, (5, 2)), "y": rng.uniform(-1, 1, 5)}
    member = kind((6, 6))
    each = network(member, data, 11)
    stages, step = (0, 1, 3), 0.02
    errors = each.errors(step, stages)
    family = each.family
    parameters = family.of(member.name, family.starting(torch.float32))
    weights = [parameters[name][0].double().requires_grad_() for name in family.names]
    second = [parameters[name][0].double() for name in member.network.gating_names]
    x, y = (torch.from_numpy(data[name]) for name in ("x", "y"))

    def yhat():
        z, u = x, x
        for level, theta in enumerate(weights[:-1]):
            q = z @ theta.T
            if member.name == "relu":
                gate = (q > 0).double()
            else:
                u = torch.relu(u @ second[level].T)
                gate = (u > 0).double()
            z = q * gate
        return (z @ weights[-1].T)[:, 0]

    jacobian = torch.stack(
        [torch.cat([g.flatten() for g in torch.autograd.grad(out, weights, retain_graph=True)]) for out in yhat()]
    )
    expected = (jacobian @ jacobian.T).numpy()
    assert np.abs(each.kernel() - expected).max() < FLOAT32_KERNEL * np.abs(expected).max()
    for number in range(stages[-1] + 1):
        error = yhat() - y
        if number in stages:
            result = errors[stages.index(number)]
            assert np.abs(result - error.detach().numpy()).max() < FLOAT32_ERRORS
        gradients = torch.autograd.grad(error.square().sum() / 2, weights)
        with torch.no_grad():
            for theta, gradient in zip(weights, gradients, strict=True):
                theta -= step * gradient


def test_the_toy_has_every_pair_of_gates_that_the_caption_allows():
    """Two levels of three nodes share one node each: 3 x 3 = 9 pairs a level, since the other two nodes may be open for
    neither, or for one of the two inputs."""
    result = npk_fig_1.cell({"width": 3}, 0)
    assert len(result["overlap"]) == 9 * 9
    assert set(result["paths"]) == {2 * 3 * 3}


def test_strengths_of_a_circular_network():
    result = dgn_fig_9.cell({"window": 2}, SEED)
    assert {name: values.tolist() for name, values in result.items()} == {
        "paths": [3.0 * 8],
        "strengths": [8.0],
        "repeats": [3.0],
    }


def digits(size):
    """The images of the digits 4 and 7 and their labels -1 and 1, by NumPy."""
    data = LabelledImages("mnist", "unit", "signs", classes=(4, 7), size=size).load(torch.float64).training()
    return data.x.numpy(), data.y[:, 0].numpy()


def theta(start, replicate, sizes):
    """The initial weights as training has them, in float32."""
    shapes = zip(sizes[1:], sizes[:-1], strict=True)
    return [start.draw(replicate, False, level, shape).astype(np.float32) for level, shape in enumerate(shapes)]


def test_the_alignment_at_the_start_is_that_of_the_path_kernel():
    result = dgn_fig_6.cell({"optimiser": "adam", "networks": 2, "epochs": 1, "examples": 8}, SEED)
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
        assert abs(result["alignment"][replicate, 0] / expected - 1) < ALIGNMENT
        assert abs(result["active"][replicate, 0] / (np.diag(paths).mean() / 50**4) - 1) < ALIGNMENT
    assert result["alignment"].shape == (2, 2)
    assert (result["training error"][:, 1] < result["training error"][:, 0]).all()


@pytest.mark.parametrize("options", [{}, {"labels": "random"}], ids=["true", "labels"])
def test_training_on_random_labels(options):
    """Accuracies after one epoch, a step of Adam on all images, beside plain networks."""
    name = " ".join(["random", *options]) if options else "true"
    result = dgn_fig_5.cell({"set": name, "epochs": 1, "size": 0}, SEED)
    images = LabelledImages("mnist", "unit", "class", seed=SEED, **options).load()
    data, held_out = images.training(), images.held_out()
    sizes = (784, *dgn_fig_5.WIDTHS, 10)
    start = Start("normal", scales_by_fan_in(sizes, 2), SEED)
    weights = [torch.from_numpy(layer) for layer in theta(start, 0, sizes)]
    shapes = zip(sizes[1:-1], sizes[:-2], strict=True)
    gates = [torch.from_numpy(start.draw(0, True, level, shape)).float() for level, shape in enumerate(shapes)]
    for kind, second in (("relu", []), ("galu", gates)):
        network = Plain(KINDS[kind], weights, second)
        rows = batches(len(data.x), dgn_fig_5.BATCH, SEED, 0, 1)
        optimiser = lambda weights: torch.optim.Adam(weights, lr=3e-4)  # noqa: E731
        taken = descend(network, data.x, data.y, "softmax-cross-entropy", optimiser, rows)
        accuracies = [100 * (network(data.x, None).argmax(dim=1) == data.y).double().mean().item() for _ in taken]
        assert np.abs(result[f"{kind} training"] - [accuracies[1:]]).max() < ROUNDED
        wrong = (network(held_out.x, None).argmax(dim=1) != held_out.y).double().mean().item()
        assert abs(result[f"{kind} test"][0] - 100 * (1 - wrong)) < ROUNDED


def test_paths_are_counted_on_both_halves_of_the_classes():
    """At the start, by a plain ReLU network: the product of the numbers of open gates, averaged over each half."""
    result = dlgn_fig_7.cell({"epochs": 1, "size": 0}, SEED)
    data = LabelledImages("fashion-mnist", "unit", "class", labels="clusters", seed=SEED).load().training()
    sizes = (784, *dlgn_fig_7.WIDTHS, 10)
    start = Start("normal", scales_by_fan_in(sizes, 2), SEED)
    z, paths = data.x.numpy(), 1.0
    for layer in theta(start, 0, sizes)[:-1]:
        q = z @ layer.T
        z, paths = np.maximum(q, 0), paths * (q > 0).sum(axis=1)
    simple = data.y.numpy() < 5
    assert abs(result["relu paths simple"][0, 0] / paths[simple].mean() - 1) < ALIGNMENT
    assert abs(result["relu paths complex"][0, 0] / paths[~simple].mean() - 1) < ALIGNMENT
    assert result["relu paths simple"].shape == (1, 4)


SHORT = {"size": 0, "epochs": 1, "examples": 10, "networks": 2, "runs": 1, "steps": 3, "samples": 20, "until": "way"}


@pytest.mark.slow
def test_every_cell_has_its_declared_numbers_and_trains_on_its_device():
    """An unknown device is refused by the settings of the training, so a cell that leaves it out is noticed."""
    for name, one in reproductions().items():
        setting = one.designs["quick"].settings[0]
        short = {**setting, **{key: value for key, value in SHORT.items() if key in setting}}
        numbers = one.cell(short, SEED)
        assert set(numbers) == set(one.numbers), name
        assert all(np.isfinite(values).all() for values in numbers.values()), name
        if "cuda" in one.devices:
            with pytest.raises(InputError, match="device = 'nowhere' is not known"):
                one.cell(short, SEED, "nowhere")
