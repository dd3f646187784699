"""The report of a validation: its opening, its links, what has changed, and the numbers of one result in a line."""

import json
import re
from dataclasses import replace

import pytest

from derivations import threads
from derivations.cli import main
from derivations.experiments.model import Settings
from derivations.output import plain
from derivations.validate import report, report_figures, report_files, validation
from derivations.validate.changes import changes
from theory.claims.model import CheckResult, Level, Outcome
from theory.claims.registry import select


def test_the_numbers_of_a_result():
    for outcome, worst, where, shown in (
        (Outcome.FAIL, 0.5, "at g = 1", " (worst 0.5, tolerance 1e-30; at g = 1)"),
        (Outcome.FAIL, 0.5, "worst entry (0,); slow", " (worst 0.5, tolerance 1e-30; worst entry 0; slow)"),
        (Outcome.PASS, 0.0, "", " (worst 0, tolerance 1e-30)"),
        (Outcome.FAIL, None, "a step fails", " (a step fails)"),
        (Outcome.SKIPPED, 0.5, "no networks", " (no networks)"),  # a skipped level shows its reason alone
        (Outcome.SKIPPED, 0.5, "", ""),
    ):
        assert report.numbers(CheckResult("a.b.c", Level.PRECISE, outcome, worst, 1e-30, where)) == shown


NAMES = ["flow.fixed_point.mode", "flow.gradient.small_bump", "model.small_bump_gate"]
CLAIM = "flow.gradient.small_bump"


@pytest.fixture(scope="module")
def run():
    """A whole run over a few claims."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(threads, "cores", lambda: 1)
        return validation.run(select(NAMES), Settings("quick", "cpu"))


def test_the_figure_has_the_outcome_of_every_level(run):
    arrays = report_figures.overview(run).arrays
    assert arrays["claim"].tolist() == [item.claim.id for item in run.judged]
    passed = {name: [] for name in arrays["claim"]}
    for level, row in zip(Level, arrays["outcome"], strict=True):
        for name, code in zip(arrays["claim"], row, strict=True):
            if code == 1:
                passed[name].append(level)
    assert passed == {
        item.claim.id: [
            level for level in Level if any(r.level is level and r.outcome is Outcome.PASS for r in item.results)
        ]
        for item in run.judged
    }


def test_a_failure_is_in_the_figure_and_in_the_sentence(run):
    first, *others = run.judged
    failing = replace(first, results=(replace(first.results[0], outcome=Outcome.FAIL), *first.results[1:]))
    worse = replace(run, judged=(failing, *others))
    assert report_figures.overview(worse).arrays["outcome"].max() == 3
    text = report.markdown(worse, report.Image("c", "p"), [])
    assert "1 check fails and 0 stay undecided" in text
    rows = dict(re.findall(r"^\| \[.*?\]\(#([\w.]+)\) \| (.*) \|$", text, re.MULTILINE))
    assert rows[first.claim.id] == "INHERITED | 3 levels | symbolic (**FAIL**)"
    assert [row.split(" | ")[2] for row in list(rows.values())[1:]] == ["–", "–"]


def summary_with(run, change):
    """The summary of a run, as JSON has it, after a change of the claim."""
    result = json.loads(json.dumps(plain(report_files.summary(run))))
    change(next(claim for claim in result["claims"] if claim["id"] == CLAIM))
    return result


def test_changes_are_those_of_outcomes(run):
    now = summary_with(run, lambda claim: None)
    for change, expected in (
        (lambda claim: claim.update(verdict="OPEN"), ("verdict: OPEN, now CORRECTED",)),
        (lambda claim: claim.update(statement="x"), ("the statement",)),
        (lambda claim: claim["levels"][0].update(outcome="FAIL"), ("symbolic: FAIL, now PASS",)),
        (lambda claim: claim["levels"].pop(0), ("symbolic: not there, now PASS",)),
        (lambda claim: claim["printed"][0].update(agrees=True), ("small-bump-gate (4): agrees, now differs",)),
        (lambda claim: claim.update(id="another.claim"), ("new",)),
        (lambda claim: claim["levels"][2].update(worst=1.0), None),
    ):
        assert changes(summary_with(run, change), now) == ({} if expected is None else {CLAIM: expected})


def test_a_change_of_the_first_of_two_results_is_seen(run):
    def control(*outcomes):
        results = [{"level": "negative control", "experiment": "a", "outcome": outcome} for outcome in outcomes]
        return summary_with(run, lambda claim: claim.update(levels=results))

    assert changes(control("FAIL", "PASS"), control("PASS", "PASS")) == {
        CLAIM: ("negative control of a: FAIL, PASS, now PASS, PASS",)
    }


def test_the_command_shows_what_has_changed_since_its_last_report(run, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["validate", CLAIM, "--changed"]) == 2
    assert "no report of an earlier run" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "gdln-report").mkdir()
    report_files.write(run, tmp_path / "gdln-report")
    last = json.loads((tmp_path / "gdln-report/report.json").read_text(encoding="utf-8"))
    next(claim for claim in last["claims"] if claim["id"] == CLAIM)["verdict"] = "OPEN"
    (tmp_path / "gdln-report/report.json").write_text(json.dumps(last), encoding="utf-8")
    assert main(["validate", CLAIM, "--changed", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["changed"][CLAIM] == ["verdict: OPEN, now CORRECTED"]
