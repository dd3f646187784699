"""`gdln reproduce` as it is typed: runs that resume, and what it refuses."""

import subprocess
import sys

import pytest
import torch

from derivations.output import BAD_INPUT, OUT_OF_REACH, PASS, UNDECIDED
from derivations.reproductions.catalog import reproductions
from theory.problem.datasets.folder import VARIABLE


def test_the_list_has_every_experiment_with_its_verdict(gdln):
    code, answer = gdln("reproduce")
    listed = {entry["name"]: entry for entry in answer["experiments"]}
    assert (code, set(listed)) == (PASS, set(reproductions()))
    assert listed["npk-fig-1"]["verdict"] == "REPRODUCED"
    assert listed["dlgn-table-2"]["verdict"] == "NOT RUN"
    assert "gdln data get cifar-100 --from" in listed["dlgn-table-2"]["needs"]


def test_a_run_is_judged_and_resumes(gdln, tmp_path):
    words = ["reproduce", "npk-fig-1", "dgn-fig-10", "--store", tmp_path / "store"]
    code, answer = gdln(*words)
    assert (code, answer["made"]) == (UNDECIDED, 3)  # 20 networks of ten layers do not decide
    toy, linear = answer["results"]
    assert [row["verdict"] for row in toy["rows"]] == ["REPRODUCED", "REPRODUCED"]
    row = linear["rows"][0]
    assert (row["key"], row["value"], row["runs"], row["verdict"]) == ("rate, d = 2", 0.81, 20, "REPRODUCED")
    again = gdln(*words)[1]
    assert again["made"] == 0
    assert [result["rows"] for result in again["results"]] == [result["rows"] for result in answer["results"]]


@pytest.mark.slow
def test_a_command_that_is_stopped_keeps_its_cells(tmp_path):
    store = tmp_path / "store"
    words = ["reproduce", "dgn-fig-2", "--profile", "full", "--store", store, "--timeout", "3"]
    done = subprocess.run([sys.executable, "-m", "derivations", *words], capture_output=True, text=True, check=False)
    assert (done.returncode, "--timeout" in done.stderr) == (OUT_OF_REACH, True)
    assert not list((store / "cells").glob(".*")), "a cell was left half-written"


def test_what_it_cannot_run_is_refused(refusal, tmp_path, monkeypatch):
    """An unknown name, data that are absent, a device that is absent or that an experiment does not use."""
    monkeypatch.setenv(VARIABLE, str(tmp_path / "data"))
    for available, words, code, part in (
        (False, ["dgn-fig-11"], BAD_INPUT, "dgn-fig-10"),
        (False, ["dlgn-table-2"], OUT_OF_REACH, "gdln data get cifar-10 --from"),
        (False, ["npk-fig-1", "--device", "cuda"], OUT_OF_REACH, "no CUDA device here"),
        (False, ["dlgn-circle", "--device", "cuda"], OUT_OF_REACH, "no CUDA device here"),
        (True, ["npk-fig-1", "--device", "cuda"], OUT_OF_REACH, "npk-fig-1 is computed on the processor alone"),
    ):
        monkeypatch.setattr(torch.cuda, "is_available", lambda available=available: available)
        result, message = refusal("reproduce", *words, "--store", tmp_path / "store")
        assert (result, part in message) == (code, True), message
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "notes.txt").write_text("mine")
    code, message = refusal("reproduce", "npk-fig-1", "--store", tmp_path)
    assert (code, "notes.txt" in message, "another folder with --store" in message) == (BAD_INPUT, True, True)
