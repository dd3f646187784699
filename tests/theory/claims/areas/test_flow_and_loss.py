"""The claims on the flow and on least squares: true forms to 30 digits, printed forms at points where numbers tell."""

import mpmath
import pytest
import sympy
from sympy import Integer, Rational

from tests.theory.claims.examined import each, examination
from tests.tolerances import CLAIM_DIGITS, CLAIM_PRECISE
from theory.claims import catalog, finite_data, levels
from theory.claims.citations import citation_error
from theory.claims.evaluate import NotANumber, evaluate
from theory.claims.finite_data import Sample
from theory.claims.model import Level
from theory.claims.sources import Says

SUBJECTS = ("descent", "exclusive", "fixed_point", "gradient", "mode", "moving_gates", "redundant", "small_bump")
CLAIMS = {
    claim.id: claim
    for claim in catalog().values()
    if claim.derive and claim.id.startswith((*(f"flow.{subject}." for subject in SUBJECTS), "ols."))
}
every_claim = each(CLAIMS.values())


def at_level(name, level):
    """The result of a level in the examination of a claim."""
    return next(result for result in examination(name).results if result.level is level)


@every_claim
def test_derivation_proves_the_statement(claim):
    result = at_level(claim.id, Level.SYMBOLIC)
    assert result.outcome is levels.Outcome.PASS, result


@every_claim
def test_formula_agrees_with_the_definition(claim):
    for row in examination(claim.id).rows:
        assert row.error < CLAIM_PRECISE, levels.describe(row.point)


@every_claim
def test_citations_say_what_is_used(claim):
    assert citation_error(claim.derive(), CLAIMS) == ""


def at(claim, **values):
    """A point by the names of the parameters; what is not named is 0."""
    return {param.symbol: Rational(values.get(param.symbol.name, 0)) for param in claim.params}


E1 = sympy.exp(-1)
HALF = Rational(1, 2)
LEAST = {"s11": 5, "s22": 6, "s12": 0}

# claim, label, point, the true value, the printed value
NUMBERS = (
    ("flow.gradient.entry", "(5)", {"K": 2, "tau": 1, "b_ki": 1, "h_ki": 1}, Rational(1, 4), Integer(0)),
    ("flow.gradient.entry", "(8)", {"K": 3, "tau": 1, "b_ki": 0, "h_ki": 9}, Integer(-1), Integer(-3)),
    ("flow.gradient.entry", "(27)", {"K": 2, "tau": HALF, "b_ki": 0, "h_ki": 1}, -HALF, Integer(-1)),
    ("flow.gradient.small_bump", "(4)", {"tau": 1, "b_ki": 1, "h_ki": 1}, Rational(1, 4), Integer(0)),
    # a mode at rest in force, K = 2: it decays at lam/4, printed at lam/2
    ("flow.mode.solution", "(9)", {"K": 2, "tau": 1, "lambda": 4, "t": 1, "u0": 1}, E1, E1**2),
    ("flow.exclusive.mode", "(25)", {"K": 2, "tau": 1, "lambda": 4, "t": 1, "u10": 1}, E1, E1**2),
    ("flow.fixed_point.mode", "after (11)", {"K": 3, "lambda": 1, "c": 1}, Integer(3), Integer(1)),
    ("flow.exclusive.fixed_point", "(26)", {"K": 3, "a11": 2, "a22": 1, "b1": 1}, Rational(3, 2), HALF),
    # two units that share a gate, only the first moved: half of it stays, half decays at twice the rate of one unit
    (
        "flow.redundant.first_in_sum",
        "(31)",
        {"K": 2, "tau": 1, "lambda": 2, "t": 1, "u10": 1},
        HALF + HALF * E1**2,
        E1**2,
    ),
    (
        "flow.redundant.second_in_sum",
        "(32)",
        {"K": 2, "tau": 1, "lambda": 2, "t": 1, "u10": 1},
        HALF * E1**2 - HALF,
        E1**2 - 1,
    ),
    # labels 1 and 1 leave no class to tell apart, and still a loss: the gated input has no constant
    ("ols.loss.labels", "after (16)", {**LEAST, "y1": 1, "y0": 1, "m11": 1}, Rational(9, 10), Integer(0)),
)


@pytest.mark.parametrize(("name", "label", "where", "true", "false"), NUMBERS)
def test_printed_form_misses_by_these_numbers(name, label, where, true, false):
    claim = catalog()[name]
    (source,) = (source for source in claim.sources if source.label == label)
    point = at(claim, **where)
    truth = claim.oracle(point, CLAIM_DIGITS)
    with mpmath.workdps(CLAIM_DIGITS):
        for value, formula in ((truth, true), (evaluate(source.printed, point, CLAIM_DIGITS), false)):
            assert abs(value - evaluate(formula, {}, CLAIM_DIGITS)) < CLAIM_PRECISE
    assert true != false


CORRECT = {"(13)", "(14)", "(15)", "(16)"}
RIGHT_AS_PRINTED = {"flow.redundant.difference", "ols.gated_input.regression"}


@every_claim
def test_printed_forms_are_told_apart(claim):
    for finding in examination(claim.id).printed:
        assert finding.agrees == (finding.source.label in CORRECT or claim.id in RIGHT_AS_PRINTED), finding


# Rows that are wrong by themselves; every other printed form of these areas is right, as read or once these are mended.
ROOTS = {
    ("flow.gradient.entry", "(5)"),
    ("flow.gradient.small_bump", "(4)"),
    ("flow.redundant.first_in_sum", "(31)"),
    ("ols.gates.three_gates", "(18)"),
}


JUDGED = [
    claim
    for claim in catalog().values()
    if claim.id.startswith(("flow.", "ols.", "basis.", "model."))
    and any(source.printed is not None for source in claim.sources)
]


@each(JUDGED)
def test_what_is_wrong_by_itself_is_these_rows(claim):
    states = [one for one in examination(claim.id).printed if one.source.says in (Says.PRINTS, Says.READ_AS)]
    wrong = {(claim.id, one.source.label) for one in states if not (one.right or one.repaired)}
    assert wrong == {(name, label) for name, label in ROOTS if name == claim.id}


def test_the_rows_that_are_wrong_by_themselves_are_of_judged_claims():
    assert {name for name, _ in ROOTS} <= {claim.id for claim in JUDGED}


def test_no_matrix_of_two_outer_products_has_an_inverse_beyond_two_components():
    """(18) for three gated inputs has no value anywhere; with second moments in their place it has."""
    claim = catalog()["ols.gates.three_gates"]
    (source,) = claim.sources
    for row in examination(claim.id).rows:
        with pytest.raises(NotANumber):
            evaluate(source.printed, row.point, CLAIM_DIGITS)
        assert 0 < row.oracle < 1


def test_the_constant_of_a_mode_by_its_readings():
    """lambda = 2: from 1 above the fixed point e^C = 2; from 1 below there is no real C; from the fixed point, none."""
    claim = catalog()["flow.mode.constant"]
    source = next(source for source in claim.sources if source.label == "(9)")
    forms = (source.printed, *(reading.printed for reading in source.readings))
    found = {}
    for start in (1, -1, 0):
        found[start] = []
        for form in forms:
            try:
                found[start].append(int(evaluate(form, at(claim, **{"lambda": 2, "d": start}), CLAIM_DIGITS)))
            except NotANumber:
                found[start].append(None)
    assert found == {1: [2, 2], -1: [None, -2], 0: [None, 0]}
    (reading,) = source.readings
    assert [reading.admits(at(claim, **{"lambda": 2, "d": start})) for start in (1, -1, 0)] == [True, True, False]


def test_the_first_of_two_units_is_right_as_printed_where_both_start_alike():
    claim = catalog()["flow.redundant.first_in_sum"]
    (source,) = claim.sources
    point = at(claim, **{"K": 3, "tau": 2, "t": 1, "lambda": 2, "c1": 1, "u10": HALF, "u20": HALF})
    with mpmath.workdps(CLAIM_DIGITS):
        difference = claim.oracle(point, CLAIM_DIGITS) - evaluate(source.printed, point, CLAIM_DIGITS)
    assert abs(difference) < CLAIM_PRECISE


def test_what_ends_the_flow_of_one_unit_is_26_at_infinity():
    """The row of (26) reads its exponential at t = oo: in the limit (25) is what the row prints."""
    mode, rest = catalog()["flow.exclusive.mode"], catalog()["flow.exclusive.transient"]
    printed = next(source.printed for source in mode.sources if source.label == "(25)")
    ended = {"K": 2, "tau": 1, "lambda": 4, "c1": 4, "u10": 2, "t": 10**6}
    at_rest = rest.oracle(at(rest, **{"lambda": 4, "c1": 4, "u10": 2}), CLAIM_DIGITS)
    with mpmath.workdps(CLAIM_DIGITS):
        assert abs(evaluate(printed, at(mode, **ended), CLAIM_DIGITS) - at_rest) < CLAIM_PRECISE


@every_claim
def test_the_library_agrees_in_float64(claim):
    result = at_level(claim.id, Level.FLOATING)
    assert result.outcome in (levels.Outcome.PASS, levels.Outcome.SKIPPED), result


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name)
        for name in (
            "flow.gradient.entry",
            "flow.gradient.hidden_bias",
            "flow.gradient.output_bias",
            "flow.mode.solution",
            "flow.redundant.first",
            "flow.redundant.first_in_sum",
            "ols.loss.class_means",
            "ols.loss.intercept",
        )
    ],
)
def test_mutants_are_rejected(name):
    assert at_level(name, Level.NEGATIVE_CONTROL).outcome is levels.Outcome.PASS


def test_one_basis_keeps_still_what_the_data_do_not_see():
    """Two redundant units, K = 2, x = 1, y = 3: w(oo) = K A^+ b + (I - A A^+) w(0)."""
    loss = finite_data.half_mse([Sample(mpmath.mpf(1), (1, 1), (mpmath.mpf(1),), mpmath.mpf(3))], mpmath.mpf(1) / 2)
    first, second = finite_data.flow_limit(loss, [mpmath.mpf(5), mpmath.mpf(1)], CLAIM_DIGITS)
    with mpmath.workdps(CLAIM_DIGITS):
        assert abs(first - 5) < CLAIM_PRECISE  # K b/(2 A_11) = 3, and half the difference of 5 and 1
        assert abs(second - 1) < CLAIM_PRECISE


def test_a_loss_without_a_minimum_is_refused():
    with pytest.raises(ArithmeticError, match="has no minimum"):
        finite_data.flow_limit(lambda w: w[0] - w[1] ** 2, [mpmath.mpf(1), mpmath.mpf(1)], CLAIM_DIGITS)


def test_square_root_of_a_matrix():
    first, second = finite_data.square_root(mpmath.mpf(4), mpmath.mpf(2), mpmath.mpf(10))
    assert [first[0] ** 2, first[0] * first[1], first[1] ** 2 + second[1] ** 2, second[0]] == [4, 2, 10, 0]
