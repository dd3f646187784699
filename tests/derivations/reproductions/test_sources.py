"""The registered experiments: their cells beside plain loops, their declarations, and their stored results."""

import json
import re

import numpy as np
import pytest
import torch

from derivations.markdown import plain
from derivations.reproductions import scoreboard, scoreboard_page, stored
from derivations.reproductions.catalog import named, reproductions
from derivations.reproductions.model import Cell
from derivations.reproductions.networks import network
from derivations.reproductions.rules import NOT_REPRODUCED, together, verdict
from derivations.reproductions.sources import (
    dgn_fig_4,
    dgn_fig_8,
    dgn_fig_10,
    dlgn_circle,
    dlgn_fig_4,
    npk_fig_1,
    npk_kernel_scales,
)
from sim.deep import SGD, Settings, Start, frg, galu, recorded, relu, train_family
from tests.theory.kernels import enumeration
from tests.tolerances import SIM_GRADIENT
from tests.tolerances_of_reproductions import FLOAT32_ERRORS, FLOAT32_KERNEL, LEAVING
from theory.claims.documents import DOCUMENTS
from theory.problem import InputError
from theory.problem.datasets.known import DATASETS

EVERY = sorted(reproductions().values(), key=lambda one: one.name)
STORED = [one for one in EVERY if stored.read(one.name)]
by_name = pytest.mark.parametrize("one", EVERY, ids=lambda one: one.name)
stored_ones = pytest.mark.parametrize("one", STORED, ids=lambda one: one.name)


@by_name
def test_a_declaration_is_whole(one):
    assert one.source in DOCUMENTS
    assert set(one.datasets) <= set(DATASETS)
    assert set(one.designs) == {"quick", "full"}
    assert one.designs["quick"].seconds <= 30
    assert 0 < one.designs["full"].seconds <= 3 * 3600 or "cifar-10" in one.datasets
    assert one.unsaid
    assert one.rule.endswith(".")
    assert all(plain(text) for text in (one.title, *(target.printed for target in one.targets)))
    assert len({target.key for target in one.targets}) == len(one.targets)


def test_an_unknown_name_lists_those_that_exist():
    with pytest.raises(InputError, match="'dgn-fig-11'") as refused:
        named(["dgn-fig-10", "dgn-fig-11"])
    assert "npk-fig-1" in refused.value.hint


@stored_ones
def test_stored_verdicts_follow_from_the_stored_intervals(one):
    """They are those of the registered definition, of all its targets; what fails or has no verdict is explained."""
    content = stored.read(one.name)
    targets = {target.key: target for target in one.targets}
    assert content["definition"] == one.definition("full")
    assert [row["key"] for row in content["rows"]] == list(targets)
    for row in content["rows"]:
        assert row["verdict"] == verdict(targets[row["key"]], row["low"], row["high"]), row["key"]
        target = targets[row["key"]]
        assert bool(target.explains) == (row["verdict"] == NOT_REPRODUCED or bool(target.instead)), row["key"]
    assert content["verdict"] == together([row["verdict"] for row in content["rows"]])
    design = one.designs["full"]
    assert content["cells"] == design.seeds * len(design.settings)


def test_a_result_that_was_edited_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(stored, "RESULTS", tmp_path)
    content = {"name": "coins", "profile": "full", "verdict": "ORDER"}
    path = stored.write(content)
    assert stored.read("coins") == content
    path.write_text(path.read_text().replace("ORDER", "REPRODUCED"))
    with pytest.raises(InputError, match="was changed"):
        stored.read("coins")
    with pytest.raises(InputError, match="quick"):
        stored.write({**content, "profile": "quick"})


def test_the_scoreboard_has_every_experiment():
    text = scoreboard_page.page(lambda name: f"![the figure of {name}]", lambda title, folded: f"({title})\n{folded}")
    for one in EVERY:
        assert f"| [`{one.name}`](#{one.name}) |" in text
        assert f'<a id="{one.name}"></a>\n\n## {one.title}\n' in text
        if one not in STORED:
            assert all(f"| {target.key} | {target.printed} |" in text for target in one.targets)
    for one in STORED:
        assert f"![the figure of {one.name}]" in text
        rows = json.loads((stored.RESULTS / f"{one.name}.json").read_text())["rows"]
        assert all(f"| {row['key']} | {row['printed']} |" in text for row in rows)


def test_a_result_of_another_definition_is_stale(monkeypatch):
    content = stored.read("npk-fig-1")
    monkeypatch.setattr(stored, "read", lambda name: {**content, "definition": "another"})
    found = {entry.name: entry.verdict for entry in scoreboard.entries()}
    assert found["npk-fig-1"] == "STALE"


def test_deep_linear_networks_beside_a_plain_loop():
    """Experiment 8 in NumPy: products of matrices, gradients by the product rule, and K as the sum of their squares."""
    depth, networks, seed = 4, 2, 17
    found = dgn_fig_10.cell({"depth": depth, "networks": networks}, seed)
    width = dgn_fig_10.WIDTH
    start = Start("signs", (width**-0.5,) * depth, seed)
    sizes = [1, *[width] * (depth - 1), 1]
    for own in range(networks):
        layers = [start.draw(own, False, level, (sizes[level + 1], sizes[level])) for level in range(depth)]
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
            assert abs(found["square"][own, step] - error**2) < allowed
            assert abs(found["kernel"][own, step] / kernel - 1) < allowed
            assert abs(found["norm"][own, step] / norm - 1) < allowed
            layers = [theta - 0.1 / depth * error * g for theta, g in zip(layers, gradients, strict=True)]


@pytest.mark.parametrize("kind", [relu, galu, lambda widths: frg(widths, "1/2", 5)], ids=["relu", "galu", "frg"])
def test_kernel_and_training_beside_autograd(kind):
    """K0 from the Jacobian at held gates, and gradient descent on 1/2 sum e^2, both by autograd."""
    rng = np.random.default_rng(3)
    data = {"x": rng.uniform(-1, 1, (5, 2)), "y": rng.uniform(-1, 1, 5)}
    member = kind((6, 6))
    own = network(member, data, 11)
    stages, step = (0, 1, 3), 0.02
    errors = own.errors(step, stages)
    family = own.family
    parameters = family.starting(torch.float32)
    weights = [parameters[name][0].double().requires_grad_() for name in family.names]
    second = [parameters[name][0].double() for name in family.gating_names]
    x, y = (torch.from_numpy(data[name]) for name in ("x", "y"))
    held = _gates_of_examples(own, member)

    def yhat():
        z, u = x, x
        for level, theta in enumerate(weights[:-1]):
            q = z @ theta.T
            if member.name == "relu":
                gate = (q > 0).double()
            elif member.name == "galu":
                u = torch.relu(u @ second[level].T)
                gate = (u > 0).double()
            else:
                gate = held[level]
            z = q * gate
        return (z @ weights[-1].T)[:, 0]

    jacobian = torch.stack(
        [torch.cat([g.flatten() for g in torch.autograd.grad(out, weights, retain_graph=True)]) for out in yhat()]
    )
    expected = (jacobian @ jacobian.T).numpy()
    assert np.abs(own.kernel() - expected).max() < FLOAT32_KERNEL * np.abs(expected).max()
    for number in range(stages[-1] + 1):
        error = yhat() - y
        if number in stages:
            found = errors[stages.index(number)]
            assert np.abs(found - error.detach().numpy()).max() < FLOAT32_ERRORS
        gradients = torch.autograd.grad(error.square().sum() / 2, weights)
        with torch.no_grad():
            for theta, gradient in zip(weights, gradients, strict=True):
                theta -= step * gradient


def _gates_of_examples(own, member):
    """The drawn gates of the first replicate, on all examples, in float64."""
    gating = member.network.gating
    if member.name != "frg":
        return []
    return [torch.from_numpy(np.asarray(gating.drawn(level, 5, 6, 0), dtype=float)) for level in (1, 2)]


@pytest.mark.parametrize(("step", "leaves"), [(0.001, False), (0.05, True)], ids=["stays", "leaves"])
def test_the_course_beside_the_iteration_with_the_first_kernel(step, leaves):
    """The first stage at which |e_t| and the iteration differ by more than 5 %, and the kernel of that stage."""
    rng = np.random.default_rng(3)
    data = {"x": rng.uniform(-1, 1, (5, 2)), "y": rng.uniform(-1, 1, 5)}
    own, stages = network(galu((6, 6)), data, 11), (0, 1, 2, 3, 5, 8)
    kernel, errors = own.kernel(), own.errors(step, stages)
    course = own.course(kernel, step, stages)
    iterated = [errors[0]]
    for _ in range(stages[-1]):
        iterated.append(iterated[-1] - step * kernel @ iterated[-1])
    sizes = np.linalg.norm(errors, axis=1)
    linear = np.linalg.norm(np.array(iterated)[list(stages)], axis=1)
    assert np.abs(course.trained - sizes / sizes[0]).max() < SIM_GRADIENT
    assert np.abs(course.linearised - linear / linear[0]).max() < SIM_GRADIENT
    away = [stage for stage, a, b in zip(stages, sizes, linear, strict=True) if abs(np.log(a / b)) > LEAVING]
    assert course.left == (away[0] if away else -1)
    assert bool(away) == leaves
    run = train_family(own.family, own.data, descent(step, 5), away[0] if away else stages[-1])
    found = recorded(run, "galu", run.state.step)
    weights = [found.parameters[name][0].double().requires_grad_() for name in own.family.names]
    moved = _jacobian_kernel(weights, own.data.x.double(), [level[0].double() for level in found.gates])
    change = np.linalg.norm(moved - kernel) / np.linalg.norm(kernel)
    assert abs(course.change - change) < FLOAT32_KERNEL


def descent(step, examples):
    """Gradient descent on 1/2 sum e^2, whose loss is a mean in `Settings`."""
    return Settings("half-mse", SGD, step * examples, batch=examples, seed=0)


def _jacobian_kernel(weights, x, gates):
    """K at held gates by autograd."""
    z = x
    for theta, gate in zip(weights[:-1], gates, strict=True):
        z = (z @ theta.T) * gate
    rows = [
        torch.cat([g.flatten() for g in torch.autograd.grad(out, weights, retain_graph=True)])
        for out in (z @ weights[-1].T)[:, 0]
    ]
    return (torch.stack(rows) @ torch.stack(rows).T).numpy()


def test_when_deep_linear_networks_leave_the_linearised_training():
    """Two networks with made-up courses: one leaves at step 4, one stays; K of the first has then doubled."""
    depth, steps = 2, dgn_fig_10.STEPS + 1
    at = np.arange(steps)
    linear = (1 - 0.1 / depth * 2.0) ** at
    errors = np.stack([np.where(at >= 4, 1.06, 1.0) * linear, linear])
    kernels = np.stack([np.where(at == 4, 4.0, 2.0), np.where(at == steps - 1, 2.5, 2.0)])
    cell = Cell({"depth": depth}, 0, {"square": errors**2, "kernel": kernels, "norm": np.ones((2, steps))})
    found = next(row for row in dgn_fig_10.beside([cell]) if row.key == "linearised, d = 2")
    assert found.text.endswith("1 of 2 runs leaves it by more than 5 %, first at t = 4, where K has changed by 1")
    assert abs(found.theory - linear[10]) < SIM_GRADIENT
    assert np.abs(found.values - errors[:, 10]).max() < SIM_GRADIENT
    stays = Cell({"depth": depth}, 0, {name: values[1:] for name, values in cell.numbers.items()})
    found = next(row for row in dgn_fig_10.beside([stays]) if row.key == "linearised, d = 2")
    assert found.text.endswith("no run leaves it by more than 5 %; at t = 25 K has changed by 0.25")


def test_an_entry_of_galu_is_standardised_by_all_signs_of_the_weights():
    """Given the gates, mean and variance of K0(1, 1) from the enumeration of all weights +-1; s^2 = 2/w = 1."""
    x, gates = [1, 2], [[1, 0], [1, 1]]
    first, second = (float(enumeration.moment([x], [gates], [(0, 0)] * power)) for power in (1, 2))
    entry = first + 1.5 * (second - first**2) ** 0.5
    names = [
        f"{kind} {key}" for kind in ("galu", "relu") for key in ("trained", "linearised", "left", "change", "trace")
    ]
    numbers = dict.fromkeys(names, np.ones((1, len(dgn_fig_4.STAGES))))
    numbers |= {"galu entry": np.array([entry]), "galu open": np.array([[1, 2]]), "x": np.array([x], dtype=float)}
    rows = {row.key: row for row in dgn_fig_4.beside([Cell({"width": 2, "depth": 3}, 0, numbers)])}
    assert abs(rows["galu entry, d = 3"].values[0] - 1.5**2) < SIM_GRADIENT


def test_the_toy_has_every_pair_of_gates_that_the_caption_allows():
    """Two levels of three nodes share one node each: 3 x 3 = 9 pairs a level, since the other two nodes may be open for
    neither, or for one of the two inputs."""
    found = npk_fig_1.cell({"width": 3}, 0)
    assert len(found["overlap"]) == 9 * 9
    assert set(found["paths"]) == {2 * 3 * 3}


def test_shares_of_active_paths():
    """Shares of the circle's upper half, beside a sum over all paths for each example."""
    data = dlgn_circle.circle()
    family = dlgn_circle.Family((dlgn_circle.dlgn((2, 3), 10),), 2, 2, 1, Start("normal", (1.0, 1.0, 1.0), 8))
    settings = dlgn_circle.Settings("mse", dlgn_circle.SGD, 0.01, batch=256, seed=0)
    run = dlgn_circle.train_family(family, data, settings, 1, stages=(0,))
    gates = [level.numpy() >= 0.5 for level in recorded(run, "dlgn", 1).gates]
    found = dlgn_circle._share(run, "dlgn", 1)
    for own in range(2):
        active = [
            sum(bool(gates[0][own, s, j] and gates[1][own, s, k]) for j in range(2) for k in range(3))
            for s in range(256)
        ]
        assert found[own] == sum(active[:128]) / sum(active)


def test_epochs_until_a_loss_are_those_of_the_first_look():
    """A run in chunks stops each network where its loss is first at most 1/4 after whole epochs."""
    numbers = dlgn_circle.cell({"optimiser": "adam", "start": "he", "networks": 2, "epochs": 3}, 5)
    assert (numbers["relu epochs"] <= 3).all()
    assert set(numbers) == set(reproductions()["dlgn-circle"].numbers)
    assert all(((values >= 0) & (values <= 1)).all() for name, values in numbers.items() if "epochs" not in name)


# Numbers at several steps: how their names read, and how many steps there are.
SERIES = {
    "dgn-fig-8": (r".* nu( by trace)?", len(dgn_fig_8.STEPS)),
    "dlgn-fig-13": (r".* (overlap|tangent|diagonal)", 3),
    "dlgn-fig-4": (r".* (upper|lower|half-spaces)", len(dlgn_fig_4.EPOCHS)),
    "npk-kernel-scales": (r"(trace|norm) .*", len(npk_kernel_scales.STEPS)),
}


@by_name
def test_measured_keys_are_targets(one):
    """Of cells with the shapes of the full design, `measure` gives every target, and no other key."""
    design = one.designs["full"]
    shapes = dict.fromkeys(("square", "kernel", "norm"), (dgn_fig_10.STEPS + 1,))
    shapes |= {name: (6,) for name in one.numbers if name.endswith(("trained", "linearised"))}
    shapes |= {name: (8,) for name in one.numbers if name.endswith(("spectrum", "eigenvalues"))}
    shapes |= {name: (4,) for name in one.numbers if " paths " in name}
    shapes |= dict.fromkeys(("relu training", "galu training"), (5,)) if one.name == "dgn-fig-5" else {}
    shapes |= dict.fromkeys(("alignment", "training error", "active", "change"), (5,))
    shapes |= {name: (40,) for name in one.numbers if re.fullmatch(r"(first |last )?w\d?|yx( in class 1)?", name)}
    shapes |= dict.fromkeys(("xx", "xx in class 1"), (40 * 40,))
    series, length = SERIES.get(one.name, ("", 0))
    shapes |= {name: (length,) for name in one.numbers if re.fullmatch(series, name)}
    rng = np.random.default_rng(6)
    cells = [
        Cell(setting, index, {name: rng.uniform(0.2, 0.9, (2, *shapes.get(name, ()))) for name in one.numbers})
        for setting in design.settings
        for index in range(2)
    ]
    assert set(one.measure(cells)) == {target.key for target in one.targets}
