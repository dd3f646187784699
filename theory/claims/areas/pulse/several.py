"""Several pulses on a ring, united or added, and a pulse on an open line: how often they light sites."""

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product

import sympy
from sympy import Eq, Integer, Range

from theory.claims import reasons
from theory.claims.areas.pulse._pulses import COVERS_ONE, COVERS_TWO, FIT, a, b, d, mean_over, pulses
from theory.claims.model import Claim, Kind, Level, Param
from theory.claims.rational import rational_by_name
from theory.expressions.symbols import n
from theory.expressions.triangular import triangle
from theory.moments.inputs import input_statistics, second_moments
from theory.problem import Pulses

i, N, W = sympy.symbols("i N W", integer=True)

FEW = (
    Param(n, Range(2, 7), "sites of the ring", (Integer(2), Integer(6))),
    Param(a, Range(1, 7), "least width of a pulse", (Integer(1),)),
    Param(b, Range(1, 7), "largest width", (Integer(2),)),
    Param(N, Range(1, 4), "number of pulses", (Integer(1), Integer(3))),
    Param(d, Range(0, 6), "distance of the two sites along the ring", (Integer(0), Integer(1))),
)
INDEPENDENT = r"$N$ independent pulses of height 1; widths uniform on $a, \ldots, b$, starts uniform on the ring"


def several(at: dict[str, Fraction]) -> Iterator[tuple[list[int], ...]]:
    """Yield every choice of N pulses, all equally likely."""
    whole = {name: int(value) for name, value in at.items()}
    return product(list(pulses(whole)), repeat=whole["N"])


def _united(at: dict[str, Fraction]) -> Fraction:
    return mean_over(list(several(at)), lambda own: max(u[0] for u in own) * max(u[int(at["d"])] for u in own))


def _added(at: dict[str, Fraction]) -> Fraction:
    return mean_over(list(several(at)), lambda own: sum(u[0] for u in own) * sum(u[int(at["d"])] for u in own))


def _in_float64(overlap: str) -> Callable[..., float]:
    """Return the library's second moment of the sites 0 and d."""

    def value(**at: int) -> float:
        law = Pulses(at["n"], "ring", "block", [[at["a"], at["b"]]], [[at["N"]] * 2], [1], overlap, [1])
        return float(second_moments(law)[0, 0, at["d"]])

    return value


UNION = Claim(
    id="pulse.several.union",
    title="How often several pulses light two sites, where overlapping pulses are united",
    kind=Kind.EQUATION,
    statement=Eq(
        sympy.Symbol(r"\langle x_i x_{i+d} \rangle", real=True),
        1 - 2 * (1 - COVERS_ONE) ** N + (1 - 2 * COVERS_ONE + COVERS_TWO) ** N,
        evaluate=False,
    ),
    params=FEW,
    conditions=(*FIT, d < n),
    assumptions=(
        INDEPENDENT,
        "a site is lit by one pulse or more: all $N$ pulses leave a set of sites dark with the $N$-th power of the "
        "probability that one does",
    ),
    **rational_by_name(_united),
    numeric=_in_float64("max"),
    drawn=20,
    unchecked={Level.SYMBOLIC: reasons.BY_COUNTING},
)

SUM = Claim(
    id="pulse.several.sum",
    title="Second moments of several pulses that add up",
    kind=Kind.EQUATION,
    statement=Eq(
        sympy.Symbol(r"\langle x_i x_{i+d} \rangle", real=True),
        N * COVERS_TWO + N * (N - 1) * COVERS_ONE**2,
        evaluate=False,
    ),
    params=FEW,
    conditions=(*FIT, d < n),
    assumptions=(INDEPENDENT, "a site has as its value the number of pulses that cover it"),
    **rational_by_name(_added),
    numeric=_in_float64("sum"),
    drawn=20,
    unchecked={Level.SYMBOLIC: reasons.BY_COUNTING},
)


def _on_a_line(at: dict[str, Fraction]) -> Fraction:
    """The share of the places from start to start + W - 1 on the line that cover site i."""
    sites, width, site = (int(at[name]) for name in ("n", "W", "i"))
    places = [range(start, start + width) for start in range(sites) if start + width <= sites]
    return Fraction(sum(site in place for place in places), len(places))


def _site_in_float64(**at: int) -> float:
    law = Pulses(at["n"], "open", "block", [[at["W"]] * 2], [[1, 1]], [1], "max", [1])
    return float(input_statistics(law, 0).mean[at["i"]])


def positive_part(m: sympy.Expr) -> sympy.Expr:
    """Return m for an integer m > 0, else 0, as a difference of triangular numbers."""
    return triangle(m) - triangle(m - 1)


LINE = Claim(
    id="pulse.several.line",
    title="On an open line a pulse lights sites near the ends less often",
    kind=Kind.EQUATION,
    statement=Eq(
        sympy.Symbol(r"\langle x_{i} \rangle", real=True),
        (i + 1 - positive_part(i - n + W) - positive_part(i + 1 - W)) / (n - W + 1),
        evaluate=False,
    ),
    params=(
        Param(n, Range(2, 41), "sites of the line", (Integer(2), Integer(40))),
        Param(W, Range(1, 41), "width of the pulse", (Integer(1), Integer(4))),
        Param(i, Range(0, 40), "site, from 0", (Integer(0), Integer(3))),
    ),
    conditions=(n >= W, i < n),
    assumptions=(
        r"one pulse of height 1, which fits the line: its start is uniform on $0, \ldots, n - W$",
        r"$(m)_+ = T(m) - T(m - 1)$; the pulses that cover $i$ start from $(i + 1 - W)_+$ to $i - (i - n + W)_+$",
    ),
    **rational_by_name(_on_a_line),
    numeric=_site_in_float64,
    drawn=40,
    unchecked={Level.SYMBOLIC: reasons.BY_COUNTING},
)

CLAIMS = (UNION, SUM, LINE)
