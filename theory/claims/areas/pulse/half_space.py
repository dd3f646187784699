"""Pulses and bars of zeros and ones through a half-space between the two values, which opens where its site is lit."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import product

import sympy
from sympy import Eq

from theory.claims.areas.pulse import bars, several, sites
from theory.claims.areas.pulse._pulses import enumerated, zeros_and_ones
from theory.claims.model import Claim, Kind
from theory.claims.rational import rational_by_name
from theory.claims.trained import BESIDE, through_half_space, trained_on
from theory.problem import Bars, Problem, Pulses, SinglePulse
from theory.proof.derivation import Derivation, Step

HALF = Fraction(1, 2)
_GATED = sympy.Symbol(r"\langle \mathbf{1}[x_i \geq 1/2] x_{i+d} \rangle", real=True)
_IS_THE_SITE = "a site is 0 or 1, and a gate that is open at 1 alone is the site itself"


def _open(value: int) -> bool:
    return 2 * value >= 1


def _derived(name: str, statement: Eq, pair: Claim) -> Callable[[], Derivation]:
    """Return the derivation of a gated mean from the claim on the two sites."""
    steps = (
        Step(Eq(statement.lhs, pair.statement.lhs, evaluate=False), _IS_THE_SITE, "definition"),
        Step(statement, "how often both sites are lit", "cite", (pair.statement,), (pair.id,)),
    )
    return lambda: Derivation(name, statement, steps)


def _wider(problem: Problem) -> Problem:
    """The same problem with pulses that are one site wider."""
    law = problem.data
    return replace(problem, data=replace(law, widths=tuple((a + 1, b + 1) for a, b in law.widths)))


def _one_pulse(**at: int) -> float:
    law = SinglePulse(at["n"], ((at["a"], at["b"]),), "zero-one", "none", (1,))
    return float(through_half_space(law, HALF).sigma_yx[0, at["d"]])


_OF_ONE = Eq(_GATED, sites.PAIR.statement.rhs, evaluate=False)
SINGLE = Claim(
    id="pulse.half_space.single",
    title="A single pulse through a half-space",
    protocol="A single pulse through a half-space with its boundary between 0 and 1: the gate opens where its site "
    "is lit",
    kind=Kind.EQUATION,
    statement=_OF_ONE,
    params=sites.PAIR.params,
    conditions=sites.PAIR.conditions,
    assumptions=(*sites.PAIR.assumptions, "the support is 0 and 1", BESIDE + "pulses that are one site wider"),
    **enumerated(zeros_and_ones, lambda x, at: _open(x[0]) * x[at["d"]]),
    derive=_derived("pulse.half_space.single", _OF_ONE, sites.PAIR),
    numeric=_one_pulse,
    registration=trained_on("one-pulse", "pulses one site wider", _wider),
    drawn=20,
)


def _united(at: dict[str, Fraction]) -> Fraction:
    drawn = list(several.several(at))
    lit = [[max(values) for values in zip(*own, strict=True)] for own in drawn]
    return Fraction(sum(_open(x[0]) * x[int(at["d"])] for x in lit), len(lit))


def _several_pulses(**at: int) -> float:
    law = Pulses(at["n"], "ring", "block", [[at["a"], at["b"]]], [[at["N"]] * 2], [1], "max", [1])
    return float(through_half_space(law, HALF).sigma_yx[0, at["d"]])


def _added(problem: Problem) -> Problem:
    """The same problem with pulses that add up where they overlap."""
    return replace(problem, data=replace(problem.data, overlap="sum"))


_OF_SEVERAL = Eq(_GATED, several.UNION.statement.rhs, evaluate=False)
UNION = Claim(
    id="pulse.half_space.union",
    title="Several pulses through a half-space",
    protocol="Several pulses through a half-space: the share of examples in which some pulse lights each of two sites",
    kind=Kind.EQUATION,
    statement=_OF_SEVERAL,
    params=several.UNION.params,
    conditions=several.UNION.conditions,
    assumptions=(*several.UNION.assumptions, BESIDE + "pulses that add up where they overlap"),
    **rational_by_name(_united),
    derive=_derived("pulse.half_space.union", _OF_SEVERAL, several.UNION),
    numeric=_several_pulses,
    registration=trained_on("pulses", "pulses that add up", _added),
    drawn=20,
)

_BAR = sympy.Symbol(r"\langle \mathbf{1}[u_{r,s} \geq 1/2] u_{r+p,s+q} \rangle", real=True)


def _over_rectangles(at: dict[str, Fraction]) -> Fraction:
    """The mean of 1[u >= 1/2] u' at the sites (0, 0) and (p, q) over all sides and places of a rectangle."""
    side, least, largest, p, q = (int(at[name]) for name in ("n", "a", "b", "p", "q"))
    sides, places = range(least, largest + 1), range(side)
    total = count = 0
    for height, width, row, column in product(sides, sides, places, places):
        u = [[(r - row) % side < height and (c - column) % side < width for c in places] for r in places]
        total += _open(int(u[0][0])) * int(u[p][q])
        count += 1
    return Fraction(total, count)


def _one_bar(**at: int) -> float:
    ranges = [[at["a"], at["b"]]]
    law = Bars((at["n"], at["n"]), "torus", ranges, ranges, "zero-one", "none", [1])
    return float(through_half_space(law, HALF).sigma_yx[0, at["p"] * at["n"] + at["q"]])


def _turned(problem: Problem) -> Problem:
    """The same problem with rows and columns of every bar exchanged."""
    law = problem.data
    return replace(problem, data=replace(law, rows=law.columns, columns=law.rows))


_OF_BARS = Eq(_BAR, bars.PAIR.statement.rhs, evaluate=False)
BARS = Claim(
    id="pulse.half_space.bars",
    title="A rectangle on a torus through a half-space: rows and columns stay independent behind the gate",
    kind=Kind.EQUATION,
    statement=_OF_BARS,
    params=bars.PAIR.params,
    conditions=bars.PAIR.conditions,
    assumptions=(*bars.PAIR.assumptions, BESIDE + "bars with rows and columns exchanged"),
    **rational_by_name(_over_rectangles),
    derive=_derived("pulse.half_space.bars", _OF_BARS, bars.PAIR),
    numeric=_one_bar,
    registration=trained_on("bars", "bars with rows and columns exchanged", _turned),
    drawn=20,
)

CLAIMS = (SINGLE, UNION, BARS)
