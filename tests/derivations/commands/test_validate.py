"""`gdln validate` as it is typed: a whole small run, and what it leaves behind."""

import json

import pytest

from derivations.output import BAD_INPUT, OUT_OF_REACH, PASS
from tests.tolerances import PRINTED_DIGITS

CLAIM = "flow.fixed_point.mode"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """An empty folder in which the command runs."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_one_claim_is_judged_reported_and_answered_as_json(folder, gdln):
    code, answer = gdln("validate", CLAIM, "--out", "report")
    assert code == PASS
    (judged,) = [claim for claim in answer["claims"] if claim["id"] == CLAIM]
    assert judged["verdict"] == "INHERITED"
    assert {level["level"]: level["outcome"] for level in judged["levels"]}["precise"] == "PASS"
    (printed,) = judged["printed"]
    assert (printed["label"], printed["agrees"]) == ("after (11)", False)
    units = int(printed["at"]["K"])
    assert abs(units * float(printed["printed"]) / float(printed["definition"]) - 1) < PRINTED_DIGITS  # it lacks K
    assert json.loads((folder / "report/report.json").read_text())["claims"] == answer["claims"]
    text = (folder / "report/report.html").read_text(encoding="utf-8")
    assert "localization-with-gated-linear-networks after (11)" in text
    assert "$" not in text.partition("<main>")[2].partition("<script>")[0]


def test_what_is_refused_leaves_nothing(folder, gdln, monkeypatch):
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    for code, words in (
        (BAD_INPUT, ["--profile", "thorough"]),
        (BAD_INPUT, ["--out", "absent/report"]),
        (OUT_OF_REACH, ["--device", "cuda"]),
    ):
        assert gdln("validate", CLAIM, *words)[0] == code
    assert list(folder.iterdir()) == []
