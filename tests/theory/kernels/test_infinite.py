"""Kernels of infinitely wide networks against quadrature of their definition, and certified digits."""

import mpmath
import numpy as np
import pytest
import sympy

from tests.theory.kernels.gaussian_means import ACTIVATIONS, kernels, mean
from tests.tolerances_of_infinite_width import DUAL_QUADRATURE, RECURSION_QUADRATURE
from theory.gaussian import expect
from theory.kernels.infinite import WideNetwork, activation, certified_kernel, dual, gram_kernels
from theory.kernels.infinite.activations import h
from theory.kernels.infinite.duals import c, gap, p, q
from theory.problem.errors import InputError, OutOfReachError

HALF, ONE, TWO = sympy.Rational(1, 2), sympy.Integer(1), sympy.Integer(2)
PAIR = (0.7, 1.8, -0.9)


def value_at(form, pair):
    table = dict(zip((p, q, c), map(sympy.Rational, map(str, pair)), strict=True))
    return float(form.xreplace({gap: p * q - c**2}).xreplace(table).evalf(30))


PROVED = [name for name in ACTIVATIONS if name not in ("tanh", "softplus")]


@pytest.mark.parametrize("name", [name for name in PROVED if name not in ("linear", "erf", "leaky-relu:1/10")])
def test_duals_are_their_integrals_and_proved(name):
    """Of two inputs, of an input with itself, and of an input with its opposite."""
    forms = dual(activation(name))
    for function, form in zip(ACTIVATIONS[name], (forms.pair.value, forms.pair.slope), strict=True):
        assert abs(value_at(form, PAIR) - mean(function, function, *PAIR)) <= DUAL_QUADRATURE
    for side in (1, -1):
        equal = forms.equal_inputs(side)
        for function, form in zip(ACTIVATIONS[name], (equal.value, equal.slope), strict=True):
            expected = mean(function, lambda x, f=function, side=side: f(side * x), 1.3, 1.3, 1.3)
            assert abs(value_at(form, (1.3, 1.3, side * 1.3)) - expected) <= DUAL_QUADRATURE
    assert [check.error for check in forms.derivation.check() if not check.passed] == []


NETWORKS = [
    *((name, 3, (0.5, 2.0, -0.25), "3/2", "1/4") for name in PROVED if name not in ("linear", "cos")),
    ("gelu", 3, (1.0, 1.0, -1.0), None, 0),
    ("tanh", 2, (0.5, 2.0, -0.25), "3/2", "1/4"),
    ("softplus", 2, (1.0, 1.0, -1.0), None, 0),
    ("softplus", 2, (1.0, 1.0, 0.0), None, 0),
    ("tanh", 2, (1.0, 4.0, 2.0), None, 0),
]


def test_certified_digits_are_the_recursion():
    wrong = []
    for name, depth, start, weight, bias in NETWORKS:
        network = WideNetwork(name, depth, weight, bias)
        variance, other, covariance = [sympy.Rational(str(number)) for number in start]
        norms = sympy.sqrt(variance), sympy.sqrt(other)
        wanted = kernels(name, depth, start, float(network.weight_variance), float(network.bias_variance))
        for kernel, number in zip(("ntk", "nngp"), wanted, strict=True):
            result = certified_kernel(network, covariance / norms[0] / norms[1], norms, 20, kernel)
            if abs(float(result.value) - number) > RECURSION_QUADRATURE * max(1, abs(number)) or result.digits != 20:
                wrong.append((name, kernel, result.value))
    assert wrong == []


def test_more_digits_agree():
    """80 digits begin with 25 of them, and lie within their error."""
    for name in ("relu", "gelu"):
        few, many = (certified_kernel(WideNetwork(name, 5), HALF / 3, digits=digits) for digits in (25, 80))
        with mpmath.workdps(100):
            assert abs(mpmath.mpf(few.value) - mpmath.mpf(many.value)) <= mpmath.mpf(few.radius) + mpmath.mpf(
                many.radius
            )


def test_equal_inputs_of_relu():
    """K(x, x) = d where every layer is alike, (d + 1)/2 where the last has weights of variance 1/w."""
    assert certified_kernel(WideNetwork("relu", 7), ONE).value == "7"
    assert certified_kernel(WideNetwork("relu", 7, last="unit"), ONE).value == "4"


def test_fixed_gates_are_a_product_of_duals():
    """d <x, x'> prod_l k0(r_l), with r_(l+1) = k1(r_l); of d parts all but the last halve with weights of 1/w."""
    r, product = 0.5, 0.5 * 4
    for _ in range(3):
        product *= 2 * mean(ACTIVATIONS["relu"][1], ACTIVATIONS["relu"][1], 1, 1, r)
        r = 2 * mean(ACTIVATIONS["relu"][0], ACTIVATIONS["relu"][0], 1, 1, r)
    for last, part in (("alike", 1), ("unit", (3 / 2 + 1) / 4)):
        value = certified_kernel(WideNetwork("relu", 4, last=last), HALF, kernel="fixed-gates").value
        assert abs(float(value) - part * product) <= RECURSION_QUADRATURE


def test_the_outputs_of_last_weights_of_variance_one():
    """Sigma_3 = E[s s'] + v_b and K_3 = E[s' s'] K_2 + v_w E[s s'] + v_b, from the recursion with weights alike."""
    network = WideNetwork("relu", 3, "3/2", "1/4", "unit")
    tangent, covariance = kernels("relu", 3, (1, 1, 0.5), 1.5, 0.25)
    gradient = tangent - covariance
    for kernel, wanted in (("nngp", (covariance - 0.25) / 1.5 + 0.25), ("ntk", gradient / 1.5 + covariance)):
        value = float(certified_kernel(network, HALF, digits=15, kernel=kernel).value)
        gram = getattr(gram_kernels(np.array([[1, 0.5], [0.5, 1]]), network), kernel)[0, 1]
        assert max(abs(value - wanted), abs(gram - wanted)) <= RECURSION_QUADRATURE


def test_slopes_almost_everywhere():
    assert activation("relu").slope() == sympy.sign(h) / 2 + HALF
    assert activation("step").slope() == 0
    slope = activation("Heaviside(h)*sin(h)").slope()
    assert sympy.expand(slope - sympy.cos(h) * (sympy.sign(h) + 1) / 2) == 0


def test_a_threshold():
    """relu(h - 1), whose dual has Owen's T: one layer against the integral, which is smooth beyond the kink."""
    value = float(certified_kernel(WideNetwork("relu(h - 1)", 2), HALF, digits=15, kernel="nngp").value)
    assert value == float(expect("relu(z1 - 1)*relu(z2 - 1)", "[[1, 1/2], [1/2, 1]]").evaluate(15).value)


REFUSED = [
    (lambda: WideNetwork("relu", 0), InputError, "depth"),
    (lambda: WideNetwork("relu", 1001), InputError, "1000"),
    (lambda: WideNetwork("relu", 2, 0), InputError, "variances"),
    (lambda: WideNetwork("relu", 2, 1, -1), InputError, "variances"),
    (lambda: WideNetwork("relu", 2, last="first"), InputError, "last layer"),
    (lambda: activation("tan(h)"), InputError, "tan"),
    (lambda: activation("3"), InputError, "does not depend on h"),
    (lambda: activation("z1"), InputError, "z1"),
    (lambda: activation("leaky-relu:2"), InputError, "slope"),
    (lambda: activation("relu", -1), InputError, "gain"),
    (lambda: certified_kernel(WideNetwork("relu", 2), TWO), InputError, "correlation"),
    (lambda: certified_kernel(WideNetwork("relu", 2), h), InputError, "not a finite number"),
    (lambda: certified_kernel(WideNetwork("relu", 2), HALF, (ONE, sympy.Integer(0))), InputError, "norms"),
    (lambda: certified_kernel(WideNetwork("relu", 2), HALF, digits=0), InputError, "digits"),
    (lambda: certified_kernel(WideNetwork("relu", 2), HALF, kernel="cntk"), InputError, "kernel"),
    (lambda: certified_kernel(WideNetwork("erf", 2), HALF, kernel="fixed-gates"), OutOfReachError, "gate"),
    (lambda: dual(activation("relu(h)*sin(h)")), OutOfReachError, "correlated"),
    (lambda: dual(activation("Phi(h)*Heaviside(h)")), OutOfReachError, "jump"),
    (lambda: certified_kernel(WideNetwork("relu(h - 1)", 5), HALF), OutOfReachError, "digits"),
    (lambda: certified_kernel(WideNetwork("exp(h)", 4), HALF), OutOfReachError, "magnitude"),
    (lambda: certified_kernel(WideNetwork("tanh(h)/h", 2), HALF), OutOfReachError, "away from 0"),
    (lambda: certified_kernel(WideNetwork("tanh", 2), HALF, kernel="fixed-gates"), OutOfReachError, "gate"),
]


def test_refusals():
    for call, error, word in REFUSED:
        with pytest.raises(error, match=word):
            call()
