"""Spins of a ring through half-spaces: a gate 1[x_i >= 0] = (1 + x_i)/2, and two of them at once."""

from dataclasses import replace

import numpy as np
import sympy
from sympy import Eq

from theory.claims.areas.ising._spins import (
    COUPLING,
    DISTANCE,
    GAPS,
    HALF_SPACE,
    LAW,
    OTHER_WAY,
    RING,
    SOME,
    a,
    b,
    c,
    d,
    e,
    enumerated,
    joined,
    library_moments,
    power,
)
from theory.claims.areas.ising.ring import FOUR
from theory.claims.model import Alternative, Claim, Kind, Registration
from theory.moments import gated_moments
from theory.problem import InputMoment, InputOutputMoment, Problem, SiteGate
from theory.proof.derivation import Derivation, Step

_PROBLEM = "ising"
_ODD = "$x \\to -x$ leaves the law unchanged, so that the mean of an odd product vanishes"


def _open_line(problem: Problem) -> Problem:
    """The same problem where the ring is cut open."""
    return replace(problem, data=replace(problem.data, boundary="open"))


_PAIR = joined((d, e), power, 0)
_YX = Eq(sympy.Symbol(r"\langle \mathbf{1}[x_i \geq 0] x_{i+d} \rangle", real=True), _PAIR / 2, evaluate=False)


def _derive_yx() -> Derivation:
    steps = (
        Step(
            Eq(_YX.lhs, RING(d, e) / 2, evaluate=False),
            rf"$\mathbf{{1}}[x_i \geq 0] = (1 + x_i)/2$; {_ODD}",
            "definition",
        ),
        Step(_YX, "two spins of a ring", "cite", (Eq(RING(d, e), _PAIR, evaluate=False),), ("ising.ring.pair",)),
    )
    return Derivation("ising.half_space.yx", _YX, steps)


YX = Claim(
    id="ising.half_space.yx",
    title="A spin through a half-space at another site: half of their correlation",
    kind=Kind.EQUATION,
    statement=_YX,
    params=(COUPLING, DISTANCE, OTHER_WAY),
    conditions=(d + e >= 2,),
    assumptions=(LAW, "a ring of $n = d + e$ sites; with a label $y$ of the class it is multiplied by $y$"),
    derive=_derive_yx,
    **enumerated(True, lambda x, at: (x[0] >= 0) * x[at["d"] % len(x)]),
    numeric=lambda r, d, e: library_moments(d + e, r, HALF_SPACE).sigma_yx[0, d % (d + e)],
    registration=Registration(
        problems=(_PROBLEM,),
        observable=InputOutputMoment(),
        predict=lambda problem: gated_moments(problem).sigma_yx,
        alternatives=(Alternative("an open line", lambda problem: gated_moments(_open_line(problem)).sigma_yx),),
    ),
    drawn=SOME,
)

_APART = (c, a + b + e)  # the two other sites, both ways round
_XX = Eq(
    sympy.Symbol(r"\langle \mathbf{1}[x_i \geq 0] \mathbf{1}[x_{i+a} \geq 0] x_{i+a+b} x_{i+a+b+c} \rangle", real=True),
    (joined(_APART, power, 0) + FOUR.statement.rhs) / 4,
    evaluate=False,
)


def _derive_xx() -> Derivation:
    pair = Eq(RING(*_APART), joined(_APART, power, 0), evaluate=False)
    steps = (
        Step(
            Eq(_XX.lhs, (pair.lhs + FOUR.statement.lhs) / 4, evaluate=False),
            rf"$\mathbf{{1}}[x_i \geq 0] \mathbf{{1}}[x_j \geq 0] = (1 + x_i + x_j + x_i x_j)/4$; {_ODD}",
            "definition",
        ),
        Step(
            _XX,
            "two and four spins of a ring",
            "cite",
            (pair, FOUR.statement),
            ("ising.ring.pair", "ising.ring.four"),
        ),
    )
    return Derivation("ising.half_space.xx", _XX, steps)


def _through_two(coupling: float, a: int, b: int, c: int, sites: int) -> float:
    """The library's moment through the half-spaces at the sites 0 and a."""
    moments = library_moments(sites, coupling, HALF_SPACE, SiteGate(a % sites, lo=0, on="input"))
    return moments.sigma_xx[0, 1, (a + b) % sites, (a + b + c) % sites]


def _without_four(problem: Problem) -> np.ndarray:
    """A prediction that takes the four spins as Gaussian: the sum of three products of pairs."""
    moments, units = gated_moments(problem), problem.network.units
    sites = [gate.site for gate in problem.network.gates]
    found = np.empty_like(moments.sigma_xx)
    shares = [float(p) for p in problem.data.probabilities]
    for k in range(units):
        for l in range(units):
            i, j = sites[k], sites[l]
            found[k, l] = sum(
                p * (C + C[i, j] * C + np.outer(C[i], C[j]) + np.outer(C[j], C[i])) / 4
                for p, C in zip(shares, moments.covariances, strict=True)
            )
    return found


XX = Claim(
    id="ising.half_space.xx",
    title="Two spins through half-spaces at two other sites",
    kind=Kind.EQUATION,
    statement=_XX,
    params=(COUPLING, *GAPS),
    conditions=(a + b + c + e >= 2,),
    assumptions=(LAW, "a ring of $n = a + b + c + e$ sites, in this order the two of the gates and the two others"),
    derive=_derive_xx,
    **enumerated(
        True,
        lambda x, at: (
            (x[0] >= 0)
            * (x[at["a"] % len(x)] >= 0)
            * x[(at["a"] + at["b"]) % len(x)]
            * x[(at["a"] + at["b"] + at["c"]) % len(x)]
        ),
    ),
    numeric=lambda r, a, b, c, e: _through_two(r, a, b, c, a + b + c + e),
    registration=Registration(
        problems=(_PROBLEM,),
        observable=InputMoment(),
        predict=lambda problem: gated_moments(problem).sigma_xx,
        alternatives=(Alternative("Gaussian spins with the same pairs", _without_four),),
    ),
    drawn=SOME,
)

CLAIMS = (YX, XX)
