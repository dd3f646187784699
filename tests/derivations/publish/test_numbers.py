"""Numbers in the prose of pages come from directives."""

import pytest

from derivations.publish.numbers import number, refuse_typed
from theory.problem import InputError

EVIDENCE = {"a.claim": {"simulated": {"mean": [0.25, 0.125]}}}


def test_a_directive_gives_its_number():
    for kind, argument, text in (
        ("certified", "asin(1/2)/pi; 3", "0.167"),
        ("kernel", "relu 2 1/2 ntk 4", "0.9423"),
        ("kernel", "relu 2 1/2 fixed-gates 4", "0.6667"),  # 2 <x, x'> (pi - acos(1/2))/pi
        ("evidence", "a.claim simulated mean 1; .2f", "0.12"),
        ("input", "0.7", "0.7"),
    ):
        assert number(kind, argument, EVIDENCE, "page.md, line 1") == text


def test_a_directive_that_names_nothing_is_refused():
    for kind, argument in (("certified", "z1; 3"), ("kernel", "relu 2"), ("evidence", "b.claim x; .2f")):
        with pytest.raises(InputError, match=r"page\.md, line 7"):
            number(kind, argument, EVIDENCE, "page.md, line 7")


def test_a_typed_number_is_refused_and_settings_references_and_code_are_not():
    for line in ("It is 0.41.", "Theorem 5.1 gives $0.3$", "| $10^{-3}$ |", "section 3.4: 0.2"):
        with pytest.raises(InputError, match="is typed"):
            refuse_typed(line, "page.md, line 1")
    refuse_typed("{input 0.7} {certified 1/3; 2} of Theorem 5.1, sections 3.4 and 3.5, `w = 0.1`, arXiv:2404.04312", "")
