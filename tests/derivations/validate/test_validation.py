"""A validation: every check of every claim runs, and nothing wrong or lost stands."""

from dataclasses import replace

import pytest

from derivations import threads
from derivations.answers.validate import ValidateAnswer
from derivations.experiments.model import Settings
from derivations.validate import outcomes, tasks, validation
from derivations.validate.judged import exit_outcome
from derivations.validate.workers import Lost
from theory.claims.judge import applicable, examine
from theory.claims.model import Level, Outcome
from theory.claims.registry import catalog, select
from theory.claims.rows import Verdict

SETTINGS = Settings("quick", "cpu")
FAULTY, CITING = "flow.gradient.small_bump", "flow.small_bump.first_mode"


@pytest.fixture(autouse=True)
def one_process(monkeypatch):
    monkeypatch.setattr(threads, "cores", lambda: 1)


@pytest.fixture
def planted(monkeypatch):
    """One claim fails at its precise level."""

    def examined(claim, *rest):
        result = examine(claim, *rest)
        failed = tuple(
            replace(one, outcome=Outcome.FAIL) if one.level is Level.PRECISE else one for one in result.results
        )
        return replace(result, results=failed) if claim.id == FAULTY else result

    monkeypatch.setattr(tasks, "examine", examined)


def run(*names):
    return validation.run(validation.with_cited(select(list(names))), SETTINGS)


def test_every_check_of_every_claim_is_a_task():
    claims = tuple(catalog().values())
    todo = tasks.tasks(claims, SETTINGS)
    certified = {task.claims[0]: task.checks for task in todo if not task.experiment}
    assert certified == {claim.id: len(applicable(claim)) for claim in claims}
    trained = {(task.experiment, name) for task in todo if task.experiment for name in task.claims}
    assert {name for _, name in trained} >= {claim.id for claim in claims if claim.registration}
    assert [task.seconds for task in todo] == sorted((task.seconds for task in todo), reverse=True)


def test_a_claim_that_fails_breaks_itself_and_leaves_open_what_cites_it(planted):
    result = run(CITING)
    verdicts = {item.claim.id: item.verdict for item in result.judged}
    assert (verdicts[FAULTY], verdicts[CITING]) == (Verdict.BROKEN, Verdict.OPEN)
    assert exit_outcome(result) is Outcome.FAIL
    text = ValidateAnswer(result, "folder", verbose=True).text()
    first, *_, again, last = text.split("\n\n")
    assert first == again
    assert f"BROKEN  {FAULTY}: precise fails" in first
    assert f"OPEN  {CITING}: a claim that it cites is broken or open" in first
    assert last == "Report: folder/report.html"
    assert "1 fail, 0 undecided" in text


def test_the_answer_is_short_where_all_holds():
    result = run("flow.gradient.small_bump")
    assert exit_outcome(result) is Outcome.PASS
    brief = ValidateAnswer(result, "folder").text().splitlines()
    assert "  small-bump-gate (4)" in brief
    assert len(brief) <= 10
    assert len(ValidateAnswer(result, "folder", verbose=True).text().splitlines()) > len(brief)


def test_the_levels_of_a_lost_process_are_inconclusive_and_the_others_stand():
    claims = tuple(select(["flow.fixed_point.mode", "flow.gradient.entry", "flow.mode.solution"]))
    lost = {"flow.fixed_point.mode", "flow_limit"}
    done = {
        task: Lost("its process was killed by SIGKILL twice") if task.name in lost else tasks.perform(task, print)
        for task in tasks.tasks(claims, SETTINGS)
    }
    judged, _ = outcomes.judge(claims, done)
    for item in judged:
        outcome = {one.outcome for one in item.results if one.outcome is not Outcome.SKIPPED}
        if item.claim.id == "flow.fixed_point.mode":
            assert outcome == {Outcome.INCONCLUSIVE}
            assert "SIGKILL" in item.results[0].where
        elif item.claim.id == "flow.mode.solution":
            (simulated,) = [one for one in item.results if one.level is Level.SIMULATED]
            assert simulated.outcome is Outcome.INCONCLUSIVE
            assert outcome == {Outcome.PASS, Outcome.INCONCLUSIVE}
        else:
            assert Outcome.INCONCLUSIVE not in outcome
