"""Gates that are the same for every input: said where that is certain, and never where the law draws both."""

from dataclasses import replace

from theory.moments.constant_gates import constant_gates, remarks
from theory.problem import (
    AlwaysGate,
    DirectionGate,
    FiniteData,
    GaussianClone,
    Network,
    NonlinearGP,
    SinglePulse,
    SiteGate,
)
from theory.problem.distributions.mixture import Component, Mixture

LINE = NonlinearGP(4, (2, 1), 1, "open", "none", (1, 0))
CLONE = GaussianClone(4, (2, 1), 1, "open", "none", (1, 0))
PULSE = SinglePulse(8, ((2, 3), (4, 4)), "plus-minus", "none", (1, 0))
FULL = SinglePulse(8, ((8, 8), (8, 8)), "plus-minus", "none", (1, 0))
PARTS = (
    Component(0, "1/2", NonlinearGP(8, (2,), 1, "open", "none", (1,))),
    Component(0, "1/2", SinglePulse(8, ((2, 3),), "plus-minus", "none", (1,))),
)
DENSITY_AND_VALUES = Mixture(PARTS, (1,))
DATA = FiniteData([[1, 0], [2, 1]], [1, -1])


def site(**bounds):
    return SiteGate(1, on="input", **bounds)


def both(**bounds):
    return DirectionGate({0: 1, 1: -1}, on="input", **bounds)


CASES = [
    (LINE, site(lo=1), False),
    (LINE, site(hi=-1), False),
    (LINE, site(lo=-1, hi=1), True),
    (LINE, site(lo="99/100"), None),
    (LINE, both(lo=2), False),
    (LINE, both(lo="19/10"), None),
    (replace(LINE, normaliser="unit-variance"), site(lo=1), None),
    (LINE, SiteGate(1, lo=5), None),  # on the latent, which has no end
    (LINE, SiteGate(1), True),
    (LINE, site(lo=1, sharpness=3), None),
    (LINE, AlwaysGate(), None),
    (CLONE, site(lo=9), None),
    (PULSE, site(lo=1), None),
    (PULSE, site(lo="11/10"), False),
    (PULSE, site(lo=-1), True),
    (PULSE, both(lo=3), False),
    (PULSE, both(lo=2), None),
    (FULL, site(lo=0), True),
    (DATA, site(lo=2), False),
    (DATA, both(lo=1), True),
    (DATA, site(lo=1), None),
    (replace(LINE, means=(1, 0)), site(lo=1), None),
    (replace(PULSE, n=1000), site(lo=9), None),
    (DENSITY_AND_VALUES, site(lo=2), None),
]


def test_states():
    for law, gate, state in CASES:
        network = Network("gated-linear", "mean", 1, (gate,))
        assert constant_gates(law, network) == ({} if state is None else {0: state}), (law.law, gate)
        assert len(remarks(constant_gates(law, network))) == (state is not None)
