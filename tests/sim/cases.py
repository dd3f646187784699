"""Small problems for the tests of the simulator."""

from dataclasses import replace
from fractions import Fraction
from math import inf

import numpy as np

from sim.networks.losses import loss_named
from sim.networks.one_hidden_layer import predict
from theory.problem import (
    AlwaysGate,
    Network,
    NonlinearGP,
    NonlinearGP2D,
    NormalInitialisation,
    Problem,
    RepeatedGate,
    Simulation,
    SiteGate,
    Training,
)

COMPLEMENT = (SiteGate(1, lo=0), SiteGate(1, hi=0))
LEAK = Fraction(1, 8)
SOFT = (SiteGate(0, lo=0, sharpness=2), SiteGate(2, -1, 1, "input", Fraction(1, 2)), RepeatedGate(of=0))
EVERY_GATE = (SiteGate(0, lo=0), AlwaysGate(), RepeatedGate(of=0), SiteGate(2, lo=-1, hi=1, on="input"))

OPTIMIZERS = [
    {"optimizer": "momentum", "momentum": Fraction(3, 4)},
    {"optimizer": "rmsprop", "decay": Fraction(7, 8), "epsilon": Fraction(1, 100)},
    {"optimizer": "adam", "momentum": Fraction(3, 4), "decay": Fraction(7, 8), "epsilon": Fraction(1, 100)},
]


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


def grid(**changes):
    """A small grid: 2 x 3 sites, the rest as on the line."""
    settings = {"shape": (2, 3), "xi": (2, 1), "gain": 1, "boundary": "open", "normaliser": "unit-variance"}
    return NonlinearGP2D(**(settings | {"labels": (1, 0)} | changes))


def gated(gates=COMPLEMENT, readout="mean", biases="none"):
    """A gated-linear network with the given gates."""
    return Network("gated-linear", readout, len(gates), tuple(gates), biases)


def every_network():
    """Each model, readout and kind of biases at least twice, and those together that share a line of code."""
    relu, leaky, erf, sigmoid = (
        Network(model, "mean", 3, slope=LEAK if model == "leaky-relu" else None)
        for model in ("relu", "leaky-relu", "erf", "sigmoid")
    )
    plain = [gated(EVERY_GATE), gated(EVERY_GATE, "sum"), gated(SOFT, "sum"), relu, leaky, erf, sigmoid]
    biased = [replace(network, biases="trained") for network in plain]
    fixed = [replace(network, biases="fixed") for network in (gated(EVERY_GATE, "sum"), relu, sigmoid)]
    weighed = [replace(network, readout="trained-mean") for network in (*plain[1:], biased[0], fixed[1])]
    return [*plain, *biased, *fixed, *weighed, replace(biased[5], readout="trained-sum")]


def named(network):
    """A network in words, for the ids of tests."""
    soft = "soft-" if any(getattr(gate, "sharpness", inf) != inf for gate in network.gates) else ""
    return f"{soft}{network.model}-{network.readout}-{network.biases}"


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
    start = NormalInitialisation(Fraction(1, 2), 1)
    further = {"hidden_bias0": start, "output_bias0": Fraction(-1, 4)} if network.has_biases else {}
    further |= {"readout0": start} if network.trains_readout else {}
    data = data or line(labels=(1, -1) if loss == "cross-entropy" else (1, 0))
    return Problem(data, network, Training(loss, tau, w0, times, **further), Simulation(**settings))


def with_parameters(run, **arrays):
    """The run with other parameters, by name; "biases" (S, T, K + 1) are b_1, ..., b_K and then b_out."""
    if "biases" in arrays:
        biases = arrays.pop("biases")
        arrays |= {"b": biases[..., :-1], "b_out": biases[..., -1:]}
    return replace(run, parameters={**run.parameters, **arrays})


def with_simulation(question, **changes):
    """The problem with other simulation settings."""
    return replace(question, simulation=replace(question.simulation, **changes))


def loss(network, kind, learned, examples):
    """L of each network, averaged over the examples, from its outputs."""
    named = loss_named(kind)
    return named.factor * named.penalty(predict(network, learned, examples), examples.y).mean(dim=1)


def far(found, expected):
    """The largest distance of two arrays, or two tensors, over the largest entry of the second."""
    return float(abs(found - expected).max() / abs(expected).max())


def learned(run):
    """All that a run has learned, (S, T, numbers)."""
    parts = [part for part in (run.weights, run.biases, run.readout) if part is not None]
    return np.concatenate([part.reshape(*part.shape[:2], -1) for part in parts], axis=2)
