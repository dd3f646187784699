"""The theory beside experiments that has runs of its own: its courses beside plain networks, its cells, its words."""

from copy import deepcopy
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
import torch

from derivations.answers import reproduce
from derivations.reproductions import expansions, scoreboard, scoreboard_page, stored
from derivations.reproductions.catalog import reproductions
from derivations.reproductions.model import (
    LINEARISED,
    PREDICTION,
    Beside,
    Cell,
    Design,
    Reproduction,
    Target,
    Theory,
    pooled,
)
from derivations.reproductions.running import code_of, run, run_with_theory
from derivations.reproductions.sources import dgn_fig_5, dlgn_circle, dlgn_fig_7, npk_table_2
from derivations.sweeps.store import Store
from sim.deep import ExampleSet, Family, LabelledImages, Settings, Start, adam, galu, scales_by_fan_in, train_family
from tests.sim.deep.architectures import after, convolved, flat
from tests.sim.deep.plain import Kind, Plain, batches, descend, linear, loss
from tests.tolerances_of_reproductions import FLOAT32_COURSE, KERNEL_LAW

SEED = 21
APART = {name: one.theory for name, one in reproductions().items() if one.theory is not None}
SMALL = {"size": 0, "steps": 3, "networks": 2, "epochs": 1, "runs": 2, "width": 2, "filters": 2, "nodes": 3}


def test_every_experiment_has_its_theory_or_says_why_not():
    for one in reproductions().values():
        assert sum(map(bool, (one.beside, one.theory, one.no_theory))) == 1, one.name
        assert one.no_theory == "" or one.no_theory.endswith(".")


def small(name):
    """A cell of a theory: its first quick setting with small numbers."""
    setting = APART[name].designs["quick"].settings[0]
    setting = {**setting, **{key: value for key, value in SMALL.items() if key in setting}}
    return Cell(setting, 0, APART[name].cell(setting, SEED))


@pytest.mark.parametrize("name", APART)
def test_a_cell_has_the_declared_numbers_and_gives_the_rows(name):
    theory, cell = APART[name], small(name)
    assert theory.name == f"{name}-theory"
    assert set(cell.numbers) == set(theory.numbers)
    runs = {len(values) for values in cell.numbers.values()}
    assert len(runs) == 1
    for key, values in cell.numbers.items():
        assert np.isfinite(values).all()
        if key.endswith((" trained", " linearised")):
            assert (values[:, 0] == 1).all()
            assert (values[:, 1] != 1).all()
    alike = [Cell({**cell.setting, **other}, 0, cell.numbers) for other in OTHERS.get(name, [{}])]
    rows = theory.beside(alike)
    assert len({row.key for row in rows}) == len(rows)
    assert {(row.key.split(",")[0], row.kind) for row in rows} <= {("entry", PREDICTION), ("linearised", LINEARISED)}
    kinds = [key for key in theory.numbers if key.endswith(" trained")]
    assert sum(row.key.startswith("linearised") for row in rows) == len(kinds) * len(alike)


# Settings by which the rows of a theory differ, where a row needs one of them.
OTHERS = {
    "dgn-fig-5": [{"set": "true"}, {"set": "random labels"}],
    "npk-table-2-mnist": [{"optimiser": "adam"}, {"optimiser": "sgd"}],
    "dlgn-circle-he": [{"optimiser": "adam"}, {"optimiser": "sgd"}],
    "dgn-table-4": [{"kind": "dln"}, {"kind": "relu"}],
}


@pytest.mark.parametrize("name", APART)
def test_full_settings_have_the_entries_of_quick_ones(name):
    designs = APART[name].designs
    assert {tuple(sorted(setting)) for design in designs.values() for setting in design.settings} == {
        tuple(sorted(designs["quick"].settings[0]))
    }


def drawn(start, sizes, second=False):
    shapes = list(zip(sizes[1:], sizes[:-1], strict=True))
    return [torch.from_numpy(start.draw(0, second, level, shape)).float() for level, shape in enumerate(shapes)]


def by_adam(rate):
    return lambda own: torch.optim.Adam(own, lr=rate)


def by_sgd(rate):
    return lambda own: torch.optim.SGD(own, lr=rate)


MNIST = LabelledImages("mnist", "unit", "class")
# By name: the setting, the examples, hidden widths, variance of the weights times the fan-in, batch, optimiser, loss,
# and the kinds with whether they have a second network.
PLAIN = {
    "dgn-fig-5": (
        {"set": "random labels", "steps": 3, "size": 0},
        replace(MNIST, labels="random", seed=SEED),
        (dgn_fig_5.WIDTHS, 2, 128, by_adam(3e-4), "softmax-cross-entropy"),
        {"relu": (Kind("relu itself"), False), "galu": (Kind("relu"), True)},
    ),
    "dlgn-fig-7": (
        {"steps": 3, "size": 0},
        LabelledImages("fashion-mnist", "unit", "class", labels="clusters", seed=SEED),
        (dlgn_fig_7.WIDTHS, 2, 32, by_adam(2e-4), "softmax-cross-entropy"),
        {"relu": (Kind("relu itself"), False)},
    ),
    "dlgn-fig-7-pytorch": (
        {"start": "pytorch", "steps": 3, "size": 0},
        LabelledImages("fashion-mnist", "unit", "class", labels="clusters", seed=SEED),
        (dlgn_fig_7.WIDTHS, 1 / 3, 32, by_adam(2e-4), "softmax-cross-entropy"),
        {"dlgn-pwc": (Kind("linear", dlgn_fig_7.BETA, ones=True, gates_learn=True), True)},
    ),
    "npk-table-2-mnist": (
        {"optimiser": "sgd", "rate": 0.01, "epochs": 1, "steps": 3, "size": 0, "runs": 1},
        MNIST,
        (npk_table_2.WIDTHS, 2, 32, by_sgd(0.01), "softmax-cross-entropy"),
        {"relu": (Kind("relu itself"), False), "dnpfl": (Kind("relu", npk_table_2.BETA, gates_learn=True), True)},
    ),
    "dlgn-circle-he": (
        {"optimiser": "sgd", "start": "he", "networks": 1, "epochs": 3},
        None,
        (dlgn_circle.WIDTHS, 2, 32, by_sgd(0.01), "mse"),
        {"relu": (Kind("relu itself"), False), "fixed-dlgn": (Kind("linear", closed_at_zero=False), True)},
    ),
}


def plain_courses(network, data, rows, optimiser, kind):
    """The losses on all examples before each step and after the last one, of a network and of its expansion."""
    first = deepcopy(network)
    taken = descend(network, data.x, data.y, kind, optimiser, rows)
    trained = [loss(kind, network(data.x, None), data.y).item() for _ in taken]
    learned = [weights for weights in first.parameters() if weights.requires_grad]
    moves = [torch.nn.Parameter(torch.zeros_like(weights)) for weights in learned]

    def expanded(x):
        """yhat + J move: J move is the derivative in v of v^T J, along the move."""
        yhat = first(x, None)
        v = torch.zeros_like(yhat, requires_grad=True)
        product = torch.autograd.grad(yhat, learned, v, create_graph=True)
        (moved,) = torch.autograd.grad(product, v, moves, create_graph=True)
        return yhat.detach() + moved

    moving, linearised = optimiser(moves), [trained[0]]
    for own in rows:
        moving.zero_grad()
        loss(kind, expanded(data.x[own]), data.y[own]).backward()
        moving.step()
        linearised.append(loss(kind, expanded(data.x), data.y).item())
    return np.array(trained) / trained[0], np.array(linearised) / trained[0]


@pytest.mark.parametrize("name", PLAIN)
def test_courses_are_those_of_plain_networks_and_of_their_expansions(name):
    setting, images, (widths, gain, batch, optimiser, kind), kinds = PLAIN[name]
    found = APART[name].cell(setting, SEED)
    data = dlgn_circle.circle() if images is None else images.load().training()
    sizes = (data.x.shape[1], *widths, 1 if images is None else 10)
    stages = (0, 1, 3) if images else (0, 8, 16, 24)
    start = Start("normal", scales_by_fan_in(sizes, gain), SEED)
    for member, (own, has_second) in kinds.items():
        network = Plain(own, drawn(start, sizes), drawn(start, sizes, True)[:-1] if has_second else [])
        rows = batches(len(data.x), batch, SEED, 0, stages[-1])
        expected = plain_courses(network, data, rows, optimiser, kind)
        for key, course in zip(expansions.COURSE, expected, strict=False):
            assert np.abs(found[f"{member} {key}"][0] / course[list(stages)] - 1).max() < FLOAT32_COURSE


def test_a_convolutional_network_and_its_expansion():
    setting = {"kind": "relu", "beta": 0, "epsilon": "0", "width": 2, "steps": 3, "size": 0}
    found = APART["dgn-table-4"].cell(setting, SEED)
    data = LabelledImages("cifar-10", "unit", "class").load().training()
    channels = [(after_, before, 3, 3) for before, after_ in pairwise((3, 2, 2, 4, 4))]
    shapes = [*channels, (8, 4 * 32 * 32), (8, 8), (10, 8)]
    start = Start("normal", tuple((2 / np.prod(shape[1:])) ** 0.5 for shape in shapes), SEED)
    theta = [torch.from_numpy(start.draw(0, False, level, shape)).float() for level, shape in enumerate(shapes)]
    products = [*[convolved(1)] * 4, after(flat), linear, linear]
    network = Plain(Kind("relu itself"), theta, [], products=products, shape=(3, 32, 32))
    rows = batches(len(data.x), 32, SEED, 0, 3)
    expected = plain_courses(network, data, rows, by_adam(3e-4), "softmax-cross-entropy")
    for key, course in zip(("trained", "linearised"), expected, strict=True):
        assert np.abs(found[f"network {key}"][0] / course[[0, 1, 3]] - 1).max() < FLOAT32_COURSE


def test_the_features_of_flnpf_are_learned_before_its_course_begins():
    """With no training before, its gates would be those of the weights at the start, and its course that of FRNPF."""
    setting = {"optimiser": "sgd", "rate": 0.1, "epochs": 2, "steps": 1, "size": 0, "runs": 1}
    data, sizes = MNIST.load().training(), (784, *npk_table_2.WIDTHS, 10)
    start, values = (Start("normal", scales_by_fan_in(sizes, 2), seed) for seed in (SEED, SEED ^ 1))
    teacher = Plain(Kind("relu itself"), drawn(start, sizes), [])
    steps = 2 * -(-len(data.x) // npk_table_2.BATCH)
    rows = batches(len(data.x), npk_table_2.BATCH, SEED, 0, steps)
    *_, learned = descend(teacher, data.x, data.y, "softmax-cross-entropy", by_sgd(0.1), rows)
    network = Plain(Kind("relu"), drawn(values, sizes), learned[:-1])
    rows = batches(len(data.x), npk_table_2.BATCH, SEED, 0, 1)
    expected = plain_courses(network, data, rows, by_sgd(0.1), "softmax-cross-entropy")
    found = APART["npk-table-2-mnist"].cell(setting, SEED)
    for key, course in zip(("trained", "linearised"), expected, strict=True):
        assert np.abs(found[f"flnpf {key}"][0] / course - 1).max() < FLOAT32_COURSE


def test_entries_are_those_of_more_networks_of_the_family():
    data = ExampleSet(torch.tensor([[0.5, -1.0, 2.0], [1.0, 0.0, 0.0]]), torch.tensor([[1.0], [-1.0]]))
    family = Family((galu((9, 9)),), 2, 3, 1, Start("signs", scales_by_fan_in((3, 9, 9, 1), 2), 3))
    settings = Settings("half-mse", adam(), 0.1, 2, 0)
    found = expansions.entries(family, "galu", data, settings, 3)
    six = train_family(replace(family, replicates=6), data, settings, 0, stages=(0,))
    assert found.shape == (2, 3)
    assert np.abs(found.ravel() - expansions.entry_at_start(six, "galu", data.x[0])).max() < KERNEL_LAW


def grown(last, stay):
    """The numbers of two runs whose expansions end at `last`, and of `stay` runs whose expansions end at 0.4."""
    linearised = np.array([[1.0, last], [1.0, last], *[[1.0, 0.4]] * stay])
    return Cell({}, 0, {"relu trained": np.array([[1.0, 0.5]] * len(linearised)), "relu linearised": linearised})


@pytest.mark.parametrize("last", [1e30, np.inf, np.nan])
def test_expansions_that_grow_are_counted_and_in_no_mean(last):
    (row,) = expansions.beside_courses([grown(last, 2)], {"relu": "ReLU"}, (0, 9))
    assert "2 of 4 expansions grow beyond their start, and the means are those of the others" in row.text
    assert "4 of 4 runs leave it by more than 5 %, first at t = 9" in row.text
    assert (row.theory, row.values.tolist()) == (0.4, [0.5, 0.5])


def test_one_run_whose_expansion_does_not_grow_is_shown_with_its_value():
    numbers = {"relu trained": np.array([[1.0, 0.5]]), "relu linearised": np.array([[1.0, 0.4]])}
    (row,) = expansions.beside_courses([Cell({}, 0, numbers)], {"relu": "ReLU"}, (0, 9))
    assert "grow" not in row.text
    assert (row.theory, row.values.tolist()) == (0.4, [0.5])


@pytest.mark.parametrize("stay", [0, 1])
def test_expansions_of_which_too_few_stay_are_a_share(stay):
    (row,) = expansions.beside_courses([grown(np.nan, stay)], {"relu": "ReLU"}, (0, 9))
    assert f"2 of {2 + stay} expansions grow beyond their start, the theory here is their share" in row.text
    assert (row.theory, row.values) == (1 - stay / (2 + stay), None)


def cell_of_theory(_setting, seed):
    return {"other": np.random.default_rng(seed).normal(size=4)}


def cell(_setting, seed):
    return {"number": np.random.default_rng(seed).normal(2, 0.1, 3)}


def beside(cells):
    return (Beside("other", "the other number", 0.0, pooled(cells, "other")),)


THEORY = Theory(
    name="coins-theory",
    designs={name: Design("four draws", ({"depth": 1},), 3, 7200) for name in ("quick", "full")},
    numbers=("other",),
    cell=cell_of_theory,
    beside=beside,
)
COINS = Reproduction(
    name="coins",
    title="Coins",
    source="deep-gated-networks",
    place="Figure 0",
    setup="",
    unsaid=(),
    rule="",
    targets=(Target("number", "2", 2.0, margin=10.0),),
    designs={name: Design("", ({"depth": 2},), 2, 1) for name in ("quick", "full")},
    numbers=("number",),
    cell=cell,
    measure=lambda cells: {"number": pooled(cells, "number")},
    theory=THEORY,
)


def test_the_theory_has_cells_of_its_own_in_the_same_store(tmp_path):
    told = []
    ran = run_with_theory(COINS, "full", tmp_path / "store", lambda *given: told.append(given))
    assert told == [(0, 5), (1, 5), (2, 5), (2, 5), (3, 5), (4, 5), (5, 5)]
    assert (ran.made, ran.theory.made, len(Store(tmp_path / "store").names())) == (2, 3, 5)
    again = run_with_theory(COINS, "full", tmp_path / "store")
    assert (again.made, again.theory.made) == (0, 0)
    found = stored.result(COINS, "full", ran)
    assert found["theory"]["definition"] == THEORY.definition("full") != found["definition"]
    assert (found["cells"], found["theory"]["cells"]) == (2, 3)
    (row,) = found["beside"]
    assert row["mean"] == float(f"{np.mean([one.numbers['other'] for one in ran.theory.finished]):.6g}")


def test_the_theory_is_no_part_of_the_definition_of_the_experiment():
    other = replace(THEORY, designs={**THEORY.designs, "full": replace(THEORY.designs["full"], seeds=9)})
    assert replace(COINS, theory=other).definition("full") == COINS.definition("full")
    assert other.definition("full") != THEORY.definition("full")
    assert code_of(COINS).split("+")[-1].startswith("coins-")


def test_the_theory_is_put_beside_a_stored_result(tmp_path, monkeypatch):
    monkeypatch.setattr(stored, "RESULTS", tmp_path)
    monkeypatch.setattr(stored, "named", lambda _names: (COINS,))
    first = stored.result(replace(COINS, theory=None), "full", run(COINS, "full", tmp_path / "one"))
    monkeypatch.setattr("sys.argv", ["stored", "coins", "--theory", "--store", str(tmp_path / "two")])
    with pytest.raises(SystemExit, match="coins has no stored result"):
        stored.main()
    assert not (tmp_path / "two").exists()
    stored.write(first)
    stored.main()
    second = stored.read("coins")
    assert {key: second[key] for key in first if key != "beside"} == {
        key: value for key, value in first.items() if key != "beside"
    }
    assert (second["beside"][0]["key"], second["theory"]["cells"], first["beside"]) == ("other", 3, [])
    monkeypatch.setattr(stored, "named", lambda _names: (replace(COINS, theory=None),))
    with pytest.raises(SystemExit, match="coins has no cells of the theory"):
        stored.main()


def test_the_answer_shows_both_runs(tmp_path, monkeypatch):
    monkeypatch.setattr(reproduce, "named", lambda _names: (COINS,))
    answer = reproduce.answer(["coins"], "full", tmp_path / "store", device="cpu")
    assert answer.made == 5
    text = answer.text()
    assert "  2 cells, 0 s on one thread\n  the theory: 3 cells, 0 s on one thread\n" in text
    assert "beside: other: prediction 0; runs " in text


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (
            None,
            "*Theory.* Not run: networks of these kinds beside their expansions, four draws; about 120 min on one "
            "thread, 3 cells.\n",
        ),
        ("now", "*Theory*, beside networks of the same kinds: four draws; 90 s on one thread.\n"),
        ("before", "*Theory*, beside networks of the same kinds: four draws; 90 s on one thread. **STALE**.\n"),
    ],
)
def test_the_scoreboard_says_where_the_theory_stands(made, words):
    definition = THEORY.definition("full") if made == "now" else "another"
    content = made and {"definition": definition, "seconds": 90.0}
    assert list(scoreboard_page._theory_apart(COINS, content)) == [words]
    elsewhere = replace(COINS, theory=None, no_theory="Nothing is trained.")
    assert list(scoreboard_page._theory_apart(elsewhere)) == ["*Theory.* Nothing is trained.\n"]


def test_the_listed_cost_is_that_of_the_cells_and_of_the_theory():
    (entry,) = [entry for entry in scoreboard.entries() if entry.name == "dgn-fig-5"]
    designs = [one.designs["full"] for one in (dgn_fig_5.REPRODUCTION, dgn_fig_5.THEORY)]
    assert entry.cost == f"about {scoreboard.shown_time(sum(own.seconds for own in designs))} on one thread, 30 cells"
