"""Gates as exact rational combinations of 1 and of the signs of the gated sites."""

from dataclasses import dataclass
from fractions import Fraction
from math import inf

from theory.problem import AlwaysGate, Network, OutOfReachError, SiteGate, resolved

HALF = Fraction(1, 2)
Vector = tuple[Fraction, ...]


@dataclass(frozen=True)
class GateBasis:
    """g_k = sum_c coefficients[k][c] e_c with e_0 = 1, e_{1+i} = s_i = sign(v at sites[i]); almost surely.

    `constants` are the features of the biases over the same basis, g_1, ..., g_K and 1/s (s the readout's factor);
    empty without biases. The e_c and the e_c x_j together are linearly independent (the latent covariance is positive
    definite, so that every pattern of signs has an open set of x, on which a function linear in x that vanishes has
    no coefficients): the rank of A is n times that of `coefficients`, plus that of `constants`.
    """

    sites: tuple[int, ...]
    coefficients: tuple[Vector, ...]
    constants: tuple[Vector, ...] = ()


def require_fixed_gates(network: Network) -> None:
    """Raise OutOfReachError for a network that gates itself."""
    if network.model != Network.gated:
        raise OutOfReachError(
            f'A network of model "{network.model}" has no exact moments through its gates: they move with its weights.',
            "Simulate it (gdln simulate), or fix the gates with a gated-linear network.",
        )


def gate_basis(network: Network) -> GateBasis:
    """The gates of a gated-linear network over {1, s_i}.

    Half-spaces are 1[v >= 0] = (1 + s)/2 and 1[v < 0] = (1 - s)/2; a gate without bounds is 1. The latent and the
    input have the same sign, so `on` makes no difference here. Biases have the constants g_k and 1/s, since
    yhat/s = sum_k (g_k w_k.x + g_k b_k) + b_out/s. Raises OutOfReachError for any other gate.

    >>> network = Network("gated-linear", "mean", 2, (SiteGate(site=3, lo=0), AlwaysGate()))
    >>> [[str(c) for c in row] for row in gate_basis(network).coefficients]
    [['1/2', '1/2'], ['1', '0']]
    """
    require_fixed_gates(network)
    gates = resolved(network.gates)
    signs = [_sign(gate, index) for index, gate in enumerate(gates)]
    sites = tuple(sorted({gate.site for gate, sign in zip(gates, signs, strict=True) if sign}))
    rows = []
    for gate, sign in zip(gates, signs, strict=True):
        row = [HALF if sign else Fraction(1)] + [Fraction(0)] * len(sites)
        if sign:
            row[1 + sites.index(gate.site)] = sign * HALF
        rows.append(tuple(row))
    if not network.has_biases:
        return GateBasis(sites, tuple(rows))
    output = (1 / network.scale, *(Fraction(0) for _ in sites))
    return GateBasis(sites, tuple(rows), (*rows, output))


def _sign(gate: SiteGate | AlwaysGate, index: int) -> int:
    """+1 for 1[v >= 0], -1 for 1[v < 0], 0 for a gate that is always open."""
    if isinstance(gate, AlwaysGate) or (gate.lo, gate.hi) == (-inf, inf):
        return 0
    if (gate.lo, gate.hi) == (0, inf):
        return 1
    if (gate.lo, gate.hi) == (-inf, 0):
        return -1
    raise OutOfReachError(
        f"network.gates[{index}]: 1[{gate.lo} <= v < {gate.hi}] at site {gate.site} is not a half-space at threshold "
        "0, and the exact moments here are those of half-spaces at 0.",
        "Simulate it (gdln simulate takes any lo and hi), or use lo = 0 or hi = 0 alone.",
    )
