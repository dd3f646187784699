"""The notation of formulas: names that are TeX already, names in words, and letters whose meaning a claim gives."""

import sympy

from derivations.publish.notation import Notation
from theory.expressions.relaxation import phi1
from theory.expressions.symbols import g

KAPPA = r"$\kappa = \sqrt{2}\, g / \sqrt{1 + 2 g^{2}}$"
PHI = r"$\varphi(z) = (1 - e^{-z})/z$ with $\varphi(0) = 1$"
x = sympy.Symbol("x", positive=True)


def legend(expr):
    """The meanings of the letters of a displayed expression."""
    return Notation().display(expr)[1]


def test_a_name_with_an_index_in_words():
    for name, tex in (
        ("chi_epsilon", r"\chi_{\epsilon}"),
        ("beta_low", r"\beta_{\text{low}}"),
        ("tau_A", r"\tau_{A}"),
        ("rho_ik", r"\rho_{ik}"),
    ):
        assert Notation().tex(sympy.Symbol(name)) == tex
        assert Notation().tex(sympy.Function(name)(x)) == f"{tex}{{(x)}}"


def test_the_letters_of_the_notation_are_explained():
    assert legend(sympy.asin(2 * g**2 * x / (1 + 2 * g**2))) == [KAPPA]
    assert legend(phi1(x)) == [PHI]


def test_a_letter_that_a_claim_gives_another_meaning_is_not_explained_by_the_notation():
    for expr in (
        sympy.Symbol("kappa", positive=True) / x,
        sympy.Symbol(r"\langle \varphi_{0, p}, \varphi_{0, p} \rangle") * x,
        sympy.Function("phi")(x),
    ):
        assert legend(expr) == []
