"""The gallery of expectations: the stored run is what the engine gives now, and the page shows all of it."""

import pytest

from derivations.benchmarks import expectations, plain_sympy
from derivations.benchmarks.gallery import CASES
from derivations.cli import main
from derivations.publish import gallery
from derivations.publish.places import PAGES
from tests.gallery import derived, shared
from theory.gaussian.moment import text
from theory.problem import InputError

pytestmark = shared

STORED = {row["name"]: row for row in gallery.stored()["rows"]}


def test_every_case_has_a_stored_row_and_a_name_of_its_own():
    assert list(STORED) == [case.name for case in CASES]
    assert len(CASES) >= 40


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_stored_row_is_what_the_engine_gives(case):
    row, moment = STORED[case.name], derived(case)
    assert (row["closed_form"], row["kind"], row["left_to_integrate"]) == (
        text(moment.closed_form),
        moment.kind,
        moment.integrand,
    )
    assert (row["expr"], row["cov"], row["where"], row["group"]) == (case.expr, case.cov, case.where, case.group)
    assert row["value"] == expectations.value(case, moment).value
    assert [check.error for check in moment.derivation.check() if not check.passed] == []
    assert (row["tex"], row["legend"]) == expectations.displayed(moment)


def test_what_sympy_gave_is_an_outcome_with_its_time():
    for row in STORED.values():
        answer = row["sympy"]
        assert answer["outcome"] in ("closed form", "unevaluated", "error", "no answer")
        assert 0 < answer["seconds"] <= expectations.SECONDS + 1
        assert ("agreement" in answer) == (answer["outcome"] == "closed form")


def test_the_page_shows_every_group():
    page = (PAGES / "expectations.md").read_text(encoding="utf-8")
    shown = [line.removeprefix("{gallery ").removesuffix("}") for line in page.splitlines() if line.startswith("{gal")]
    for case in CASES:
        assert sum(case.group.startswith(group) for group in shown) == 1, case.group
    with pytest.raises(InputError, match="no group"):
        gallery.gallery("nothing", "here")


def test_sympy_alone_sees_the_defining_integral():
    """The integrand that SymPy is given has the certified expectation, by quadrature in one dimension."""
    import mpmath

    (case,) = (case for case in CASES if case.name == "erf with offset")
    integrand, (variable,) = plain_sympy.integral(case)
    point = {symbol: dict(case.point)[symbol.name] for symbol in integrand.free_symbols - {variable}}
    number = integrand.subs(point)
    with mpmath.workdps(20):
        value = mpmath.quad(lambda x: mpmath.mpf(number.subs(variable, x).evalf(20)), [-10, -1, 0, 1, 10])
    assert str(value)[:12] == STORED[case.name]["value"][:12]


def test_bench_refuses_what_it_does_not_know(capsys):
    assert main(["bench", "nothing"]) == 2
    assert "moments" in capsys.readouterr().err
