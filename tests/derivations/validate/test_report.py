"""The report of a validation: its opening, its links, what has changed, and the numbers of one result in a line."""

import json
import re
from dataclasses import replace

import pytest

from derivations import threads
from derivations.answers.validate import ValidateAnswer
from derivations.cli import main
from derivations.experiments.model import Finding, Settings
from derivations.output import plain
from derivations.validate import report, report_figures, report_files, rotation, validation
from derivations.validate.changes import changes
from derivations.validate.checks import Check
from derivations.validate.judged import Validation
from derivations.validate.validation import Choice
from theory.claims.model import CheckResult, Level, Outcome
from theory.claims.registry import select


def shown(where: str) -> str:
    """The numbers of a precise result at a place."""
    return report.numbers(CheckResult("a.b.c", Level.PRECISE, Outcome.FAIL, 0.5, 1e-30, where))


def test_the_place_follows_the_numbers_where_there_is_one():
    assert shown("at g = 1") == " (worst 0.5, tolerance 1e-30; at g = 1)"
    assert shown("") == " (worst 0.5, tolerance 1e-30)"


@pytest.mark.parametrize(
    ("now", "stored", "expected"),
    [
        ([False], 0, "The check ran whole, 3 s of processor time"),
        ([False, False], 0, "All 2 checks ran whole, 3 s of processor time"),
        (
            [True, False],
            1,
            "2 checks ran now, of which 1 whole because the claim or its code has changed; the",
        ),
        ([True], 0, "1 check ran now, of which 0 whole because the claim or its code has changed. What is fresh"),
    ],
)
def test_the_sentence_on_what_ran_has_one_check_or_several(now, stored, expected):
    checks = [Check(("a.b.c",), Level.PRECISE, "", 1.0, fresh=fresh) for fresh in now]
    plan = rotation.Plan(tuple(checks), tuple(checks[:1] * stored), 4, 0, 1, 10.0)
    found = report.ran(Validation("quick", (), Finding(), 5.0, plan=plan, spent=3.0))
    assert found.startswith(expected)
    assert ("covers 1 check." in found) is bool(stored)


NAMES = ["flow.fixed_point.mode", "flow.gradient.small_bump", "model.small_bump_gate"]
CLAIM = "flow.gradient.small_bump"


@pytest.fixture(scope="module")
def run():
    """A whole run over a few claims."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(threads, "cores", lambda: 1)
        return validation.run(select(NAMES), Settings("quick", "cpu"), Choice(everything=True))


@pytest.fixture(scope="module")
def folder(run, tmp_path_factory):
    made = tmp_path_factory.mktemp("report")
    report_files.write(run, made)
    return made


def test_it_opens_with_a_figure_a_sentence_and_a_table(run, folder):
    text = (folder / "report.md").read_text(encoding="utf-8")
    opening = text[: text.index("## ")].split("\n\n")
    assert opening[0] == "# Validation report"
    assert opening[1].startswith("![")
    assert "(figures/outcomes.png)" in opening[1]
    assert opening[3].startswith(f"{len(run.judged)} claims: ")
    assert opening[3].endswith("; no check fails or stays undecided.")
    rows = opening[4].strip().split("\n")[2:]
    assert [re.search(r"\(#([\w.]+)\) \| (\w+) ", row).groups() for row in rows] == [
        (item.claim.id, item.verdict.value) for item in run.judged
    ]


def test_every_row_leads_to_its_claim_whose_details_are_folded(run, folder):
    text = (folder / "report.html").read_text(encoding="utf-8")
    ids = re.findall(r'id="([^"]+)"', text)
    assert len(set(ids)) == len(ids)
    assert set(re.findall(r'href="#([^"]+)"', text)) <= set(ids)
    assert {item.claim.id for item in run.judged} <= set(ids)
    assert text.count('<details class="fold">') == len(run.judged)
    assert not re.search(r'(?:src|href)="(?!data:|#)', text)
    assert re.findall(r'<td class="verdict (\w+)">', text) == [item.verdict.value for item in run.judged]


def test_the_figure_has_the_outcome_of_every_level(run):
    arrays = report_figures.overview(run).arrays
    assert arrays["claim"].tolist() == [item.claim.id for item in run.judged]
    passed = {name: [] for name in arrays["claim"]}
    for level, row in zip(Level, arrays["outcome"], strict=True):
        for name, code in zip(arrays["claim"], row, strict=True):
            if code == 2:
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
    assert report_figures.overview(worse).arrays["outcome"].max() == 4
    assert "1 check fails and 0 stay undecided" in report.markdown(worse, report.Image("c", "p"), [])


def test_an_entry_is_named_without_the_marks_of_python():
    assert "(0,)" not in shown("worst entry (0,); slow")
    assert shown("worst entry (0,); slow").endswith("worst entry 0; slow)")


def summary_with(run, change):
    """The summary of a run, as JSON has it, after a change of the claim."""
    found = json.loads(json.dumps(plain(report_files.summary(run))))
    change(next(claim for claim in found["claims"] if claim["id"] == CLAIM))
    return found


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda claim: claim.update(verdict="OPEN"), ("verdict: OPEN, now CORRECTED",)),
        (lambda claim: claim.update(statement="x"), ("the statement",)),
        (lambda claim: claim["levels"][0].update(outcome="FAIL"), ("symbolic: FAIL, now PASS",)),
        (lambda claim: claim["levels"].pop(0), ("symbolic: not there, now PASS",)),
        (lambda claim: claim["printed"][0].update(agrees=True), ("small-bump-gate (4): agrees, now differs",)),
        (lambda claim: claim.update(id="another.claim"), ("new",)),
        (lambda claim: claim["levels"][2].update(worst=1.0), None),
    ],
)
def test_changes_are_those_of_outcomes(run, change, expected):
    before, now = summary_with(run, change), summary_with(run, lambda claim: None)
    assert changes(before, now) == ({} if expected is None else {CLAIM: expected})


def test_a_change_of_the_first_of_two_results_is_seen(run):
    def control(*outcomes):
        results = [{"level": "negative control", "experiment": "a", "outcome": outcome} for outcome in outcomes]
        return summary_with(run, lambda claim: claim.update(levels=results))

    assert changes(control("FAIL", "PASS"), control("PASS", "PASS")) == {
        CLAIM: ("negative control of a: FAIL, PASS, now PASS, PASS",)
    }


def test_a_report_of_changes_shows_these_claims_alone(run, tmp_path):
    report_files.write(run, tmp_path, {CLAIM: ("verdict: OPEN, now CORRECTED",)})
    text = (tmp_path / "report.md").read_text(encoding="utf-8")
    assert "Since the last report 1 claim changed." in text
    assert re.findall(r'<a id="([\w.]+)"></a>', text) == [CLAIM]
    assert "| verdict: OPEN, now CORRECTED |" in text
    whole = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    assert len(whole["claims"]) == len(run.judged), "the next run compares with all of them"


def test_without_a_change_the_answer_says_so(run, folder):
    assert ValidateAnswer(run, folder, {}).text().startswith("Nothing has changed since the last report.\n")


def test_the_command_shows_what_has_changed_since_its_last_report(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["validate", CLAIM, "--changed"]) == 2
    assert "no report of an earlier run" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
    assert main(["validate", CLAIM]) == 0
    capsys.readouterr()
    last = json.loads((tmp_path / "gdln-report/report.json").read_text(encoding="utf-8"))
    last["claims"][0]["verdict"] = "OPEN"
    (tmp_path / "gdln-report/report.json").write_text(json.dumps(last), encoding="utf-8")
    assert main(["validate", CLAIM, "--changed", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["changed"] == {
        last["claims"][0]["id"]: [f"verdict: OPEN, now {_verdict(last['claims'][0]['id'], tmp_path)}"]
    }


def _verdict(name, folder):
    claims = json.loads((folder / "gdln-report/report.json").read_text(encoding="utf-8"))["claims"]
    return next(claim["verdict"] for claim in claims if claim["id"] == name)
