"""The working precision of Arb, which is one number for all threads."""

import os
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
import sympy
from flint import ctx

from theory.expressions.balls.precision import precision
from theory.expressions.symbols import z
from theory.gaussian.certified.digits import certified
from theory.problem.errors import InputError

THREADS = 4


def test_it_is_put_back_also_after_an_error():
    before = ctx.prec
    with pytest.raises(InputError), precision(300), precision(digits=50):
        raise InputError(f"an error in a block of {ctx.dps} digits.", "None.")
    assert ctx.prec == before
    with precision(300):
        with precision(digits=50):
            assert ctx.dps == 50
        assert ctx.prec == 300
    with precision():
        ctx.prec = 99
    assert ctx.prec == before


def test_concurrent_certificates_agree_and_leave_the_precision():
    half = sympy.Rational(1, 2)
    cov = sympy.Matrix(4, 4, lambda i, j: 1 if i == j else half / (1 + abs(i - j)))
    factors = sympy.Mul(*(sympy.sign(z(k)) for k in range(1, 5)))
    before, alone = ctx.prec, certified(factors, cov, 30)
    together = Barrier(THREADS)

    def work(digits):
        together.wait()
        return certified(factors, cov, digits)

    with ThreadPoolExecutor(THREADS) as pool:
        values = list(pool.map(work, (30, 60, 30, 90)))
    assert values[0] == values[2] == alone
    assert values[1].digits >= 60
    assert values[3].digits >= 90
    assert ctx.prec == before


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
@pytest.mark.filterwarnings("ignore:os.fork", "ignore::pytest.PytestUnraisableExceptionWarning")  # JAX, where it is
def test_a_forked_process_is_not_locked_out():
    with precision(77), ThreadPoolExecutor(1) as pool:
        child = pool.submit(_forked).result()
    assert child == 0


def _forked():
    """Fork in a thread while another holds the lock: the child has neither that thread nor its lock."""
    child = os.fork()
    if not child:
        with precision(88):
            os._exit(0 if ctx.prec == 88 else 1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
