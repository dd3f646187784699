"""Gates as exact rational combinations of 1 and of signs: of sites, and of directions of several sites."""

from dataclasses import dataclass
from fractions import Fraction
from math import inf

from theory.moments.directions import Direction, same_sign_on_latent, side
from theory.problem import AlwaysGate, DirectionGate, Network, OutOfReachError, SiteGate, resolved

HALF = Fraction(1, 2)
Vector = tuple[Fraction, ...]


@dataclass(frozen=True)
class GateBasis:
    """g_k = sum_c coefficients[k][c] e_c with e_0 = 1, e_{1+i} = s_i = sign(v_i . u), v_i = directions[i].

    u is the latent, or the input of a law without one; a site is the direction of one entry, and sites come first.
    `constants` are the features of the biases over the same basis, g_1, ..., g_K and 1/s (s the readout's factor);
    empty without biases. The e_c and the e_c x_j together are linearly independent. (No two directions are
    proportional, so that each hyperplane v_i . u = 0 has two open cells on both sides of it that differ in s_i alone.
    The covariance is positive definite; a combination that vanishes is linear in x within a cell and has no
    coefficients there; the difference of two neighbours is twice the coefficients of s_i.) So the rank of A is n times
    that of `coefficients`, plus that of `constants`.
    """

    directions: tuple[Direction, ...]
    coefficients: tuple[Vector, ...]
    constants: tuple[Vector, ...] = ()


def require_linear(network: Network) -> None:
    """Raise OutOfReachError where yhat is not linear in what is learned, or not of what is learned alone.

    That is a network that gates itself, one that trains its readout, whose flow is of third degree in (w, a), and one
    with fixed biases, which are features that nothing multiplies.
    """
    if network.model != Network.gated:
        raise OutOfReachError(
            f'A network of model "{network.model}" has no exact moments through its gates: they move with its weights.',
            "Simulate it (gdln simulate), or fix the gates with a gated-linear network.",
        )
    if network.trains_readout:
        raise OutOfReachError(
            f'network.readout = "{network.readout}": the exact solution is that of a yhat linear in the weights, and '
            "sum_k a_k g_k w_k.x is not linear in a and w together.",
            'Simulate it (gdln simulate), or use readout = "mean" or "sum", where all a_k are 1.',
        )
    if network.biases == "fixed":
        raise OutOfReachError(
            'network.biases = "fixed": the exact moments here are those of biases that are learned with the weights.',
            'Simulate it (gdln simulate), or use biases = "trained" or "none".',
        )


def require_hard(gate: SiteGate | DirectionGate, where: str) -> None:
    """Raise OutOfReachError for a soft gate; `where` names it."""
    if gate.sharpness != inf:
        raise OutOfReachError(
            f"{where}: a soft gate, of sharpness {gate.sharpness}, has no exact moments here; those are of hard gates.",
            "Simulate it (gdln simulate takes any sharpness), or leave the sharpness out.",
        )


def gate_basis(network: Network, latent: bool = True) -> GateBasis:
    """The gates of a gated-linear network over {1, s_i}; `latent` says that the law has one (`law.latent`).

    Half-spaces are 1[v.u >= 0] = (1 + s)/2 and 1[v.u < 0] = (1 - s)/2; a gate without bounds is 1; proportional
    directions share a sign. A site of the latent and of the input have the same sign, and so have z_i +- z_j and
    x_i +- x_j, as x is an odd increasing function of z: there `on` makes no difference. Biases have the constants g_k
    and 1/s, since yhat/s = sum_k (g_k w_k.x + g_k b_k) + b_out/s. Raises OutOfReachError for any other gate.

    >>> network = Network("gated-linear", "mean", 2, (SiteGate(site=3, lo=0), AlwaysGate()))
    >>> [[str(c) for c in row] for row in gate_basis(network).coefficients]
    [['1/2', '1/2'], ['1', '0']]
    """
    require_linear(network)
    signs = [_sign(gate, index, latent) for index, gate in enumerate(resolved(network.gates))]
    directions = tuple(sorted({direction for _, direction in filter(None, signs)}, key=lambda d: (d.site is None, d)))
    rows = []
    for sign in signs:
        row = [HALF if sign else Fraction(1)] + [Fraction(0)] * len(directions)
        if sign:
            row[1 + directions.index(sign[1])] = sign[0] * HALF
        rows.append(tuple(row))
    if not network.has_biases:
        return GateBasis(directions, tuple(rows))
    output = (1 / network.scale, *(Fraction(0) for _ in directions))
    return GateBasis(directions, tuple(rows), (*rows, output))


def _sign(gate: SiteGate | DirectionGate | AlwaysGate, index: int, latent: bool) -> tuple[int, Direction] | None:
    """The direction v and +1 for 1[v.u >= 0], -1 for 1[v.u < 0]; None for a gate that is always open."""
    if isinstance(gate, AlwaysGate) or (gate.lo, gate.hi) == (-inf, inf):
        return None
    require_hard(gate, f"network.gates[{index}]")
    entries = gate.v if isinstance(gate, DirectionGate) else ((gate.site, Fraction(1)),)
    if (gate.lo, gate.hi) not in ((0, inf), (-inf, 0)):
        where = f"at site {gate.site}" if isinstance(gate, SiteGate) else f"along {len(entries)} sites"
        raise OutOfReachError(
            f"network.gates[{index}]: 1[{gate.lo} <= v < {gate.hi}] {where} is not a half-space at threshold 0, and "
            "the exact moments here are those of half-spaces at 0.",
            "Simulate it (gdln simulate takes any lo and hi), or use lo = 0 or hi = 0 alone.",
        )
    if latent and gate.on == "input" and not same_sign_on_latent(entries):
        raise OutOfReachError(
            f"network.gates[{index}]: the ReLU gate on the input along {len(entries)} sites has no exact moments, as "
            "x = erf(gain z)/Z is not Gaussian; exact are one site, and two with weights of equal size.",
            'Simulate it (gdln simulate), gate the latent instead (on = "latent"), or take <g x> alone from '
            "theory.moments.relu_gates: an integral for two sites, labelled approximations for more.",
        )
    return (1 if gate.lo == 0 else -1) * side(entries), Direction.of(entries)
