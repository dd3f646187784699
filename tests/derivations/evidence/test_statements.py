"""The statements of the ledger as plain text: names that are TeX are shown whole, and never half of their TeX."""

import re

import pytest
import sympy
from sympy.core.function import AppliedUndef

from derivations.evidence.entries import statement
from derivations.markdown import on_a_line
from theory.claims import catalog

AS_THEY_ARE = {"max", "min", "sup", "lim"}  # commands that a terminal shows by their names


def names(expr):
    """The names of the symbols and undefined functions of an expression that are TeX."""
    found = {s.name for s in expr.atoms(sympy.Symbol)} | {f.func.__name__ for f in expr.atoms(AppliedUndef)}
    return {name for name in found if re.search(r"[\\{]", name)}


def faults(name, shown):
    """The faults of a name in TeX where it is shown: bare commands, braces of TeX, commas."""
    bare = [word for word in re.findall(r"\\([A-Za-z]+)", name) if word not in AS_THEY_ARE and word in shown]
    kept = [sign for sign in ("\\", "$") if sign in shown]
    braces = shown.count("{") != name.count(r"\{") or shown.count("}") != name.count(r"\}")
    commas = shown.count(",") != name.replace(r"\,", " ").count(",")
    return bare + kept + ["braces"] * braces + ["commas"] * commas


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


def test_no_statement_of_a_claim_shows_half_of_its_tex():
    found = {name for claim in catalog().values() for name in names(claim.statement)}
    assert len(found) > 100
    assert {name: wrong for name in found if (wrong := faults(name, statement(sympy.Symbol(name))))} == {}


def test_every_statement_of_a_claim_shows_its_names():
    for claim in catalog().values():
        text = statement(claim.statement)
        assert "\\" not in text, claim.id
        assert [name for name in names(claim.statement) if statement(sympy.Symbol(name)) not in text] == [], claim.id


@pytest.mark.parametrize(
    ("name", "shown", "fault"),
    [
        (r"\frac{a}{b}", "fracab", "frac"),
        (r"\mathbb{E}[y\, z]", "E[y, z]", "commas"),
        (r"\#\{p\}", "#p", "braces"),
        (r"x_{i}", "x_{i}", "braces"),
    ],
)
def test_half_of_the_tex_is_a_fault(name, shown, fault):
    assert fault in faults(name, shown)


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
