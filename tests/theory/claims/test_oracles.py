"""Every claim against values that another program computed from its definition, without knowing the claim."""

import ast
import json
import os
import random
import secrets

import make_claims
import mpmath
import pytest
import sympy
from mpmath import mpf

from tests import house
from tests.pieces import claim_named, missing
from tests.tolerances import CLAIM_DIGITS, CLAIM_PRECISE, CLAIM_STORED
from theory.claims import catalog
from theory.claims.evaluate import evaluate
from theory.claims.levels import relative_error
from theory.claims.model import Kind
from theory.expressions.balls.precision import precision

STORED = json.loads(make_claims.STORE.read_text(encoding="utf-8"))
COMPUTABLE = [
    claim
    for claim in catalog().values()
    if claim.kind is not Kind.DEFINITION and not (claim.kind is Kind.EMPIRICAL and claim.oracle is None)
]
MAKERS = make_claims.MODULES
WITNESSED = [claim for claim in COMPUTABLE if claim.id in STORED]
every_claim = pytest.mark.parametrize("claim", WITNESSED, ids=lambda claim: claim.id)
# A failure names the seed with which it can be repeated.
SEED = os.environ.get("GDLN_ORACLE_SEED") or str(secrets.randbelow(10**9))


def at(claim, row):
    """The stored point in the claim's own symbols."""
    symbols = {param.symbol.name: param.symbol for param in claim.params}
    assert set(symbols) == set(row["point"]), "an entry gives every parameter and no other"
    return {symbols[name]: sympy.Rational(value) for name, value in row["point"].items()}


def stored(row):
    """The stored value, all its digits kept."""
    with mpmath.workdps(row["digits"] + 10):
        return mpf(row["value"])


def agrees(value, row):
    """Whether `value` is the stored one to the digits that are stored."""
    return relative_error(value, stored(row), row["digits"]) <= CLAIM_STORED * 10.0 ** -row["digits"]


def place(name):
    """The file that takes the witness of a claim: that of the most witnesses of its subject, else of its area."""
    subject, area = name.rpartition(".")[0], name.partition(".")[0]
    near = {module.__name__: [other for other in module.WITNESSES if other.startswith(f"{area}.")] for module in MAKERS}
    best = max(near, key=lambda file: (sum(other.startswith(f"{subject}.") for other in near[file]), len(near[file])))
    new = f"claims_{area}.py (a new file, which MODULES of make_claims.py names)"
    return f"tests/oracles/{f'{best}.py' if near[best] else new}"


def without_witness(claims, stored):
    """The claims without stored values, each with what to do about it."""
    do = "a program that computes it from its definition; then run python tests/oracles/make_claims.py"
    return {
        claim.id: f"{claim.id} has no witness: WITNESSES of {place(claim.id)} takes one, {do}"
        for claim in claims
        if claim.id not in stored
    }


def unlike(name, expected):
    """The sentence on a claim whose stored points are not those of its witness."""
    if name in expected:
        return f"tests/oracles/claims.json has not the points of {name}: run python tests/oracles/make_claims.py."
    return f"tests/oracles/claims.json has values of {name}, and no witness: WITNESSES of {place(name)} takes one."


def test_every_claim_that_judges_a_source_has_a_witness():
    """Verdicts on other people's work are computed by two programs that share nothing."""
    if found := without_witness([claim for claim in COMPUTABLE if claim.sources], STORED):
        missing(found.values())


def test_results_of_the_workbench_without_a_witness_are_listed():
    """Their own oracle is one definition beside the formula; a second is asked for, and not required."""
    results = [claim for claim in COMPUTABLE if not claim.sources]
    if found := without_witness(results, STORED):
        pytest.skip(f"{len(found)} of {len(results)} results have no witness: {', '.join(sorted(found))}")


def test_a_missing_witness_is_reported_with_the_file_that_takes_it():
    names = ("flow.mode.solution", "ols.gates.span", "gaussian.step_step.orthant", "pulse.sites.pair")
    claims = [claim_named(name) for name in names]
    found = without_witness(claims, {})
    files = ("claims_flow", "claims_gates", "claims_gaussian", "claims_pulse")
    for name, file in zip(names, files, strict=True):
        assert f"{name} has no witness: WITNESSES of tests/oracles/{file}.py takes one" in found[name]
    assert without_witness(claims, set(names[1:])).keys() == {names[0]}


def test_every_entry_has_a_claim():
    if gone := sorted(set(STORED) - {claim.id for claim in COMPUTABLE}):
        missing(f"tests/oracles/claims.json has values of {name}, which is no claim with a value." for name in gone)
    assert [claim for claim, rows in STORED.items() if not rows] == []
    several = [claim.id for claim in WITNESSED if claim.params and len(STORED[claim.id]) < 4]
    assert several == [], "four points at least, where there is a parameter to vary"
    assert min(row["digits"] for rows in STORED.values() for row in rows) >= 30


def test_the_file_holds_what_the_makers_define():
    expected = {
        claim: [{name: str(value) for name, value in make_claims.parsed(text).items()} for text in witness.points]
        for claim, witness in make_claims.witnesses().items()
    }
    found = {claim: [row["point"] for row in rows] for claim, rows in STORED.items()}
    if other := sorted(name for name in found.keys() | expected.keys() if found.get(name) != expected.get(name)):
        missing(unlike(name, expected) for name in other)


@every_claim
def test_entries_lie_in_the_declared_domains(claim):
    for row in STORED[claim.id]:
        point = at(claim, row)
        assert all(point[param.symbol] in param.domain for param in claim.params), row
        assert all(condition.xreplace(point) == sympy.true for condition in claim.conditions), row


@every_claim
def test_the_formula_agrees_with_every_entry(claim):
    for row in STORED[claim.id]:
        value = evaluate(claim.statement.rhs, at(claim, row), row["digits"] + 5)
        assert agrees(value, row), (row, str(value))


@every_claim
def test_the_claims_own_oracle_agrees_with_the_first_entry(claim):
    row = STORED[claim.id][0]
    value = claim.oracle(at(claim, row), CLAIM_DIGITS)
    assert relative_error(value, stored(row), CLAIM_DIGITS) <= CLAIM_PRECISE, (row, str(value))


@every_claim
def test_one_random_entry_is_computed_again(claim):
    row = random.Random(f"{SEED} {claim.id}").choice(STORED[claim.id])
    if claim.id not in make_claims.witnesses():
        missing(unlike(claim.id, {}))
    # The makers set their own precision: that outside is one at which nothing would agree.
    with mpmath.workdps(5), precision(20):
        value = make_claims.recomputed(make_claims.witnesses()[claim.id], row["point"], row["digits"])
    assert agrees(value, row), f"GDLN_ORACLE_SEED={SEED}: {row} is now {value}"


def test_named_claims_alone_are_computed_again():
    name, other = "gaussian.step_step.orthant", "flow.mode.solution"
    stored = {other: [{"point": {}, "value": "kept", "digits": 32}], name: []}
    made = make_claims.updated(stored, [name])
    assert made == {other: stored[other], name: STORED[name]}
    assert list(made) == sorted(made)
    with pytest.raises(ValueError, match=r"close: gaussian\.step_step\.orthant"):
        make_claims.updated(stored, ["gaussian.step_step.orthan"])


@every_claim
def test_a_wrong_digit_is_noticed(claim):
    """The comparison rejects a formula that is off in the last stored digit but one, and a sign."""
    for row in STORED[claim.id]:
        value = evaluate(claim.statement.rhs, at(claim, row), row["digits"] + 5)
        with mpmath.workdps(row["digits"] + 10):
            slip = mpf(10) ** (1 - row["digits"])
            assert not agrees(value * (1 + slip) if value else slip, row)
            assert value == 0 or not agrees(-value, row)


def test_the_makers_reach_nothing_of_the_house_they_judge():
    """Neither by an import nor by running text; from this folder they import one another, and nothing of the tests."""
    packages = {"theory", "sim", "derivations", "tests"}
    for file in sorted(make_claims.STORE.parent.glob("*.py")):
        source = file.read_text(encoding="utf-8")
        assert house.imports_any(source, packages) == [], file.name
        words = {getattr(node, "id", getattr(node, "attr", "")) for node in ast.walk(ast.parse(source))}
        assert not words & house.RUNS_TEXT, file.name
    assert house.imports_any("from theory.claims import oracles", packages)
    assert house.imports_any("def f():\n    import sim.train", packages)
