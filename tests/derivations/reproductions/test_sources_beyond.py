"""The theory beside trained networks, and the experiments on their kernels, on small cases beside plain NumPy."""

from functools import cache
from itertools import product

import numpy as np
import pytest
import torch

from derivations.reproductions import expansions
from derivations.reproductions.catalog import reproductions
from derivations.reproductions.model import Cell
from derivations.reproductions.sources import (
    dgn_fig_8,
    dgn_fig_9,
    dlgn_circle,
    dlgn_fig_4,
    dlgn_fig_13,
    npk_kernel_scales,
    npk_regime,
)
from sim.deep import (
    ExampleSet,
    Family,
    LabelledImages,
    Settings,
    Start,
    adam,
    galu,
    momentum,
    recorded,
    scales_by_fan_in,
    train_family,
    train_linearised,
)
from tests.sim.deep.plain import KINDS, Plain
from tests.tolerances_of_reproductions import FLOAT32_KERNEL, KERNEL_LAW, LEAVING
from theory.kernels import linearised_training

SEED = 21
SMALL = {
    "npk-kernel-scales": (npk_kernel_scales, {"networks": 2, "steps": 10, "size": 0, "examples": 20}),
    "npk-regime": (npk_regime, {"networks": 2, "steps": 10, "size": 0}),
    "dgn-fig-8": (dgn_fig_8, {"networks": 2, "steps": 10, "linearised": 3, "size": 0, "examples": 8}),
    "dlgn-fig-4": (dlgn_fig_4, {"optimiser": "adam", "networks": 2, "epochs": 3}),
    "dlgn-fig-13": (dlgn_fig_13, {"steps": 10, "linearised": 10, "size": 0}),
}


@cache
def small(name):
    module, setting = SMALL[name]
    return Cell(setting, 0, module.cell(setting, SEED))


@pytest.mark.parametrize("name", SMALL)
def test_a_cell_has_the_declared_numbers_and_the_theory_beside_them(name):
    cell = small(name)
    one = reproductions()[name]
    assert set(cell.numbers) == set(one.numbers)
    assert all(np.isfinite(values).all() for values in cell.numbers.values())
    measured = one.measure([cell])
    assert set(measured) == {target.key for target in one.targets}
    beside = one.beside([cell])
    assert beside
    assert any(row.key.startswith("linearised") for row in beside)
    for row in beside:
        assert np.isfinite(row.theory)
        assert len(row.values) == len(next(iter(measured.values())))


def test_the_course_is_the_map_of_the_kernel_and_leaves_it():
    """Momentum on half the squared error: losses over that at the start beside the map of K0 along the batches."""
    rng = np.random.default_rng(5)
    x, y = torch.from_numpy(rng.normal(size=(7, 3))), torch.from_numpy(rng.normal(size=(7, 1)))
    data, stages = ExampleSet(x, y), (0, 1, 4, 9)
    family = Family((galu((5, 4)),), 2, 3, 1, Start("normal", (0.6, 0.7, 0.8), 3))
    settings = Settings("half-mse", momentum(0.5), 0.15, 3, 4, dtype=torch.float64)
    run = train_family(family, data, settings, 9, stages=stages)
    course = expansions.courses(run, train_linearised(family, data, settings, 9, stages=stages), "galu", stages, data)
    for replicate in range(2):
        orders = [
            np.random.default_rng(np.random.SeedSequence(4, spawn_key=(replicate, 2, epoch))).permutation(7)
            for epoch in range(3)
        ]
        rows = [order[start : start + 3] for order in orders for start in (0, 3, 6)]
        kernels = [expansions.kernel_at(run, "galu", stage, data)[replicate].numpy() for stage in stages]
        begun = recorded(run, "galu", 0).output[replicate, :, 0].numpy() - y[:, 0].numpy()
        mapped = (linearised_training(kernels[0], begun, 0.15, rows, stages, 0.5) ** 2).sum(axis=1)
        assert np.abs(course.linearised[replicate] / (mapped / mapped[0]) - 1).max() < KERNEL_LAW
        errors = [recorded(run, "galu", s).output[replicate, :, 0].numpy() - y[:, 0].numpy() for s in stages]
        losses = np.square(errors).sum(axis=1)
        assert np.abs(course.trained[replicate] / (losses / losses[0]) - 1).max() < KERNEL_LAW
        moved = [np.linalg.norm(kernel - kernels[0]) / np.linalg.norm(kernels[0]) for kernel in kernels]
        assert np.abs(course.change[replicate] - moved).max() < KERNEL_LAW
    numbers = course.numbers("galu")
    (row,) = expansions.beside_courses([Cell({}, 0, numbers)], {"galu": "GaLU"}, stages)
    away = np.abs(np.log(course.trained / course.linearised)) > LEAVING
    assert away.any(axis=1).all()
    assert f"first at t = {np.array(stages)[away.argmax(axis=1)].min()}" in row.text
    assert row.theory == course.linearised[:, -1].mean()


def test_a_standardised_entry_has_mean_0_and_variance_1_over_all_weights():
    """Every choice of signs of a network of two levels, whose layers have weights of their own sizes."""
    scales, x, gates = (0.5, 2.0, 3.0), [1.0, -2.0], [[1.0, 0.5], [0.25, 1.0]]
    family = Family((galu((2, 2)),), 1, 2, 1, Start("signs", scales, 0))
    found = []
    for signs in product((-1.0, 1.0), repeat=10):
        own = np.array(signs)
        layers = [own[:4].reshape(2, 2) * scales[0], own[4:8].reshape(2, 2) * scales[1], own[8:] * scales[2]]
        z1 = layers[0] @ x * gates[0]
        z2 = layers[1] @ z1 * gates[1]
        b2 = layers[2] * gates[1]
        b1 = layers[1].T @ b2 * gates[0]
        entry = z2 @ z2 + (z1 @ z1) * (b2 @ b2) + np.dot(x, x) * (b1 @ b1)
        found.append(expansions.standardised(float(entry), x, gates, family))
    assert abs(np.mean(found)) < KERNEL_LAW
    assert abs(np.square(found).mean() - 1) < KERNEL_LAW


def test_the_entry_at_the_start_is_that_of_the_jacobian():
    x = torch.tensor([0.5, -1.0, 2.0])
    data = ExampleSet(torch.stack([x, -x]), torch.tensor([[1.0], [-1.0]]))
    family = Family((galu((5, 4)),), 2, 3, 1, Start("signs", scales_by_fan_in((3, 5, 4, 1), 2), 3))
    run = train_family(family, data, Settings("half-mse", adam(), 0.1, 2, 0), 1, stages=(0,))
    found = expansions.entry_at_start(run, "galu", x)
    for replicate in range(2):
        own = run.family.of("galu", run.at(0))
        theta, second = (
            [own[name][replicate].double() for name in names] for names in (family.names, family.gating_names)
        )
        network = Plain(KINDS["galu"], theta, second)
        gradients = torch.autograd.grad(network(x.double()[None], None)[0, 0], list(network.theta))
        u, gates = x.double(), []
        for layer in second:
            u = torch.relu(layer @ u)
            gates.append((u > 0).double().tolist())
        entry = sum(float(part.square().sum()) for part in gradients)
        expected = expansions.standardised(entry, x.double().tolist(), gates, family)
        assert abs(found[replicate] - expected) < KERNEL_LAW


def test_the_first_part_of_the_tangent_kernel_is_that_of_the_values():
    """Traces of K^V and K^F before training, from the derivatives of all ten outputs."""
    found = npk_kernel_scales.cell({"networks": 1, "steps": 0, "size": 0, "examples": 20}, SEED)
    part = LabelledImages("mnist", "unit", "class", size=20).load(torch.float64).training()
    sizes = (784, *npk_kernel_scales.WIDTHS, 10)
    start = Start("normal", scales_by_fan_in(sizes, 2), SEED)
    shapes = list(zip(sizes[1:], sizes[:-1], strict=True))
    theta, second = (
        [torch.from_numpy(start.draw(0, own, level, shape)).float().double() for level, shape in enumerate(shapes)]
        for own in (False, True)
    )
    kind = KINDS["dnpfl"].__class__("relu", npk_kernel_scales.BETA, gates_learn=True)
    network = Plain(kind, theta, second[:-1])
    traces = np.zeros(2)
    for own in part.x:
        for value in network(own[None], None)[0]:
            parts = torch.autograd.grad(value, [*network.theta, *network.second], retain_graph=True)
            squares = [float(each.square().sum()) for each in parts]
            traces += sum(squares[: len(theta)]), sum(squares[len(theta) :])
    assert abs(found["trace values"][0, 0] / traces[0] - 1) < FLOAT32_KERNEL
    assert abs(found["trace gates"][0, 0] / traces[1] - 1) < FLOAT32_KERNEL


def test_halves_waves_and_half_spaces_of_the_circle():
    angles = 2 * np.pi * (np.arange(256) + 0.5) / 256
    waves = torch.from_numpy(0.5 * np.sin(10 * angles[:128]) + 3 * np.sin(2 * angles[:128]))
    assert abs(float(dlgn_fig_4._waves(waves[None])[0]) - 0.25) < KERNEL_LAW
    errors = np.array([[0.5, 0.4, 0.05, 0.01], [0.5, 0.4, 0.3, 0.2], [0.5, 0.04, 0.3, 0.2]])
    assert dlgn_fig_4._first(errors).tolist() == [2, 3, 1]
    setting = {"optimiser": "adam", "networks": 2, "epochs": 2}
    found = dlgn_fig_4.cell(setting, SEED)
    sizes = (2, *dlgn_circle.WIDTHS, 1)
    start = Start("normal", scales_by_fan_in(sizes, dlgn_circle.GAINS["pytorch"]), SEED)
    x = np.stack([np.cos(angles), np.sin(angles)])
    y = np.where(angles < np.pi, np.sin(2 * angles), np.sin(8 * angles))
    for replicate in range(2):
        layers, gating = (
            [
                start.draw(replicate, own, level, shape).astype(np.float32)
                for level, shape in enumerate(zip(sizes[1:], sizes[:-1], strict=True))
            ]
            for own in (False, True)
        )
        z = x
        for layer in layers[:-1]:
            z = np.maximum(layer @ z, 0)
        squares = ((layers[-1] @ z)[0] - y) ** 2
        assert abs(found["relu upper"][replicate, 0] - squares[:128].mean()) < FLOAT32_KERNEL
        assert abs(found["relu lower"][replicate, 0] - squares[128:].mean()) < FLOAT32_KERNEL
        p = x
        for layer in gating[:-1]:
            p = layer @ p
        near = ((p >= 0) == (angles < np.pi)).mean(axis=1) >= 0.8
        assert found["upper half-spaces"][replicate, 0] == near.mean()


def test_the_measures_of_the_circle_are_positive_where_the_statements_hold():
    stages = len(dlgn_fig_4.EPOCHS)
    late = np.where(np.arange(stages) >= stages - 1, 0.01, 0.5)[None]
    early = np.where(np.arange(stages) >= 1, 0.01, 0.5)[None]
    numbers = {f"{name} moved": np.array([0.7]) for name in ("relu", "dlgn")}
    numbers |= {f"{name} upper": early for name in ("relu", "dlgn")} | {
        f"{name} lower": late for name in ("relu", "dlgn")
    }
    numbers |= {"dlgn waves": np.array([0.1]), "fixed-dlgn waves": np.array([0.2])}
    found = dlgn_fig_4.measure(
        [Cell({"optimiser": "adam"}, 0, numbers | {"upper half-spaces": np.array([[0.25, 0.75]])})]
    )
    assert abs(found["far, relu"][0] - 0.2) < KERNEL_LAW
    assert abs(found["upper first, dlgn"][0] - np.log(2000)) < KERNEL_LAW
    assert abs(found["ten times later, dlgn"][0] - np.log(200)) < KERNEL_LAW
    assert abs(found["waves"][0] - np.log(2)) < KERNEL_LAW
    assert (found["half-spaces turn"][0], found["half-spaces"][0]) == (0.5, 0.75)


def test_nu_is_compared_with_that_of_random_gates_from_the_first_epoch_on():
    places = len(dgn_fig_8.STEPS)
    values = np.ones((1, places))
    other = np.exp(np.where(np.arange(places) == 0, 5.0, -0.5))[None]  # larger before training alone
    numbers = {"galu nu": values, "gates nu": values * 2, "gates nu by trace": other}
    numbers |= {f"{name} nu": other for name in (*dgn_fig_8.ADAPT, "flnpf")}
    found = dgn_fig_8.measure([Cell({}, 0, numbers)])
    assert abs(found["below, flnpf"][0] - 0.5) < KERNEL_LAW
    assert found["falls, gates nu"][0] == 0
    assert abs(found["falls, gates nu by trace"][0] - 5.5) < KERNEL_LAW


@pytest.mark.parametrize(("window", "strengths"), [(2, 8), (1, 1), (3, 27)])
def test_strengths_of_a_circular_network(window, strengths):
    found = dgn_fig_9.cell({"window": window}, SEED)
    assert {name: values.tolist() for name, values in found.items()} == {
        "paths": [3.0 * strengths],
        "strengths": [float(strengths)],
        "repeats": [3.0],
    }


def test_one_kernel_gives_one_expansion():
    """ReLU and FRNPF with its weights as gates have the same output and slopes at the start."""
    cell = small("npk-regime")
    assert np.array_equal(cell.numbers["relu expanded"], cell.numbers["frnpf-same expanded"])
    assert np.array_equal(cell.numbers["relu linearised"], cell.numbers["frnpf-same linearised"])
    assert not np.array_equal(cell.numbers["relu trained"], cell.numbers["frnpf-same trained"])
