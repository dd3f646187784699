"""Stored results: their verdicts, definitions and seals, the keys of measures, and the theory put beside them."""

import numpy as np
import pytest

from derivations.reproductions import scoreboard, stored
from derivations.reproductions.catalog import reproductions
from derivations.reproductions.model import Beside, Design, Reproduction, Target, Theory, pooled
from derivations.reproductions.rules import NOT_REPRODUCED, UNDECIDED, together, verdict
from derivations.reproductions.running import run_with_theory
from derivations.sweeps.store import Store
from theory.problem import InputError


def test_stored_verdicts_follow_from_the_stored_intervals():
    """They are those of the registered definition, of all its targets; what fails or has no verdict is explained."""
    for one in (one for one in reproductions().values() if stored.read(one.name)):
        content, design = stored.read(one.name), one.designs["full"]
        targets = {target.key: target for target in one.targets}
        assert content["definition"] == one.definition("full"), one.name
        assert [row["key"] for row in content["rows"]] == list(targets)
        for row in content["rows"]:
            target = targets[row["key"]]
            assert row["verdict"] == verdict(target, row["low"], row["high"]), (one.name, row["key"])
            unexplained = row["verdict"] == NOT_REPRODUCED and not target.explains
            assert not unexplained, row["key"]
            assert not target.explains or target.instead or row["verdict"] in (NOT_REPRODUCED, UNDECIDED), row["key"]
        assert content["verdict"] == together([row["verdict"] for row in content["rows"]])
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
    result = {entry.name: entry.verdict for entry in scoreboard.entries()}
    assert result["npk-fig-1"] == "STALE"


def cell_of_theory(_setting, seed):
    return {"other": np.random.default_rng(seed).normal(size=4)}


def cell(_setting, seed):
    return {"number": np.random.default_rng(seed).normal(2, 0.1, 3)}


def rows_of(cells):
    return (Beside("other", "the other number", 0.0, pooled(cells, "other")),)


THEORY = Theory(
    name="coins-theory",
    designs={name: Design("four draws", ({"depth": 1},), 3, 7200) for name in ("quick", "full")},
    numbers=("other",),
    cell=cell_of_theory,
    beside=rows_of,
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
    messages = []
    ran = run_with_theory(COINS, "full", tmp_path / "store", lambda *counts: messages.append(counts))
    assert messages == [(0, 5), (1, 5), (2, 5), (2, 5), (3, 5), (4, 5), (5, 5)]
    assert (ran.made, ran.theory.made, len(Store(tmp_path / "store").names())) == (2, 3, 5)
    again = run_with_theory(COINS, "full", tmp_path / "store")
    assert (again.made, again.theory.made) == (0, 0)
    result = stored.result(COINS, "full", ran)
    assert result["theory"]["definition"] == THEORY.definition("full") != result["definition"]
    assert (result["cells"], result["theory"]["cells"]) == (2, 3)
    (row,) = result["beside"]
    assert row["mean"] == float(f"{np.mean([one.numbers['other'] for one in ran.theory.finished]):.6g}")
