"""Gates as exact rational combinations of 1 and of signs: of sites, and of directions of several sites."""

from dataclasses import dataclass
from fractions import Fraction

from theory.moments.directions import Direction
from theory.moments.gate_signs import Signs, sign_of
from theory.problem import Network, OutOfReachError, resolved

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
    coefficients there; the difference of two neighbours is twice the coefficients of s_i. A mean that is added to the x
    of a class changes the constant of that linear function alone.) So the rank of A is n times that of `coefficients`,
    plus that of `constants`.

    The half-spaces 1[z_20 >= 0] and 1[z_20 < 0] are (1 + s)/2 and (1 - s)/2, which sum to 1:

    >>> from theory.problem import SiteGate
    >>> basis = gate_basis(Network("gated-linear", "mean", 2, (SiteGate(20, lo=0), SiteGate(20, hi=0))))
    >>> [str(sum(column)) for column in zip(*basis.coefficients)]
    ['1', '0']
    """

    directions: tuple[Direction, ...]
    coefficients: tuple[Vector, ...]
    constants: tuple[Vector, ...] = ()


def require_linear(network: Network) -> None:
    """Raise OutOfReachError unless yhat is a linear function of the trained parameters, without a constant term.

    The exceptions are networks whose gates depend on their weights, networks with a trained readout, whose flow is of
    third degree in (w, a), and networks with fixed biases, which add a constant term.

    >>> from theory.problem import AlwaysGate
    >>> require_linear(Network("gated-linear", "mean", 1, (AlwaysGate(),)))
    >>> require_linear(Network("relu", "mean", 1))
    Traceback (most recent call last):
    ...
    theory.problem.errors.OutOfReachError: A network of model "relu" has no exact moments through its gates: ...
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


def gate_basis(network: Network, latent: bool = True, centred: bool = True) -> GateBasis:
    """The gates of a gated-linear network over {1, s_i} for a law with or without a `latent` (`law.latent`).

    `centred` is True where its classes have no means.

    Half-spaces are 1[v.u >= 0] = (1 + s)/2 and 1[v.u < 0] = (1 - s)/2; a gate without bounds is 1; proportional
    directions share a sign. A site of the latent and of the input have the same sign, and so have z_i +- z_j and
    x_i +- x_j, as x is an odd increasing function of z: there `on` makes no difference. Biases have the constants g_k
    and 1/s, since yhat/s = sum_k (g_k w_k.x + g_k b_k) + b_out/s. Raises OutOfReachError for any other gate.

    >>> from theory.problem import AlwaysGate, SiteGate
    >>> network = Network("gated-linear", "mean", 2, (SiteGate(site=3, lo=0), AlwaysGate()))
    >>> [[str(c) for c in row] for row in gate_basis(network).coefficients]
    [['1/2', '1/2'], ['1', '0']]
    """
    require_linear(network)
    law = Signs(latent, centred)
    signs = [sign_of(gate, f"network.gates[{k}]", law) for k, gate in enumerate(resolved(network.gates))]
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
