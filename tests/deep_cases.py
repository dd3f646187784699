"""Deep networks with their problem, and one pass through them in plain loops, from the definitions."""

from fractions import Fraction
from itertools import product
from math import exp

from theory.problem import (
    AllOpenGates,
    BernoulliGates,
    CircularConvolution,
    DeepNetwork,
    FiniteData,
    FixedGates,
    HardResponse,
    InitialByName,
    NetworkGates,
    NormalInitialisation,
    OwnGates,
    Problem,
    SoftResponse,
    Training,
)

CLOSED, OPEN, SOFT = HardResponse("closed"), HardResponse("open"), SoftResponse(2, "1/10")
DATA = FiniteData([[1, 2, -1], [0, -1, 3], ["1/2", 1, 1], [0, 0, 0]], [1, 0, -1, 2])
FULL = (
    ("Theta_1", [[1, -1, 2], [0, 1, "1/2"], [-1, -1, 0]]),
    ("Theta_2", [[2, 1, -1], [-1, "1/3", 1]]),
    ("Theta_3", [["3/2", -2]]),
)
SECOND = (("Theta_g_1", [[1, 1, 0], [0, -1, 1], [1, 0, -1]]), ("Theta_g_2", [[1, -1, 1], [-2, 1, 0]]))
SHARED = (
    ("Theta_1", [[[1, -1]], [["1/2", 2]]]),
    ("Theta_2", [[[1, 0], [-1, 2]], [[-1, 1], [1, "1/3"]], [[2, 1], [0, -1]]]),
    ("Theta_3", [[1, -2, 3]]),
)
SHARED_SECOND = (
    ("Theta_g_1", [[[1, 1]], [[-1, 1]]]),
    ("Theta_g_2", [[[1, -1], [0, 1]], [[0, 1], [1, -1]], [[1, 1], [-1, 0]]]),
)
GATINGS = {
    "own, hard": OwnGates(CLOSED),
    "own, hard, open at 0": OwnGates(OPEN),
    "own, soft": OwnGates(SOFT),
    "open": AllOpenGates(),
    "bernoulli": BernoulliGates("1/2", 1),
    "relu network": NetworkGates("relu", CLOSED, True),
    "relu network, soft": NetworkGates("relu", SOFT, False),
    "gated network, soft": NetworkGates("gated", SOFT, False),
    "linear network": NetworkGates("linear", OPEN, False),
    "linear network, soft": NetworkGates("linear", SOFT, False),
    "the same network": NetworkGates("relu", CLOSED, True, "same"),
}
FIXED = {
    "full": FixedGates([[[1, 0, 1], [0, 1, 1], ["1/2", 0, 2], [1, 1, 1]], [[1, 1], [0, 1], [1, 0], [0, 0]]]),
    "shared": FixedGates(
        [
            [[1, 0, 1, 0, 1, 1], [0, 1, 1, 1, 0, 1], ["1/2", 0, 2, 0, 0, 0], [1, 1, 1, 1, 1, 1]],
            [[1, 1, 0, 0, 1, 0, 1, 0, 1], [0, 1] * 4 + [0], [1] * 9, [0] * 9],
        ]
    ),
}


def cases():
    """Each kind of gates, fully connected and convolutional; a second network also with ones."""
    for shape in ("full", "shared"):
        for name, gating in {**GATINGS, "fixed": FIXED[shape]}.items():
            yield f"{shape}, {name}", problem_of(shape, gating)
            if isinstance(gating, NetworkGates | BernoulliGates):
                yield f"{shape}, {name}, ones", problem_of(shape, gating, value_input="ones")


def problem_of(shape, gating, value_input="x", data=DATA):
    """The problem of a network with given weights: levels of 3 and 2 nodes, or of 2 and 3 channels."""
    full = shape == "full"
    first, second = (FULL, SECOND) if full else (SHARED, SHARED_SECOND)
    named = first + (second if isinstance(gating, NetworkGates) and gating.start == "own" else ())
    layers = {} if full else {"architecture": CircularConvolution(2)}
    network = DeepNetwork((3, 2) if full else (2, 3), gating, value_input=value_input, **layers)
    return Problem(data, network, Training("half-mse", 1, InitialByName(named), (1,)))


def drawn(widths, gating, data=DATA, scale=1, **more):
    """The problem of a network whose weights a law draws."""
    training = Training("half-mse", 1, NormalInitialisation(scale, 0), (1,))
    return Problem(data, DeepNetwork(widths, gating, **more), training)


def loops(problem, s):
    """One input: the gates of each level, the preactivations and the output, in fractions and plain loops.

    A convolution is written node by node: node (c, i) of a level adds up Theta(c, c', k) z(c', i + k).
    """
    network, x = problem.network, list(problem.data.x[s])
    weights = {name: start for name, start in problem.training.w0.starts}
    for name in network.gating_names:
        weights.setdefault(name, weights[name.replace("_g", "")])
    decided = None
    if isinstance(network.gating, NetworkGates):
        decided, z = [], x
        for name in network.gating_names:
            q = drive(network, weights[name], z, len(x))
            decided.append([response(network.gating.gate, value) for value in q])
            if network.gating.network == "relu":
                z = [value if value > 0 else Fraction(0) for value in q]
            elif network.gating.network == "linear":
                z = q
            else:
                z = [value * gate for value, gate in zip(q, decided[-1], strict=True)]
    z = x if network.value_input == "x" else [Fraction(1)] * len(x)
    gates, drives = [], []
    for level, name in enumerate(network.names[:-1]):
        q = drive(network, weights[name], z, len(x))
        if decided is not None:
            values = decided[level]
        elif isinstance(network.gating, OwnGates):
            values = [response(network.gating.gate, value) for value in q]
        elif isinstance(network.gating, FixedGates):
            values = network.gating.values[level][s]
        elif isinstance(network.gating, BernoulliGates):
            values = [Fraction(g) for g in network.gating.drawn(level + 1, len(problem.data.x), len(q))[s]]
        else:
            values = [Fraction(1)] * len(q)
        z = [value * gate for value, gate in zip(q, values, strict=True)]
        gates.append(list(values))
        drives.append(q)
    if isinstance(network.architecture, CircularConvolution):
        n = len(x)
        z = [sum(z[c * n + i] for i in range(n)) / Fraction(n) for c in range(len(z) // n)]
    return gates, drives, sum(w * value for w, value in zip(weights[network.names[-1]][0], z, strict=True))


def drive(network, theta, z, n):
    """Theta z of one level."""
    if not isinstance(network.architecture, CircularConvolution):
        return [sum(theta[i][j] * z[j] for j in range(len(z))) for i in range(len(theta))]
    outputs = []
    for c, i in product(range(len(theta)), range(n)):
        total = Fraction(0)
        for before, k in product(range(len(theta[c])), range(network.architecture.window)):
            total += theta[c][before][k] * z[before * n + (i + k) % n]
        outputs.append(total)
    return outputs


def is_soft(problem):
    """Whether gates are numbers of float64, with its rounding."""
    return isinstance(getattr(problem.network.gating, "gate", None), SoftResponse)


def sum_over_paths_of_sizes(problem, s, gates):
    """The sum of |phi(p) v(p)| over the paths of one input, to which roundings of the output are relative."""
    network, x = problem.network, problem.data.x[s]
    weights = dict(problem.training.w0.starts)
    z = [abs(value) for value in x] if network.value_input == "x" else [Fraction(1)] * len(x)
    for name, values in zip(network.names[:-1], gates, strict=True):
        sizes = absolute(weights[name])
        z = [abs(g) * q for g, q in zip(values, drive(network, sizes, z, len(x)), strict=True)]
    if isinstance(network.architecture, CircularConvolution):
        z = [sum(z[c * len(x) : (c + 1) * len(x)]) / Fraction(len(x)) for c in range(len(z) // len(x))]
    return sum(abs(w) * value for w, value in zip(weights[network.names[-1]][0], z, strict=True))


def absolute(numbers):
    """Nested numbers without their signs."""
    return [absolute(each) for each in numbers] if isinstance(numbers, tuple) else abs(numbers)


def response(gate, q):
    """chi(q)."""
    if isinstance(gate, SoftResponse):
        return Fraction(float(1 + gate.epsilon) / (1 + exp(-float(gate.beta * q))))
    if q == 0:
        return Fraction(gate.at_zero == "open")
    return Fraction(q > 0)
