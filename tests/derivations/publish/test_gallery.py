"""The gallery of expectations: the stored run is what the engine gives now, and the page shows all of it."""

import pytest

from derivations.benchmarks import expectations
from derivations.benchmarks.expectations import CASES
from derivations.publish import gallery
from derivations.publish.places import PAGES
from theory.gaussian.moment import text
from theory.problem import InputError

STORED = {row["name"]: row for row in gallery.stored()["rows"]}


def faults(case):
    """The entries of a stored row that the engine does not give now, and steps that do not check."""
    row, moment = STORED[case.name], expectations.derived(case)
    tex, legend = gallery.displayed(moment.expr, moment.cov, moment.closed_form)
    now = {
        "closed_form": text(moment.closed_form),
        "kind": moment.kind,
        "left_to_integrate": moment.integrand,
        "value": expectations.value(case, moment).value,
        "tex": tex,
        "legend": legend,
    }
    wrong = [key for key, value in now.items() if row[key] != value]
    return wrong + [check.error for check in moment.derivation.check() if not check.passed]


def test_stored_rows_of_one_case_in_fifteen_are_what_the_engine_gives():
    assert {case.name: wrong for case in CASES[::15] if (wrong := faults(case))} == {}


@pytest.mark.slow
def test_stored_rows_of_every_third_case_are_what_the_engine_gives():
    assert {case.name: wrong for case in CASES[1::3] if (wrong := faults(case))} == {}


def test_the_page_shows_every_group():
    page = (PAGES / "expectations.md").read_text(encoding="utf-8")
    shown = [line.removeprefix("{gallery ").removesuffix("}") for line in page.splitlines() if line.startswith("{gal")]
    for case in CASES:
        assert sum(case.group.startswith(group) for group in shown) == 1, case.group
    with pytest.raises(InputError, match="no group"):
        gallery.gallery("nothing", "here")
