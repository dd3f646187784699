"""Conditioning of the tangent kernel by the path kernel with several hidden nodes, and the kernel at dependent starts.

Neural path kernel, Proposition 3.3 and section 6.
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import product

import sympy
from flint import fmpq, fmpq_mat, fmpq_poly
from sympy import Eq, FiniteSet, Integer, Max, Symbol

from theory.claims.areas.path import _networks
from theory.claims.areas.path._networks import (
    FIRST,
    INPUTS,
    LAST,
    SMALL,
    R,
    U,
    X,
    g1,
    g2,
    gate,
    y1,
    y2,
)
from theory.claims.areas.path.output import exactly
from theory.claims.areas.path.overlap import p1, p2
from theory.claims.documents import NEURAL_PATH_KERNEL
from theory.claims.indicator import is_open
from theory.claims.model import Claim, Kind, Level, Param
from theory.claims.rational import rational_by_name
from theory.claims.sources import Says, Source
from theory.paths import path_kernel, relu_network, tangent_kernel, value_tangent_kernel, weighted
from theory.proof.derivation import Derivation, Step

z1, z2 = sympy.symbols("z1 z2", real=True)
_Y = (y1, y2)
_OTHER = tuple(Param(own, sympy.S.Reals, "entry of the other input $x'$", likely=SMALL) for own in _Y)
_COEFFICIENTS = tuple(Param(own, sympy.S.Reals, "coefficient of an input", likely=SMALL) for own in (z1, z2))
_GATES = (*(gate(own, 1) for own in (g1, g2)), *(gate(own, 1, "$x'$") for own in (p1, p2)))
_NETWORK = "two input nodes, one hidden level of two nodes, one output, no biases"


def _layers(at: dict[str, Fraction]) -> _networks.Layers:
    return [[[at["u11"], at["u12"]], [at["u21"], at["u22"]]], [[at["r1"], at["r2"]]]]


def _inputs(at: dict[str, Fraction]) -> list[list[Fraction]]:
    return [[at["x1"], at["x2"]], [at["y1"], at["y2"]]]


def _sum(terms: Sequence[sympy.Expr]) -> sympy.Expr:
    return sympy.Add(*terms)


# z^T (rho_max(V) H - K) z: V has a block r_a^2 1 + u_a u_a^T for each hidden node.
_BLOCKS = tuple(R[a] ** 2 + U[a][0] ** 2 + U[a][1] ** 2 for a in range(2))
_LARGEST = Max(*_BLOCKS)
_COMBINED = tuple(
    tuple(z1 * one * x + z2 * other * y for x, y in zip(X, _Y, strict=True)) for one, other in ((g1, p1), (g2, p2))
)
_SLACK = _sum(
    [
        (_LARGEST - _BLOCKS[a]) * (_COMBINED[a][0] ** 2 + _COMBINED[a][1] ** 2)
        + (U[a][0] * _COMBINED[a][1] - U[a][1] * _COMBINED[a][0]) ** 2
        for a in range(2)
    ]
)
_PLACES = ((0, 0, 0), (0, 0, 1), (0, 1, 0), (0, 1, 1), (1, 0, 0), (1, 0, 1))  # layer, target, source


def _tangent_of_values(at: dict[str, Fraction]) -> list[list[Fraction]]:
    """V for the four paths: differences of their values, which are linear in each weight."""

    def values(layers: _networks.Layers) -> list[Fraction]:
        return [layers[0][a][i] * layers[1][0][a] for i, a in product(range(2), repeat=2)]

    start = values(_layers(at))
    rows = []
    for layer, target, source in _PLACES:
        moved = _layers(at)
        moved[layer][target][source] += 1
        rows.append([after - before for after, before in zip(values(moved), start, strict=True)])
    return [[sum(row[p] * row[q] for row in rows) for q in range(4)] for p in range(4)]


def _largest_eigenvalue(matrix: list[list[Fraction]]) -> Fraction:
    """The largest root of the characteristic polynomial. Raises ArithmeticError unless all roots are rational."""
    entries = [fmpq(value.numerator, value.denominator) for row in matrix for value in row]
    _, factors = fmpq_poly(fmpq_mat(len(matrix), len(matrix), entries).charpoly().coeffs()).factor()
    if any(factor.degree() > 1 for factor, _ in factors):
        raise ArithmeticError("an eigenvalue is not rational")
    root = max(-factor[0] / factor[1] for factor, _ in factors)
    return Fraction(int(root.p), int(root.q))


def _slack(at: dict[str, Fraction]) -> Fraction:
    """rho_max(V) z^T H z - z^T K z from the features of the four paths and the slopes of the outputs."""
    largest = _largest_eigenvalue(_tangent_of_values(at))
    gates = ([at["g1"], at["g2"]], [at["p1"], at["p2"]])
    features = [[x * own for x in row for own in opened] for row, opened in zip(_inputs(at), gates, strict=True)]
    slopes = [_networks.slopes(_layers(at), [opened], row) for row, opened in zip(_inputs(at), gates, strict=True)]
    z = (at["z1"], at["z2"])
    return sum(
        z[s] * z[t] * (largest * _networks.inner(features[s], features[t]) - _networks.inner(slopes[s], slopes[t]))
        for s, t in product(range(2), repeat=2)
    )


def _slack_of_the_library(**values: float) -> float:
    at = exactly(**values)
    net = weighted(_inputs(at), [[[at["g1"], at["g2"]], [at["p1"], at["p2"]]]], _layers(at))
    largest = _largest_eigenvalue([list(row) for row in value_tangent_kernel(net)])
    z, h, k = (at["z1"], at["z2"]), path_kernel(net), tangent_kernel(net)
    return float(sum(z[s] * z[t] * (largest * h[s][t] - k[s][t]) for s, t in product(range(2), repeat=2)))


_RESULT = Eq(Symbol(r"\rho_{max}(V) z^\top H z - z^\top K z", real=True), _SLACK, evaluate=False)


def _derive_slack() -> Derivation:
    squares = [c[0] ** 2 + c[1] ** 2 for c in _COMBINED]
    kernel = _sum(
        [R[a] ** 2 * squares[a] + (U[a][0] * _COMBINED[a][0] + U[a][1] * _COMBINED[a][1]) ** 2 for a in range(2)]
    )
    steps = (
        Step(
            Eq(_RESULT.lhs, _LARGEST * _sum(squares) - kernel, evaluate=False),
            r"paths through different nodes share no weight, so that $V$ has the blocks $r_a^2 1 + u_a u_a^\top$ with "
            r"the largest eigenvalues $r_a^2 + u_a \cdot u_a$",
            "definition",
        ),
        Step(_RESULT, "Lagrange's identity at each node", "identity"),
    )
    return Derivation("path.conditioning.two_nodes", _RESULT, steps)


TWO_NODES = Claim(
    id="path.conditioning.two_nodes",
    title="The path kernel bounds the tangent kernel: two hidden nodes",
    protocol=r"With two hidden nodes $\rho_{max}(V) H - K$ is a sum of squares with nonnegative factors",
    kind=Kind.EQUATION,
    statement=_RESULT,
    params=(*INPUTS, *_OTHER, *_COEFFICIENTS, *_GATES, *FIRST, *LAST),
    assumptions=(
        f"{_NETWORK}; gates do not depend on the weights, or do not change to first order",
        r"each factor $\rho_{max}(V) - r_a^2 - u_a \cdot u_a$ is at least 0, so that $z^\top K z \leq \rho_{max}(V) "
        r"z^\top H z$ for every $z$; the eigenvector of $H$ at $\rho_{min}(H)$ gives the inequality of the paper",
    ),
    sources=(
        Source(
            NEURAL_PATH_KERNEL,
            "Proposition 3.3",
            note=r"the inequality $\rho_{min}(K) \leq \rho_{min}(H) \rho_{max}(V)$, for two hidden nodes and any gates",
        ),
    ),
    **rational_by_name(_slack),
    derive=_derive_slack,
    numeric=_slack_of_the_library,
    cites=("path.kernel.tangent",),
    drawn=10,
)

# The tangent kernel of a ReLU network, and of a network whose gates are kept from the same weights.
_DRIVES = tuple(tuple(sum(a * b for a, b in zip(row, x, strict=True)) for row in U) for x in (X, _Y))
_START = _sum(
    [
        is_open(_DRIVES[0][a])
        * is_open(_DRIVES[1][a])
        * (R[a] ** 2 * (X[0] * _Y[0] + X[1] * _Y[1]) + _DRIVES[0][a] * _DRIVES[1][a])
        for a in range(2)
    ]
)


def _relu_slopes(layers: _networks.Layers, x: list[Fraction]) -> list[Fraction]:
    """The slopes of the ReLU network by differences of a step so small that no gate changes."""
    found = []
    for layer, target, source in _PLACES:
        step = Fraction(1, 100)
        moved = [[list(row) for row in rows] for rows in layers]
        moved[layer][target][source] += step
        if _networks.linear_gates(moved[:1], x) != _networks.linear_gates(layers[:1], x):
            raise ArithmeticError("a gate changes within the step")
        found.append((_networks.relu_output(moved, x) - _networks.relu_output(layers, x)) / step)
    return found


def _relu_kernel(at: dict[str, Fraction]) -> Fraction:
    return _networks.inner(*(_relu_slopes(_layers(at), row) for row in _inputs(at)))


def _relu_kernel_of_the_library(**values: float) -> float:
    at = exactly(**values)
    return float(tangent_kernel(relu_network(_inputs(at), _layers(at), at_zero=0))[0][1])


START = Claim(
    id="path.conditioning.same_start",
    title="ReLU and frozen gates begin with one tangent kernel",
    protocol="A ReLU network and its copy with frozen gates begin with the same tangent kernel",
    kind=Kind.EQUATION,
    statement=Eq(Symbol(r"K_{\text{ReLU}}(x, x')", real=True), _START, evaluate=False),
    params=tuple(
        Param(own.symbol, own.domain, own.doc, (), FiniteSet(*map(Integer, (-3, -2, 2, 5))))
        for own in (*INPUTS, *_OTHER, *FIRST, *LAST)
    ),
    conditions=tuple(sympy.Ne(drive, 0) for drives in _DRIVES for drive in drives),
    assumptions=(
        f"{_NETWORK}; no pre-activation is 0",
        r"the right side is the kernel with the gates $1[u_a \cdot x \geq 0]$ as given numbers, the left side that of "
        "the ReLU network itself",
    ),
    sources=(
        Source(
            NEURAL_PATH_KERNEL,
            "section 6",
            says=Says.READ_AS,
            words="both FRNPF (DI) and ReLU start with the same NTK matrix at initialisation",
        ),
    ),
    **rational_by_name(_relu_kernel),
    numeric=_relu_kernel_of_the_library,
    drawn=24,
    unchecked={Level.SYMBOLIC: "the sign of each pre-activation decides; all are tried at drawn points"},
)

CLAIMS = (TWO_NODES, START)
