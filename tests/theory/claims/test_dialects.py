"""Conversions between dialects: exact round trips, and agreement with the definitions by quadrature."""

from dataclasses import replace
from itertools import permutations

import mpmath
import numpy as np
import pytest
import sympy
from flint import acb, arb
from sympy import Integer, Rational, sqrt

from tests.tolerances import CLAIM_DIGITS, CLAIM_PRECISE, FLOW_ROUNDED
from theory.claims import dialects
from theory.claims.dialects import (
    CONV_EMERGE,
    CONV_EMERGE_EXACT,
    CONV_EMERGE_ISING,
    DIALECTS,
    EARLY,
    HEAD,
    HEAD_UNIT,
    NOTES,
    OURS,
    PNAS,
    SMALL_BUMP,
    Numbers,
    convert,
)
from theory.claims.evaluate import evaluate
from theory.expressions.balls.precision import precision
from theory.problem import InputError

GAIN = sqrt(2) * 3
ALIKE = [d for d in DIALECTS if d.distance_power == 2 and d.jitter == 0]
FRACTIONS = replace(OURS, name="lengths as fractions", length_unit="fraction")
SQUARED = replace(OURS, name="xi_pow_pi=False", length_power=1)
SUMMED = replace(OURS, name="sum", readout="sum")


def numbers(dialect, gain=sympy.S.One, labels=(1, 0)):
    """A problem of forty sites in a dialect; where it has labels of its own, those."""
    return Numbers(40, 20, gain, (Integer(2), Rational(1, 3)), dialect.labels or labels)


def mean(function):
    """E function(z), z ~ N(0, 1), of an entire function of a ball; enclosed by Arb."""
    with precision(digits=CLAIM_DIGITS + 10):
        total = acb.integral(lambda z, _: (-z * z / 2).exp() * function(z), -20, 20).real / (2 * arb.pi()).sqrt()
        return mpmath.mpf(total.mid().str(CLAIM_DIGITS + 10, radius=False))


def number(expr):
    """The value of an exact expression, to more digits than are compared."""
    return evaluate(expr, {}, CLAIM_DIGITS + 10)


def test_there_and_back_is_the_same():
    for source, target in permutations([*ALIKE, FRACTIONS, SQUARED], 2):
        before = numbers(source, GAIN)
        labels = {tuple(before.labels), tuple(reversed(before.labels))}
        if target.labels is not None and target.labels not in labels:
            with pytest.raises(InputError, match="labels are not exchangeable"):
                convert(before, source, target)
            continue
        back = convert(convert(before, source, target), target, source)
        swapped = replace(back, xi=tuple(reversed(back.xi)), labels=tuple(reversed(back.labels)))
        assert before in (back, swapped), (source.name, target.name)


def test_mean_and_variance_follow_from_the_definition():
    """x = scale erf(sqrt(gain_square) g z) + shift, with z of variance 1 + jitter."""
    gain = Rational(5, 2)
    for dialect in DIALECTS:
        scale, shift = map(number, dialects.input_map(dialect, gain))
        slope = number(sqrt(dialect.gain_square * (1 + dialect.jitter)) * gain)

        def x(z, scale=scale, shift=shift, slope=slope):
            return (arb(slope) * z).erf() * arb(scale) + arb(shift)

        with mpmath.workdps(CLAIM_DIGITS + 10):
            first, second = mean(x), mean(lambda z, x=x: x(z) ** 2)
            assert abs(first - shift) < CLAIM_PRECISE, dialect.name
            assert abs(second - first**2 - number(dialects.variance(dialect, gain))) < CLAIM_PRECISE, dialect.name


def test_the_gain_of_the_paper_is_sqrt_2_times_ours():
    ours = convert(numbers(PNAS, Integer(3)), PNAS, OURS)
    assert ours.gain == 3 / sqrt(2)


def test_weights_and_times_of_gradient_descent():
    """One step of explicit gradient descent in both dialects gives the same network."""
    for source, target in ((OURS, SUMMED), (HEAD, OURS), (EARLY, OURS), (PNAS, CONV_EMERGE_EXACT), (OURS, SMALL_BUMP)):
        given = numbers(source, labels=target.labels or (1, 0))
        if source is HEAD:
            given = replace(given, labels=(0, 1))
        weight = float(dialects.weight_factor(given, source, target))
        time = float(dialects.time_factor(given, source, target))
        start = np.array([[0.3, -0.2], [0.1, 0.5]])
        first = _step(source, given, start, 0.1)
        second = _step(target, convert(given, source, target), weight * start, 0.1 * time)
        assert np.max(np.abs(second - weight * first)) < FLOW_ROUNDED * np.max(np.abs(second)), (
            source.name,
            target.name,
        )


def _step(dialect, numbers, weights, time):
    """weights - time dL/dweights on three data, by the analytic gradient of the dialect's loss and network."""
    scale = float(dialects.input_map(dialect, numbers.gain)[0])
    slope = float(sqrt(dialect.gain_square) * numbers.gain)
    latent = np.array([[0.4, -1.0], [1.2, 0.3], [-0.5, 0.8]])
    x = scale * np.vectorize(lambda z: float(mpmath.erf(slope * z)))(latent)
    y, gates = np.array([1.0, 0.0, 1.0]), np.array([[1, 0], [1, 1], [0, 1]])
    readout = 1 / numbers.units if dialect.readout == "mean" else 1.0
    inner = 1 / np.sqrt(numbers.n) if dialect.root_inputs else 1.0
    output = readout * inner * np.einsum("mk,kj,mj->m", gates, weights, x)
    slope_of_loss = -2 * float(dialect.loss_factor) * (y - output) / len(y)
    return weights - time * readout * inner * np.einsum("m,mk,mj->kj", slope_of_loss, gates, x)


def test_losses_participation_and_lengths():
    assert dialects.loss(Rational(1, 3), OURS, HEAD) == Rational(2, 3)
    lengths = [convert(numbers(OURS), OURS, other).xi for other in (FRACTIONS, SQUARED)]
    assert lengths == [(Rational(1, 20), Rational(1, 120)), (Integer(4), Rational(1, 9))]
    assert dialects.participation(Rational(1, 4), OURS, PNAS) == 4
    assert dialects.participation(Rational(1, 4), OURS, HEAD) == Rational(1, 4)


def test_what_has_no_counterpart_is_refused():
    given = numbers(OURS, labels=(1, -1))
    for source, target, words in (
        (OURS, CONV_EMERGE_ISING, "no lengths make them equal"),
        (OURS, CONV_EMERGE, "another law"),
        (OURS, NOTES, "labels are not exchangeable"),
    ):
        with pytest.raises(InputError, match=words):
            convert(given, source, target)
    with pytest.raises(InputError, match="not those of"):
        convert(given, NOTES, OURS)
    with pytest.raises(InputError, match="not exact"):
        convert(replace(given, gain=sympy.Float(3)), OURS, PNAS)
    with pytest.raises(InputError, match="shifts its inputs"):
        dialects.weight_factor(numbers(HEAD_UNIT), HEAD_UNIT, OURS)


def test_widths_of_pulses():
    assert dialects.pulse_widths(0.05, 0.1, 40) == (3, 4)
    assert dialects.pulse_widths(0.29, 0.5, 100)[0] == 29  # int(0.29 * 100) is 28
    for least in range(1, 40):
        low, high = dialects.pulse_fractions(least, least + 1, 40)
        assert dialects.pulse_widths(float(low), float(high), 40) == (least, least + 1)
    with pytest.raises(InputError, match="empty"):
        dialects.pulse_widths(0.5, 0.4, 40)
    with pytest.raises(InputError, match="do not fit"):
        dialects.pulse_fractions(3, 50, 40)
