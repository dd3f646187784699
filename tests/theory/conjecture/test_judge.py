"""True equations are proved, false ones refuted at plain points with certified numbers, and nothing else is said."""

from fractions import Fraction

import mpmath
import pytest

from theory.conjecture import judge, prove, read
from theory.conjecture.enclosure import Comparison
from theory.expressions.algebra import Proof
from theory.problem.errors import InputError, OutOfReachError

PAIR = "[[1, rho], [rho, 1]]"
GAIN = "g>0, -1<rho<1"
SMALL_BUMP = "E[Heaviside(z1)*erf(g*z2)] = atan(sqrt(rho**2/(1/(2*g**2) + 1 - rho**2)))/pi"

TRUE = [
    ("E[sign(z1)*sign(z2)] = (2/pi)*asin(rho)", PAIR, "-1<rho<1"),
    ("E[Heaviside(z1)*erf(g*z2)] = asin(rho*g*sqrt(2/(1 + 2*g**2)))/pi", PAIR, GAIN),
    ("E[Heaviside(z1)*Heaviside(z2)] = 1/2 - acos(rho)/(2*pi)", PAIR, "-1<=rho<=1"),
    ("E[erf(g*z1)**2]*E[sign(z1)*sign(z2)] = 4*asin(2*g**2/(1 + 2*g**2))*asin(rho)/pi**2", PAIR, GAIN),
    ("E[relu(z1)*relu(z2)] = (sqrt(1 - rho**2) + rho*(pi - acos(rho)))/(2*pi)", PAIR, "-1<rho<1"),
    ("E[Phi(z1)*Phi(z2)] = 1/4 + asin(rho/2)/(2*pi)", PAIR, "-1<rho<1"),
    ("sqrt(x**2) = Abs(x)", None, "-1<x<1"),
    ("sign(x)*Abs(x) = x", None, "-2<=x<=2"),
    ("atan(x) + atan(1/x) = sign(x)*pi/2", None, "-1<x<1"),
    ("max(x, 1/3) = (x + 1/3 + Abs(x - 1/3))/2", None, "-1<x<1"),
    ("atan(1/5)*4 - atan(1/239) = pi/4", None, None),
    ("max(a, b) = (a + b + Abs(a - b))/2", None, "a>0, b>0"),
    ("1/(a - b) = (a + b)/(a**2 - b**2)", None, "a>0, b>0"),
    ("x*asin(x) + x*acos(x) = x*pi/2", None, "-1<=x<=1"),
    ("sin(2*x) = 2*sin(x)*cos(x)", None, "-9<x<9"),
    ("2*atan(x) = atan(2*x/(1 - x**2)) + (1 - sign(1 - x))*pi/2", None, "0<x<1"),
    ("sqrt(5 + 2*sqrt(6)) = sqrt(2) + sqrt(3)", None, None),
]

# Equation, matrix, domain, the plainest counter-example, and what mends it.
FALSE = [
    (SMALL_BUMP, PAIR, GAIN, {"g": "1", "rho": "-1/2"}, "multiplied by sign(rho)"),
    ("E[erf(g*z1)*erf(g*z2)] = asin(2*g**2*rho/(1 + 2*g**2))/pi", PAIR, GAIN, {"g": "1", "rho": "1/2"}, "by 2"),
    ("E[erf(g*z1)*erf(g*z2)] = (2/pi)*asin(g**2*rho/(1 + g**2))", PAIR, GAIN, {"g": "1", "rho": "1/2"}, "sqrt(2)*g"),
    ("E[Heaviside(z1)*Heaviside(z2)] = asin(rho)/(2*pi)", PAIR, "-1<rho<1", {"rho": "0"}, "1/4 added"),
    ("E[sign(z1)*sign(z2)] = -2*asin(rho)", PAIR, "-1<rho<1", {"rho": "1/2"}, "-1/pi"),
    ("E[sign(z1)*sign(z2)] = 2*asin(rho)/pi + 1e-40", PAIR, "-1<rho<1", {"rho": "0"}, None),
    ("sqrt(x**2) = x", None, "-1<x<1", {"x": "-1/2"}, "multiplied by sign(x)"),
    ("2*atan(x) = atan(2*x/(1 - x**2))", None, "x>0", {"x": "2"}, None),
    ("atan(a/b) = atan2(a, b)", None, "-1<a<1, -1<b<1", {"a": "0", "b": "-1/2"}, None),
    ("sqrt((x - 99/100)**2) = 99/100 - x", None, "-1<x<1", {"x": "1023/1024"}, None),
    ("a - b = b - a", None, "a>0, b>0", {"a": "1", "b": "2"}, "multiplied by -1"),
]


def test_true_equations_are_proved():
    wrong = []
    for equation, cov, where in TRUE:
        answer = judge(read(equation, cov, where=where))
        if answer.verdict != "proved" or not all(step.checked for step in answer.steps):
            wrong.append((equation, answer.verdict, answer.reason))
    assert wrong == []


def test_false_equations_are_refuted_at_a_plain_point():
    for equation, cov, where, values, change in FALSE:
        answer = judge(read(equation, cov, where=where))
        assert answer.verdict == "refuted", equation
        lhs, rhs = answer.counterexample.comparison.lhs, answer.counterexample.comparison.rhs
        assert {symbol.name: str(number) for symbol, number in answer.counterexample.point.items()} == values
        assert abs(Fraction(lhs.value) - Fraction(rhs.value)) > Fraction(lhs.radius) + Fraction(rhs.radius)
        if change is None:
            assert answer.suggestion is None or answer.suggestion.verdict == "proved"
        else:
            assert change in answer.suggestion.change
            assert answer.suggestion.verdict == "proved"


def test_a_counterexample_can_be_checked_by_quadrature():
    answer = judge(read("E[erf(g*z1)*z1] = g/sqrt(pi)", "[[1]]", where="g>0"))
    gain = mpmath.mpf(str(next(iter(answer.counterexample.point.values()))))
    with mpmath.workdps(30):
        integral = mpmath.quad(lambda x: mpmath.erf(gain * x) * x * mpmath.npdf(x), [-mpmath.inf, -1, 0, 1, mpmath.inf])
        assert mpmath.nstr(integral, 15) == mpmath.nstr(mpmath.mpf(answer.counterexample.comparison.lhs.value), 15)


def test_four_signs_are_supported_and_a_factor_is_refuted():
    cov = "[[1, a, 0, 0], [a, 1, a, 0], [0, a, 1, a], [0, 0, a, 1]]"
    product = "E[sign(z1)*sign(z2)*sign(z3)*sign(z4)]"
    reversed_ = "E[sign(z4)*sign(z3)*sign(z2)*sign(2*z1)]"
    assert judge(read(f"{product} = {reversed_}", cov, where="-1/2<a<1/2"), 20).verdict == "proved"
    answer = judge(read(f"{product} = {product}*1.001", cov, where="-1/2<a<1/2"), 20, suggest=False)
    assert answer.verdict == "refuted"


def test_what_has_no_proof_is_only_supported():
    answer = judge(read("asin(sin(x)) = x", where="-1<x<1"), 25)
    assert (answer.verdict, answer.digits, answer.steps) == ("supported", 25, ())
    assert "not be shown" in answer.reason
    owen = judge(read("owens_t(h, 2) + owens_t(2*h, 1/2) = (1 - (2*Phi(h) - 1)*(2*Phi(2*h) - 1))/4", where="h>0"), 20)
    assert owen.verdict == "supported"


@pytest.mark.slow
def test_thresholds_and_means_are_judged():
    gate = "E[Heaviside(z1 - s)*erf(g*z2)] = {}*owens_t(s, sqrt(2)*g*rho/sqrt(1 + 2*g**2*(1 - rho**2)))"
    where = "g>0, s>0, -1<rho<1"
    assert judge(read(gate.format(2), PAIR, where=where)).verdict == "proved"
    assert judge(read(gate.format(1), PAIR, where=where)).verdict == "refuted"
    assert judge(read("E[z1*z2] = rho + 2", PAIR, mean="[1, 2]", where="-1<rho<1")).verdict == "proved"
    assert judge(read("E[Heaviside(z1)] = Phi(m)", "[[1]]", mean="[m]", where="m>0")).verdict == "proved"


def test_where_nothing_can_be_evaluated_it_is_undecided():
    answer = judge(read("asin(2 + x) = asin(2 + x)**2", where="0<x<1"))
    assert answer.verdict == "undecided"
    assert answer.undefined


def test_points_where_one_side_is_not_real_are_named():
    answer = judge(read("log(x**2) = 2*log(x)", where="-1<x<1"))
    assert answer.verdict == "proved"
    assert {str(trial.point) for trial in answer.undefined} >= {"{x: 0}", "{x: -1/2}"}


def test_the_undecided_is_not_true(monkeypatch):
    """Planted: a comparison that never decides must not end in proved or supported."""
    statement = read("x = x + x**2/10**9", where="0<x<1")
    for name in ("compare_at", "compare_exactly"):
        monkeypatch.setattr(f"theory.conjecture.verdict.{name}", lambda *_: Comparison("unknown"))
    assert judge(statement).verdict == "undecided"


def test_a_procedure_that_calls_all_true_is_caught_by_numbers(monkeypatch):
    """Planted: a kernel that says yes to everything; the points still refute."""
    monkeypatch.setattr(prove, "proved_zero", lambda *_: Proof("zero", True))
    for equation, cov, where, *_ in FALSE[::3]:
        assert judge(read(equation, cov, where=where), suggest=False).verdict == "refuted"


def test_a_step_that_is_not_checked_is_no_proof(monkeypatch):
    """Planted: a rule of the engine that refuses."""
    from theory.proof import derivation

    def refuse(before, step):
        raise derivation.StepError("planted")

    monkeypatch.setitem(derivation.RULES, "noisy-sign", refuse)
    answer = judge(read(*TRUE[1][:2], where=TRUE[1][2]), suggest=False)
    assert answer.verdict == "supported"
    assert "planted" in answer.reason


def test_signs_that_change_between_sample_points_are_no_proof():
    """The algebra alone, with six sample points, takes this for an identity; the cells do not."""
    answer = judge(read("sqrt((x - 9999/10000)**2) = 9999/10000 - x", where="0<x<1"))
    assert answer.verdict == "refuted"


# True at every point of the open cells, false or not real at points between them.
EXCEPT = [
    ("sign(x - 1/7000001)**2 = 1", None, "-1<x<1", "refuted"),
    ("sign(x**2 - 2/9)**2 = 1", None, "-1<x<1", "refuted"),
    ("sqrt(x - 1/7) + sqrt(1/7 - x) = 1", None, "-1<x<1", "refuted"),
    ("sqrt(x - 1/7) + sqrt(1/7 - x) = 1", None, "1/7<=x<1", "refuted"),
    ("sqrt(x) + sqrt(-x) = x", None, "-1<x<=0", "proved"),
    ("sqrt(x) + sqrt(-x) = x + exp(-300)", None, "-1<x<=0", "refuted"),
    ("E[sign(z1 - z2)**2] = 1", "[[1, 1 - (x - 1/7000001)**2], [1 - (x - 1/7000001)**2, 1]]", "-1<x<1", "refuted"),
    ("E[Heaviside(z1 - z2)] = 1/2", PAIR, "-1<rho<=1", "supported"),
    ("E[Heaviside(z1 - z2)] = 1/2", PAIR, "-1<rho<1", "proved"),
]


def test_points_between_the_cells_are_covered():
    verdicts = [judge(read(*question[:2], where=question[2]), suggest=False).verdict for question in EXCEPT]
    assert verdicts == [question[3] for question in EXCEPT]


REFUSED = [
    ("x = x + y", None, "x>0", InputError, "y"),
    ("x == x", None, "x>0", InputError, "=="),
    ("x <= 1", None, "x>0", InputError, "<="),
    ("x < 1", None, "x>0", InputError, "equals sign"),
    ("x", None, "x>0", InputError, "equals sign"),
    ("x = ", None, "x>0", InputError, "equals sign"),
    ("x = x = x", None, "x>0", InputError, "equals sign"),
    ("", None, None, InputError, "empty"),
    ("E[z1] = 0", None, None, InputError, "--cov"),
    ("E[E[z1]] = 0", "[[1]]", None, InputError, "inside"),
    ("z1 = 0", "[[1]]", None, InputError, "outside"),
    ("E[z2] = 0", "[[1]]", None, InputError, "1 variables"),
    ("E[z1*z2] = rho", PAIR, "rho>2", InputError, "covariance"),
    ("E[z1] = oo", "[[1]]", None, InputError, "infinite"),
    ("1/0 = 1", None, None, InputError, "zero"),
    ("Heaviside(acos(2)) = 1", None, None, InputError, "not real"),
    ("E[erf(z1)**5*erf(z1-z2)] = 1", "[[1, 1/2], [1/2, 1]]", None, OutOfReachError, "dependent steps"),
    ("E[erf(z1*z2)] = 1/2", "[[1, 1/2], [1/2, 1]]", None, OutOfReachError, "linear"),
]


def test_bad_questions_are_refused():
    for equation, cov, where, error, word in REFUSED:
        with pytest.raises(error) as caught:
            judge(read(equation, cov, where=where))
        assert word in f"{caught.value.message} {caught.value.hint}", equation
