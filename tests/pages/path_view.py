"""The values of the claims on paths: arrays over levels, and slopes by the chain rule written out in arrays."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from mpmath import mp, mpf

ONE, ZERO = mpf(1), mpf(0)
SQUARES = {"u": "u11 u12 u21 u22", "w": "w11 w12 w21 w22", "a": "a11 a12 a21 a22", "b": "b11 b12 b21 b22"}


def take(at: dict, names: str) -> np.ndarray:
    """Return the named values."""
    return np.array([at[name] for name in names.split()], dtype=object)


def square(at: dict, letter: str) -> np.ndarray:
    """Return a layer of two nodes, a row for each target."""
    return take(at, SQUARES[letter]).reshape(2, 2)


def three(at: dict) -> list[np.ndarray]:
    """Return the layers of the network with two hidden levels."""
    return [square(at, "u"), square(at, "w"), take(at, "r1 r2").reshape(1, 2)]


def output(layers: Sequence[np.ndarray], gates: Sequence[np.ndarray], x: np.ndarray) -> mpf:
    """Return the output: the matrices of gates and layers multiplied first, then the input."""
    whole = layers[0]
    for gate, layer in zip(gates, layers[1:], strict=True):
        whole = layer @ (gate[:, None] * whole)
    return (whole @ x)[0]


def gradient(layers: Sequence[np.ndarray], gates: Sequence[np.ndarray], x: np.ndarray) -> np.ndarray:
    """Return the slopes of the output by all weights, by the chain rule."""
    values = [x]
    for gate, layer in zip(gates, layers, strict=False):
        values.append(gate * (layer @ values[-1]))
    back, found = np.array([ONE]), []
    for number in range(len(layers) - 1, -1, -1):
        found.append(np.outer(back, values[number]).ravel())
        if number:
            back = gates[number - 1] * (back @ layers[number])
    return np.concatenate(found)


def opened(layers: Sequence[np.ndarray], x: np.ndarray, relu: bool, strict: bool = False) -> list[np.ndarray]:
    """Return the gates of the layers, open at 0 unless `strict`."""
    gates = []
    for layer in layers:
        q = layer @ x
        gates.append(np.array([ONE if own > 0 or (own == 0 and not strict) else ZERO for own in q], dtype=object))
        x = q * gates[-1] if relu else q
    return gates


def relu(scale: mpf = ONE, **at: mpf) -> mpf:
    """Return the output of the ReLU network."""
    x = scale * take(at, "x1 x2")
    return output(three(at), opened(three(at)[:2], x, relu=True), x)


def gated(seen: np.ndarray | None = None, **at: mpf) -> mpf:
    """Return the output with linear gating."""
    x = take(at, "x1 x2")
    return output(three(at), opened([square(at, "a"), square(at, "b")], x, relu=False), x if seen is None else seen)


def third(linear: bool, **at: mpf) -> mpf:
    """Return the value of the node of the third level."""
    x = take(at, "x")
    layers = [take(at, "u11 u21").reshape(2, 1), square(at, "w"), take(at, "r1 r2").reshape(1, 2)]
    gating = layers
    if linear:
        gating = [take(at, "a11 a21").reshape(2, 1), square(at, "b"), take(at, "s1 s2").reshape(1, 2)]
    *gates, last = opened(gating, x, relu=not linear)
    return last[0] * output(layers, gates, x)


def given(at: dict, names: str) -> list[np.ndarray]:
    """Return the gates of both levels by their letters."""
    return [take(at, f"{own}1 {own}2") for own in names]


def shared(**at: mpf) -> mpf:
    """Return the paths of hidden nodes, both gates of both inputs, summed over a grid."""
    one, other = given(at, "gh"), given(at, "pq")
    return np.einsum("a,b,a,b->", one[0], one[1], other[0], other[1])


def shared_of_relu(strict: bool = False, **at: mpf) -> mpf:
    """Return the paths of hidden nodes that a ReLU network opens on both inputs."""
    layers = [square(at, "u"), square(at, "w")]
    one, other = (opened(layers, take(at, names), relu=True, strict=strict) for names in ("x1 x2", "y1 y2"))
    return np.einsum("a,b,a,b->", one[0], one[1], other[0], other[1])


def wire(**at: mpf) -> mpf:
    """Return the kernel of the network with one hidden level."""
    layers = [square(at, "u"), take(at, "r1 r2").reshape(1, 2)]
    one = gradient(layers, [take(at, "g1 g2")], take(at, "x1 x2"))
    return one @ gradient(layers, [take(at, "p1 p2")], take(at, "y1 y2"))


def printed_wire(**at: mpf) -> mpf:
    """Return the sum over input nodes of the kernels of the networks in which one input node alone is not 0."""
    layers = [square(at, "u"), take(at, "r1 r2").reshape(1, 2)]
    total = ZERO
    for node in range(2):
        only = np.array([ONE if k == node else ZERO for k in range(2)], dtype=object)
        one = gradient(layers, [take(at, "g1 g2")], take(at, "x1 x2") * only)
        total += one @ gradient(layers, [take(at, "p1 p2")], take(at, "y1 y2") * only)
    return total


def tangent(**at: mpf) -> mpf:
    """Return the kernel of the network with one input node."""
    layers = [take(at, "u11 u21").reshape(2, 1), square(at, "w"), take(at, "r1 r2").reshape(1, 2)]
    one = gradient(layers, given(at, "gh"), take(at, "x"))
    return one @ gradient(layers, given(at, "pq"), take(at, "y"))


def slack(u11: mpf, u12: mpf, r1: mpf, z1: mpf, z2: mpf, **at: mpf) -> mpf:
    """Return rho_max(V) |Xz|^2 - (Xz)^T V (Xz), where V is r^2 1 + u u^T."""
    u = np.array([u11, u12], dtype=object)
    combined = z1 * take(at, "x1 x2") + z2 * take(at, "y1 y2")
    v = np.outer(u, u) + r1**2 * np.eye(2, dtype=int)
    trace, determinant = v[0, 0] + v[1, 1], v[0, 0] * v[1, 1] - v[0, 1] ** 2
    largest = (trace + ((trace / 2) ** 2 - determinant) ** mpf("0.5") * 2) / 2
    return largest * (combined @ combined) - combined @ v @ combined


def error(**at: mpf) -> mpf:
    """Return minus the first row of the kernel times the errors."""
    layers = [take(at, "u11 u21").reshape(2, 1), take(at, "r1 r2").reshape(1, 2)]
    sides = [("x", "g1 g2", "a"), ("y", "p1 p2", "b")]
    slopes = [gradient(layers, [take(at, gates)], take(at, x)) for x, gates, _ in sides]
    errors = [output(layers, [take(at, gates)], take(at, x)) - at[label] for x, gates, label in sides]
    return -sum(slopes[0] @ slope * own for slope, own in zip(slopes, errors, strict=True))


def soft(x: mpf, gates: np.ndarray, slopes: np.ndarray, u: mpf, w: mpf, r: mpf, f: mpf, e: mpf) -> np.ndarray:
    """Return the slopes by u, w, r, f, e: products along the path, and the gates' slopes by the chain rule."""
    one, two = gates
    z = f * x * one
    one_by_f = slopes[0] * x
    two_by_e, two_by_z = slopes[1] * z, slopes[1] * e
    two_by_f = two_by_z * (x * one + f * x * one_by_f)
    value = x * u * w * r
    by_weights = [x * w * r * one * two, x * u * r * one * two, x * u * w * one * two]
    return np.array([*by_weights, value * (one_by_f * two + one * two_by_f), value * one * two_by_e], dtype=object)


def split(coupled: bool = False, **at: mpf) -> mpf:
    """Return the kernel of the network whose gates learn; `coupled`: by the weights of the paths."""
    weights = dict(zip("uwr", take(at, "u w r"), strict=True))
    weights |= {"f": at["u"], "e": at["w"]} if coupled else {"f": at["f"], "e": at["e"]}
    found = []
    for x, g, s in (("x", "g1 g2", "s1 s2"), ("y", "h1 h2", "t1 t2")):
        slopes = soft(at[x], take(at, g), take(at, s), **weights)
        if coupled:
            slopes = slopes[:3] + np.array([slopes[3], slopes[4], ZERO], dtype=object)
        found.append(slopes)
    return found[0] @ found[1]


def delta(**at: mpf) -> mpf:
    """Return the inner product of the slopes of the activities of the four hidden paths."""
    sides = []
    for g, dg, h, dh in ("aick", "bjdl"):
        first, first_slope, second, second_slope = (take(at, f"{own}1 {own}2") for own in (g, dg, h, dh))
        sides.append((np.outer(first_slope, second) + np.outer(first, second_slope)).ravel())
    return sides[0] @ sides[1]


def sensitivity(n: mpf, u11: mpf, w11: mpf, r1: mpf, **_off: mpf) -> mpf:
    """Return the product of the two other weights of the path, 0 for the fourth weight."""
    others = {1: (w11, r1), 2: (u11, r1), 3: (u11, w11), 4: (ZERO, ZERO)}[int(n)]
    return others[0] * others[1]


def jump(g1: mpf, g2: mpf, **at: mpf) -> mpf:
    """Return the squared length of the change of the features: those of the paths through the gate that switched."""
    before, after = (np.multiply.outer(take(at, "x1 x2"), g * take(at, "h1 h2")) for g in (g1, g2))
    return ((after - before) ** 2).sum()


def toy() -> mpf:
    """Return half the number of paths, of 18, through node 1 of level 1 and node 3 of level 2, open on both inputs."""
    first, second = np.array([1, 0, 0]), np.array([0, 0, 1])
    both = np.einsum("i,a,b,a,b->iab", np.ones(2, dtype=int), first, second, first, second).ravel()
    if [int(number) + 1 for number in np.flatnonzero(both)] != [3, 12]:
        raise ArithmeticError(f"the shared paths are {np.flatnonzero(both) + 1}")
    return mpf(int(both.sum())) / 2


def words(letters: mpf, layers: mpf) -> int:
    """Return the number of entries of an array with an axis of `letters` nodes for each hidden level."""
    return np.empty((int(letters),) * (int(layers) - 1), dtype=bool).size


def entries(d_in: int, w: int, d: int) -> int:
    """Return the number of entries of all layers."""
    sizes = [d_in, *[w] * (d - 1), 1]
    return sum(np.empty(shape, dtype=bool).size for shape in pairwise(sizes))


def soft_gate(epsilon: mpf, v: mpf) -> mpf:
    """Return the soft gate (1 + epsilon)/(1 + e^v)."""
    return (1 + epsilon) / (1 + mp.exp(v))


def steepest(epsilon: mpf, tau_A: mpf, beta: mpf, M: mpf) -> mpf:
    """Return the largest slope of a gate above tau_A: at the threshold, or at v = 0 where that gate is active too."""
    edge = mp.log((1 + epsilon) / tau_A - 1)
    with mp.extradps(30):
        slope = mp.diff(lambda v: soft_gate(epsilon, v), min(edge, mpf(0)))
    return -slope * beta * M


def slope_at_threshold(epsilon: mpf, tau_A: mpf, **_scales: mpf) -> mpf:
    """Return the size of the slope of the soft gating function where its value is the threshold."""
    with mp.extradps(30):
        return -mp.diff(lambda v: soft_gate(epsilon, v), mp.log((1 + epsilon) / tau_A - 1))


def activity_slope(**at: mpf) -> mpf:
    """Return the derivative of the product of three gates, by the gradient of a product written out as arrays."""
    gates, slopes = take(at, "g1 g2 g3"), take(at, "s1 s2 s3")
    others = np.array([[ONE if k == j else gates[j] for j in range(3)] for k in range(3)], dtype=object)
    return (slopes * others.prod(axis=1)).sum()


def two_node_slack(r1: mpf, r2: mpf, z1: mpf, z2: mpf, **at: mpf) -> mpf:
    """Return (Phi z)^T (rho_max(V) 1 - V) (Phi z), with the largest eigenvalue of V by Jacobi rotations."""
    u = square(at, "u")
    blocks = [np.outer(row, row) + own**2 * np.eye(2, dtype=int) for row, own in zip(u, (r1, r2), strict=True)]
    v = np.full((4, 4), ZERO)
    v[:2, :2], v[2:, 2:] = blocks
    with mp.extradps(30):
        largest = max(mp.eigsy(mp.matrix(v.tolist()), eigvals_only=True))
    features = z1 * np.outer(take(at, "g1 g2"), take(at, "x1 x2")) + z2 * np.outer(take(at, "p1 p2"), take(at, "y1 y2"))
    c = features.ravel()
    return largest * (c @ c) - c @ v @ c


def relu_start(**at: mpf) -> mpf:
    """Return the kernel of the ReLU network by the chain rule."""
    layers = [square(at, "u"), take(at, "r1 r2").reshape(1, 2)]
    inputs = [take(at, "x1 x2"), take(at, "y1 y2")]
    one, other = (gradient(layers, opened(layers[:1], x, relu=True), x) for x in inputs)
    return one @ other


def constant_experts(**at: mpf) -> mpf:
    """Return the inner product of the indicators of active paths with linear gating."""
    layers = [square(at, "a"), square(at, "b")]
    active = [np.outer(*opened(layers, take(at, names), relu=False)).ravel() for names in ("x1 x2", "y1 y2")]
    return active[0] @ active[1]


def biased(x: mpf, c3: mpf, **at: mpf) -> mpf:
    """Return the output of two ReLU units with biases."""
    drives = take(at, "u1 u2") * x + take(at, "c1 c2")
    return take(at, "q1 q2") @ np.maximum(drives, ZERO) + c3


def one_node(x: mpf, y: mpf, u: mpf, r: mpf, g: mpf, h: mpf, s: mpf, t: mpf, a: mpf, b: mpf) -> tuple:
    """Return the slopes of both outputs by u, r and the weight of the gate, and both errors."""
    slopes = [
        np.array([r * gate * z, u * gate * z, u * r * slope * z * z]) for z, gate, slope in ((x, g, s), (y, h, t))
    ]
    return slopes, [u * r * g * x - a, u * r * h * y - b]


def learned_error(**at: mpf) -> mpf:
    """Return the velocity of the first error: its slopes times minus the gradient of the loss."""
    slopes, errors = one_node(**at)
    return slopes[0] @ -(slopes[0] * errors[0] + slopes[1] * errors[1])


def learned_weight(**at: mpf) -> mpf:
    """Return the velocity of the first weight."""
    slopes, errors = one_node(s=ZERO, t=ZERO, **at)
    return -(slopes[0] * errors[0] + slopes[1] * errors[1])[0]


def learned_feature(x: mpf, v1: mpf, v2: mpf, **at: mpf) -> mpf:
    """Return the velocity of a feature: the gradient of the product of gates times their velocities."""
    speeds = v1 * take(at, "a1 a2") + v2 * take(at, "b1 b2")
    return x * (speeds @ take(at, "g2 g1"))


def alignment(t: mpf, rho_1: mpf, rho_2: mpf, y1: mpf, y2: mpf) -> mpf:
    """Return y^T (H / tr H)^-1 y by the inverse matrix."""
    angle = 2 * mp.atan(t)
    turn = mp.matrix([[mp.cos(angle), -mp.sin(angle)], [mp.sin(angle), mp.cos(angle)]])
    h = turn * mp.diag([rho_1, rho_2]) * turn.T
    labels = mp.matrix([y1, y2])
    return (labels.T * mp.inverse(h / (h[0, 0] + h[1, 1])) * labels)[0]


def concentration(rho: mpf, y1: mpf, y2: mpf) -> mpf:
    """Return the sign of the slope of the alignment by its first eigenvalue, with the trace kept."""
    return mp.sign((y2 / (1 - rho)) ** 2 - (y1 / rho) ** 2)


VALUES = {
    "path.alignment.concentration": concentration,
    "path.learned.weights": learned_weight,
    "path.learned.errors": learned_error,
    "path.learned.feature": learned_feature,
    "path.alignment.eigenvectors": alignment,
    "path.experts.kernel": constant_experts,
    "path.experts.bias": biased,
    "path.conditioning.two_nodes": two_node_slack,
    "path.conditioning.same_start": relu_start,
    "path.soft.range": lambda epsilon: soft_gate(epsilon, -mp.inf),
    "path.soft.threshold": steepest,
    "path.soft.flat_gate": lambda epsilon, **at: steepest(epsilon, **at) * soft_gate(epsilon, -mp.inf),
    "path.soft.activity": activity_slope,
    "path.soft.sensitive_path": lambda tau_S, tau_A, a, b, c: (
        np.prod([tau_S + a, tau_A + b, tau_A + c]) - np.prod([tau_S, tau_A, tau_A])
    ),
    "path.output.sum": lambda **at: output(three(at), given(at, "gh"), take(at, "x1 x2")),
    "path.output.homogeneous": lambda c, **at: relu(c, **at),
    "path.output.deep_linear": lambda **at: output(three(at), [np.array([ONE, ONE])] * 2, take(at, "x1 x2")),
    "path.output.count": lambda d_in, w, d: mpf(int(d_in) * words(w, d)),
    "path.output.size": lambda d_in, w, d: mpf(entries(int(d_in), int(w), int(d))),
    "path.experts.relu": relu,
    "path.experts.linearly_gated": gated,
    "path.experts.constant": lambda **at: gated(np.array([ONE, ONE]), **at),
    "path.experts.hidden_relu": lambda **at: third(linear=False, **at),
    "path.experts.hidden_gated": lambda **at: third(linear=True, **at),
    "path.overlap.product": shared,
    "path.overlap.hadamard": lambda x1, x2, y1, y2, **at: (x1 * y1 + x2 * y2) * shared(**at),
    "path.overlap.relu": shared_of_relu,
    "path.overlap.toy": toy,
    "path.overlap.decay": lambda k, r, d: mpf(words(k, d)) / words(r, d),
    "path.kernel.sensitivity": sensitivity,
    "path.kernel.tangent": tangent,
    "path.kernel.signal_wire": wire,
    "path.kernel.conditioning": slack,
    "path.kernel.switch": jump,
    "path.dynamics.error": error,
    "path.dynamics.value": lambda s1, s2, s3, u11, w11, r1: s1 * w11 * r1 + u11 * s2 * r1 + u11 * w11 * s3,
    "path.split.decoupled": split,
    "path.split.coupled": lambda **at: split(coupled=True, **at),
    "path.split.sensitivity": delta,
}
PRINTED = {
    "path.soft.range": lambda epsilon: ONE,
    "path.soft.threshold": slope_at_threshold,
    "path.soft.flat_gate": lambda epsilon, **at: slope_at_threshold(epsilon, **at) * soft_gate(epsilon, -mp.inf),
    "path.kernel.signal_wire": printed_wire,
    "path.overlap.decay": lambda k, r, d: (k / r) ** d,
    "path.overlap.relu": lambda **at: shared_of_relu(strict=True, **at),
    "path.experts.hidden_relu": lambda **_at: None,
    "path.experts.hidden_gated": lambda **_at: None,
}
