"""Evidence edited by hand is refused: by its seal, and where the seal is made anew, by the numbers that it holds."""

import json
import math
import shutil

import mpmath
import numpy as np
import pytest

from derivations import cli
from derivations.answers import derive as derive_verb
from derivations.answers import ledger as ledger_verb
from derivations.evidence import stored
from derivations.evidence.consistency import contradiction
from derivations.evidence.entries import entries
from derivations.experiments.registered import _prepared, run_name
from derivations.output import CHECK_FAILED
from derivations.publish import compose
from derivations.seals import sealed
from derivations.statistics.comparison import Agreement, decide_all
from derivations.validate import recorded
from derivations.validate.checks import Evidence
from tests.pieces import evidence_of
from tests.tolerances import STORED_ESTIMATES, STORED_ROWS
from theory.claims import catalog
from theory.claims.evaluate import evaluate
from theory.claims.levels import PRECISE_DIGITS, PrintedFinding, printed_findings, relative_error
from theory.claims.model import Level, Outcome

CLAIM = "moment.site_gate.yx"
CLAIMS = catalog()
every_claim = pytest.mark.parametrize("claim", CLAIMS.values(), ids=lambda claim: claim.id)
registered = pytest.mark.parametrize(
    "claim", [claim for claim in CLAIMS.values() if claim.registration], ids=lambda claim: claim.id
)
# Results whose experiment asks for a value above its bound, or whose control does.
ABOVE = {
    *((f"localization.design.{name}", Level.SIMULATED) for name in ("concentrated", "gates", "growth", "oscillating")),
    *((f"localization.relu.{name}", Level.SIMULATED) for name in ("around_mode", "growth_goes_on", "localizes")),
    ("localization.relu.biases_removed", Level.SIMULATED),
    ("localization.relu.gates_flip", Level.SIMULATED),
    ("localization.sigmoid.like_erf", Level.SIMULATED),
    ("localization.relu.order", Level.SIMULATED),
    ("localization.relu.growth_stops", Level.NEGATIVE_CONTROL),
    ("localization.relu.replayed_gates", Level.NEGATIVE_CONTROL),
    ("localization.sigmoid.no_biases", Level.NEGATIVE_CONTROL),
    *((f"race.trained.{name}", Level.NEGATIVE_CONTROL) for name in ("reduction", "zero_shot")),
    *(
        (f"kernel.{name}", Level.NEGATIVE_CONTROL)
        for name in ("variance.value", "random_gates.own", "random_gates.cross")
    ),
    *((f"law.{name}", Level.NEGATIVE_CONTROL) for name in ("estimates.coverage", "examples.trained")),
}
# Its rule has two bounds, for a low and a high gain, and either may fail it: no single number says which.
BY_TWO_NUMBERS = {("localization.gain.neuron", Level.NEGATIVE_CONTROL)}


def content_of(name=CLAIM):
    return evidence_of(name)


def level_of(content, name):
    return next(level for level in content["levels"] if level["level"] == name)


def estimate_of(content):
    return next(iter(content["simulated"].values()))


def nudged(text):
    """A number as text with its 20th digit changed."""
    place = [index for index, letter in enumerate(text) if letter.isdigit()][19]
    return f"{text[:place]}{(int(text[place]) + 1) % 10}{text[place + 1 :]}"


# What is changed by hand, and in which words the numbers refuse it under a seal made anew; None where only the claim
# and its theory can tell, as the tests below do.
EDITS = {
    "a mean": (lambda c: estimate_of(c)["mean"][0].__setitem__(3, 0.5), None),
    "a standard error": (lambda c: estimate_of(c)["standard_error"][0].__setitem__(3, 0.5), None),
    "p": (lambda c: level_of(c, "simulated").update(p=0.0002), None),
    "a margin": (lambda c: level_of(c, "simulated").update(tolerance=0.5), None),
    "a row": (lambda c: c["precise"][0].update(definition=nudged(c["precise"][0]["definition"])), "formula and defin"),
    "both of a row": (lambda c: c["precise"][0].update(definition="0.5", formula="0.5"), None),
    "a row taken out": (lambda c: c["precise"].pop(), "precise has 11 points, and its table 10"),
    "a worst value": (lambda c: level_of(c, "precise").update(worst=2e-30), "precise is PASS, but its worst value"),
    "a worst margin": (lambda c: level_of(c, "simulated").update(worst=1.0), "simulated is PASS, but its worst value"),
    "no worst value": (lambda c: level_of(c, "floating").update(worst=None), "says no worst value"),
    "a wrong form": (
        lambda c: level_of(c, "simulated")["rejected_alternatives"].update({"small-bump (7)": False}),
        "the wrong form small-bump \\(7\\) was not rejected",
    ),
    "no mutants": (lambda c: level_of(c, "negative control").update(killed=0), "no altered formula was rejected"),
    "a divergence": (lambda c: level_of(c, "simulated").update(diverged=1), "1 networks diverged"),
    "a verdict": (lambda c: c.update(verdict="CONFIRMED"), None),
    "a finding": (lambda c: c["printed"][0].update(agrees=True), None),
    "seconds": (lambda c: c["seconds"].update(precise=0.0), None),
    "code": (lambda c: c["code"].update(certify="0" * 64), None),
}


@pytest.fixture
def edited(tmp_path):
    """A copy of the evidence in which `change` has changed the content of one file, `seal`ed anew or not."""
    folder = tmp_path / "evidence"
    shutil.copytree(stored.FOLDER, folder, ignore=shutil.ignore_patterns("*.py", "__pycache__"))

    def make(change, seal=False):
        content = content_of()
        change(content)
        (folder / f"{CLAIM}.json").write_text(json.dumps(sealed(content) if seal else content))
        return folder

    return make


@every_claim
def test_the_evidence_is_sealed_and_says_what_its_numbers_say(claim):
    assert stored.read(claim) is not None


@pytest.mark.parametrize("name", EDITS)
def test_an_edit_breaks_the_seal(edited, name):
    with pytest.raises(stored.DamagedEvidenceError, match="its seal is broken") as refused:
        stored.read(CLAIMS[CLAIM], edited(EDITS[name][0]))
    assert refused.value.hint.startswith(f"Run gdln validate {CLAIM} --write-evidence")
    assert (refused.value.kind, refused.value.exit_code) == ("damaged", CHECK_FAILED)


@pytest.mark.parametrize("name", [name for name, (_, said) in EDITS.items() if said])
def test_an_edit_under_a_new_seal_contradicts_the_numbers(edited, name):
    change, said = EDITS[name]
    with pytest.raises(stored.DamagedEvidenceError, match=said):
        stored.read(CLAIMS[CLAIM], edited(change, seal=True))


@pytest.mark.parametrize(
    "damage",
    [
        lambda path: path.write_text(path.read_text()[:-20]),
        lambda path: path.write_text("[]"),
        lambda path: path.write_text('{"levels": NaN}'),
        lambda path: path.write_text(path.read_text().replace('"seal"', '"seals"')),
        lambda path: path.write_bytes(b'"\xff"'),
    ],
    ids=["torn", "a list", "NaN", "no seal", "not UTF-8"],
)
def test_a_damaged_file_is_named(edited, damage):
    folder = edited(lambda content: None, seal=True)
    damage(folder / f"{CLAIM}.json")
    with pytest.raises(stored.DamagedEvidenceError, match=f"The stored evidence of {CLAIM} is damaged"):
        stored.read(CLAIMS[CLAIM], folder)


@pytest.mark.parametrize("words", [["ledger"], ["derive", "--check"]], ids=" ".join)
def test_commands_refuse_a_broken_seal(edited, words, monkeypatch, capsys):
    folder = edited(EDITS["a mean"][0])
    book = compose.Book
    monkeypatch.setattr(ledger_verb, "entries", lambda claims: entries(claims, folder))
    monkeypatch.setattr(derive_verb.compose, "Book", lambda claims, pages, **rest: book(claims, pages, folder, **rest))
    assert cli.main([*words, "--json"]) == CHECK_FAILED
    error = json.loads(capsys.readouterr().out)["error"]
    assert error["kind"] == "damaged"
    assert CLAIM in error["message"]
    assert "--write-evidence" in error["hint"]


def test_a_validation_refuses_a_broken_seal_and_a_whole_one_takes_nothing_from_it(edited):
    folder, claim = edited(EDITS["p"][0]), CLAIMS[CLAIM]
    with pytest.raises(stored.DamagedEvidenceError):
        Evidence([claim], folder)
    whole = Evidence([claim], folder, whole=True)
    assert whole.of == {}
    assert not any(check.fresh for check in whole.checks())


# --- the numbers that only the claim and its theory can tell ---------------------------------------------------------


def faults_of_rows(claim, content):
    """Rows whose formula is not the claim's at the point, and findings on printed forms that the rows do not give."""
    rows = recorded.rows(claim, content)
    with mpmath.workdps(PRECISE_DIGITS + 15):
        for row in rows:
            value = evaluate(claim.statement.rhs, row.point, PRECISE_DIGITS + 5)
            if not relative_error(row.formula, value, PRECISE_DIGITS) <= STORED_ROWS:
                yield f"the formula at {dict(row.point)}"
    if rows:
        by_place = {(one.source.document, one.source.label): one for one in printed_findings(claim, rows)}
        for item in content["printed"]:
            found: PrintedFinding = by_place[item["document"], item["label"]]
            if found.agrees != item["agrees"]:
                yield f"the finding on {item['label']}"


def faults_of_rules(claim, content):
    """Results of an experiment's own rule whose worst value lies on the wrong side of its bound."""
    for level in content["levels"]:
        if "experiment" in level and "p" not in level and (claim.id, level["level"]) not in BY_TWO_NUMBERS:
            above = (claim.id, level["level"]) in ABOVE
            sound = level["worst"] > level["tolerance"] if above else level["worst"] <= level["tolerance"]
            if sound != (level["outcome"] == Outcome.PASS):
                yield f"{level['level']} of {level['experiment']}"


def faults_of_estimates(claim, content):
    """Numbers of the registered comparison that its means, standard errors and critical value do not give."""
    for problem in claim.registration.problems:
        name = run_name(claim, problem)
        level = next(one for one in content["levels"] if one.get("experiment") == name)
        estimate = content["simulated"][f"{claim.id}/{problem}"]
        mean, error = (np.array(estimate[key], float) for key in ("mean", "standard_error"))
        prepared = _prepared(claim, problem)
        prediction = np.asarray(claim.registration.predict(prepared), float)
        with np.errstate(divide="ignore", invalid="ignore"):
            apart = np.where(error > 0, np.abs(mean - prediction) / error, 0)
            rounding = np.where(error > 0, np.abs(mean) / error, 0)
        statistic, at = level["statistic"], tuple(level["worst_entry"])
        allowed = STORED_ESTIMATES * (float(rounding[at]) + statistic)
        if abs(apart[at] - statistic) > allowed or apart.max() > statistic + STORED_ESTIMATES * (
            float(rounding.max()) + statistic
        ):
            yield "the statistic"
        bound = np.abs(mean - prediction) + level["critical"] * error
        if abs(bound.max() - level["worst"]) > STORED_ESTIMATES * (np.abs(mean) + bound).max():
            yield "the worst bound"
        margin = float(claim.registration.margin) * np.abs(prediction).max()
        if abs(level["tolerance"] - margin) > STORED_ROWS + STORED_ESTIMATES * margin:
            yield "the margin"
        if level["replicates"] != estimate["replicates"] or estimate["times"] != [
            float(time) for time in prepared.training.times
        ]:
            yield "replicates or times"


def comparisons(contents):
    """(claim, agreement, level) of every registered comparison."""
    for name, content in contents.items():
        for level in content["levels"]:
            if "p" in level:
                fields = {key: level[key] for key in Agreement.__dataclass_fields__ if key in level}
                agreed = Agreement(bound=level["worst"], margin=level["tolerance"], **fields)
                yield CLAIMS[name], agreed, level


def faults_of_decisions(contents):
    """Claims whose stored outcome is not the one that p, power, wrong forms and bound give, judged as one family."""
    found = list(comparisons(contents))
    results = decide_all([(claim, agreed) for claim, agreed, _ in found])
    return [
        claim.id
        for (claim, _, level), result in zip(found, results, strict=True)
        if result.outcome != level["outcome"] or not level["where"].startswith(result.where.partition(";")[0])
    ]


@every_claim
def test_rows_and_findings_are_those_of_the_claim(claim):
    assert list(faults_of_rows(claim, content_of(claim.id))) == []


@every_claim
def test_a_rule_of_an_experiment_gives_the_stored_outcome(claim):
    assert list(faults_of_rules(claim, content_of(claim.id))) == []


@registered
def test_the_stored_estimates_give_the_stored_comparison(claim):
    assert list(faults_of_estimates(claim, content_of(claim.id))) == []


def test_the_stored_comparisons_give_the_stored_outcomes():
    contents = {name: content_of(name) for name, claim in CLAIMS.items() if claim.registration}
    assert {claim.id for claim, _, _ in comparisons(contents)} == contents.keys()
    assert faults_of_decisions(contents) == []


@pytest.mark.parametrize(
    ("name", "faults"),
    [
        ("a mean", faults_of_estimates),
        ("a standard error", faults_of_estimates),
        ("a margin", faults_of_estimates),
        ("both of a row", faults_of_rows),
        ("a finding", faults_of_rows),
        ("p", lambda claim, content: faults_of_decisions({claim.id: content})),
    ],
)
def test_the_edit_is_found_by_what_the_claim_says(name, faults):
    content = content_of()
    assert not list(faults(CLAIMS[CLAIM], content))
    EDITS[name][0](content)
    assert not contradiction(content)
    assert list(faults(CLAIMS[CLAIM], content))


def test_a_number_on_the_wrong_side_of_a_rule_is_found():
    for name, level in (*ABOVE, ("localization.sigmoid.no_biases", Level.SIMULATED)):
        content = content_of(name)
        result = next(one for one in content["levels"] if one["level"] == level and "experiment" in one)
        passed, above = result["outcome"] == Outcome.PASS, (name, level) in ABOVE
        result["worst"] = math.inf if above != passed else result["tolerance"] - 1
        assert list(faults_of_rules(CLAIMS[name], content))
