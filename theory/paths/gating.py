"""Gates from pre-activations, exact: those of a ReLU network, of a network beside it, and of linear gating.

The papers differ at a pre-activation of exactly 0: deep gated networks and the neural path kernel have 1[q > 0],
half-space feature learning has 1[q >= 0]. So `at_zero`, the value of a gate there, has no default. The output does not
depend on it where a gate multiplies its own pre-activation, as in a ReLU network; the active paths do.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction

from theory.kernels.network import GivenValues
from theory.paths.network import Rows, WeightedNetwork, weighted
from theory.problem.errors import InputError
from theory.problem.numbers import shown

VALUE_INPUTS = ("x", "ones")
Layers = Sequence[Sequence[Sequence[Fraction | int]]]
Inputs = Sequence[Sequence[Fraction | int]]


def relu_gates(inputs: Inputs, weights: Layers, at_zero: int) -> tuple[GivenValues, ...]:
    """Return the gates G_l = 1[q_l > 0] of a ReLU network, q_l = Theta_l z_(l-1), z_l = G_l q_l; `at_zero` is 0 or 1.

    Of the last layer of weights, which has no gates, nothing is used.

    >>> [[int(g) for g in level.rows[0]] for level in relu_gates([[1, 2]], [[[1, 1], [1, -1]], [[1, 5]]], at_zero=0)]
    [[1, 0]]
    """
    return _gates(inputs, weights, at_zero, lambda gate, q: gate * q)


def linear_gates(inputs: Inputs, weights: Layers, at_zero: int) -> tuple[GivenValues, ...]:
    """Return the gates G_l = 1[eta_l > 0] of linear gating, eta_l = W_l eta_(l-1), eta_0 = x; `at_zero` is 0 or 1.

    >>> gates = linear_gates([[1, 2]], [[[1, 1], [1, -1]], [[1, 4], [1, 3]], [[1, 1]]], at_zero=1)
    >>> [[int(g) for g in level.rows[0]] for level in gates]  # eta_1 = (3, -1), eta_2 = (-1, 0)
    [[1, 0], [0, 1]]
    """
    return _gates(inputs, weights, at_zero, lambda _gate, q: q)


def relu_network(inputs: Inputs, weights: Layers, at_zero: int) -> WeightedNetwork:
    """Return the ReLU network with its own gates, Theorem 1 of half-space feature learning.

    >>> from theory.paths.enumeration import output_over_paths
    >>> int(output_over_paths(relu_network([[1, 2]], [[[1, 1], [1, -1]], [[2, 5]]], at_zero=0), 0))  # 2 relu(3)
    6
    """
    return _with(inputs, relu_gates(inputs, weights, at_zero), weights)


def linearly_gated(inputs: Inputs, weights: Layers, gating: Layers, at_zero: int, value_input: str) -> WeightedNetwork:
    """Return the deep linearly gated network: gates of linear gating by `gating`, values by `weights`.

    The value network sees x, or ones (`value_input`): then the output is piecewise constant. Theorem 2 and section 2.3
    of half-space feature learning. Raises InputError for another `value_input`.

    >>> from theory.paths.enumeration import output
    >>> net = linearly_gated([[1, 2]], [[[1, 1]], [[5]]], [[[1, 1]], [[1]]], at_zero=1, value_input="ones")
    >>> int(output(net, 0))
    10
    """
    if value_input not in VALUE_INPUTS:
        raise InputError(f"value_input = {shown(value_input)} is unknown.", f"Known: {', '.join(VALUE_INPUTS)}.")
    seen = inputs if value_input == "x" else [[1] * len(row) for row in inputs]
    return _with(seen, linear_gates(inputs, gating, at_zero), weights)


def _with(inputs: Inputs, gates: tuple[GivenValues, ...], weights: Layers) -> WeightedNetwork:
    return weighted(inputs, [level.rows for level in gates], weights)


def _gates(
    inputs: Inputs, weights: Layers, at_zero: int, onwards: Callable[[int, Fraction], Fraction]
) -> tuple[GivenValues, ...]:
    """Return the gates of the hidden levels; `onwards` gives a node's value from its gate and its pre-activation."""
    if at_zero not in (0, 1):
        raise InputError(f"at_zero = {shown(at_zero)} is no gate.", "Give 0 for 1[q > 0], 1 for 1[q >= 0].")
    nodes: Rows = GivenValues(inputs).rows
    levels = []
    for number, layer in enumerate(weights[:-1], 1):
        if any(len(row) != len(nodes[0]) for row in layer):
            raise InputError(
                f"Layer {number} has rows of {sorted({len(row) for row in layer})} weights, and the level before has "
                f"{len(nodes[0])} nodes.",
                "A row has a weight for each node of the level before.",
            )
        drive = [
            [sum((Fraction(w) * z for w, z in zip(row, values, strict=True)), start=Fraction(0)) for row in layer]
            for values in nodes
        ]
        open_ = [[at_zero if q == 0 else int(q > 0) for q in row] for row in drive]
        levels.append(GivenValues(open_))
        nodes = tuple(
            tuple(onwards(gate, q) for gate, q in zip(gates, row, strict=True))
            for gates, row in zip(open_, drive, strict=True)
        )
    return tuple(levels)
