"""Witnesses of the claims on soft gates, conditioning, gated gradient flow and alignment: slopes of polynomials."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import product

from claims_path import _GATING, Matrix, Row, _backwards, _dot, _gradient, _named, _opened, _points, _slope, _square
from witness import At, Witness, solve


def _soft_gate(at: At, s: Fraction) -> Fraction:
    return (1 + at["epsilon"]) / (1 + s)


def _soft_threshold(at: At, _digits: int) -> Fraction:
    """The slope is a parabola in the value of the gate: through its values at s = 1, 2, 3, then its vertex."""
    top = 1 + at["epsilon"]
    gates = [_soft_gate(at, Fraction(s)) for s in (1, 2, 3)]
    # -dG/ds by the quotient rule is (1 + epsilon)/(1 + s)^2, and dG/dq = -beta s dG/ds.
    slopes = [at["beta"] * s * top / (1 + s) ** 2 for s in (1, 2, 3)]
    first = (slopes[1] - slopes[0]) / (gates[1] - gates[0])
    second = ((slopes[2] - slopes[1]) / (gates[2] - gates[1]) - first) / (gates[2] - gates[0])
    linear = first - second * (gates[0] + gates[1])
    largest = max(at["tau_A"], -linear / (2 * second))
    return at["M"] * (slopes[0] + (largest - gates[0]) * (first + second * (largest - gates[1])))


def _soft_supremum(at: At, _digits: int) -> Fraction:
    """The limit of the gate at large q: its values at s = t and 2 t determine (1 + epsilon)/(1 + s) at s = 0."""
    one, two = 1 / _soft_gate(at, Fraction(1)), 1 / _soft_gate(at, Fraction(2))
    return 1 / (2 * one - two)


def _activity_slope(at: At, _digits: int) -> Fraction:
    return _slope(
        lambda step: (at["g1"] + at["s1"] * step) * (at["g2"] + at["s2"] * step) * (at["g3"] + at["s3"] * step)
    )


def _excess(at: At, _digits: int) -> Fraction:
    """The climb from the thresholds to the values, one factor after another."""
    slope, first, second = (
        (at["tau_S"], at["tau_S"] + at["a"]),
        (at["tau_A"], at["tau_A"] + at["b"]),
        (at["tau_A"], at["tau_A"] + at["c"]),
    )
    climbs = [
        (slope[1] - slope[0]) * first[0] * second[0],
        slope[1] * (first[1] - first[0]) * second[0],
        slope[1] * first[1] * (second[1] - second[0]),
    ]
    return sum(climbs, Fraction(0))


def _two_level(at: At) -> list[Matrix]:
    return [_square(at, "u"), [_named(at, "r1 r2")]]


def _weights_of(layers: Sequence[Matrix]) -> Row:
    return [value for layer in layers for row in layer for value in row]


def _from_weights(row: Row) -> list[Matrix]:
    return [[row[0:2], row[2:4]], [row[4:6]]]


def _conditioned(at: At, _digits: int) -> Fraction:
    """The kernels by the gradient of each path; the largest eigenvalue of a block of V is that of its vector u."""
    start = _weights_of(_two_level(at))
    nodes = list(product(range(2), repeat=2))  # hidden node, input node
    gradients = [
        _gradient(lambda row, a=a, i=i: _from_weights(row)[0][a][i] * _from_weights(row)[1][0][a], start)
        for a, i in nodes
    ]
    largest = Fraction(0)
    for a in range(2):
        # V u = (r^2 + u.u) u on the paths of a node, by which the eigenvalue of u is read off.
        u = start[2 * a : 2 * a + 2]
        block = [[_dot(gradients[2 * a + i], gradients[2 * a + j]) for j in range(2)] for i in range(2)]
        image = [_dot(row, u) for row in block]
        largest = max(largest, _dot(image, u) / _dot(u, u))
    z = _named(at, "z1 z2")
    gates = [_named(at, "g1 g2"), _named(at, "p1 p2")]
    inputs = [_named(at, "x1 x2"), _named(at, "y1 y2")]
    combined = [sum(z[s] * gates[s][a] * inputs[s][i] for s in range(2)) for a, i in nodes]
    whole = [sum(c * gradient[k] for c, gradient in zip(combined, gradients, strict=True)) for k in range(6)]
    return largest * _dot(combined, combined) - _dot(whole, whole)


def _relu_start(at: At, _digits: int) -> Fraction:
    """The gradients of both outputs with the signs of the pre-activations kept."""
    layers = _two_level(at)
    slopes = []
    for x in (_named(at, "x1 x2"), _named(at, "y1 y2")):
        gates = [[Fraction(int(_dot(row, x) > 0)) for row in layers[0]]]
        slopes.append(
            _gradient(lambda row, x=x, gates=gates: _backwards(_from_weights(row), gates, x), _weights_of(layers))
        )
    return _dot(*slopes)


def _constant_experts(at: At, _digits: int) -> Fraction:
    """The number of hidden paths that linear gating opens on both inputs, as a sum over pairs of nodes."""
    layers = [_square(at, "a"), _square(at, "b")]
    gates = [_opened(layers, _named(at, names), rectified=False) for names in ("x1 x2", "y1 y2")]
    shared = [[one * other for one, other in zip(*level, strict=True)] for level in zip(*gates, strict=True)]
    return sum((one * other for one in shared[0] for other in shared[1]), Fraction(0))


def _biases(at: At, _digits: int) -> Fraction:
    drives = [at["u1"] * at["x"] + at["c1"], at["u2"] * at["x"] + at["c2"]]
    return at["c3"] + sum(
        (weight * q for weight, q in zip((at["q1"], at["q2"]), drives, strict=True) if q > 0), Fraction(0)
    )


def _one_node(at: At, row: Row) -> tuple[Fraction, Fraction]:
    """Both errors of the network with one hidden node, at the weights u, r and the change of the weight of the gate."""
    first, last, gating = row
    return tuple(
        last * (at[gate] + (at[slope] * at[x] * gating if slope in at else 0)) * first * at[x] - at[label]
        for x, gate, slope, label in (("x", "g", "s", "a"), ("y", "h", "t", "b"))
    )


def _velocities(at: At) -> Row:
    start = [at["u"], at["r"], Fraction(0)]
    return [-slope for slope in _gradient(lambda row: sum(error**2 for error in _one_node(at, row)) / 2, start)]


def _error_with_learned_gates(at: At, _digits: int) -> Fraction:
    start = [at["u"], at["r"], Fraction(0)]
    return _dot(_gradient(lambda row: _one_node(at, row)[0], start), _velocities(at))


def _feature_velocity(at: At, _digits: int) -> Fraction:
    speeds = [at[f"a{k}"] * at["v1"] + at[f"b{k}"] * at["v2"] for k in (1, 2)]
    return _slope(lambda time: at["x"] * (at["g1"] + speeds[0] * time) * (at["g2"] + speeds[1] * time))


def _aligned(at: At, _digits: int) -> Fraction:
    """By elimination, from the entries of H."""
    c, s = 1 - at["t"] ** 2, 2 * at["t"]
    size = c**2 + s**2
    h11 = (at["rho_1"] * c**2 + at["rho_2"] * s**2) / size
    h22 = (at["rho_1"] * s**2 + at["rho_2"] * c**2) / size
    h12 = (at["rho_1"] - at["rho_2"]) * c * s / size
    z = solve([[h11, h12], [h12, h22]], [at["y1"], at["y2"]])
    return (h11 + h22) * _dot(z, [at["y1"], at["y2"]])


def _moved_share(at: At, _digits: int) -> int:
    """The slope of y'K^-1 y is -z'K'z with K z = y, here for eigenvectors (3, 4)/5 and (-4, 3)/5."""
    c, s = Fraction(3, 5), Fraction(4, 5)
    labels = [at["y1"] * c - at["y2"] * s, at["y1"] * s + at["y2"] * c]

    def kernel(first: Fraction, second: Fraction) -> Matrix:
        off = (first - second) * c * s
        return [[first * c**2 + second * s**2, off], [off, first * s**2 + second * c**2]]

    z = solve(kernel(at["rho"], 1 - at["rho"]), labels)
    slope = -_dot(z, [_dot(row, z) for row in kernel(Fraction(1), Fraction(-1))])
    return (slope > 0) - (slope < 0)


WITNESSES = {
    "path.learned.weights": Witness(lambda at, _digits: _velocities(at)[0], _points("x y a b u r g h", gates="g h")),
    "path.learned.errors": Witness(_error_with_learned_gates, _points("x y a b u r g h s t", gates="g h")),
    "path.learned.feature": Witness(_feature_velocity, _points("x g1 g2 a1 a2 b1 b2 v1 v2", gates="g1 g2")),
    "path.alignment.eigenvectors": Witness(
        _aligned,
        (
            "t=0 rho_1=1/2 rho_2=3 y1=1 y2=-1",
            "t=1/3 rho_1=2 rho_2=1/5 y1=1 y2=1",
            "t=-2 rho_1=7 rho_2=1/2 y1=-1/2 y2=3",
            "t=5 rho_1=1/3 rho_2=1/3 y1=2 y2=1/7",
        ),
    ),
    "path.alignment.concentration": Witness(
        _moved_share, ("rho=1/2 y1=2 y2=1", "rho=3/4 y1=2 y2=1", "rho=2/3 y1=2 y2=1", "rho=1/5 y1=3 y2=1/4")
    ),
    "path.experts.kernel": Witness(_constant_experts, _points(f"x1 x2 y1 y2 {_GATING}", 8)),
    "path.experts.bias": Witness(_biases, _points("x u1 u2 c1 c2 c3 q1 q2", 8)),
    "path.conditioning.two_nodes": Witness(
        _conditioned, _points("x1 x2 y1 y2 z1 z2 g1 g2 p1 p2 u11 u12 u21 u22 r1 r2", gates="g1 g2 p1 p2")
    ),
    "path.conditioning.same_start": Witness(
        _relu_start,
        (
            "x1=2 x2=1 y1=1 y2=2 u11=1 u12=1 u21=3 u22=-2 r1=2 r2=-1",
            "x1=1/2 x2=-1 y1=3 y2=1/3 u11=2 u12=1/4 u21=1 u22=1/5 r1=-3 r2=2",
            "x1=-1 x2=3 y1=-2 y2=5 u11=1 u12=2 u21=-1 u22=1/7 r1=1/2 r2=5",
            "x1=4 x2=1 y1=2 y2=-7 u11=1 u12=1/3 u21=5 u22=1/2 r1=-1 r2=1/3",
        ),
    ),
    "path.soft.range": Witness(_soft_supremum, ("epsilon=0", "epsilon=1/10", "epsilon=2/5", "epsilon=3")),
    "path.soft.threshold": Witness(
        _soft_threshold,
        (
            "epsilon=0 tau_A=1/5 beta=1 M=1",
            "epsilon=1/10 tau_A=9/10 beta=4 M=1/3",
            "epsilon=2/5 tau_A=7/10 beta=8 M=2",
            "epsilon=1 tau_A=9/5 beta=1/2 M=3",
        ),
    ),
    "path.soft.flat_gate": Witness(
        lambda at, digits: _soft_threshold(at, digits) * _soft_supremum(at, digits),
        (
            "epsilon=0 tau_A=1/4 beta=1 M=1",
            "epsilon=1/10 tau_A=4/5 beta=4 M=1/3",
            "epsilon=2/5 tau_A=3/10 beta=8 M=2",
            "epsilon=1 tau_A=9/5 beta=1/2 M=3",
        ),
    ),
    "path.soft.activity": Witness(_activity_slope, _points("g1 g2 g3 s1 s2 s3", gates="g1 g2 g3")),
    "path.soft.sensitive_path": Witness(
        _excess,
        (
            "tau_S=1/2 tau_A=9/10 a=1/3 b=1/20 c=1/50",
            "tau_S=1/10 tau_A=1/2 a=2 b=1/4 c=1/3",
            "tau_S=3 tau_A=2 a=1/7 b=5 c=1/9",
            "tau_S=1 tau_A=1/3 a=1 b=2/5 c=7",
        ),
    ),
}
