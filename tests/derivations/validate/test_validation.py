"""A quick validation beside stored evidence: what runs, what stands, and that nothing wrong stands by its evidence."""

import json
from dataclasses import replace

import pytest

from derivations import threads
from derivations.experiments.model import Settings
from derivations.seals import sealed
from derivations.validate import evidence, outcomes, rotation, tasks, validation
from derivations.validate.checks import Evidence
from derivations.validate.judged import exit_outcome
from derivations.validate.validation import Choice
from derivations.validate.workers import Lost
from theory.claims import catalog
from theory.claims.model import Level, Outcome
from theory.claims.registry import select
from theory.claims.rows import Verdict

NAMES = ["flow.fixed_point.mode", "flow.gradient.entry", "flow.mode.solution", "model.relu"]
CLAIMS = tuple(select(NAMES))
MODES = tuple(select(["flow.fixed_point.mode"]))
SETTINGS = Settings("quick", "cpu")


@pytest.fixture(autouse=True)
def one_process(monkeypatch):
    monkeypatch.setattr(threads, "cores", lambda: 1)


@pytest.fixture(scope="module")
def known(tmp_path_factory):
    """The evidence of the claims as this code writes it, and the whole run that it is of."""
    folder = tmp_path_factory.mktemp("evidence")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(threads, "cores", lambda: 1)
        run = validation.run(CLAIMS, SETTINGS, Choice(everything=True, evidence=folder))
    evidence.write(run, folder)
    return run, folder


def quick(folder, claims=CLAIMS, **choice):
    return validation.run(claims, SETTINGS, Choice(evidence=folder, **choice))


def test_as_many_runs_as_rounds_check_everything_and_judge_alike(known):
    run, folder = known
    seconds = [check.seconds for check in Evidence(CLAIMS, folder).checks()]
    assert 0 < sum(seconds) <= run.spent
    budget = max(seconds)  # less than all of them together
    ran, last = set(), None
    first = quick(folder, budget=budget)
    assert first.plan.rounds > 1
    for _ in range(first.plan.rounds):
        now = quick(folder, budget=budget, last=last)
        last = now.plan.round
        ran |= {check.name for check in now.plan.now}
        assert now.plan.changed == ()
        assert [item.verdict for item in now.judged] == [item.verdict for item in run.judged]
        assert exit_outcome(now) is Outcome.PASS
        for item, before in zip(now.judged, run.judged, strict=True):
            assert [result.level for result in item.results] == [result.level for result in before.results]
            standing = {(check.level, check.experiment) for check in now.plan.stored if item.claim.id in check.claims}
            assert {
                (None if "experiment" in one.details else one.level, one.details.get("experiment", ""))
                for one in item.stored
            } == standing
    assert ran == {check.name for check in run.plan.now}


def test_fresh_points_are_new_and_the_seed_repeats_them(known):
    _, folder = known
    runs = [quick(folder, MODES, seed=seed, budget=1000.0) for seed in (1, 1, 2)]
    name = "flow.fixed_point.mode"
    points = [[row.point for row in item.rows] for run in runs for item in run.judged if item.claim.id == name]
    assert points[0] == points[1]
    assert points[0] != points[2]
    stored = {tuple(row["at"].values()) for row in json.loads((folder / f"{name}.json").read_text())["precise"]}
    assert stored.isdisjoint(tuple(str(value) for value in point.values()) for point in points[0])


def test_a_fresh_claim_that_fails_at_a_new_point_fails_the_run(known, monkeypatch):
    _, folder = known
    true = tasks.reexamine

    def planted(claim, *rest):
        result = true(claim, *rest)
        results = tuple(
            replace(one, outcome=Outcome.FAIL) if one.level is Level.PRECISE else one for one in result.results
        )
        return replace(result, results=results) if claim.id == "flow.fixed_point.mode" else result

    monkeypatch.setattr(tasks, "reexamine", planted)
    run = quick(folder, MODES, budget=1000.0)
    assert run.plan.changed == ()
    assert exit_outcome(run) is Outcome.FAIL
    verdicts = {item.claim.id: item.verdict for item in run.judged}
    assert verdicts["flow.fixed_point.mode"] is Verdict.REFUTED


@pytest.mark.parametrize("change", ["claim", "code", "missing"])
def test_what_changed_is_checked_whole(known, tmp_path, change):
    _, folder = known
    name = "flow.gradient.entry"
    claims = CLAIMS
    for path in folder.glob("*.json"):
        content = json.loads(path.read_text())
        if path.stem == name and change == "code":
            content["code"]["certify"] = "another"
        if not (path.stem == name and change == "missing"):
            (tmp_path / path.name).write_text(json.dumps(sealed(content)))
    if change == "claim":
        without = replace(catalog()[name], sources=())
        claims = tuple(without if claim.id == name else claim for claim in CLAIMS)
    changed = {check.claims for check in Evidence(claims, tmp_path).checks() if not check.fresh}
    assert changed == {(name,)}
    run = quick(tmp_path, budget=1e-9)
    if change != "claim":  # a claim is found by its id where it is examined: the catalog's
        (item,) = [item for item in run.judged if item.claim.id == name]
        assert item.stored == ()
        assert len(item.rows) == len(known[0].judged[[c.id for c in CLAIMS].index(name)].rows)


def test_the_levels_of_a_lost_process_are_inconclusive_and_the_others_stand(known):
    _, folder = known
    known_evidence = Evidence(CLAIMS, folder)
    plan = rotation.plan(known_evidence.checks(), budget=1000.0)
    todo = tasks.tasks(plan.now, plan.seed, SETTINGS, folder)
    lost = {"flow.fixed_point.mode", "flow_limit"}
    done = {
        task: Lost("its process was killed by SIGKILL twice") if task.name in lost else tasks.perform(task, print)
        for task in todo
        if task.checks[0].level or task.name in lost
    }
    judged, _ = outcomes.judge(CLAIMS, known_evidence, plan, done)
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
