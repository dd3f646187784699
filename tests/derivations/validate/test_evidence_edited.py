"""Evidence edited by hand is refused: by its seal, and where the seal is made anew, by the numbers that it holds."""

import json

import mpmath
import pytest

from derivations import cli
from derivations.answers import derive as derive_verb
from derivations.answers import ledger as ledger_verb
from derivations.evidence import stored
from derivations.evidence.consistency import contradiction
from derivations.evidence.entries import entries
from derivations.output import CHECK_FAILED
from derivations.publish import compose
from derivations.seals import sealed
from derivations.validate import recorded
from derivations.validate.checks import Evidence
from tests.tolerances import STORED_ROWS
from theory.claims import catalog
from theory.claims.evaluate import evaluate
from theory.claims.levels import PRECISE_DIGITS, printed_findings, relative_error

CLAIM = "moment.site_gate.yx"


def content_of(name=CLAIM):
    return json.loads((stored.FOLDER / f"{name}.json").read_text(encoding="utf-8"))


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
    "p": (lambda c: level_of(c, "simulated").update(p=0.0002), None),
    "a row": (lambda c: c["precise"][0].update(definition=nudged(c["precise"][0]["definition"])), "formula and defin"),
    "both of a row": (lambda c: c["precise"][0].update(definition="0.5", formula="0.5"), None),
    "a row taken out": (lambda c: c["precise"].pop(), "precise has 11 points, and its table 10"),
    "a worst value": (lambda c: level_of(c, "precise").update(worst=2e-30), "precise is PASS, but its worst value"),
    "no worst value": (lambda c: level_of(c, "floating").update(worst=None), "says no worst value"),
    "a wrong form": (
        lambda c: level_of(c, "simulated")["rejected_alternatives"].update({"small-bump (7)": False}),
        "the wrong form small-bump \\(7\\) was not rejected",
    ),
    "no mutants": (lambda c: level_of(c, "negative control").update(killed=0), "no altered formula was rejected"),
    "a divergence": (lambda c: level_of(c, "simulated").update(diverged=1), "1 networks diverged"),
    "a finding": (lambda c: c["printed"][0].update(agrees=True), None),
    "code": (lambda c: c["code"].update(certify="0" * 64), None),
}


@pytest.fixture
def write(tmp_path):
    """A function that writes content as the evidence of the claim, `seal`ed anew or not, and returns the folder."""

    def written(content, seal=False):
        (tmp_path / f"{CLAIM}.json").write_text(json.dumps(sealed(content) if seal else content))
        return tmp_path

    return written


def test_an_edit_breaks_the_seal_and_under_a_new_seal_contradicts_the_numbers(write):
    for name, (change, said) in EDITS.items():
        content = content_of()
        change(content)
        with pytest.raises(stored.DamagedEvidenceError, match="its seal is broken") as refused:
            stored.read(catalog()[CLAIM], write(content))
        assert (refused.value.kind, refused.value.exit_code) == ("damaged", CHECK_FAILED), name
        if said:
            with pytest.raises(stored.DamagedEvidenceError, match=said):
                stored.read(catalog()[CLAIM], write(content, seal=True))


def test_commands_refuse_a_broken_seal(write, monkeypatch, capsys):
    content = content_of()
    EDITS["a mean"][0](content)
    folder, book, claims = write(content), compose.Book, {CLAIM: catalog()[CLAIM]}
    monkeypatch.setattr(ledger_verb, "entries", lambda _claims: entries(claims.values(), folder))
    monkeypatch.setattr(derive_verb.compose, "Book", lambda _claims, pages, **rest: book(claims, pages, folder, **rest))
    for words in (["ledger"], ["derive", "--check"]):
        assert cli.main([*words, "--json"]) == CHECK_FAILED
        error = json.loads(capsys.readouterr().out)["error"]
        assert (error["kind"], CLAIM in error["message"]) == ("damaged", True)


def test_a_validation_refuses_a_broken_seal_and_a_whole_one_takes_nothing_from_it(write):
    content = content_of()
    EDITS["p"][0](content)
    folder, claim = write(content), catalog()[CLAIM]
    with pytest.raises(stored.DamagedEvidenceError):
        Evidence([claim], folder)
    whole = Evidence([claim], folder, whole=True)
    assert whole.of == {}
    assert not any(check.fresh for check in whole.checks())


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
            if by_place[item["document"], item["label"]].agrees != item["agrees"]:
                yield f"the finding on {item['label']}"


@pytest.mark.slow
def test_the_stored_rows_and_findings_are_those_of_the_claims():
    assert {
        name: wrong for name in catalog() if (wrong := list(faults_of_rows(catalog()[name], content_of(name))))
    } == {}


def test_an_edit_that_no_number_contradicts_is_noticed_by_what_the_claim_says():
    assert not list(faults_of_rows(catalog()[CLAIM], content_of()))
    for name in ("both of a row", "a finding"):
        content = content_of()
        EDITS[name][0](content)
        assert not contradiction(content)
        assert list(faults_of_rows(catalog()[CLAIM], content)), name
