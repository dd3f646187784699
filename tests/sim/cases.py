"""Small problems for the tests of the simulator."""

from dataclasses import replace
from fractions import Fraction

from theory.problem import (
    AlwaysGate,
    Network,
    NonlinearGP,
    NormalInitialisation,
    Problem,
    RepeatedGate,
    Simulation,
    SiteGate,
    Training,
)

COMPLEMENT = (SiteGate(1, lo=0), SiteGate(1, hi=0))
EVERY_GATE = (SiteGate(0, lo=0), AlwaysGate(), RepeatedGate(of=0), SiteGate(2, lo=-1, hi=1, on="input"))


def line(kind=NonlinearGP, **changes):
    """A short line: n = 4, xi = (2, 1), gain 1, labels 1 and 0."""
    settings = {
        "n": 4,
        "xi": (2, 1),
        "gain": 1,
        "boundary": "open",
        "normaliser": "unit-variance",
        "labels": (1, 0),
    }
    return kind(**(settings | changes))


def gated(gates=COMPLEMENT, readout="mean", biases="none"):
    """A gated-linear network with the given gates."""
    return Network("gated-linear", readout, len(gates), tuple(gates), biases)


def problem(data=None, network=None, **changes):
    """A small online problem; `changes` go to the training and the simulation, by name. Biases start at random."""
    network = network or gated()
    settings = {"mode": "online", "samples": 200, "learning_rate": Fraction(1, 2), "replicates": 3, "seed": 5}
    settings |= {"batch": 8}
    loss = changes.pop("loss", "half-mse")
    tau = changes.pop("tau", Fraction(1))
    w0 = changes.pop("w0", NormalInitialisation(Fraction(1, 2), 1))
    times = changes.pop("times", (0, 1, 5))
    settings |= changes
    biases = (NormalInitialisation(Fraction(1, 2), 1), Fraction(-1, 4)) if network.has_biases else ()
    return Problem(data or line(), network, Training(loss, tau, w0, times, *biases), Simulation(**settings))


def with_simulation(question, **changes):
    """The problem with other simulation settings."""
    return replace(question, simulation=replace(question.simulation, **changes))
