"""The table of gates on the page on data laws: for which laws and gates there are moments, and how exact they are.

An entry is computed: the moments of two sites are asked for in balls and in float64. Soft gates of an input are asked
for <g y x> alone, as <g g x x'> takes seconds where f has no closed moments.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from functools import cache
from math import inf
from operator import attrgetter
from typing import Any

from derivations.markdown import table
from theory.moments import gated_moments
from theory.moments.gated import gated_moments_certified
from theory.problem import (
    DirectionGate,
    Gate,
    GaussianClone,
    Law,
    Network,
    NonlinearGP,
    OutOfReachError,
    Problem,
    SiteGate,
    Training,
)
from theory.problem.distributions.elliptical import Elliptical

DIGITS = 20
_HALF = Fraction(1, 2)
_QUANTILES = {"kind": "quantile", "p": ["1/2", "3/4", 1], "x": [0, 1, 3]}
_ATOMS = {"kind": "quantile", "p": ["1/2", "3/4", 1], "x": [0, 1, 1]}


def _process(f: Any) -> Law:
    return NonlinearGP(2, (2,), 1, "open", "unit-variance", (1,), nonlinearity=f)


def _scaled(scale: Any) -> Law:
    return Elliptical(2, (2,), scale, "open", "unit-variance", (1,))


LAWS: Mapping[str, Law] = {
    "`nlgp`, erf": _process("erf"),
    "`nlgp`, uniform": _process("uniform"),
    "`nlgp`, cubic": _process({"kind": "cubic", "c": 1}),
    "`nlgp`, identity": _process("identity"),
    "`nlgp`, sign": _process("sign"),
    "`nlgp`, tanh": _process("tanh"),
    "`nlgp`, Laplace": _process("laplace"),
    "`nlgp`, logistic": _process("logistic"),
    "`nlgp`, algebraic": _process({"kind": "algebraic", "k": 5}),
    "`nlgp`, a table": _process(_QUANTILES),
    "`nlgp`, a table with $P(x_i = 1) > 0$": _process(_ATOMS),
    "`gaussian-clone`": GaussianClone(2, (2,), 1, "open", "unit-variance", (1,)),
    "`elliptical`, two scales": _scaled({"kind": "contaminated", "share": "1/10", "ratio": 3}),
    "`elliptical`, Student t": _scaled({"kind": "student-t", "dof": 5}),
    "`elliptical`, gamma": _scaled({"kind": "gamma", "shape": 2}),
    "`elliptical`, sphere": _scaled("sphere"),
}
SLABS = (SiteGate(0, hi=-_HALF), SiteGate(0, lo=-_HALF, hi=_HALF), SiteGate(0, lo=_HALF))
SOFT = replace(SLABS[1], sharpness=Fraction(2))
ALONG = DirectionGate({0: 1, 1: 2}, lo=_HALF, hi=1)
GATES: Mapping[str, tuple[tuple[Gate, ...], str, str]] = {
    "sites at 0": ((SiteGate(0, lo=0), SiteGate(1, lo=0)), "latent", "none"),
    "slabs of a site": (SLABS, "latent", "none"),
    "slabs of $x_i$": (SLABS, "input", "none"),
    "two sites": ((SLABS[1], replace(SLABS[2], site=1)), "latent", "none"),
    "a direction": ((ALONG,), "latent", "none"),
    "soft, a site": ((SOFT,), "latent", "none"),
    "soft, of $x_i$": ((SOFT,), "input", "none"),
    "soft, a direction": ((replace(ALONG, sharpness=Fraction(2)),), "latent", "none"),
    "fixed biases": (SLABS[1:], "latent", "fixed"),
    "trained biases": (SLABS[1:], "latent", "trained"),
}


@cache
def gate_table() -> str:
    """The table of the directive `{laws gates}`; it takes some 25 s of processor time, and is made once."""
    rows = [[name, *(_entry(law, *gates) for gates in GATES.values())] for name, law in LAWS.items()]
    return table(["law", *GATES], rows)


def _entry(data: Law, gates: tuple[Gate, ...], on: str, biases: str) -> str:
    """Return "digits", "float64" or a dash.

    >>> _entry(LAWS["`nlgp`, sign"], *GATES["a direction"])
    '–'
    """
    own = tuple(replace(gate, on=on if data.latent else "input") for gate in gates)
    part = attrgetter("b" if on == "input" and gates[0].sharpness != inf else "A")
    ways = {
        "digits": lambda problem: part(gated_moments_certified(problem, DIGITS)),
        "float64": lambda problem: part(gated_moments(problem)),
    }
    return next(reached(data, own, ways, biases), "–")


def reached(
    law: Law, gates: tuple[Gate, ...], ways: Mapping[str, Callable[[Problem], Any]], biases: str = "none"
) -> Iterator[str]:
    """Yield the names of the `ways` in which the library has moments of the law through these gates."""
    start = {} if biases == "none" else {"hidden_bias0": (_HALF,) * len(gates), "output_bias0": _HALF}
    training = Training("half-mse", 1, ((Fraction(0),) * law.n,) * len(gates), (0,), **start)
    problem = Problem(law, Network("gated-linear", "mean", len(gates), gates, biases), training)
    for name, compute in ways.items():
        with suppress(OutOfReachError):
            compute(problem)
            yield name
