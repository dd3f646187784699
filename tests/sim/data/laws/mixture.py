"""Mixtures, and laws that a test of their samples must reject."""

from fractions import Fraction

from theory.problem import GaussianClone, NonlinearGP, SinglePulse
from theory.problem.distributions.elliptical import Elliptical
from theory.problem.distributions.mixture import Component, Mixture


def of_kinds(share):
    """In class 0 an erf of a process, two clusters and a contaminated law; in class 1 a single clone, moved."""
    process = NonlinearGP(6, (2,), 3, "open", "unit-variance", (1,), means=((1, 0, 0, 0, 0, -1),))
    clone = GaussianClone(6, ("1/2",), 1, "open", "none", (1,), means=(-1,))
    heavy = Elliptical(6, (3,), {"kind": "contaminated", "share": "1/3", "ratio": 2}, "open", "none", (1,))
    other = GaussianClone(6, (1,), 1, "open", "unit-variance", (0,))
    rest = (1 - Fraction(share)) / 2
    parts = Component(0, share, process), Component(1, 1, other), Component(0, rest, clone), Component(0, rest, heavy)
    return Mixture(parts, (1, 0), priors=("2/3", "1/3"), means=(0, "1/2"))


def of_pulses(share):
    """Short and long pulses in one class."""
    short, long = (
        SinglePulse(7, (widths,), "plus-minus", flip, (1,)) for widths, flip in (((1, 2), "none"), ((3, 5), "sign"))
    )
    return Mixture([Component(0, share, short), Component(0, 1 - Fraction(share), long)], [1])


CASES = [(of_kinds("1/2"), of_kinds("6/11")), (of_pulses("1/4"), of_pulses("1/3"))]
