"""The statements of the ledger as plain text: names that are TeX are shown whole, and never half of their TeX."""

import re

import pytest
import sympy
from sympy.core.function import AppliedUndef

from derivations.evidence.entries import statement
from derivations.markdown import on_a_line
from theory.claims import catalog


def names(expr):
    """The names of the symbols and undefined functions of an expression that are TeX."""
    result = {s.name for s in expr.atoms(sympy.Symbol)} | {f.func.__name__ for f in expr.atoms(AppliedUndef)}
    return {name for name in result if re.search(r"[\\{]", name)}


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        ("kernel.overlap.bound", "max λ₀(s, s')/(λ₀(s, s) η^(d-1)) = 1"),
        ("kernel.pooling.after", "E[y(x) y(x')] = (2*V)**n*(u + 1)*(v + 1)/9"),
        ("kernel.variance.bound", "#{(κ, x) : Var K₀ > ((1 + 2/w)^(d-1) - 1) (E K₀)²} = 0"),
        ("kernel.variance.order", "lim_(d → ∞) lim_(w → ∞) (w/d³) Var K₀ = 4/3"),
        ("kernel.error.rate", "e_(t+1)²/e_t² = 81/100"),
        ("path.setting.error", "e(s) = ŷ(s) - y(s)"),
        ("flow.gradient.entry", "ẇₖᵢ = (b_ki - h_ki/K)/(K*tau)"),
    ],
)
def test_a_statement_as_text(claim, text):
    assert statement(catalog()[claim].statement) == text


def test_every_statement_of_a_claim_shows_its_names():
    for claim in catalog().values():
        text = statement(claim.statement)
        assert "\\" not in text, claim.id
        assert [name for name in names(claim.statement) if statement(sympy.Symbol(name)) not in text] == [], claim.id


@pytest.mark.parametrize(
    ("tex", "line"),
    [
        (r"\frac{a}{b}", "a/b"),
        (r"\frac{a + b}{c}", "(a + b)/c"),
        (r"\frac{a}{b\, c}", "a/(b c)"),
        (r"\frac{(a + b)}{(c + d)}", "(a + b)/(c + d)"),
        (r"\frac{1}{d} K_0", "(1/d) K₀"),
        (r"\frac{1}{d} (K_0 - x)", "(1/d) (K₀ - x)"),
        (r"\langle \frac{a}{b} \rangle + \left(\frac{a}{b}\right)", "⟨a/b⟩ + (a/b)"),
        (r"x^{(1)} + x^{(k) + 1}", "x^(1) + x^((k) + 1)"),
    ],
)
def test_fractions_and_exponents_on_a_line(tex, line):
    assert on_a_line(tex) == line


def test_tex_outside_of_the_vocabulary_is_refused():
    with pytest.raises(ValueError, match=r"'oint' outside of the vocabulary"):
        on_a_line(r"\oint x")
