"""The gates for which a nonlinearity other than erf has exact moments, and when their features are independent."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from math import inf

from scipy.special import ndtri

from theory.moments.basis import GateBasis, gate_basis
from theory.moments.half_spaces import HalfSpace
from theory.moments.latent_rank import regular
from theory.moments.nonlinearities.edges import edge, exact_square
from theory.problem import (
    Erf,
    Law,
    Network,
    NonlinearGP,
    Nonlinearity,
    OutOfReachError,
    Quantile,
    Sign,
    Uniform,
    resolved,
)
from theory.problem.distributions.nonlinear_gp_matrix import NonlinearGPMatrix
from theory.problem.gates.base import looks_on, sites_of

Piece = tuple[float, float, Fraction]  # an interval of z on which f has one value
_NARROW = 1e-12  # two cuts that are closer have float64 numbers that may be in the wrong order


def basis_of(law: Law, network: Network, centred: bool | None = None) -> GateBasis:
    """Return the gates of a network over half-spaces of the latent of a law, or of its input where it has none.

    `centred` is False for a part of a mixture whose other parts have class means.

    >>> from theory.problem import SiteGate
    >>> law = NonlinearGP(4, (2, 1), 1, "open", "none", (1, 0), nonlinearity="sign")
    >>> gates = [SiteGate(0, lo=lo, on="input") for lo in ("-1/2", 1)]  # the same, x >= 1
    >>> len(basis_of(law, Network("gated-linear", "mean", 2, tuple(gates))).half_spaces)
    1
    """
    process = unit_process(law.nonlinearity) if isinstance(law, NonlinearGPMatrix) else law
    return gate_basis(network, law.latent, centred_gates(law, network, centred), process if law.latent else None)


def unit_process(nonlinearity: Nonlinearity) -> NonlinearGP:
    """Return a process of this nonlinearity at unit variance, with which "nlgp-matrix" shares what no scale changes.

    >>> unit_process(Uniform()).normaliser
    'unit-variance'
    """
    return NonlinearGP(2, (1,), 1, "open", "unit-variance", (1,), nonlinearity=nonlinearity)


def centred_gates(law: Law, network: Network, centred: bool | None = None) -> bool:
    """Return whether 1[x >= 0] is 1[z >= 0]: not with class means, nor where x is 0 with a probability of its own.

    >>> table = {"kind": "quantile", "p": ["1/2", "3/4", 1], "x": [0, 0, 1]}
    >>> law = NonlinearGP(4, (2, 1), 1, "open", "none", (1, 0), nonlinearity=table)
    >>> from theory.problem import SiteGate
    >>> gates = [SiteGate(0, lo=0, on=on) for on in ("latent", "input")]
    >>> [centred_gates(law, Network("gated-linear", "mean", 1, (gate,))) for gate in gates]
    [True, False]
    """
    own = not law.means if centred is None else centred
    looking = any(looks_on(gate) == "input" for gate in resolved(network.gates))
    return own and not (law.latent and looking and any(low < 0 < high for low, high, _ in pieces(law.nonlinearity)))


def check_gates(law: NonlinearGP | NonlinearGPMatrix, network: Network, gates: GateBasis) -> None:
    """Raise OutOfReachError where a gate is no half-space of the latent, or where the rank of A is not known exactly.

    f never falls, so that a gate on one input is one on its latent, for an f without flat pieces in every way. Flat
    pieces make features depend on each other: for x = sign(z), s_i x_i = 1 and s_i x_j = s_j x_i; see `piecewise`.

    >>> from theory.moments.basis import gate_basis
    >>> from theory.problem import DirectionGate
    >>> law = NonlinearGP(4, (2, 1), 1, "open", "none", (1, 0), nonlinearity="sign")
    >>> network = Network("gated-linear", "mean", 1, (DirectionGate({0: 1, 1: 2}, lo=0),))
    >>> check_gates(law, network, gate_basis(network))
    Traceback (most recent call last):
    ...
    theory.problem.errors.OutOfReachError: Hard gates along several sites and inputs x = sign(z), which are ...
    """
    f = law.nonlinearity
    if isinstance(f, Erf):
        return
    if law.clipped and not any(regular(law, c) for c in range(law.classes)):
        raise OutOfReachError(
            f"The rank of A is not known exactly for {f.kind}(z) on a ring that is clipped in every class: its latent "
            "is degenerate.",
            'Simulate it (gdln simulate), or use boundary = "open" or a smaller xi.',
        )
    if not law.latent:
        return
    flat = pieces(f)
    jumps = isinstance(f, Quantile) and f.x[0] > 0
    for index, gate in enumerate(resolved(network.gates)):
        if looks_on(gate) == "input" and (flat or jumps):
            _check_input_gate(law, gate, f"network.gates[{index}]", bool(flat))
    _check_soft(law, gates)
    if flat and any(own.direction.site is None and not own.soft for own in gates.half_spaces):
        raise OutOfReachError(
            f"Hard gates along several sites and inputs x = {f.kind}(z), which are constant on intervals, have no "
            "exact moments here: products of half-spaces in general position may depend on each other.",
            "Gate sites, take a soft gate, simulate it (gdln simulate), or take erf at a large gain.",
        )


def _check_input_gate(law: NonlinearGP | NonlinearGPMatrix, gate: object, where: str, flat: bool) -> None:
    """Refuse gates on inputs with atoms or gaps whose number of different gates is not known exactly."""
    what, hint = f"x = {law.nonlinearity.kind}(z)", 'Simulate it (gdln simulate), or gate the latent (on = "latent").'
    if law.means:
        raise OutOfReachError(
            f"{where}: {what} is constant on intervals of z or jumps, and class means move the bound of this gate: in "
            "which classes it changes, and so the rank of A, is not known exactly.",
            hint,
        )
    if gate.sharpness != inf:
        raise OutOfReachError(
            f"{where}: {what} has values of their own probability or jumps, at which a soft gate on the input has "
            "irrational values: the rank of A is not known exactly.",
            hint,
        )
    if flat and len(sites_of(gate)) > 1:
        raise OutOfReachError(
            f"{where}: {what} is constant on intervals of z, so that x_i +- x_j is 0 with a probability of its own: "
            "this gate on the input is no half-space of the latent.",
            hint,
        )


def _check_soft(law: NonlinearGP | NonlinearGPMatrix, gates: GateBasis) -> None:
    """Refuse the one soft gate of uniform inputs that is linear in them."""
    uniform = isinstance(law.nonlinearity, Uniform) or law.nonlinearity == Quantile(["1/2", 1], [0, 1])
    linear = [
        own
        for own in gates.half_spaces
        if own.sharpness == 1 and own.at == 0 and own.direction.site is not None and not own.on_input
    ]
    if uniform and linear:
        raise OutOfReachError(
            "The soft gate Phi(z) at threshold 0 and sharpness 1 is (1 + x Z)/2 for uniform inputs: features of such "
            "gates depend on each other, and the rank of A is not known exactly.",
            "Use another sharpness or a hard gate, or simulate it (gdln simulate).",
        )


def pieces(f: Nonlinearity) -> list[Piece]:
    """Return the intervals of z on which f is constant, each with its value, in ascending order.

    >>> pieces(Sign())
    [(-inf, 0.0, Fraction(-1, 1)), (0.0, inf, Fraction(1, 1))]
    """
    if isinstance(f, Sign):
        return [(-inf, 0.0, Fraction(-1)), (0.0, inf, Fraction(1))]
    if not isinstance(f, Quantile):
        return []
    above = [
        (float(ndtri(float(low))), float(ndtri(float(high))), x)
        for (low, x), (high, y) in pairwise(zip(f.p, f.x, strict=True))
        if x == y
    ]
    both = [(-high, -low, -x) for low, high, x in reversed(above)] + above
    joined: list[Piece] = []
    for low, high, x in both:
        if joined and joined[-1][1] == low and joined[-1][2] == x:
            joined[-1] = (joined[-1][0], high, x)
        else:
            joined.append((low, high, x))
    return joined


def independent(law: NonlinearGP | NonlinearGPMatrix, gates: GateBasis) -> bool:
    """Whether the functions e_c x_j, with biases or class means also e_c, are certain to be linearly independent.

    Functions of different sites are independent as products, e_c(z_i) f(z_j), unless f is itself a combination of 1 and
    the e_c of its site, at two sites. What remains is a sum of functions of one site each: it vanishes where all are
    constant, and without biases at most one site may have a combination that is a constant. Soft gates are analytic and
    are no combination of the others on any cell.

    Two signs are not, x_0 s_1 = s_0 x_1 for x = sign(z):

    >>> from theory.moments.basis import gate_basis
    >>> from theory.problem import SiteGate
    >>> law = NonlinearGP(4, (2, 1), 1, "open", "none", (1, 0), nonlinearity="sign")
    >>> gates = SiteGate(0, lo=0), SiteGate(1, lo=0)
    >>> [independent(law, gate_basis(Network("gated-linear", "mean", k, gates[:k]))) for k in (1, 2)]
    [True, False]
    """
    flat = pieces(law.nonlinearity)
    hard = [own for own in gates.half_spaces if not own.soft] if flat else []
    with_constants = bool(gates.constants or law.means)
    constant = known = 0
    for site in {own.direction.site for own in hard}:
        found = list(cells(law, [own for own in hard if own.direction.site == site], flat))
        rows = [row for values, f in found for row in _equations(values, f, with_constants)]
        if not _regular([row[:-1] for row in rows]):
            return False
        constant += not _regular(rows)
        if all(f is not None for _, f in found):
            known += not _regular([[*values, f] for values, f in found])
    return known <= 1 and constant <= (0 if with_constants else 1)


def _equations(values: list[Fraction], f: Fraction | None, with_constants: bool) -> Iterator[list[Fraction]]:
    """Yield the equations sum_c a_c e_c f + sum_c b_c e_c = k on a cell, in the unknowns a, b (c > 0) and k."""
    own = values[1:] if with_constants else []
    zero = Fraction(0)
    if f is not None:
        yield [*(f * value for value in values), *own, Fraction(-1)]
        return
    yield [*values, *(zero for _ in own), zero]
    yield [*(zero for _ in values), *own, Fraction(-1)]


def _regular(rows: list[list[Fraction]]) -> bool:
    """Whether the columns are linearly independent."""
    from flint import fmpq, fmpq_mat

    exact = fmpq_mat([[fmpq(entry.numerator, entry.denominator) for entry in row] for row in rows])
    return exact.rref()[1] == len(rows[0])


def cells(
    law: NonlinearGP | NonlinearGPMatrix, own: list[HalfSpace], flat: list[Piece]
) -> Iterator[tuple[list[Fraction], Fraction | None]]:
    """Yield, for each interval between the cuts of a site, the values of 1 and the half-spaces, and of f or None.

    >>> law = NonlinearGP(4, (2, 1), 1, "open", "none", (1, 0), nonlinearity="sign")
    >>> [str(f) for _, f in cells(law, [], pieces(law.nonlinearity))]
    ['-1', '1']
    """
    places = [_place(law, function) for function in own]
    ends = [end for low, high, _ in flat for end in (low, high)]
    cuts = sorted({*places, *ends, -inf, inf})
    for low, high in pairwise(cuts):
        if high - low < _NARROW:
            continue
        z = (max(low, -60.0) + min(high, 60.0)) / 2
        values = [Fraction(1)]
        for function, place in zip(own, places, strict=True):
            above = z > place
            values.append(Fraction(above != function.below) if function.tail else Fraction(1 if above else -1))
        yield values, next((x for start, end, x in flat if start < z < end), None)


def _place(law: NonlinearGP | NonlinearGPMatrix, function: HalfSpace) -> float:
    """The threshold on z, in float64."""
    if not function.on_input:
        return float(function.at)
    from flint import arb

    size = abs(function.at)
    square = size**2 * (1 if law.normaliser == "none" else exact_square(law.nonlinearity))
    root = arb(square.numerator).sqrt() / arb(square.denominator).sqrt()
    found = edge(law.nonlinearity, root, square, strict=function.below)
    place = inf if found is None else float(found)
    return -place if function.below else place
