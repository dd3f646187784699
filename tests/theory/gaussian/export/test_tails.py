"""Exported code in the tails of thresholds: relatively accurate or nan, in every language, and its gradients."""

import ctypes
import shutil
import subprocess
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from itertools import product

import mpmath
import numpy as np
import pytest
import sympy
import torch

from tests.tolerances import EXPORTED_LEAST, EXPORTED_TAIL
from theory.expressions.functions import OwensT, Phi2
from theory.expressions.symbols import z
from theory.gaussian import expect
from theory.gaussian.export.code import accuracy, export, stable_form
from theory.gaussian.export.upper_moments import UpperMoment, UpperMoment2

COMPILER = shutil.which("cc")
LANGUAGES = ("numpy", "torch", pytest.param("c", marks=pytest.mark.skipif(COMPILER is None, reason="no C compiler")))
TINY = float(np.finfo(float).tiny)
PAIR, ONE = "[[1, rho], [rho, 1]]", "[[1]]"
THRESHOLDS = (0, 5, 12)
CORRELATIONS = ("-1/2", "1/5", "99/100")
PAIRS = (
    "Heaviside(z1-t)*Heaviside(z2-t)",
    "relu(z1-t)*relu(z2-t)",
    "relu(z1-t)**2*Heaviside(z2-t/2)*z2",
    "erfc(z1+t)*Phi(z2-t/2)",
)
SINGLE = ("relu(z1-t)**2", "erfc(z1+t)", "Phi(z1-t)", "Heaviside(z1-t)*z1")


@cache
def _moment(expr: str, cov: str):
    return expect(expr, cov, where="t>=0, -1<rho<1" if "rho" in cov else "t>=0")


@cache
def _exact(expr: str, cov: str, **point: str) -> float:
    return float(_moment(expr, cov).evaluate(17, **point).value)


def _compiled(form: sympy.Expr, language: str, folder, far: sympy.Expr | None = None) -> Callable[..., float]:
    """The exported function of floats."""
    code = export(form, language, far)
    if language == "c":
        (folder / "f.c").write_text(code)
        flags = ["-O2", "-std=c99", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC"]
        subprocess.run([COMPILER, *flags, str(folder / "f.c"), "-o", str(folder / "f.so"), "-lm"], check=True)
        function = ctypes.CDLL(str(folder / "f.so")).expectation
        names = sorted(symbol.name for symbol in form.free_symbols)
        function.restype, function.argtypes = ctypes.c_double, [ctypes.c_double] * len(names)
        return lambda **point: function(*(point[name] for name in names))
    space: dict = {}
    exec(code, space)  # noqa: S102 - the code is what is tested
    return lambda **point: float(space["expectation"](**point))


@cache
def _function(expr: str, cov: str, language: str, folder) -> Callable[..., float]:
    return _compiled(_form(expr, cov), language, _folder(folder))


def _form(expr: str, cov: str) -> sympy.Expr:
    moment = _moment(expr, cov)
    return stable_form(moment.closed_form, moment.expr, moment.cov)


@pytest.mark.parametrize("language", LANGUAGES)
def test_factors_over_the_table(language, tmp_path):
    pairs = product([PAIR], PAIRS, product(THRESHOLDS, CORRELATIONS))
    for cov, expr, place in (*pairs, *product([ONE], SINGLE, product(THRESHOLDS))):
        point = dict(zip(("t", "rho"), map(str, place), strict=False))
        value = _function(expr, cov, language, tmp_path)(**{name: float(Fraction(x)) for name, x in point.items()})
        exact = _exact(expr, cov, **point)
        if abs(exact) < TINY:
            assert 0 <= value < TINY
        else:
            assert abs(value / exact - 1) <= EXPORTED_TAIL, (expr, place)


@pytest.mark.parametrize("rho", ["-1/2", "99/100"])
def test_gradients_of_torch_are_relatively_accurate(rho):
    """By differentiation under the integral, d/dt max(z - t, 0) = -1[z > t], and by Price's theorem for rho."""
    space: dict = {}
    exec(export(_form("relu(z1-t)*relu(z2-t)", PAIR), "torch"), space)  # noqa: S102
    steps: dict = {}
    exec(export(_form("Heaviside(z1-t)*Heaviside(z2-t)", PAIR), "torch"), steps)  # noqa: S102
    for t in THRESHOLDS:
        point = {"t": str(t), "rho": rho}
        by_t, by_rho = _gradient(space["expectation"], t, rho)
        exact_t = -2 * _exact("Heaviside(z1-t)*relu(z2-t)", PAIR, **point)
        if abs(exact_t) < TINY:
            continue
        assert abs(by_t / exact_t - 1) <= EXPORTED_TAIL
        assert abs(by_rho / _exact("Heaviside(z1-t)*Heaviside(z2-t)", PAIR, **point) - 1) <= EXPORTED_TAIL
        by_t, by_rho = _gradient(steps["expectation"], t, rho)
        with mpmath.workdps(30):
            r = mpmath.mpf(Fraction(rho).numerator) / Fraction(rho).denominator
            tail = mpmath.erfc(t * mpmath.sqrt((1 - r) / (1 + r) / 2)) / 2
            density = mpmath.exp(-(t**2) / (1 + r)) / (2 * mpmath.pi * mpmath.sqrt(1 - r * r))
            exact_t, exact_rho = -2 * mpmath.npdf(t) * tail, density
            assert abs(by_t / exact_t - 1) <= EXPORTED_TAIL
            assert abs(by_rho / exact_rho - 1) <= EXPORTED_TAIL


def _gradient(function: Callable[..., torch.Tensor], t: float, rho: str) -> tuple[float, float]:
    arguments = [torch.tensor(float(x), dtype=torch.float64, requires_grad=True) for x in (t, Fraction(rho))]
    function(t=arguments[0], rho=arguments[1]).backward()
    return float(arguments[0].grad), float(arguments[1].grad)


@pytest.mark.slow
def test_gradients_of_every_order_and_of_unequal_thresholds():
    space: dict = {}
    s, t, r = sympy.symbols("s t r", real=True)
    form = UpperMoment2(2, 1, s, t, r, 1 - r**2) + UpperMoment2(0, 1, s, t, r, 1 - r**2) * UpperMoment(2, s)
    exec(export(form, "torch"), space)  # noqa: S102
    points = [[0.5, -0.3], [1.0, -0.5], [0.3, -0.8]]
    arguments = [torch.tensor(row, dtype=torch.float64, requires_grad=True) for row in points]
    function = space["expectation"]
    assert torch.autograd.gradcheck(lambda s, t, r: function(r, s, t), arguments)
    assert torch.autograd.gradgradcheck(lambda s, t, r: function(r, s, t), arguments)


def test_gradients_of_owens_t_also_at_zero():
    """dT/da = exp(-h^2 (1 + a^2)/2)/(2 pi (1 + a^2)) and dT/dh = -phi(h) erf(a h/sqrt 2)/2."""
    h, a = sympy.symbols("h a", real=True)
    space: dict = {}
    exec(export(OwensT(h, a), "torch"), space)  # noqa: S102
    for x, slope in product((0.5, 6.0), (0.0, 0.5, -2.0)):
        arguments = [torch.tensor(y, dtype=torch.float64, requires_grad=True) for y in (slope, x)]
        space["expectation"](*arguments).backward()
        by_a = float(mpmath.exp(-(x**2) * (1 + slope**2) / 2) / (2 * mpmath.pi * (1 + slope**2)))
        by_h = float(-mpmath.npdf(x) * mpmath.erf(slope * x / mpmath.sqrt(2)) / 2)
        size = float(mpmath.npdf(x))
        assert abs(float(arguments[0].grad) - by_a) <= EXPORTED_TAIL * size
        assert abs(float(arguments[1].grad) - by_h) <= EXPORTED_TAIL * size


@pytest.mark.parametrize("language", LANGUAGES)
def test_upper_moments_of_two_at_every_correlation(language, tmp_path):
    h, k, r = sympy.symbols("s t rho", real=True)
    function = _compiled(UpperMoment2(0, 0, h, k, r, (1 - r) * (1 + r)), language, tmp_path)
    assert function(s=2.0, t=2.0, rho=-0.9999) == 0  # about exp(-40000)
    for s, t, rho in (
        (0.5, -1.0, 0.9999),
        (2.0, 2.0, 1 - 1e-8),
        (-3.0, 1.0, -0.9999),
        (-20.0, -15.0, 0.9999),
        (30.0, 3.0, 0.0),
        (30.0, 3.0, 1 - 1e-8),
        (-20.0, -15.0, -0.9999),
    ):
        cov = [[1, sympy.Rational(rho)], [sympy.Rational(rho), 1]]
        steps = sympy.Heaviside(z(1) - sympy.Rational(s)) * sympy.Heaviside(z(2) - sympy.Rational(t))
        exact = float(expect(steps, cov).evaluate(17).value)
        assert abs(function(s=s, t=t, rho=rho) / exact - 1) <= EXPORTED_TAIL, (s, t, rho)


@pytest.mark.parametrize("language", LANGUAGES)
def test_owens_t_and_phi2_have_their_tails(language, tmp_path):
    h, a = sympy.symbols("h a", real=True)
    function = _compiled(OwensT(h, a), language, tmp_path)
    for x, slope in product((1.0, 12.0), (-0.5, 2.0, 40.0)):
        with mpmath.workdps(30):
            ends = [0, slope / 256, slope / 64, slope / 16, slope / 4, slope]
            inside = mpmath.quad(lambda u, x=x: mpmath.exp(-(x**2) * u**2 / 2) / (1 + u**2), ends)
            exact = inside * mpmath.exp(-(x**2) / 2) / (2 * mpmath.pi)
        assert abs(function(h=x, a=slope) / float(exact) - 1) <= EXPORTED_TAIL
    r = sympy.Symbol("rho", real=True)
    (tmp_path / "phi2").mkdir()
    function = _compiled(Phi2(-h, -h, r), language, tmp_path / "phi2")
    for x, rho in product((1, 8), ("-1/2", "99/100")):
        exact = _exact("Heaviside(z1-t)*Heaviside(z2-t)", PAIR, t=str(x), rho=rho)
        assert abs(function(h=float(x), rho=float(Fraction(rho))) / exact - 1) <= EXPORTED_TAIL


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_has_lost_its_digits_is_nan(language, tmp_path):
    """The closed form itself, and three factors, which are not upper moments of two."""
    pair = _moment("relu(z1-t)*relu(z2-t)", PAIR)
    triple = expect(
        "*".join(f"Heaviside(z{k}-t)" for k in (1, 2, 3)), "[[1,1/2,1/3],[1/2,1,1/4],[1/3,1/4,1]]", where="t>0"
    )
    for name, moment, correlations in (("pair", pair, {"rho": "1/2"}), ("triple", triple, {})):
        (tmp_path / name).mkdir()
        function = _compiled(moment.closed_form, language, tmp_path / name)
        values = {
            t: function(t=float(t), **{k: float(Fraction(x)) for k, x in correlations.items()}) for t in (1, 2, 3, 5, 8)
        }
        for t, value in values.items():
            if not np.isnan(value):
                exact = float(moment.evaluate(17, t=str(t), **correlations).value)
                assert abs(value / exact - 1) <= EXPORTED_LEAST
        assert np.isfinite(values[1])
        assert np.isnan(values[8])


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_integral_that_has_not_converged_is_nan(language, tmp_path):
    x, width = sympy.Symbol("x", real=True), sympy.Symbol("width", positive=True)
    form = sympy.Integral(width / ((x - sympy.Rational(1, 3)) ** 2 + width**2), (x, 0, 1))
    function = _compiled(form, language, tmp_path)
    exact = np.arctan(2 / 3 / 0.5) + np.arctan(1 / 3 / 0.5)
    assert abs(function(width=0.5) / exact - 1) <= EXPORTED_TAIL
    assert np.isnan(function(width=1e-5))


def test_the_code_says_how_accurate_it_is():
    for expr, word in (("Phi(z1-6)*Heaviside(z2-6)", "normal float64"), ("relu(z1-6)*erf(z2)", "nan where")):
        form = _form(expr, "[[1,1/2],[1/2,1]]")
        assert word in accuracy(form)
        assert accuracy(form) in export(form, "numpy")


@pytest.mark.parametrize("language", LANGUAGES)
def test_limits_at_infinite_thresholds_and_at_correlations_of_one(language, tmp_path):
    """P(z1 > -h, z2 > -k) and E relu(z1 + h)^2 1[z2 > -k], whose limits are expectations in one variable."""
    domain = "h real, k real, -1<r<1"
    steps, hinge = (
        _compiled(stable_form(m.closed_form, m.expr, m.cov), language, _folder(tmp_path))
        for m in (
            expect(f"{f}*Heaviside(z2+k)", "[[1, r], [r, 1]]", where=domain)
            for f in ("Heaviside(z1+h)", "relu(z1+h)**2")
        )
    )

    def one(integrand: str) -> float:
        return float(expect(integrand, ONE).evaluate(17).value)

    inf, step = float("inf"), one("Heaviside(z1-1/2)")
    square, both = one("relu(z1+1)**2"), "relu(z1+1)**2*Heaviside(1/2-z1)"
    for h, k, r, probability, moment in (
        (-inf, -0.5, 0.3, 0, 0),
        (inf, -0.5, -1.0, step, inf),
        (1.0, inf, 0.3, one("Heaviside(z1+1)"), square),
        (1.0, -inf, 1.0, 0, 0),
        (inf, -inf, 0.3, 0, float("nan")),
        (1.0, -0.5, 1.0, step, one("relu(z1+1)**2*Heaviside(z1-1/2)")),
        (1.0, 0.5, -1.0, one("Heaviside(z1+1)*Heaviside(1/2-z1)"), one(both)),
        (-1.0, 0.5, -1.0, 0, 0),
    ):
        for value, expected in ((steps(h=h, k=k, r=r), probability), (hinge(h=h, k=k, r=r), moment)):
            same = value == expected or np.isnan([value, expected]).all()
            assert same or abs(value - expected) <= EXPORTED_TAIL * expected < inf, (h, k, r)


@pytest.mark.parametrize("language", LANGUAGES)
def test_powers_of_an_infinite_threshold_do_not_spoil_the_limit(language, tmp_path):
    """At h = -oo a step is 1, at h = oo it is 0; r = 3/10."""
    for expr, without in (
        ("Heaviside(z1-h)*z1*z2", "z1*z2"),
        ("Heaviside(z1-h)*Heaviside(z2-h)*z1*z2", "z1*z2"),
        ("Heaviside(z1-h)*erf(z2)**2", "erf(z2)**2"),
        ("relu(z1-h)*erf(z2)", "z1*erf(z2)"),
        ("Phi(z1-h)*Phi(z2-h)*z2**2", "z2**2"),
    ):
        m = expect(expr, "[[1, r], [r, 1]]", where="h real, -1<r<1")
        code = stable_form(m.closed_form, m.expr, m.cov)
        function = _compiled(code, language, _folder(tmp_path), m.closed_form)
        limit = float(expect(without, "[[1, 3/10], [3/10, 1]]").evaluate(17).value)
        assert abs(function(h=-float("inf"), r=0.3) / limit - 1) <= EXPORTED_TAIL, expr
        high = function(h=float("inf"), r=0.3)
        assert high == 0 or (np.isnan(high) and expr.endswith("erf(z2)**2")), expr


def _folder(parent):
    place = parent / str(len(list(parent.iterdir())))
    place.mkdir()
    return place
