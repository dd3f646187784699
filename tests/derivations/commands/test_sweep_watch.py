"""`gdln sweep --watch` and the status of large sweeps as they are typed: what they show and what is refused."""

import json

import pytest

from derivations.answers import sweep as answers
from derivations.answers import sweep_looks
from derivations.cli import main
from derivations.output import BAD_INPUT, CHECK_FAILED, INTERRUPTED, OUT_OF_REACH, PASS, UNDECIDED
from derivations.sweeps import cells, plans, sizes
from derivations.sweeps.failures import failure
from derivations.sweeps.looking import Watcher
from derivations.sweeps.owners import new_token
from derivations.sweeps.store import Store
from tests.derivations.sweeps.cases import TEXT, flip, put, sweep_of

HERE = cells.code_version("cpu")


@pytest.fixture
def store(tmp_path, monkeypatch):
    """A store in which the small sweep is recorded, beside its file; the current folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sweep.toml").write_text(TEXT)
    made = Store.create(tmp_path / "store")
    made.record(sweep_of())
    return made


def questions():
    """The questions of the cells of the small sweep."""
    return [cells.question(cell.problem, ("loss", "participation-ratio")) for cell in sweep_of().cells]


def fill(store, index):
    """Make a cell."""
    put(store, questions()[index], HERE, index)


def fail(store, index, exit_code=4):
    """Record a failure at a cell."""
    error = {"kind": "memory", "message": "Too large.", "hint": "Use less.", "exit_code": exit_code}
    store.note_failure(questions()[index].cell(HERE), failure(new_token(), HERE, error))


def paused(monkeypatch, *steps):
    """Let these calls happen between the looks, in place of the pauses; a further pause is an error."""
    left = list(steps)
    before = sweep_looks.watch
    monkeypatch.setattr(sweep_looks, "watch", lambda look, show: before(look, show, lambda _: left.pop(0)()))
    return left


WAYS = {"a sweep": ["sweep.toml"], "a store": ["--worker", "store"]}


@pytest.mark.parametrize("way", WAYS)
def test_a_line_at_each_change_until_every_cell_is_there(store, monkeypatch, capsys, way):
    fill(store, 0)
    left = paused(
        monkeypatch,
        lambda: fill(store, 1),
        lambda: None,
        lambda: (fill(store, 2), fail(store, 3)),
        lambda: fill(store, 3),
    )
    assert main(["sweep", *WAYS[way], "--watch"]) == OUT_OF_REACH
    lines = capsys.readouterr().out.splitlines()
    assert [line.partition(";")[0] for line in lines] == [
        "4 cells, 1 complete, 3 missing",
        "4 cells, 2 complete, 2 missing",
        "4 cells, 3 complete, 1 out of reach",
    ]
    assert "left for 3 cells if one worker begins (none is at work)" in lines[0]
    assert lines[0].endswith("estimated from the seconds per network-step of 1 finished cell.")
    assert len(left) == 1  # it ended before a later run made the cell
    assert main(["sweep", *WAYS[way], "--status"]) == OUT_OF_REACH


def test_json_has_an_object_for_each_change(store, monkeypatch, capsys):
    paused(monkeypatch, lambda: [fill(store, index) for index in range(4)])
    assert main(["sweep", "sweep.toml", "--watch", "--json"]) == PASS
    first, last = map(json.loads, capsys.readouterr().out.splitlines())
    assert (first["schema"], first["mode"], first["counts"]) == ("gdln.sweep/1", "watch", {"cells": 4, "missing": 4})
    assert (first["time_left"], first["to_make"]["cells"]) == (None, 4)
    assert (last["counts"], last["to_make"]["cells"], last["read"]) == ({"cells": 4, "complete": 4}, 0, 4)


def test_a_terminal_shows_the_cells_in_work_and_the_failures(store, monkeypatch, capsys):
    fill(store, 0)
    fail(store, 1, exit_code=1)
    lease = store.folder / "leases" / questions()[2].cell(HERE)
    lease.mkdir()
    (lease / f"node07-{'0' * 12}-12-34-{'0' * 12}.9-43").touch()

    def finish():
        (lease / f"node07-{'0' * 12}-12-34-{'0' * 12}.9-43").unlink()
        fill(store, 2)
        fill(store, 3)

    paused(monkeypatch, finish)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    assert main(["sweep", "sweep.toml", "--watch"]) == CHECK_FAILED
    out = capsys.readouterr().out
    assert "data.gain = 2.0, simulation.seed = 1: in work on node07, 43 %" in out
    assert "Too large." in out
    assert "3 complete, 1 failed" in out


def test_an_interrupt_of_a_watch(store, monkeypatch, capsys):
    def interrupted():
        raise KeyboardInterrupt

    paused(monkeypatch, interrupted)
    assert main(["sweep", "sweep.toml", "--watch"]) == INTERRUPTED
    assert "Traceback" not in capsys.readouterr().err


def test_looking_takes_a_fifth_of_the_time_at_most():
    clock, pauses, over = iter([0.0, 0.1, 100.0, 101.0, 200.0]), [], iter([False, False, True])

    class Look:
        is_over = property(lambda _: next(over))

    sweep_looks.watch(Look, lambda _: None, pauses.append, lambda: next(clock))
    assert pauses == [2.0, 4.0]


REFUSED = {
    "two modes": (["sweep.toml", "--watch", "--status"], "exclude each other"),
    "two other modes": (["sweep.toml", "--watch", "--record"], "exclude each other"),
    "two modes of a store": (["--worker", "store", "--status", "--watch"], "exclude each other"),
    "a table": (["sweep.toml", "--watch", "--csv", "x.csv"], "no results"),
    "a picture": (["sweep.toml", "--watch", "--plot", "x.png"], "no results"),
    "a watch that verifies": (["sweep.toml", "--watch", "--verify"], "--verify would be ignored"),
    "a plan that verifies": (["sweep.toml", "--dry-run", "--verify"], "--verify would be ignored"),
    "another folder": (["sweep.toml", "--watch", "--out", "."], "holds other files"),
    "no store": (["--worker", ".", "--watch"], "holds no store.json"),
    "a store without sweeps": (["--worker", "bare", "--watch"], "has no record of a sweep"),
    "an unreadable record": (["--worker", "spoiled", "--watch"], "is no record of a sweep"),
    "an unreadable store": (["--worker", "torn", "--watch"], "does not say the form"),
    "an absent file": (["absent.toml", "--watch"], "No such file"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_watched_is_refused(store, tmp_path, capsys, name):
    words, said = REFUSED[name]
    Store.create(tmp_path / "bare")
    spoiled = Store.create(tmp_path / "spoiled")
    (spoiled.folder / "sweeps" / f"{spoiled.record(sweep_of())}.json").write_text("{")
    (Store.create(tmp_path / "torn").folder / "store.json").write_text("{")
    assert main(["sweep", *words]) == BAD_INPUT
    error = capsys.readouterr().err
    assert said in error
    assert "Traceback" not in error
    assert error.count("\n") >= 2  # it says what to do


def test_a_folder_that_cannot_be_read_is_an_error_of_the_user(store, monkeypatch, capsys):
    def denied(*_):
        raise PermissionError(13, "Permission denied", "store/leases")

    monkeypatch.setattr("derivations.sweeps.disk.Disk.enter", denied)
    for words in (["--watch"], ["--status"]):
        assert main(["sweep", "--worker", "store", *words]) == BAD_INPUT
        assert "Permission denied (store/leases)" in capsys.readouterr().err


def test_looks_from_a_machine_without_the_device(store, monkeypatch, capsys):
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    put(store, questions()[0], cells.code_version("cuda"), 0)
    assert main(["sweep", "sweep.toml", "--status", "--device", "cuda", "--json"]) == UNDECIDED
    assert json.loads(capsys.readouterr().out)["counts"] == {"cells": 4, "complete": 1, "missing": 3}
    assert main(["sweep", "sweep.toml", "--device", "cuda"]) == OUT_OF_REACH


# Large sweeps.


@pytest.fixture
def large(store, monkeypatch):
    """The same, where four cells are many."""
    for module in (answers, sizes):
        monkeypatch.setattr(module, "LARGE", 3)
    return store


def test_the_status_of_a_large_sweep_has_no_table(large, capsys):
    fill(large, 0)
    fail(large, 1)
    fail(large, 2)
    assert main(["sweep", "sweep.toml", "--status"]) == OUT_OF_REACH
    out = capsys.readouterr().out
    assert "data.gain  " not in out
    assert "data.gain = 0.5, simulation.seed = 2: out of reach on" in out
    assert ", and 1 cell with the same reason\n  Too large.\n  Use less.\n" in out
    assert "Not verified: the data of 1 cell. gdln sweep --worker store --status --verify does it." in out
    assert out.splitlines()[-1].startswith("4 cells, 1 complete, 1 missing, 2 out of reach. Store:")
    assert main(["sweep", "sweep.toml", "--status", "--json"]) == OUT_OF_REACH
    found = json.loads(capsys.readouterr().out)
    assert [cell["at"]["simulation.seed"] for cell in found["notable"]] == [2, 1]
    assert "cells" not in found


def test_every_cell_of_a_large_sweep_is_verified_on_request(large, capsys):
    for index in range(4):
        fill(large, index)
    flip(large.place(questions()[3].cell(HERE)) / cells.DATA)
    assert main(["sweep", "sweep.toml", "--status"]) == PASS
    assert main(["sweep", "--worker", "store", "--status"]) == PASS
    capsys.readouterr()
    assert main(["sweep", "--worker", "store", "--status", "--verify"]) == CHECK_FAILED
    assert main(["sweep", "sweep.toml", "--status", "--verify"]) == CHECK_FAILED
    out = capsys.readouterr().out
    assert "the checksum of data.npz is another" in out
    assert "data.gain  " not in out  # the table would be too long


def test_a_run_that_verifies_makes_damaged_cells_of_a_large_sweep_anew(large, capsys):
    for index in range(4):
        fill(large, index)
    flip(large.place(questions()[3].cell(HERE)) / cells.DATA)
    (large.place(questions()[2].cell(HERE)) / cells.META).unlink()
    assert main(["sweep", "sweep.toml", "--workers", "1"]) == PASS
    assert "4 cells, 4 complete; 1 made now." in capsys.readouterr().out
    assert main(["sweep", "sweep.toml", "--workers", "1", "--verify"]) == PASS
    assert "4 cells, 4 complete; 1 made now." in capsys.readouterr().out
    assert main(["sweep", "sweep.toml", "--status", "--verify"]) == PASS


def test_the_table_of_a_large_sweep_reads_every_cell(large, tmp_path):
    for index in range(4):
        fill(large, index)
    assert main(["sweep", "sweep.toml", "--status", "--csv", "table.csv"]) == PASS
    assert len((tmp_path / "table.csv").read_text().splitlines()) == 1 + 4 * (2 + 2)


def test_a_large_sweep_is_planned_recorded_and_run(large, tmp_path, capsys):
    assert main(["sweep", "sweep.toml", "--dry-run", "--out", "other"]) == PASS
    assert "To make: 4 cells, 12 networks, 48 network-steps" in capsys.readouterr().out
    assert not (tmp_path / "other").exists()
    assert main(["sweep", "sweep.toml", "--record", "--out", "other"]) == PASS
    assert len(list((tmp_path / "other" / "sweeps").glob("*.plan"))) == 1
    assert main(["sweep", "--worker", "other", "--workers", "1"]) == PASS
    assert "4 cells, 4 complete; 4 made now. Store: other" in capsys.readouterr().out
    assert main(["sweep", "sweep.toml", "--out", "other", "--json"]) == PASS
    assert json.loads(capsys.readouterr().out)["made"] == 0
    assert main(["sweep", "sweep.toml", "--out", "other", "--status", "--verify"]) == PASS
    assert plans.LARGE == 1000
    assert Watcher(sweep_of(), tmp_path / "other", HERE).look().counts == {"complete": 4}
