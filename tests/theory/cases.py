"""Problems of the theory's tests, in the words of the oracles make_flow.py and make_biases.py of tests/oracles."""

import json
from fractions import Fraction

from tests.paths import ORACLES
from theory.problem import AlwaysGate, GaussianClone, Network, NonlinearGP, Problem, RepeatedGate, SiteGate, Training

ORACLE = json.loads((ORACLES / "flow.json").read_text())
BIASES = json.loads((ORACLES / "biases.json").read_text())
LAWS = {"nlgp": NonlinearGP, "gaussian-clone": GaussianClone}
BASE = ORACLE["cases"]["exclusive"]["problem"]


def gate(words, law="nlgp"):
    """ "up:3" is 1[v_3 >= 0], "down:3" its complement; "always"; "repeat:0" is the gate of unit 0."""
    kind, _, where = words.partition(":")
    if kind == "always":
        return AlwaysGate()
    if kind == "repeat":
        return RepeatedGate(int(where))
    bound = {"lo": 0} if kind == "up" else {"hi": 0}
    return SiteGate(int(where), on="latent" if law == "nlgp" else "input", **bound)


def weights(units, n):
    """Exact, unsymmetric initial weights."""
    return tuple(tuple(Fraction((3 * k + 5 * j) % 7 - 3, 8) for j in range(n)) for k in range(units))


def problem(**changes):
    """A problem as the oracle writes it, with `changes`; w0 fits the gates and sites unless it is given.

    Biases are trained where `hidden_bias0` is among the changes.
    """
    case = BASE | changes
    if "w0" not in changes:
        case["w0"] = weights(len(case["gates"]), case["n"])
    fields = (case["n"], tuple(case["xi"]), case["gain"], case["boundary"], case["normaliser"], tuple(case["labels"]))
    gates = tuple(gate(words, case["law"]) for words in case["gates"])
    w0 = case["w0"] if not isinstance(case["w0"], list) else tuple(tuple(row) for row in case["w0"])
    biases = (case["hidden_bias0"], case.get("output_bias0", 0)) if "hidden_bias0" in case else ()
    return Problem(
        LAWS[case["law"]](*fields),
        Network("gated-linear", case["readout"], len(gates), gates, "trained" if biases else "none"),
        Training(case["loss"], 1, w0, tuple(case["times"]), *biases),
        case.get("simulation"),
    )
