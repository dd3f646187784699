"""`gdln reproduce` as it is typed: the list, runs that resume, and what it refuses."""

import json
import os

import pytest
import torch

from derivations.cli import main
from derivations.output import BAD_INPUT, OUT_OF_REACH, PASS, UNDECIDED
from derivations.reproductions.catalog import reproductions
from theory.problem.datasets.folder import VARIABLE


def asked(capsys, *words):
    code = main(["reproduce", *map(str, words), "--json"])
    return code, json.loads(capsys.readouterr().out)


def refused(capsys, *words):
    code, found = asked(capsys, *words)
    return code, f"{found['error']['message']} {found['error']['hint']}"


def test_the_list_has_every_experiment_with_its_verdict(capsys):
    code, found = asked(capsys)
    assert (code, found["schema"]) == (PASS, "gdln.reproduce/1")
    listed = {entry["name"]: entry for entry in found["experiments"]}
    assert set(listed) == set(reproductions())
    assert listed["npk-fig-1"]["verdict"] == "REPRODUCED"
    assert listed["dlgn-table-2"]["verdict"] == "NOT RUN"
    assert listed["dlgn-table-2"]["cost"].endswith("on one thread, 60 cells")
    assert "gdln data get cifar-100 --from" in listed["dlgn-table-2"]["needs"]
    assert main(["reproduce"]) == PASS
    text = capsys.readouterr().out
    assert all(name in text for name in listed)


def test_a_run_is_judged_and_resumes(capsys, tmp_path):
    store = tmp_path / "store"
    code, found = asked(capsys, "npk-fig-1", "dgn-fig-10", "--store", store)
    assert (code, found["made"]) == (UNDECIDED, 3)  # 20 networks of ten layers do not decide
    toy, linear = found["results"]
    assert [row["verdict"] for row in toy["rows"]] == ["REPRODUCED", "REPRODUCED"]
    assert linear["rows"][0] | {"low": 0, "high": 0, "mean": 0} == {
        "key": "rate, d = 2",
        "printed": "$e_{t+1}^2/e_t^2 = 0.81$, at the first step",
        "value": 0.81,
        "mean": 0,
        "low": 0,
        "high": 0,
        "runs": 20,
        "verdict": "REPRODUCED",
    }
    again = asked(capsys, "npk-fig-1", "dgn-fig-10", "--store", store)[1]
    assert again["made"] == 0
    assert [result["rows"] for result in again["results"]] == [result["rows"] for result in found["results"]]
    assert main(["reproduce", "npk-fig-1", "--store", str(store)]) == PASS
    text = capsys.readouterr().out
    assert "overlap: 1 (1 to 1, 81 runs); stated: 1 (Λ(1, 2) = 1)" in text
    assert "0 cells made now" in text


def test_a_command_that_is_stopped_keeps_its_cells(capsys, tmp_path):
    code, text = refused(capsys, "dgn-fig-2", "--profile", "full", "--store", tmp_path / "store", "--timeout", 3)
    assert code == OUT_OF_REACH
    assert "--timeout" in text
    assert not list((tmp_path / "store" / "cells").glob(".*")), "a cell was left half-written"


def test_names(capsys, tmp_path):
    code, text = refused(capsys, "dgn-fig-11", "--store", tmp_path / "store")
    assert code == BAD_INPUT
    assert "dgn-fig-11" in text
    assert "dgn-fig-10" in text
    assert list(tmp_path.iterdir()) == []


def test_an_experiment_without_its_data(capsys, tmp_path, monkeypatch):
    monkeypatch.setenv(VARIABLE, str(tmp_path / "data"))
    code, text = refused(capsys, "dlgn-table-2", "--store", tmp_path / "store")
    assert code == OUT_OF_REACH
    assert "gdln data get cifar-10 --from" in text


def test_a_device_that_is_not_there(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    for name in ("npk-fig-1", "dlgn-circle"):
        code, text = refused(capsys, name, "--device", "cuda", "--store", tmp_path / "store")
        assert code == OUT_OF_REACH
        assert "no CUDA device here" in text
        assert "--device cpu or auto" in text
    code, text = refused(capsys, "npk-fig-1", "--device", "gpu", "--store", tmp_path / "store")
    assert code == BAD_INPUT
    assert "auto, cpu, cuda" in text
    code, text = refused(capsys, "--device", "cpu")
    assert code == BAD_INPUT
    assert "--device is for experiments that run" in text
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    code, text = refused(capsys, "npk-fig-1", "--device", "cuda", "--store", tmp_path / "store")
    assert code == OUT_OF_REACH
    assert "npk-fig-1 is computed on the processor alone" in text
    assert list(tmp_path.iterdir()) == []


def test_options(capsys, tmp_path):
    assert refused(capsys, "npk-fig-1", "--profile", "large")[0] == BAD_INPUT
    assert refused(capsys, "--store", tmp_path)[0] == BAD_INPUT
    code, text = refused(capsys, "--profile", "full")
    assert (code, "--profile is for experiments that run" in text) == (BAD_INPUT, True)
    assert refused(capsys, "npk-fig-1", "--timeout", -1)[0] == BAD_INPUT
    (tmp_path / "notes.txt").write_text("mine")
    code, text = refused(capsys, "npk-fig-1", "--store", tmp_path)
    assert code == BAD_INPUT
    assert "notes.txt" in text
    assert "another folder with --store" in text
    assert "folder" in refused(capsys, "npk-fig-1", "--store", tmp_path / "no" / "store")[1]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_store_that_cannot_be_written(capsys, tmp_path):
    (tmp_path / "store").mkdir(mode=0o555)
    code, text = refused(capsys, "npk-fig-1", "--store", tmp_path / "store")
    assert code == BAD_INPUT
    assert "cannot be written" in text
