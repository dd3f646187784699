"""`gdln validate` as it is typed: a whole small run, bad input, and what it leaves behind."""

import json

import pytest

from derivations.cli import main
from tests.tolerances import PRINTED_DIGITS

CLAIM = "flow.fixed_point.mode"


@pytest.fixture
def report(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code = main(["validate", CLAIM, "--out", "report", "--json"])
    return code, json.loads(capsys.readouterr().out), tmp_path / "report"


def test_one_claim_is_judged_reported_and_answered_as_json(report):
    code, answer, folder = report
    assert code == 0
    (judged,) = [claim for claim in answer["claims"] if claim["id"] == CLAIM]
    assert judged["verdict"] == "INHERITED"
    assert {level["level"]: level["outcome"] for level in judged["levels"]}["precise"] == "PASS"
    (printed,) = judged["printed"]
    assert (printed["label"], printed["agrees"]) == ("after (11)", False)
    units = int(printed["at"]["K"])
    assert abs(units * float(printed["printed"]) / float(printed["definition"]) - 1) < PRINTED_DIGITS  # it lacks K
    assert json.loads((folder / "report.json").read_text())["claims"] == answer["claims"]
    text = (folder / "report.md").read_text()
    assert "localization-with-gated-linear-networks after (11)" in text
    assert text.count("$$") % 2 == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["no.such.claim"], "No claim is called 'no.such.claim'"),
        ([CLAIM, "--profile", "thorough"], "--profile = 'thorough' is not known"),
        ([CLAIM, "--out", "absent/report"], "does not exist"),
        ([CLAIM, "--out", "full/thesis.tex/report"], "thesis.tex is a file, not a folder"),
        ([CLAIM, "--out", "full"], "holds other files"),
        ([CLAIM, "--frobnicate"], "No such option"),
    ],
)
def test_bad_input_is_refused_before_anything_runs(arguments, message, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.tex").write_text("x")
    assert main(["validate", *arguments]) == 2
    shown = capsys.readouterr()
    assert message in shown.err
    assert "Traceback" not in shown.err
    assert [path.name for path in tmp_path.iterdir()] == ["full"]


def test_an_absent_device_is_out_of_reach(tmp_path, monkeypatch, capsys):
    torch = pytest.importorskip("torch")
    if torch.cuda.is_available():
        pytest.skip("a CUDA device is here")
    monkeypatch.chdir(tmp_path)
    assert main(["validate", CLAIM, "--device", "cuda"]) == 4
    assert "cuda" in capsys.readouterr().err.lower()
    assert list(tmp_path.iterdir()) == []
