"""The conventions on which the notes, the public codes and the PNAS paper differ, and exact conversions between them.

A `Dialect` says how a source writes the same problem: x = erf(sqrt(gain_square) g z) divided, perhaps mapped to an
interval; exp(-d^p/xi^q); labels; readout; loss. `convert` translates the numbers of a problem from one dialect to
another and raises an error where there is no exact counterpart. Page: derivations/publish/pages/dialects.md.
"""

from dataclasses import dataclass, replace
from fractions import Fraction

import sympy
from sympy import Integer, Rational, asin, pi, sqrt

from theory.claims import documents
from theory.problem import InputError

Pair = tuple[sympy.Expr, sympy.Expr]
Ints = tuple[int, int]
_ONE, _HALF = Integer(1), Rational(1, 2)


@dataclass(frozen=True)
class Dialect:
    """The conventions in which one source writes the problem, none of them with a default.

    gain_square: the nonlinearity is erf(sqrt(gain_square) g z) with 1 (this workbench) or 1/2 (erf(g z/sqrt 2)).
    normaliser_square: Z^2 := (2/pi) asin(2 h/(1 + 2 h)) with h = normaliser_square g^2; it is E erf^2 where this equals
    gain_square. divide_by: the power of Z that erf is divided by (0, 1 or 2). adjust: None, or the interval (lo, hi) to
    which Z x is mapped affinely from [-1, 1] (so that (-1, 1) multiplies by Z).
    distance_power, length_power: the kernel is exp(-d^distance_power/xi^length_power); length_unit "sites" or
    "fraction" of n. jitter: the number added to the diagonal of the latent covariance.
    labels: y of the class whose length is named first, then of the other. readout "mean" (1/K) or "sum";
    root_inputs: whether pre-activations are w.x/sqrt(n). loss_factor: L = loss_factor <(y - yhat)^2>.
    inverse_participation: whether "IPR" is sum w^4/(sum w^2)^2 (large where localized) or its inverse.
    undecided: the fields that the source does not state; conversions take the workbench's convention there.

    The notes and the PNAS paper differ in the nonlinearity, erf(g z) and erf(g z/sqrt 2):

    >>> NOTES.gain_square, PNAS.gain_square
    (1, 1/2)
    """

    name: str
    gain_square: sympy.Rational
    normaliser_square: sympy.Rational
    divide_by: int
    adjust: Ints | None
    distance_power: int
    length_power: int
    length_unit: str
    jitter: sympy.Rational
    labels: Ints | None
    readout: str
    root_inputs: bool
    loss_factor: sympy.Rational
    inverse_participation: bool
    undecided: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Numbers:
    """The exact numbers of a problem in a dialect: sites, units, gain, lengths and labels of the classes.

    >>> numbers = Numbers(40, 20, sympy.Integer(3), (sympy.Integer(2), sympy.Integer(1)), (1, -1))
    >>> convert(convert(numbers, PNAS, OURS), OURS, PNAS) == numbers
    True
    """

    n: int
    units: int
    gain: sympy.Expr
    xi: Pair
    labels: Ints


OURS = Dialect(
    name="workbench",
    gain_square=_ONE,
    normaliser_square=_ONE,
    divide_by=1,
    adjust=None,
    distance_power=2,
    length_power=2,
    length_unit="sites",
    jitter=Integer(0),
    labels=None,
    readout="mean",
    root_inputs=False,
    loss_factor=_HALF,
    inverse_participation=True,
)
_RATIO = frozenset({"inverse_participation"})
# The localization notes name the law of the data and leave its formula for later; both notes leave the factor of the
# loss open and have no participation ratio. Nonlinearity, divisor, kernel and unit of the small-bump note are those of
# its (7) and (11); it does not say which labels the classes have.
_OF_THE_LAW = frozenset({"gain_square", "divide_by", "adjust", "distance_power", "length_unit", "jitter"})
NOTES = replace(OURS, name=documents.NOTES, labels=(1, 0), undecided=_RATIO | _OF_THE_LAW | {"loss_factor"})
SMALL_BUMP = replace(NOTES, name=documents.BUMP_NOTE, divide_by=0, undecided=_RATIO | {"labels", "loss_factor"})
# Ingrosso and Goldt, PNAS 2022: the localized neurons have a small "IPR". Its public code is conv_emerge.
PNAS = replace(
    OURS,
    name="pnas-2022",
    gain_square=_HALF,
    normaliser_square=_HALF,
    labels=(1, -1),
    inverse_participation=False,
    undecided=frozenset({"root_inputs", "loss_factor"}),
)
CONV_EMERGE = replace(
    PNAS,
    name="conv_emerge",
    jitter=Rational(1, 1000),
    root_inputs=True,
    loss_factor=_ONE,  # torch's mse_loss over two opposite heads, which are one output and its negative
    undecided=_RATIO,
)
CONV_EMERGE_EXACT = replace(CONV_EMERGE, name="conv_emerge, perturbation=0", jitter=Integer(0))
# The default of its function trans_inv_var is p = 1, the kernel of an Ising chain.
CONV_EMERGE_ISING = replace(CONV_EMERGE_EXACT, name="conv_emerge, p=1", distance_power=1, length_power=1)
HEAD = replace(
    OURS,
    name="Localization, head",
    divide_by=2,
    adjust=(-1, 1),
    labels=(0, 1),
    loss_factor=_ONE,
    undecided=frozenset({"readout"}),
)
HEAD_BARE = replace(HEAD, name="Localization, head, adjust=None", adjust=None)
HEAD_UNIT = replace(HEAD, name="Localization, head, adjust=(0, 1)", adjust=(0, 1))
EARLY = replace(HEAD, name="Localization, 89921cd", normaliser_square=_HALF, divide_by=1, adjust=None, labels=(1, -1))

DIALECTS = (
    OURS,
    NOTES,
    SMALL_BUMP,
    PNAS,
    CONV_EMERGE,
    CONV_EMERGE_EXACT,
    CONV_EMERGE_ISING,
    HEAD,
    HEAD_BARE,
    HEAD_UNIT,
    EARLY,
)


def convert(numbers: Numbers, source: Dialect, target: Dialect) -> Numbers:
    """Return the same problem in another dialect; `convert(convert(v, a, b), b, a) == v`.

    >>> ours = convert(Numbers(40, 20, sympy.Integer(3), (sympy.Integer(2), sympy.Integer(1)), (1, -1)), PNAS, OURS)
    >>> ours.gain
    3*sqrt(2)/2

    Raises InputError for kernels or a jitter without a counterpart, and for labels that the target does not have.
    """
    _require_labels(numbers, source)
    _require_same_law(source, target)
    gain = numbers.gain * sqrt(source.gain_square / target.gain_square)
    lengths = tuple(_length(length, numbers.n, source, target) for length in numbers.xi)
    labels = numbers.labels
    if target.labels is not None and tuple(labels) != target.labels:
        if tuple(reversed(labels)) != target.labels:
            raise InputError(
                f"{target.name} has the labels {target.labels}, the problem {tuple(labels)}: a gated input has no "
                "constant component, so that labels are not exchangeable by shift and scale.",
                "State the problem with the labels of the target, or simulate both.",
            )
        lengths, labels = (lengths[1], lengths[0]), (labels[1], labels[0])
    return Numbers(numbers.n, numbers.units, gain, lengths, labels)


def input_map(dialect: Dialect, gain: sympy.Expr) -> Pair:
    """Return scale and shift with x = scale erf(sqrt(gain_square) g z) + shift, for the dialect's own gain g.

    At unit variance x = erf(g z)/Z, Z^2 = (2/pi) asin(2/3) at g = 1:

    >>> scale, shift = input_map(OURS, sympy.Integer(1))
    >>> 1 / scale**2, shift
    (2*asin(2/3)/pi, 0)
    """
    normaliser = z_squared(dialect.normaliser_square * gain**2)
    scale = normaliser ** Rational(-dialect.divide_by, 2)
    if dialect.adjust is None:
        return scale, Integer(0)
    low, high = (Integer(end) for end in dialect.adjust)
    return scale * sqrt(normaliser) * (high - low) / 2, (high + low) / 2


def variance(dialect: Dialect, gain: sympy.Expr) -> sympy.Expr:
    """Return Var x of one site: 1 with the correct normaliser; 1.394 in the early revision at gain 1.

    >>> f"{float(variance(EARLY, sympy.Integer(1))):.3f}"
    '1.394'
    """
    scale, _ = input_map(dialect, gain)
    return scale**2 * z_squared(dialect.gain_square * (1 + dialect.jitter) * gain**2)


def z_squared(h: sympy.Expr) -> sympy.Expr:
    """E erf(sqrt(h) z)^2 = (2/pi) asin(2 h/(1 + 2 h)); claim gaussian.erf.second_moment.

    At large h erf is the sign, whose square is 1:

    >>> z_squared(sympy.Rational(1, 2)), sympy.limit(z_squared(sympy.Symbol("h")), sympy.Symbol("h"), sympy.oo)
    (1/3, 1)
    """
    return 2 * asin(2 * h / (1 + 2 * h)) / pi


def weight_factor(numbers: Numbers, source: Dialect, target: Dialect) -> sympy.Expr:
    """Return c with w_target = c w_source for the same output yhat(x); the numbers are those of the source.

    Raises InputError where an input has a shift: x + 1/2 is not a multiple of x, and there is no bias to absorb it.

    The public code divides pre-activations by sqrt(n), so that its weights are larger by this factor:

    >>> numbers = Numbers(40, 1, sympy.Integer(3), (sympy.Integer(2), sympy.Integer(1)), (1, -1))
    >>> weight_factor(numbers, PNAS, CONV_EMERGE_EXACT) == sqrt(40)
    True
    """
    scales = []
    gains = (numbers.gain, convert(numbers, source, target).gain)
    for dialect, gain in zip((source, target), gains, strict=True):
        scale, shift = input_map(dialect, gain)
        if shift != 0:
            raise InputError(
                f"{dialect.name} shifts its inputs by {shift}: without biases no weights give the same output.",
                "Use adjust=(-1, 1), or a network with biases.",
            )
        scales.append(scale * _preactivation(dialect, numbers.n) * _readout(dialect, numbers.units))
    return scales[0] / scales[1]


def time_factor(numbers: Numbers, source: Dialect, target: Dialect) -> sympy.Expr:
    """Return s with t_target = s t_source for the same network: gradient flow is faster for larger losses and inputs.

    With w_target = c w_source and L_target = f L_source, dw_source/dt_target = -(f/c^2) dL_source/dw_source.

    The loss without 1/2 has twice the gradient, so that the same network needs half the time:

    >>> numbers = Numbers(40, 1, sympy.Integer(3), (sympy.Integer(2), sympy.Integer(1)), (1, -1))
    >>> time_factor(numbers, PNAS, replace(PNAS, loss_factor=Integer(1)))
    1/2
    """
    factor = weight_factor(numbers, source, target)
    return factor**2 * source.loss_factor / target.loss_factor


def loss(value: sympy.Expr, source: Dialect, target: Dialect) -> sympy.Expr:
    """Return the loss of the same network on the same data in another dialect, with or without the factor 1/2.

    >>> loss(sympy.Integer(3), PNAS, CONV_EMERGE)  # <(y - yhat)^2>/2, and without the 1/2
    6
    """
    return value * target.loss_factor / source.loss_factor


def participation(value: sympy.Expr, source: Dialect, target: Dialect) -> sympy.Expr:
    """Return the "IPR" in another dialect: sum w^4/(sum w^2)^2, or its inverse.

    A flat field of 40 sites has 1/40 where sum w^4 is in the numerator, and 40 where it is in the denominator:

    >>> participation(Rational(1, 40), OURS, PNAS)
    40
    """
    return value if source.inverse_participation == target.inverse_participation else 1 / value


def pulse_widths(low: float, high: float, n: int) -> tuple[int, int]:
    """Return least and largest width of the public code's single pulses, int(low n) + 1 .. int(high n), as it rounds.

    The product is truncated in float64, so that int(0.29 * 100) is 28:

    >>> pulse_widths(0.05, 0.1, 40), pulse_widths(0.29, 0.3, 100)
    ((3, 4), (29, 30))
    """
    least, largest = int(low * n) + 1, int(high * n)
    if not 1 <= least <= largest <= n:
        raise InputError(
            f"the widths {least}..{largest} from {low} to {high} of {n} sites are empty or do not fit the ring.",
            "The code draws randint(int(low n), int(high n)) + 1; give 0 <= low < high <= 1.",
        )
    return least, largest


def pulse_fractions(least: int, largest: int, n: int) -> tuple[Fraction, Fraction]:
    """Return fractions of n for which the public code draws exactly the widths least..largest: half a site inside each.

    >>> pulse_widths(*map(float, pulse_fractions(30, 40, 100)), 100)
    (30, 40)
    """
    if not 1 <= least <= largest <= n:
        raise InputError(
            f"the widths {least}..{largest} do not fit a ring of {n} sites.", "Give 1 <= least <= largest."
        )
    return Fraction(2 * least - 1, 2 * n), Fraction(2 * largest + 1, 2 * n)


def _require_labels(numbers: Numbers, source: Dialect) -> None:
    if source.labels is not None and tuple(numbers.labels) != source.labels:
        raise InputError(
            f"the labels {tuple(numbers.labels)} are not those of {source.name}, {source.labels}.",
            "Name the class of the first label first.",
        )
    if any(value.has(sympy.Float) for value in (numbers.gain, *numbers.xi)):
        raise InputError("a gain or a length is a float, which is not exact.", "Give fractions or roots of them.")


def _require_same_law(source: Dialect, target: Dialect) -> None:
    if source.distance_power != target.distance_power:
        raise InputError(
            f"{source.name} has the kernel exp(-d^{source.distance_power}/xi^{source.length_power}), {target.name} "
            f"exp(-d^{target.distance_power}/xi^{target.length_power}): no lengths make them equal.",
            "Choose the power of the distance that both have.",
        )
    if source.jitter != target.jitter:
        raise InputError(
            f"{source.name} adds {source.jitter} to the diagonal of the latent covariance, {target.name} adds "
            f"{target.jitter}: that is another law, not another notation.",
            "Set the code's perturbation to 0 (dialect 'conv_emerge, perturbation=0'), or keep it as an approximation.",
        )


def _length(length: sympy.Expr, n: int, source: Dialect, target: Dialect) -> sympy.Expr:
    """Return the correlation length in the target's unit and power, so that d^p/xi^q is the same at every distance."""
    in_sites = length * n if source.length_unit == "fraction" else length
    power = in_sites ** Rational(source.length_power, target.length_power)
    return power / n if target.length_unit == "fraction" else power


def _preactivation(dialect: Dialect, n: int) -> sympy.Expr:
    return 1 / sqrt(n) if dialect.root_inputs else _ONE


def _readout(dialect: Dialect, units: int) -> sympy.Expr:
    return Rational(1, units) if dialect.readout == "mean" else _ONE
