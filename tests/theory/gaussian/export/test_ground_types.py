"""Code exported with SymPy's own numbers is, letter by letter, the code exported with python-flint.

Run it by SYMPY_GROUND_TYPES=python. The other tests of this folder run that code and compare it with certified values;
what they find of one text holds for the other.
"""

import json
import os
import subprocess
import sys

import pytest
import sympy
from sympy.external.gmpy import GROUND_TYPES

from derivations.benchmarks import expectations
from derivations.benchmarks.gallery import CASES
from tests.paths import ROOT
from theory.expressions.functions import OwensT, Phi2
from theory.gaussian import expect
from theory.gaussian.export.code import accuracy, export, stable_form
from theory.gaussian.export.upper_moments import UpperMoment, UpperMoment2

FLINT = "flint"
LANGUAGES = ("numpy", "torch", "c", "latex")
CHILD = "import json; from tests.theory.gaussian.export.test_ground_types import codes; print(json.dumps(codes()))"


def forms() -> dict[str, sympy.Expr]:
    """The forms that the other tests of this folder export."""
    from tests.theory.gaussian.export.test_tails import ONE, PAIR, PAIRS, SINGLE

    made = {case.name: expectations.derived(case).closed_form for case in CASES}
    for cov, exprs, where in ((PAIR, PAIRS, "t>=0, -1<rho<1"), (ONE, SINGLE, "t>=0")):
        for expr in exprs:
            moment = expect(expr, cov, where=where)
            made[f"{expr}, closed form"] = moment.closed_form
            made[f"{expr}, in the tails"] = stable_form(moment.closed_form, moment.expr, moment.cov)
    triple = "Heaviside(z1-t)*Heaviside(z2-t)*Heaviside(z3-t)"
    made[triple] = expect(triple, "[[1,1/2,1/3],[1/2,1,1/4],[1/3,1/4,1]]", where="t>0").closed_form
    h, a, r, x = sympy.symbols("h a r x", real=True)
    width = sympy.Symbol("width", positive=True)
    made["Owen's T"], made["Phi2"] = OwensT(h, a), Phi2(-h, -h, r)
    made["steps"] = UpperMoment2(0, 0, h, a, r, (1 - r) * (1 + r))
    made["powers"] = UpperMoment2(2, 1, h, a, r, 1 - r**2) + UpperMoment2(0, 1, h, a, r, 1 - r**2) * UpperMoment(2, h)
    made["integral"] = sympy.Integral(width / ((x - sympy.Rational(1, 3)) ** 2 + width**2), (x, 0, 1))
    return made


def codes() -> list[str]:
    """The kind of SymPy's numbers, then each form's code in each language and its accuracy."""
    texts = [GROUND_TYPES]
    for name, form in forms().items():
        texts += [f"{name}: {text}" for text in (*(export(form, language) for language in LANGUAGES), accuracy(form))]
    return texts


@pytest.mark.skipif(GROUND_TYPES != "python", reason="these numbers are those of python-flint")
def test_the_code_is_that_of_the_other_numbers():
    environment = os.environ | {"SYMPY_GROUND_TYPES": FLINT}
    command = [sys.executable, "-c", CHILD]
    with subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True) as other:
        kind, *texts = codes()
        other_kind, *other_texts = json.loads(other.communicate()[0])
    assert (kind, other_kind) == ("python", FLINT)
    assert len(texts) > len(CASES) * len(LANGUAGES)
    assert texts == other_texts
