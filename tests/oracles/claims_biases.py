"""Witnesses of the claims on the gradient flow of biases: flow.gradient.hidden_bias, flow.gradient.output_bias.

Two samples, in fractions: the first opens every gate, the second every gate but that of unit 1. All units have the
weights (1, 0) and one hidden bias, which is chosen with the labels so that the averages are those of the point.
"""

from collections.abc import Callable
from fractions import Fraction

from witness import At, Witness

_FIRST, _SECOND = Fraction(1), Fraction(3)  # the inputs' first entries; the second entry meets the weight 0
_ANY_LABEL = Fraction(5)


def _slope(loss: Callable[[Fraction], Fraction]) -> Fraction:
    """The derivative at 0 of a quadratic, from three of its values."""
    before, here, after = (loss(Fraction(at)) for at in (-2, 0, 1))
    return (4 * after - 3 * here - before) / 6


def _velocity(at: At, share: Fraction, labels: tuple[Fraction, Fraction], bias: Fraction, hidden: bool) -> Fraction:
    """-dL/db / tau for the hidden bias of unit 1, or for the output bias, moved by `by`."""
    units = at["K"]

    def loss(by: Fraction) -> Fraction:
        moved = (by, Fraction(0)) if hidden else (Fraction(0), by)
        fields = (units * (_FIRST + bias) + moved[0], (units - 1) * (_SECOND + bias))
        errors = [y - field / units - at["b_out"] - moved[1] for y, field in zip(labels, fields, strict=True)]
        return (share * errors[0] ** 2 + (1 - share) * errors[1] ** 2) / 2

    return -_slope(loss) / at["tau"]


def _hidden(at: At, digits: int) -> Fraction:
    del digits
    share = at["q_k"]
    bias = at["r_k"] / share / at["K"] - _FIRST
    return _velocity(at, share, (at["m_k"] / share, _ANY_LABEL), bias, hidden=True)


def _output(at: At, digits: int) -> Fraction:
    del digits
    share, units = Fraction(2, 5), at["K"]
    rest = 1 - share
    bias = (at["r"] - share * units * _FIRST - rest * (units - 1) * _SECOND) / (share * units + rest * (units - 1))
    label = (at["m"] - rest * _ANY_LABEL) / share
    return _velocity(at, share, (label, _ANY_LABEL), bias, hidden=False)


WITNESSES = {
    "flow.gradient.hidden_bias": Witness(
        _hidden,
        (
            "K=1 tau=1 m_k=1 r_k=1/3 q_k=1/2 b_out=-2/7",
            "K=2 tau=1/64 m_k=0 r_k=-3 q_k=1/9 b_out=2",
            "K=7 tau=50 m_k=-5/2 r_k=2 q_k=8/9 b_out=0",
            "K=3 tau=2/3 m_k=3 r_k=0 q_k=1/3 b_out=-1",
        ),
    ),
    "flow.gradient.output_bias": Witness(
        _output,
        (
            "K=1 tau=1 m=1 r=1/3 b_out=-2/7",
            "K=2 tau=1/64 m=0 r=-3 b_out=2",
            "K=7 tau=50 m=-5/2 r=2 b_out=0",
            "K=3 tau=2/3 m=3 r=0 b_out=-1",
        ),
    ),
}
