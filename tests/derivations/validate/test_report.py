"""The report of a validation: its opening, its links, what has changed, and the numbers of one result in a line."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest

from derivations import threads
from derivations.cli import main
from derivations.experiments.folders import problem_named
from derivations.experiments.model import Finding, Settings
from derivations.output import plain
from derivations.validate import report, report_figures, report_files, validation
from derivations.validate.changes import changes
from theory.claims.model import CheckResult, Level, Outcome, Standing
from theory.claims.registry import catalog, select


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
CURVES = {"loss": 2, "participation_ratio": (2, 2)}  # two times, two units


@pytest.fixture(scope="module")
def run():
    """A whole run over a few claims."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(threads, "cores", lambda: 1)
        return validation.run(select(NAMES), Settings("quick", "cpu"))


def test_a_failure_stands_first_and_leads_to_its_claim(run):
    first, *others = run.judged
    failing = replace(first, results=(replace(first.results[0], outcome=Outcome.FAIL), *first.results[1:]))
    broken = replace(failing, standing=Standing.FAILS)
    text = report.body(replace(run, judged=(*others, broken)), [])
    assert "1 fail and 0 stay undecided" in text
    headings = re.findall("<h2>(.*?)</h2>", text)
    assert headings == ["Failures", "What the sources print and what holds", "Every claim", "The run"]
    assert f'<a href="#{first.claim.id}">{first.claim.id}</a>: symbolic fails' in text
    entries = dict(re.findall(r'id="([\w.]+)" data-verdict="(\w+)"', text))
    assert entries == {item.claim.id: item.verdict for item in others} | {first.claim.id: "BROKEN"}
    assert "Failures" not in report.body(run, [])


def test_a_trained_claim_is_drawn_beside_its_prediction(run):
    claim, problem = catalog()["pulse.half_space.single"], problem_named("one-pulse")
    prediction = claim.registration.predict(problem)
    times = [float(time) for time in problem.training.times]
    trained = {
        "source": problem,
        "times": times,
        "mean": prediction + 1,
        "standard_error": np.ones_like(prediction),
        "replicates": 8,
        "curves": {name: (np.ones(shape), np.ones(shape)) for name, shape in CURVES.items()},
    }
    finding = Finding(estimates={f"{claim.id}/one-pulse": trained})
    (drawing,) = report_figures.drawings(replace(run, finding=finding))
    np.testing.assert_array_equal(drawing.arrays["theory: weights"], prediction)
    np.testing.assert_array_equal(drawing.arrays["networks: weights"], prediction + 1)
    assert [axis.get_title().split()[0] for axis in drawing.draw().axes] == ["field", "field", "loss", "inverse"]


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


@pytest.mark.slow
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
