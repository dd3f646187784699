"""Threads that ask for different digits at once get what each gets alone, and no global precision stays changed."""

import re
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import mpmath
import numpy as np
import pytest
import sympy
from flint import ctx

from tests.paths import ROOT
from theory.claims import catalog
from theory.claims.evaluate import evaluate
from theory.claims.levels import relative_error, table
from theory.claims.points import points
from theory.conjecture import judge, read
from theory.expressions.algebra import is_zero
from theory.expressions.balls.precision import decimals
from theory.expressions.relaxation import phi1
from theory.flow import solve
from theory.gaussian import expect
from theory.gaussian.limits import limit
from theory.problem import AlwaysGate, FiniteData, Network, NormalInitialisation, Problem, Training

DIGITS = (15, 40, 25, 60)
ROUNDS = 2
MANY = 100  # short evaluations in a row, so that threads meet within one
X, G = sympy.Symbol("x", positive=True), sympy.Symbol("g", positive=True)
PAIR = "[[1, 1/2], [1/2, 1]]"


def _moment(digits: int) -> object:
    return expect("Heaviside(z1-t)*erf(z2)", PAIR, where="t>0").evaluate(digits, t="1/3")


def _numeric(digits: int) -> object:
    return expect("Heaviside(z1-t)*relu(z2-t)", PAIR, where="t>0").numeric(t=np.array([0.5, digits / 10])).tolist()


def _limit(digits: int) -> object:
    return limit(expect("Heaviside(z1)*erf(g*z2)", PAIR, where="g>0"), "g", sympy.oo).evaluate(digits)


def _judged(digits: int) -> object:
    return judge(read("asin(x) = 2*atan(x/sqrt(1 - x**2))", where="-1<x<1"), digits).counterexample


def _formula(digits: int) -> object:
    form = sympy.erf(X) * sympy.gamma(X) + phi1(X) + sympy.loggamma(X + 1)
    return tuple(evaluate(form, {X: sympy.Rational(k, 7)}, digits) for k in range(1, MANY))


def _oracle(digits: int) -> object:
    claim = catalog()["gaussian.step_erf.two_sites"]
    return claim.oracle(points(claim)[0], digits)


def _table(digits: int) -> object:
    claim = catalog()["gaussian.erf.second_moment"]
    return table(claim, digits, points(claim)[:2])


# Made here, in one thread: in the others mpmath's precision is what another thread has just set.
THIRD = mpmath.mpf(1) / 3
NEAR_THIRD = tuple(THIRD + mpmath.mpf(k) / 7**9 for k in range(MANY))


def _error(digits: int) -> object:
    return tuple(relative_error(value, THIRD, digits) for value in NEAR_THIRD)


def _zero(digits: int) -> object:
    return is_zero(sympy.asin(X / (1 + X)) - sympy.atan(X / sympy.sqrt(1 + 2 * X)) + sympy.Rational(digits - 15, 7))


def _solved(digits: int) -> object:
    law, network = FiniteData([[1, 0], [1, 1]], [1, -1]), Network("gated-linear", "mean", 1, (AlwaysGate(),))
    problem = Problem(law, network, Training("half-mse", 1, NormalInitialisation(0, 0), (1,)))
    return solve(problem, digits=digits).weights.tolist()


EVALUATING = (_moment, _numeric, _limit, _judged, _formula, _oracle, _table, _error, _zero, _solved)


def _shown(value: object) -> str:
    """All the digits of a value: those of numbers of mpmath do not depend on the precision of now."""
    if isinstance(value, mpmath.mpf):
        return repr(value._mpf_)
    if isinstance(value, tuple):
        return " ".join(_shown(part) for part in value)
    fields = getattr(value, "__dataclass_fields__", None)
    return " ".join(_shown(getattr(value, name)) for name in fields) if fields else repr(value)


def _together(tasks: list[tuple[Callable[[int], object], int]]) -> list[str]:
    start = Barrier(len(tasks))

    def run(task: tuple[Callable[[int], object], int]) -> list[str]:
        start.wait()
        return [_shown(task[0](task[1])) for _ in range(ROUNDS)]

    sympy.core.cache.clear_cache()
    with ThreadPoolExecutor(len(tasks)) as pool:
        return [shown for several in pool.map(run, tasks) for shown in several]


@pytest.fixture(autouse=True)
def _frequent_switches():
    """Threads take turns every 10 microseconds, and both precisions are at the end what they were."""
    interval, before = sys.getswitchinterval(), (mpmath.mp.prec, ctx.prec)
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(interval)
    assert (mpmath.mp.prec, ctx.prec) == before


@pytest.mark.parametrize("function", EVALUATING)
def test_digits_asked_for_at_once_are_those_asked_for_alone(function):
    alone = [_shown(function(digits)) for digits in DIGITS for _ in range(ROUNDS)]
    assert len(set(alone)) > 1 or function is _error
    assert _together([(function, digits) for digits in DIGITS]) == alone


def test_different_functions_do_not_disturb_each_other():
    tasks = [(function, digits) for function, digits in zip(EVALUATING, DIGITS * 3, strict=False)]
    alone = [_shown(function(digits)) for function, digits in tasks for _ in range(ROUNDS)]
    assert _together(tasks) == alone


def test_decimals_nest_and_are_put_back_after_an_error():
    before = mpmath.mp.prec
    with decimals(50):
        with decimals(bits=300):
            assert mpmath.mp.prec == 300
        assert mpmath.mp.dps == 50
    with pytest.raises(ZeroDivisionError), decimals(50):
        mpmath.mpf(1) / 0
    assert mpmath.mp.prec == before


def test_only_decimals_sets_the_precision_of_mpmath():
    """Nobody assigns to it by name; precision.py hands the context to the one place that does."""
    assigned, imported = re.compile(r"(?<!\w)mp\.(?:dps|prec) *=[^=]"), re.compile(r"from mpmath import mp\b(?!,)")
    files = {file.name: file.read_text(encoding="utf-8") for file in (ROOT / "theory").rglob("*.py")}
    assert [name for name, text in files.items() if assigned.search(text)] == []
    assert [name for name, text in files.items() if imported.search(text)] == ["precision.py"]
