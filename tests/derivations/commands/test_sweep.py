"""`gdln sweep` as it is typed: whole sweeps, what hits one cell, interruptions, and what is refused before it runs."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time

import pytest

from derivations.cli import main
from derivations.output import BAD_INPUT, CHECK_FAILED, INTERRUPTED, OUT_OF_REACH, PASS, UNDECIDED
from derivations.sweeps import running
from derivations.sweeps.plans import make_plan
from derivations.sweeps.store import Store
from tests.derivations.answers.problems import changed
from tests.derivations.sweeps.cases import TEXT, contents, sweep_of
from tests.paths import ROOT


@pytest.fixture(scope="session")
def finished(tmp_path_factory):
    """A folder with the small sweep, run by two processes; its answer stands in answer.json. Not to be changed."""
    folder = tmp_path_factory.mktemp("finished")
    (folder / "sweep.toml").write_text(TEXT)
    done = subprocess.run(command(folder, "--workers", 2, "--json"), cwd=ROOT, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (PASS, b"")
    (folder / "answer.json").write_bytes(done.stdout)
    return folder


@pytest.fixture
def gdln(tmp_path, typed):
    """Run `gdln sweep` in this process on the small sweep with replaced words; the exit code, stdout and stderr."""

    def run(*words, change=()):
        (tmp_path / "sweep.toml").write_text(changed(TEXT, *change))
        return typed("sweep", tmp_path / "sweep.toml", *words)

    return run


def command(folder, *words):
    """The words of a shell for `gdln sweep`."""
    return [sys.executable, "-m", "derivations", "sweep", str(folder / "sweep.toml"), *map(str, words)]


def begun(folder, *words):
    """`gdln sweep`, running in a session of its own, as under a shell."""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(command(folder, *words), cwd=ROOT, start_new_session=True, **pipes)


def until(condition, process):
    """Wait until it holds; the process must not end before."""
    while not condition():
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)  # only how often it looks


def nothing_half_written(store):
    """Every cell of a store proves itself."""
    assert all(Store.open(store).read(name) for name in Store.open(store).names())


def test_one_process_gives_the_same_bits_and_nothing_runs_twice(finished, gdln, tmp_path, monkeypatch):
    assert gdln("--workers", 1)[0] == PASS
    assert contents(tmp_path / "store") == contents(finished / "store")
    monkeypatch.setattr("derivations.sweeps.engines.local._Process", None)  # no process can be begun
    code, out, err = gdln("--json")
    assert (code, err) == (PASS, "")
    assert {cell["source"] for cell in json.loads(out)["cells"]} == {"store"}
    code, out, _ = gdln()
    assert "4 cells, 4 complete; 0 made now" in out


def test_status_and_plan_write_nothing(finished, gdln, tmp_path):
    for word, code in (("--status", UNDECIDED), ("--dry-run", PASS)):
        exit_code, out, err = gdln(word, "--json")
        answer = json.loads(out)
        assert (exit_code, err, answer["counts"]) == (code, "", {"cells": 4, "missing": 4})
        assert answer["to_make"] == {"cells": 4, "networks": 12, "network_steps": 48}
        assert os.listdir(tmp_path) == ["sweep.toml"]
    store = finished / "store"
    before = sorted((path, path.stat().st_mtime_ns) for path in store.rglob("*"))
    code, out, _ = gdln("--status", "--out", store)
    assert (code, out.splitlines()[-1]) == (PASS, f"4 cells, 4 complete. Store: {store}")
    code, out, _ = gdln("--dry-run", "--out", store, change=[('"data.gain" = [0.5, 2.0]', '"data.gain" = [0.5, 3.0]')])
    assert (code, "To make: 2 cells, 6 networks, 24 network-steps" in out) == (PASS, True)
    assert sorted((path, path.stat().st_mtime_ns) for path in store.rglob("*")) == before


@pytest.mark.slow
def test_an_interrupt_ends_it_soon_and_keeps_what_is_finished(tmp_path):
    (tmp_path / "sweep.toml").write_text(
        changed(TEXT, ('"data.gain" = [0.5, 2.0]', '"training.times" = [[1.0], [500000.0]]'))
    )
    store = tmp_path / "store"
    process = begun(tmp_path, "--workers", 2, "--json")
    until(lambda: len(contents(store)) == 2 and len([*(store / "attempts").glob("[!.]*")]) == 4, process)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does it: to the children too
    out, err = process.communicate(timeout=30)  # its pipes are closed only when every worker has ended too
    assert process.returncode == INTERRUPTED
    assert json.loads(out)["error"]["kind"] == "interrupted"
    assert b"Traceback" not in err
    assert len(contents(store)) == 2
    nothing_half_written(store)


@pytest.mark.slow
def test_what_hits_one_cell_is_its_own(gdln, tmp_path):
    """A cell that diverges, one out of reach, one with times between steps, and one that is well."""
    axes = (
        'invalid = "leave-out"\ncombine = "zip"\n[axes]\n'
        '"simulation.learning_rate" = [0.5, 1e30, 0.25, 0.3]\n'
        '"simulation.samples" = [50, 60, 1000000000000000000, 50]\n'
        '"training.times" = [[1.0], [3e30], [1.0], [1.0]]\n[base.data]'
    )
    old = TEXT[TEXT.index("[axes]") : TEXT.index("\nlaw = ")]
    code, out, err = gdln("--workers", 1, "--json", change=[(old, axes)])
    answer = json.loads(out)
    assert (code, err) == (CHECK_FAILED, "")
    assert [cell["state"] for cell in answer["cells"]] == ["complete", "diverged", "out of reach", "invalid"]
    assert (answer["left_out"], answer["counts"]["cells"]) == (1, 4)
    # At this rate a ReLU unit diverges, or one step leaves it closed for ever: which, the data decide.
    assert 1 <= answer["cells"][1]["diverged"] <= 3
    assert [None if cell["error"] is None else cell["error"]["kind"] for cell in answer["cells"]] == [
        *(None, None, "time", "input")
    ]
    assert "not a whole number of steps" in answer["cells"][3]["error"]["message"]
    assert len(contents(tmp_path / "store")) == 2  # divergence is a result: it is not run again
    code, out, _ = gdln("--status", "--csv", tmp_path / "table.csv", change=[(old, axes)])
    assert (code, "diverged" in out) == (CHECK_FAILED, True)
    states = [line.rsplit(",", 1)[1] for line in (tmp_path / "table.csv").read_text().splitlines()[1:]]
    assert (states.count("diverged"), set(states)) == (1, {"diverged", "complete"})


def test_a_damaged_cell_is_set_aside_and_made_again(finished, gdln, tmp_path):
    shutil.copytree(finished / "store", tmp_path / "store")
    name = min(contents(tmp_path / "store"))
    os.truncate(tmp_path / "store" / "cells" / f"{name}.npz", 200)
    code, out, _ = gdln("--status", "--json")
    assert (code, json.loads(out)["counts"]) == (CHECK_FAILED, {"cells": 4, "complete": 3, "damaged": 1})
    code, out, _ = gdln("--workers", 1, "--json")
    answer = json.loads(out)
    assert (code, answer["counts"]) == (PASS, {"cells": 4, "complete": 4})
    assert [cell["cell"] for cell in answer["cells"] if cell["source"] == "made"] == [name]
    (remark,) = answer["remarks"]
    assert f"the file is kept as cells/{name}.npz.damaged-" in remark
    assert contents(tmp_path / "store") == contents(finished / "store")


def test_bad_input_is_refused_before_anything_runs(gdln, tmp_path):
    for change, words in (
        ([('"loss"', '"los"')], []),
        ([('"data.gain" = [0.5, 2.0]', '"data.gain" = [0.5, -2.0]')], []),
        ([], ["--workers", "0"]),
        ([], ["--csv", "absent/table.csv"]),
    ):
        assert gdln(*words, change=change)[0] == BAD_INPUT
        assert os.listdir(tmp_path) == ["sweep.toml"]


def test_an_absent_device_is_out_of_reach(gdln, tmp_path, monkeypatch):
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    assert gdln("--device", "cuda")[0] == OUT_OF_REACH
    assert os.listdir(tmp_path) == ["sweep.toml"]


def test_exit_codes():
    (cell, *_) = sweep_of().cells
    for states, code in (
        (("complete", "invalid"), PASS),
        (("complete", "out of reach", "missing"), OUT_OF_REACH),
        (("failed", "out of reach"), CHECK_FAILED),
        (("diverged",), CHECK_FAILED),
        (("missing", "complete"), UNDECIDED),
    ):
        outcomes = tuple(running.Outcome(cell, state) for state in states)
        assert running.Swept(make_plan(sweep_of(), "x"), outcomes).exit_code == code, states


def test_the_table_as_csv(finished, gdln, tmp_path):
    target = tmp_path / "table.csv"
    code, out, _ = gdln("--out", finished / "store", "--csv", target)
    assert (code, f"Written: {target}" in out) == (PASS, True)
    head, *lines = target.read_text().splitlines()
    assert head.startswith("data.gain,simulation.seed,cell,observable,time,unit")
    assert len(lines) == 4 * (2 + 2)
    rows = Store.open(finished / "store").table()
    answer = json.loads((finished / "answer.json").read_text())["cells"]
    loss = [row["mean"] for row in rows if row["observable"] == "loss"]
    assert loss == [mean for cell in answer for mean in cell["observables"]["loss"]["mean"]]


def test_a_sweep_without_a_file_is_that_of_a_file(finished, gdln, tmp_path, capsys):
    """Axes on the command line, over a problem file: the same cells, by the same names."""
    (tmp_path / "problem.toml").write_text("[data]" + TEXT.partition("[base.data]")[2].replace("[base.", "["))
    words = ["--set", "data.gain=0.5,2.0", "--set", "simulation.seed=1,2", "--observables", "loss,participation-ratio"]
    code = main(
        ["sweep", str(tmp_path / "problem.toml"), *words, "--status", "--json", "--out", str(finished / "store")]
    )
    assert (code, json.loads(capsys.readouterr().out)["counts"]) == (PASS, {"cells": 4, "complete": 4})
    for wrong in ("data.gain", "data.gian=1,2", "data.gain=1,1"):
        assert main(["sweep", str(tmp_path / "problem.toml"), "--set", wrong, "--dry-run"]) == BAD_INPUT
    capsys.readouterr()


LAW = "import numpy as np\n\n\ndef draw(rng, count, width):\n    open({mark!r}, 'a').close()\n"
LAW += "    y = rng.integers(0, 2, count)\n    return rng.normal(size=(count, 5)) + y[:, None], y\n"


def test_to_look_at_a_store_runs_no_code_that_it_names(gdln, tmp_path, capsys):
    """Its own sweep file may; a worker of the store asks for --allow-code."""
    mark = tmp_path / "ran"
    (tmp_path / "law.py").write_text(LAW.format(mark=str(mark)))
    law = 'law = "own"\npath = "law.py:draw"\nn = 5\nlabels = [0.0, 1.0]\nparameters = { width = 4 }\n'
    old = TEXT[TEXT.index("law = ") : TEXT.index("[base.network]")]
    change = [(old, law), ('"data.gain" = [0.5, 2.0]', '"data.parameters.width" = [4]')]
    assert gdln("--record", change=change)[0] == PASS
    mark.unlink(missing_ok=True)
    worker = ["sweep", "--worker", str(tmp_path / "store")]
    assert main([*worker, "--status"]) == UNDECIDED
    assert main([*worker, "--workers", "1"]) == BAD_INPUT
    assert "law.py:draw" in capsys.readouterr().err
    assert not mark.exists()
    assert main([*worker, "--workers", "1", "--allow-code"]) == PASS
    assert mark.exists()
    mark.unlink()
    assert main([*worker, "--status"]) == PASS
    assert len(Store.open(tmp_path / "store").table()) == 2 * (2 + 2)
    assert not mark.exists()
    capsys.readouterr()
