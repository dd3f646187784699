"""Threads that ask for different digits at once get what each gets alone, and no global precision stays changed."""

import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import mpmath
import numpy as np
import pytest
import sympy
from flint import ctx

from theory.claims.evaluate import evaluate
from theory.conjecture import judge, read
from theory.expressions.balls.precision import decimals
from theory.expressions.relaxation import phi1
from theory.flow import solve
from theory.gaussian import expect
from theory.problem import AlwaysGate, FiniteData, Network, NormalInitialisation, Problem, Training

DIGITS = (15, 40, 25)
MANY = 60  # short evaluations in a row, so that threads meet within one
X = sympy.Symbol("x", positive=True)
PAIR = "[[1, 1/2], [1/2, 1]]"


def _moment(digits):
    moment = expect("Heaviside(z1-t)*erf(z2)", PAIR, where="t>0")
    return moment.evaluate(digits, t="1/3"), moment.numeric(t=np.array([0.5, digits / 10])).tolist()


def _judged(digits):
    return judge(read("asin(x) = 2*atan(x/sqrt(1 - x**2))", where="-1<x<1"), digits).counterexample


def _formula(digits):
    form = sympy.erf(X) * sympy.gamma(X) + phi1(X)
    return tuple(evaluate(form, {X: sympy.Rational(k, 7)}, digits)._mpf_ for k in range(1, MANY))


def _solved(digits):
    law, network = FiniteData([[1, 0], [1, 1]], [1, -1]), Network("gated-linear", "mean", 1, (AlwaysGate(),))
    problem = Problem(law, network, Training("half-mse", 1, NormalInitialisation(0, 0), (1,)))
    return solve(problem, digits=digits).weights.tolist()


@pytest.fixture
def frequent_switches():
    """Threads switch every 10 microseconds."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(interval)


@pytest.mark.slow
def test_digits_requested_at_once_are_those_requested_alone(frequent_switches):
    before = mpmath.mp.prec, ctx.prec
    tasks = [(function, digits) for function in (_moment, _judged, _formula, _solved) for digits in DIGITS]
    alone = [repr(function(digits)) for function, digits in tasks]
    start = Barrier(len(tasks))

    def run(task):
        start.wait()
        return repr(task[0](task[1]))

    sympy.core.cache.clear_cache()
    with ThreadPoolExecutor(len(tasks)) as pool:
        assert list(pool.map(run, tasks)) == alone
    assert (mpmath.mp.prec, ctx.prec) == before


def test_decimals_nest_and_are_put_back_after_an_error():
    before = mpmath.mp.prec
    with decimals(50):
        with decimals(bits=300):
            assert mpmath.mp.prec == 300
        assert mpmath.mp.dps == 50
    with pytest.raises(ZeroDivisionError), decimals(50):
        mpmath.mpf(1) / 0
    assert mpmath.mp.prec == before
