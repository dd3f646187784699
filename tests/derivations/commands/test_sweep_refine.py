"""`gdln sweep` on adaptive sweeps: real networks, generation after generation, by one command, several, or workers."""

import io
import json
import os
import shutil
from contextlib import redirect_stdout
from functools import partial

import pytest

from derivations.cli import main
from derivations.output import BAD_INPUT, PASS, UNDECIDED
from derivations.sweeps import cells
from derivations.sweeps.refining import FINEST, MOST_CELLS, SETTLED
from derivations.sweeps.store import Store
from tests.derivations.answers.problems import changed
from tests.derivations.sweeps.adaptive import LINE, LINE_WHOLE, TEXTS
from tests.derivations.sweeps.cases import contents, sweep_of


@pytest.fixture(scope="session")
def finished(tmp_path_factory):
    """The adaptive sweeps, each in a folder of its own with its store and answer.json. Not to be changed."""
    folder = tmp_path_factory.mktemp("refined")
    for name, text in TEXTS.items():
        (folder / name).mkdir()
        (folder / name / "sweep.toml").write_text(text)
        with redirect_stdout(io.StringIO()) as out:
            assert main(["sweep", str(folder / name / "sweep.toml"), "--workers", "1", "--json"]) == PASS
        (folder / name / "answer.json").write_text(out.getvalue())
    return folder


@pytest.fixture
def gdln(typed):
    """Run `gdln sweep` in this process; the exit code, stdout and stderr."""
    return partial(typed, "sweep")


def answer_of(finished, name):
    """The printed words of the command."""
    return json.loads((finished / name / "answer.json").read_text())


@pytest.mark.parametrize("name", TEXTS)
def test_the_answer_says_generations_and_why_they_ended(finished, name):
    answer = answer_of(finished, name)
    refine = answer["refine"]
    assert len(refine["generations"]) > 1
    assert sum(refine["generations"]) == answer["counts"]["complete"] == len(answer["cells"])
    assert [cell["generation"] for cell in answer["cells"]] == [
        number for number, count in enumerate(refine["generations"]) for _ in range(count)
    ]
    assert refine["ended"]["kind"] in (SETTLED, FINEST)
    assert {cell["source"] for cell in answer["cells"]} == {"made"}
    assert refine["full_grid"] == {"line": 17, "map": 15}[name]
    assert set(contents(finished / name / "store")) == {cell["cell"] for cell in answer["cells"]}


def test_cells_are_those_of_the_finest_grid(finished):
    """Exact values give a cell of the refinement the name that a plain sweep of the finest grid gives it."""

    def names(sweep):
        return {cells.question(cell.problem, sweep.observables).cell(cells.code_version()) for cell in sweep.cells}

    whole, refined = names(sweep_of(LINE_WHOLE)), set(contents(finished / "line" / "store"))
    assert refined < whole
    rows = Store.open(finished / "line" / "store").table()
    assert {row["cell"] for row in rows} == {name[:16] for name in refined}
    assert {row["generation"] for row in rows} == {*range(len(answer_of(finished, "line")["refine"]["generations"]))}


@pytest.mark.parametrize("name", TEXTS)
def test_again_nothing_is_made(finished, gdln, name, monkeypatch):
    monkeypatch.setattr("derivations.sweeps.engines.local._Process", None)  # no process can be begun
    for words in ((), ("--status",)):
        code, out, _ = gdln(finished / name / "sweep.toml", "--json", *words)
        again, before = json.loads(out), answer_of(finished, name)
        assert (code, again["refine"]) == (PASS, before["refine"])
        assert [cell["cell"] for cell in again["cells"]] == [cell["cell"] for cell in before["cells"]]
        assert {cell["source"] for cell in again["cells"]} == {"store"}


def test_a_largest_number_that_is_reached_is_undecided(finished, gdln, tmp_path):
    (tmp_path / "sweep.toml").write_text(LINE.replace("most_cells = 60", "most_cells = 5"))
    code, out, _ = gdln(tmp_path / "sweep.toml", "--status", "--json", "--out", finished / "line" / "store")
    answer = json.loads(out)
    assert (code, answer["refine"]["ended"]["kind"], answer["refine"]["generations"]) == (UNDECIDED, MOST_CELLS, [3, 1])
    shutil.copytree(finished / "line" / "store", tmp_path / "store")
    shutil.rmtree(tmp_path / "store" / "sweeps")
    assert gdln(tmp_path / "sweep.toml", "--record")[0] == PASS
    assert gdln("--worker", tmp_path / "store", "--status")[0] == UNDECIDED


def test_what_does_not_fit_is_refused_before_anything_runs(gdln, tmp_path):
    (tmp_path / "sweep.toml").write_text(changed(LINE, ("time = 2.0", "time = 1.0")))
    for word in ("--status", "--record", "--workers=1"):
        assert gdln(tmp_path / "sweep.toml", word)[0] == BAD_INPUT
        assert os.listdir(tmp_path) == ["sweep.toml"]
