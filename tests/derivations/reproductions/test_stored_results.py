"""Stored results: their verdicts, definitions and seals, the keys of measures, and the theory put beside them."""

import re
from dataclasses import replace

import numpy as np
import pytest

from derivations.answers import reproduce
from derivations.reproductions import scoreboard, stored
from derivations.reproductions.catalog import reproductions
from derivations.reproductions.model import Beside, Cell, Design, Reproduction, Target, Theory, pooled
from derivations.reproductions.rules import NOT_REPRODUCED, together, verdict
from derivations.reproductions.running import code_of, run, run_with_theory
from derivations.reproductions.sources import dgn_fig_8, dgn_fig_10, dlgn_fig_4, npk_kernel_scales
from derivations.sweeps.store import Store
from theory.problem import InputError

EVERY = sorted(reproductions().values(), key=lambda one: one.name)


@pytest.mark.parametrize("one", [one for one in EVERY if stored.read(one.name)], ids=lambda one: one.name)
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


def test_a_result_of_another_definition_is_stale(monkeypatch):
    content = stored.read("npk-fig-1")
    monkeypatch.setattr(stored, "read", lambda name: {**content, "definition": "another"})
    found = {entry.name: entry.verdict for entry in scoreboard.entries()}
    assert found["npk-fig-1"] == "STALE"


# Numbers at several steps: how their names read, and how many steps there are.
SERIES = {
    "dgn-fig-8": (r".* nu( by trace)?", len(dgn_fig_8.STEPS)),
    "dlgn-fig-13": (r".* (overlap|tangent|diagonal)", 3),
    "dlgn-fig-4": (r".* (upper|lower|half-spaces)", len(dlgn_fig_4.EPOCHS)),
    "npk-kernel-scales": (r"(trace|norm) .*", len(npk_kernel_scales.STEPS)),
}


@pytest.mark.parametrize("one", EVERY, ids=lambda one: one.name)
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


def test_every_experiment_has_its_theory_or_says_why_not():
    for one in reproductions().values():
        assert sum(map(bool, (one.beside, one.theory, one.no_theory))) == 1, one.name
        assert one.no_theory == "" or one.no_theory.endswith(".")


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
