"""The localization amplifier against its integral, sums and samples; the flat state against its Jacobian."""

import re

import mpmath
import numpy as np
import pytest
import sympy

from tests.tolerances_of_amplifier import (
    AMPLIFIER_CERTIFIED,
    AMPLIFIER_FLOAT64,
    AMPLIFIER_FORTY_DIGITS,
    AMPLIFIER_JACOBIAN,
    STUDENTISED,
)
from theory.moments.amplifier import (
    Amplifier,
    FormulaMarginal,
    amplifier_coefficients,
    certified_amplifier,
    critical_gain,
    elasticity_coefficients,
    flat_state,
    flat_state_of,
    sampled,
    unit_marginal,
)
from theory.moments.inputs import Density, Values, input_statistics
from theory.moments.marginal import erf_marginal, gaussian_marginal
from theory.moments.nonlinearities.functions import marginal
from theory.problem import (
    GaussianClone,
    InputError,
    Laplace,
    NonlinearGP,
    OutOfReachError,
    SinglePulse,
)

A = [0.05, 0.999]
PROCESS = {"xi": ("3/2", "4/5"), "boundary": "ring", "normaliser": "unit-variance", "labels": (1, 0)}


def by_definition(density, ends, a, digits=20):
    """E[X erf(X a/sqrt(2(1-a^2)))] by mpmath, from the density of X."""
    with mpmath.workdps(digits + 10):
        a = mpmath.mpf(a)
        slope = a / mpmath.sqrt(2 * (1 - a * a))
        return mpmath.quad(lambda x: x * mpmath.erf(slope * x) * density(x), ends)


def ends_to(end):
    """Points that resolve erf(x a/sqrt(2(1-a^2))) near 0."""
    positive = [mpmath.mpf(end) / 2**k for k in range(12)]
    return [*(-x for x in positive), 0, *reversed(positive)]


CASES = {
    "laplace": (
        marginal(Laplace(), 2**-0.5),
        "exp(-sqrt(2)*abs(x))/sqrt(2)",
        "-oo, oo",
        lambda x: mpmath.exp(-mpmath.sqrt(2) * abs(x)) / mpmath.sqrt(2),
        48,
    ),
    "uniform": (
        erf_marginal(2**-0.5, 3**-0.5),
        "1/(2*sqrt(3))",
        "-sqrt(3), sqrt(3)",
        lambda x: 1 / (2 * mpmath.sqrt(3)),
        mpmath.sqrt(3),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_float64_and_balls_agree_with_the_definition(name):
    """At the nearest float of a, so that both see one number; the elasticity is the logarithmic derivative."""
    density, text, support, defined, end = CASES[name]
    formula = FormulaMarginal(text, "density", tuple(part.strip() for part in support.split(",")))
    amplifier, step = Amplifier(density), mpmath.mpf(2) ** -20
    for a in A:
        truth = by_definition(defined, ends_to(end), a)
        assert abs(amplifier.at(a) - truth) <= AMPLIFIER_FLOAT64
        value, elasticity = certified_amplifier(formula, sympy.Rational(a), 15)
        assert abs(mpmath.mpf(value.value) - truth) <= AMPLIFIER_CERTIFIED
        assert abs(amplifier.elasticity(a) - float(elasticity.value)) <= AMPLIFIER_FLOAT64 / (a * (1 - a * a))
    up, down = (mpmath.log(by_definition(defined, ends_to(end), 0.8 * mpmath.exp(k * step))) for k in (1, -1))
    assert abs(amplifier.elasticity(0.8) - (up - down) / (2 * step)) <= AMPLIFIER_JACOBIAN


def test_two_points_and_a_sparse_pixel():
    two = Values((-1, 1), (sympy.Rational(1, 2),) * 2)
    a = sympy.Rational(9, 10)
    found = certified_amplifier(two, a, 40)[0]
    with mpmath.workdps(50):
        truth = mpmath.erf(mpmath.mpf(9) / 10 / mpmath.sqrt(2 * (1 - mpmath.mpf(81) / 100)))
        assert abs(mpmath.mpf(found.value) - truth) <= mpmath.mpf(found.radius) < AMPLIFIER_FORTY_DIGITS
    assert abs(Amplifier(two).at(0.9) - float(truth)) <= AMPLIFIER_FLOAT64
    sparse = Values((-2, 0, 2), (0.125, 0.75, 0.125))
    assert Amplifier(sparse).at(np.array([1.0, -1.0, 0.0])).tolist() == [0.5, -0.5, 0.0]  # phi(1) = E|X|


def test_laws_have_the_amplifier_of_their_latent():
    """X = erf(g z)/Z: the integral over z, without the density of X."""
    gain, a = 30, 0.9
    law = NonlinearGP(4, gain=gain, **PROCESS | {"boundary": "open"})
    amplifier = Amplifier(input_statistics(law, 0).marginal(0))
    with mpmath.workdps(25):
        ends = sorted({*ends_to(12), *ends_to(12 / mpmath.mpf(gain))})
        Z = mpmath.sqrt(mpmath.quad(lambda z: mpmath.erf(gain * z) ** 2 * mpmath.npdf(z), ends))
        slope = mpmath.mpf(a) / mpmath.sqrt(2 * (1 - mpmath.mpf(a) ** 2))

        def inside(z):
            x = mpmath.erf(gain * z) / Z
            return x * mpmath.erf(slope * x) * mpmath.npdf(z)

        assert abs(amplifier.at(a) - mpmath.quad(inside, ends)) <= AMPLIFIER_FLOAT64


def test_quantiles_and_distribution_functions_give_the_same_digits():
    a = sympy.Rational(7, 10)
    forms = [
        FormulaMarginal("sqrt(3)*(2*u - 1)", "quantile"),
        FormulaMarginal("(x + sqrt(3))/(2*sqrt(3))", "cumulative", ("-sqrt(3)", "sqrt(3)")),
        FormulaMarginal("1/(2*sqrt(3))", "density", ("-sqrt(3)", "sqrt(3)")),
    ]
    assert len({certified_amplifier(form, a, 12)[0].value for form in forms}) == 1


def test_tails_without_a_variance_are_refused():
    with pytest.raises(OutOfReachError, match="tails are too heavy"):
        FormulaMarginal("1/(pi*(1 + x**2))")
    cauchy = Density(lambda x: 1 / (np.pi * (1 + x * x)), lambda x: 0.5 + np.arctan(x) / np.pi, -np.inf, np.inf)
    with pytest.raises(OutOfReachError, match="tails are too heavy"):
        Amplifier(cauchy)


def test_the_series_is_that_of_the_function():
    """Coefficients by mpmath's Taylor series of the sum over three values, of probability 1/3."""
    p = sympy.Rational(1, 3)
    with mpmath.workdps(60):
        x, weight = mpmath.sqrt(3), mpmath.mpf(1) / 3

        def phi(a):
            return weight * x * mpmath.erf(x * a / mpmath.sqrt(2 * (1 - a * a)))

        taylor = mpmath.taylor(phi, 0, 9)
        for k, c in enumerate(amplifier_coefficients([p ** (1 - k) for k in range(1, 6)])):
            want = taylor[2 * k + 1] / mpmath.sqrt(2 / mpmath.pi)
            assert abs(mpmath.mpf(c.p) / c.q - want) <= AMPLIFIER_CERTIFIED
        small = mpmath.mpf(10) ** -4
        slopes = elasticity_coefficients([p ** (1 - k) for k in range(1, 4)])
        near = sum(mpmath.mpf(e.p) / e.q * small ** (2 * k) for k, e in enumerate(slopes))
        assert abs(near - small * mpmath.diff(phi, small) / phi(small)) <= AMPLIFIER_CERTIFIED


@pytest.mark.parametrize("rescale", [False, True])
def test_samples_agree_within_their_errors_and_errors_are_those_of_repetitions(rescale):
    rng = np.random.default_rng(7)
    a = np.array([0.3, 0.9])
    draws = rng.uniform(-1, 1, (200, 1000)) * (5.0 if rescale else np.sqrt(3))
    found = [sampled(x, a, rescale) for x in draws]
    truth = Amplifier(erf_marginal(2**-0.5, 3**-0.5)).at(a)
    values, errors = (np.array([getattr(one, name) for one in found]) for name in ("value", "error"))
    assert (np.abs(values.mean(0) - truth) <= STUDENTISED * values.std(0) / np.sqrt(200)).all()
    # The standard deviation over 200 repetitions has a relative error of 1/sqrt(400).
    assert (np.abs(values.std(0) / errors.mean(0) - 1) <= STUDENTISED / np.sqrt(400)).all()
    wrong = Amplifier(gaussian_marginal(1.0)).at(a)
    assert (np.abs(values.mean(0) - wrong) > STUDENTISED * values.std(0) / np.sqrt(200)).all()


def closure(lam0, lam1, phi, w, variance=1.0):
    """4 tau dw/dt of the closure on a ring, with covariances built from their spectra."""
    n = len(w)
    modes = np.exp(2j * np.pi * np.outer(np.arange(n), np.arange(n)) / n) / np.sqrt(n)
    S0, S1 = ((modes * lam) @ modes.conj().T for lam in (lam0, lam1))
    h = S1.real @ w
    return np.sqrt(variance) * phi(h / np.sqrt(variance * (w @ h))) - (S0 + S1).real @ w


@pytest.mark.parametrize(("gain", "normaliser"), [(0.3, "unit-variance"), (3, "unit-variance"), (0.3, "none")])
def test_rates_of_modes_are_those_of_the_jacobian(gain, normaliser):
    law = NonlinearGP(8, gain=gain, **PROCESS | {"normaliser": normaliser})
    variance = input_statistics(law, 0).variance[0]
    lam = [np.fft.fft(input_statistics(law, c).covariance[0]).real for c in (1, 0)]
    amplifier = Amplifier(unit_marginal(input_statistics(law, 0).marginal(0)))
    found = flat_state_of(law)
    flat = np.full(8, np.sqrt(variance) * amplifier.at(found.a) / (lam[0][0] + lam[1][0]))
    assert np.abs(closure(*lam, amplifier.at, flat, variance)).max() <= AMPLIFIER_FLOAT64 * 10
    step = 1e-5
    for q in (0, 1, 4):
        mode = np.cos(2 * np.pi * q * np.arange(8) / 8)
        up, down = (closure(*lam, amplifier.at, flat + k * step * mode, variance) for k in (1, -1))
        rate = (up - down) @ mode / (2 * step) / (mode @ mode) / 4
        assert abs(rate - found.rates[q]) <= AMPLIFIER_JACOBIAN
    assert found.unstable == (found.rates[1:].max() > 0)


def test_the_critical_gain_separates_stable_from_unstable():
    law = NonlinearGP(16, gain=1, **PROCESS)
    gain = critical_gain(law, 0.05, 5.0)
    below, above = (flat_state_of(NonlinearGP(16, gain=gain * by, **PROCESS)) for by in (0.999, 1.001))
    assert (below.unstable, above.unstable) == (False, True)
    assert not flat_state_of(GaussianClone(16, gain=5, **PROCESS)).unstable
    with pytest.raises(OutOfReachError, match=r"unstable at the gains 3 and 5"):
        critical_gain(law, 3.0, 5.0)


REFUSED = {
    "the variance 2": lambda: FormulaMarginal("exp(-abs(x))/2"),
    "integrates to 1.77": lambda: FormulaMarginal("exp(-x**2)"),
    "the mean 0.5": lambda: FormulaMarginal("exp(-(x - 1/2)**2/2)/sqrt(2*pi)"),
    "the variance 4; the": lambda: Amplifier(gaussian_marginal(4.0)),
    "the variance 9": lambda: (
        certified_amplifier(Values((-3, 3), (sympy.Rational(1, 2),) * 2), 0, 5)
        and certified_amplifier(Values((-3, 3), (sympy.Rational(1, 2),) * 2), sympy.Rational(1, 2), 5)
    ),
    "add up to 2": lambda: certified_amplifier(Values((-1, 1), (1, 1)), sympy.Rational(1, 2), 5),
    "a = 1.5 is not": lambda: Amplifier(gaussian_marginal(1.0)).at(1.5),
    "a = 2 is not": lambda: certified_amplifier(FormulaMarginal("Phi(x)", "cumulative"), 2, 5),
    "is empty": lambda: FormulaMarginal("1", support=("1", "0")),
    "jumps": lambda: FormulaMarginal("Heaviside(x)", "cumulative"),
    "for |a| < 1 only": lambda: Amplifier(gaussian_marginal(1.0)).elasticity(1.0),
    "sample 9 is nan": lambda: sampled(np.array([*range(9), np.nan]), np.array([0.5])),
    "sample 0 is 1e+300": lambda: sampled(np.tile([1e300, -1e300], 50), np.array([0.5]), rescale=True),
    "differ by less": lambda: sampled(np.tile([1e-300, -1e-300], 50), np.array([0.5]), rescale=True),
    "3 samples": lambda: sampled(np.ones(3), np.array([0.5])),
    "the variance": lambda: sampled(np.tile([-2.0, 2.0], 50), np.array([0.5])),
    "labels 1 and 0": lambda: flat_state_of(NonlinearGP(8, gain=1, **PROCESS | {"labels": (1, -1)})),
    "not circulant": lambda: flat_state_of(NonlinearGP(8, gain=1, **PROCESS | {"boundary": "open"})),
    "has no gain": lambda: critical_gain(SinglePulse(8, ((2, 3), (5, 5)), "zero-one", "none", (1, 0)), 1.0, 2.0),
    "the value -1": lambda: flat_state(np.array([3.0, -1.0]), np.ones(2), Amplifier(gaussian_marginal(1.0))),
}


def test_bad_input_is_named():
    for words, ask in REFUSED.items():
        with pytest.raises(InputError, match=re.escape(words)):
            ask()
