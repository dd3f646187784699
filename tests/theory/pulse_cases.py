"""Problems with single pulses for the tests of theory, and the same by the oracle tests/oracles/pulses.py."""

from fractions import Fraction
from math import inf

from tests.oracles import pulses
from theory.problem import AlwaysGate, Network, Problem, RepeatedGate, SinglePulse, SiteGate, Training

HALF = Fraction(1, 2)
EVERY_KIND = [(support, flip) for support in ("zero-one", "plus-minus") for flip in ("none", "sign", "complement")]
UP, DOWN, OPEN = (2, HALF, inf), (2, -inf, HALF), pulses.ALWAYS
CLOSED, BELOW = (1, Fraction(0), inf), (1, -inf, Fraction(0))
EVERY_GATE = (UP, DOWN, CLOSED, BELOW, OPEN, (0, Fraction(-1, 2), HALF))


def problem(n=6, widths=((1, 2), (3, 5)), support="zero-one", flip="none", gates=(UP, DOWN), **changes):
    """A problem with gates (site, lo, hi); a number among the gates repeats that unit."""
    settings = {
        "labels": (1, 0),
        "readout": "mean",
        "loss": "half-mse",
        "times": (0, 1, 7),
        "simulation": None,
        "biases": "none",
    }
    settings |= changes
    w0 = tuple(tuple(Fraction((3 * k + 5 * j) % 7 - 3, 8) for j in range(n)) for k in range(len(gates)))
    made = tuple(_gate(gate) for gate in gates)
    biased = settings["biases"] == "trained"
    starts = (tuple(Fraction(k - 1, 4) for k in range(len(gates))), Fraction(1, 2)) if biased else ()
    return Problem(
        SinglePulse(n, widths, support, flip, settings["labels"]),
        Network("gated-linear", settings["readout"], len(made), made, settings["biases"]),
        Training(settings["loss"], 1, settings.get("w0", w0), settings["times"], *starts),
        settings["simulation"],
    )


def _gate(gate):
    if isinstance(gate, int):
        return RepeatedGate(gate)
    site, lo, hi = gate
    return AlwaysGate() if gate == OPEN else SiteGate(site, lo, hi, "input")


def enumerated(question):
    """A and b of the problem by the oracle, in fractions."""
    law = question.data
    classes = [pulses.inputs(law.n, widths, law.support, law.flip) for widths in law.widths]
    gates = []
    for gate in question.network.gates:
        if isinstance(gate, RepeatedGate):
            gates.append(gates[gate.of])
        else:
            gates.append(OPEN if isinstance(gate, AlwaysGate) else (gate.site, gate.lo, gate.hi))
    reach = question.network.units if question.network.readout == "mean" else 1
    return pulses.gated(classes, law.labels, gates, reach if question.network.has_biases else None)
