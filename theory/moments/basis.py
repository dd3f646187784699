"""Gates as exact rational combinations of 1 and of half-spaces along sites and directions, and their products.

Why soft functions T_c = Phi(beta (v.u - h)) are linearly independent, with and without factors x_j. As u moves to
u + i y d for a generic real d and y -> oo, x_j = erf(g u_j)/Z makes T_c x_j grow like

    exp((beta^2 (v.d)^2/2 + g^2 d_j^2) y^2 + i h beta^2 (v.d) y)/((v.d) d_j y^2),

T_c and x_j alone by their own factors. In a combination that vanishes, the terms of the fastest growth cancel. Terms of
one growth for every d belong to one T_c, to thresholds h, whose oscillations differ, or to mirror images: v = (p, q)
with x_1 and (q, p) with x_2, beta = 1 and q^2 - p^2 = 2 g^2. The denominators of these differ unless p = 0, and 2 g^2
is no square of a rational number. So all coefficients are 0. Polynomials f in place of erf change no growth. Where f
has a kink, a jump or a branch point in u_j, the difference of its two continuations leaves sum_c a_cj T_c = 0, and so
does each of the poles of tanh, infinitely many along the imaginary axis of u_j. Uniform inputs, 2 g^2 = 1, have the one
exception p = h = 0: Phi(u_1) is linear in x_1. Soft functions of the input x_i are, as functions of x_i, those of a
Gaussian input; beside them all others grow slowly, as they are functions of exp(y^2).
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from theory.moments.gate_signs import Looks, half_spaces_of
from theory.moments.half_spaces import HalfSpace
from theory.problem import Network, NonlinearGP, OutOfReachError, resolved

Vector = tuple[Fraction, ...]
Key = tuple[int, ...]  # () is 1, (i,) is e_{1+i}, (i, j) with i <= j is e_{1+i} e_{1+j}; i = j only where e is soft


@dataclass(frozen=True)
class GateBasis:
    """g_k = sum_c coefficients[k][c] e_c with e_0 = 1 and e_{1+i} the sign or the tail half_spaces[i].

    They are half-spaces of the latent, or of the input of a law without one; a site is the direction of one entry, and
    sites come first. `constants` are the features of the biases over the same basis, g_1, ..., g_K and 1/s (s the
    readout's factor); empty without biases. The e_c and the e_c x_j together are linearly independent. (No two
    half-spaces have the same boundary, so that each boundary v_i . u = h_i has two open cells on both sides of it that
    differ in e_i alone. The covariance is positive definite; a combination that vanishes is linear in x within a cell
    and has no coefficients there; the difference of two neighbours is a multiple of the coefficients of e_i. A mean
    that is added to the x of a class changes the constant of that linear function alone. Soft functions are analytic,
    and no combination of them with linear functions of x vanishes in a cell.) So the rank of A is n times that of
    `coefficients`, plus that of `constants`.

    The half-spaces 1[z_20 >= 0] and 1[z_20 < 0] are (1 + s)/2 and (1 - s)/2, which sum to 1:

    >>> from theory.problem import SiteGate
    >>> basis = gate_basis(Network("gated-linear", "mean", 2, (SiteGate(20, lo=0), SiteGate(20, hi=0))))
    >>> [str(sum(column)) for column in zip(*basis.coefficients)]
    ['1', '0']
    """

    half_spaces: tuple[HalfSpace, ...]
    coefficients: tuple[Vector, ...]
    constants: tuple[Vector, ...] = ()

    @property
    def odd(self) -> bool:
        """Whether all half-spaces are signs at 0, which are odd functions of u."""
        return not any(function.tail for function in self.half_spaces)

    def product(self, u: Vector, v: Vector) -> dict[Key, Fraction]:
        """The product of two combinations of the basis by key, without its zeros: exact sums, so that 0 is 0.

        >>> from theory.problem import SiteGate
        >>> gates = SiteGate(20, lo=-1, hi=1), SiteGate(20, lo=1, hi=3)
        >>> basis = gate_basis(Network("gated-linear", "mean", 2, gates))
        >>> inner, outer = basis.coefficients
        >>> basis.product(inner, outer), [str(number) for number in basis.product(outer, outer).values()]
        ({}, ['1', '-1'])
        """
        total: dict[Key, Fraction] = {}
        for i, a in enumerate(u):
            for j, b in enumerate(v) if a else ():
                if b and (found := self._products[i][j]) is not None:
                    factor, key = found
                    total[key] = total.get(key, Fraction(0)) + factor * a * b
        return {key: value for key, value in total.items() if value}

    @cached_property
    def _products(self) -> list[list[tuple[int, Key] | None]]:
        """e_i e_j as a factor and a key; None where it is 0."""
        size = 1 + len(self.half_spaces)
        return [[self._product_of(i, j) for j in range(size)] for i in range(size)]

    def _product_of(self, i: int, j: int) -> tuple[int, Key] | None:
        if not i or not j:
            return 1, tuple(c - 1 for c in (i, j) if c)
        one, other = self.half_spaces[i - 1], self.half_spaces[j - 1]
        if one.direction != other.direction or one.soft or other.soft:
            return 1, tuple(sorted((i - 1, j - 1)))
        found = one.times(other)
        if found is None:
            return None
        factor, function = found
        return factor, () if function is None else (i - 1 if function == one else j - 1,)


def require_linear(network: Network) -> None:
    """Raise OutOfReachError unless yhat is a linear function of the trained parameters, without a constant term.

    The exceptions are networks whose gates depend on their weights, networks with a trained readout, whose flow is of
    third degree in (w, a), and networks with fixed biases, which add a constant term: see `fixed_biases`.

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
            "Solve it as a graph (gdln solve), simulate it (gdln simulate), or use readout = "
            '"mean" or "sum", where all a_k are 1.',
        )
    if network.biases == "fixed":
        raise OutOfReachError(
            'network.biases = "fixed": the values of the biases belong to the problem, not to its law and network.',
            "Use theory.flow.solve(problem) or theory.moments.moments_of(problem).",
        )


def gate_basis(
    network: Network, latent: bool = True, centred: bool = True, process: NonlinearGP | None = None
) -> GateBasis:
    """The gates of a gated-linear network over half-spaces for a law with or without a `latent` (`law.latent`).

    `centred` is True where its classes have no means. `process` is the law where its inputs are a function of the
    latent other than erf, whose jumps make several bounds on the input one gate.

    Half-spaces at 0 are 1[v.u >= 0] = (1 + s)/2 and 1[v.u < 0] = (1 - s)/2, others a tail or 1 less a tail; a gate
    with two bounds is the difference of two; a gate without bounds is 1; proportional directions share their
    half-spaces. A site of the latent and of the input have the same sign, and so have z_i +- z_j and
    x_i +- x_j, as x is an odd increasing function of z: there `on` makes no difference. Biases have the constants g_k
    and 1/s, since yhat/s = sum_k (g_k w_k.x + g_k b_k) + b_out/s. Raises OutOfReachError for any other gate.

    >>> from theory.problem import AlwaysGate, SiteGate
    >>> network = Network("gated-linear", "mean", 2, (SiteGate(site=3, lo=0), AlwaysGate()))
    >>> [[str(c) for c in row] for row in gate_basis(network).coefficients]
    [['1/2', '1/2'], ['1', '0']]
    """
    require_linear(network)
    law = Looks(latent, centred, process)
    found = [half_spaces_of(gate, f"network.gates[{k}]", law) for k, gate in enumerate(resolved(network.gates))]
    every = {function for combination in found for function in combination if function is not None}
    half_spaces = tuple(sorted(every, key=lambda function: (function.direction.site is None, function)))
    _require_ordered(half_spaces, centred)
    columns = (None, *half_spaces)
    rows = tuple(tuple(combination.get(function, Fraction(0)) for function in columns) for combination in found)
    if not network.has_biases:
        return GateBasis(half_spaces, rows)
    output = (1 / network.scale, *(Fraction(0) for _ in half_spaces))
    return GateBasis(half_spaces, rows, (*rows, output))


def _require_ordered(half_spaces: tuple[HalfSpace, ...], centred: bool) -> None:
    """Refuse thresholds of z_i beside thresholds of x_i: which is farther out is no question of rational numbers.

    0 is the same threshold of both where the classes are centred.
    """
    kinds: dict[int, bool] = {}
    for function in half_spaces:
        site = function.direction.site
        if site is None or function.soft or not (function.tail or not centred):
            continue
        if kinds.setdefault(site, function.on_input) != function.on_input:
            raise OutOfReachError(
                f"The gates at site {site} have thresholds of the latent and of the input; exact moments need the "
                "order of all thresholds at a site, and that of x beside that of z is no question of rational numbers.",
                "Give all gates at that site the same `on`: x rises with z, so that a bound of x is a bound of z.",
            )
