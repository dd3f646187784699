"""Switching instants: the times at which the neural path feature of an input changes. Neural path kernel, Def. 3.3.

Features are compared without an enumeration of paths. With gates G before and G' after, and the same input x,

    |phi' - phi|^2 = |x|^2 (prod_l <G_l, G_l> - 2 prod_l <G_l, G'_l> + prod_l <G'_l, G'_l>)

A gate may switch and change no feature: where a whole level of gates is closed, or x is 0.
"""

import itertools
from collections.abc import Sequence
from fractions import Fraction
from math import prod

from theory.paths.network import Rows, WeightedNetwork, inner
from theory.problem.errors import InputError
from theory.problem.numbers import exact


def feature_change(before: WeightedNetwork, after: WeightedNetwork, number: int) -> Fraction:
    """Return |phi' - phi|^2, the squared change of the feature of one input between two networks.

    Both have the same inputs and widths, or InputError is raised; their weights do not matter.

    >>> from theory.paths.network import weighted
    >>> one, two = (weighted([[2]], [[[1, own]]], [[[1], [1]], [[1, 1]]]) for own in (0, 1))
    >>> feature_change(one, two, 0)
    Fraction(4, 1)
    """
    if before.inputs != after.inputs or before.widths != after.widths:
        raise InputError(
            f"Networks of widths {before.widths} and {after.widths} are compared on inputs that must be the same.",
            "Give the same network and inputs at two times.",
        )
    one, two = before.gates(number), after.gates(number)
    square = sum((entry**2 for entry in before.inputs[number]), start=Fraction(0))
    return square * (_product(one, one) - 2 * _product(one, two) + _product(two, two))


def switching_instants(times: Sequence[Fraction | int], networks: Sequence[WeightedNetwork]) -> tuple[Fraction, ...]:
    """Return the first time, and each time at which the feature of an input is not what it was at the time before.

    `networks` are one network at increasing `times`. Between two of the times nothing is known. Raises InputError for
    times that do not increase, or are not one for each network.

    >>> from theory.paths.gating import relu_network
    >>> nets = [relu_network([[1, 2]], [[[1, w]], [[1]]], at_zero=0) for w in (1, 0, -1, -2)]
    >>> [int(time) for time in switching_instants((0, 1, 2, 3), nets)]  # 1 + 2 w is negative from the third on
    [0, 2]
    """
    instants = [exact(time, "a time") for time in times]
    if len(instants) != len(networks) or any(b <= a for a, b in itertools.pairwise(instants)):
        raise InputError(
            f"{len(instants)} times are given for {len(networks)} networks, or they do not increase.",
            "Give each network its time, in increasing order.",
        )
    changes = instants[:1]
    for number, time in enumerate(instants[1:], 1):
        before, after = networks[number - 1], networks[number]
        if any(feature_change(before, after, example) for example in range(len(before.inputs))):
            changes.append(time)
    return tuple(changes)


def _product(one: Rows, other: Rows) -> Fraction:
    return prod(
        (inner(p, q) for p, q in zip(one, other, strict=True)),
        start=Fraction(1),
    )
