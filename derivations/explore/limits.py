"""The largest problems that the explorer draws, maps and trains, by their costs; larger ones are refused by name.

Costs were measured with one thread on a shared processor of two cores. With two classes on 500 open sites the slowest
answer about data, statistics of samples, took 0.7 s and 0.5 GB; on 800 sites 8 s. The exact fields of gated units took
2 s for K n = 1400 and 12 s for K n = 2000; on a map 0.003 s for K n = 80 and 1.2 s for K n = 1000. A matrix product of
the gradient descent of a small graph took 12 to 17 microseconds.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from theory.problem import InputError, Law, OutOfReachError, Problem

if TYPE_CHECKING:
    from theory.flow.graph.gradient_flow import GraphFlow

SITES = 500  # of a law with up to two classes
WEIGHTS = 1400  # K n of gated units whose moments and fields are computed exactly
LONGEST = 1800.0  # seconds of processor time for the networks of one problem
LONGEST_DESCENT = 10.0  # seconds of processor time for the theory of a graph, for which the page waits
_FIELD = 5e-3  # seconds of an exact field of few weights
_CUBED = 1.2e-9  # seconds of an exact field for the cube of its number of weights K n
_PRODUCT = 1.5e-5  # seconds of a product of two small matrices
_MULTIPLICATION = 1e-9  # seconds of one multiplication in a product of large ones
_STEP = 2.5e-3  # seconds of a step without its examples
_EXAMPLE = 2.2e-7  # seconds for one example of one network, per site: of ten ReLU units on 40 sites


def most_sites(classes: int) -> int:
    """Return the largest number n of sites that is drawn: C n^3 is at most that of two classes on SITES sites.

    The factors and eigenvalues of an n x n covariance of each of the C classes take a time that grows as C n^3.

    >>> most_sites(1), most_sites(2), most_sites(16)
    (500, 500, 250)
    """
    return round(SITES * (2 / max(classes, 2)) ** (1 / 3))


def refuse_large(law: Law) -> None:
    """Raise OutOfReachError, whose kind is the control, for a law on more sites than are drawn.

    Images have the pixels of their data set, at most 784, and are always drawn.
    """
    most = most_sites(law.classes)
    if law.n <= most or hasattr(law, "downsample"):
        return
    raise OutOfReachError(
        f"The law has {law.n} sites; the explorer draws at most {most} with {law.classes} "
        f"class{'es' * (law.classes > 1)}, because the time for their covariances grows as n³.",
        f"Take at most {most} sites here, or train networks on more with gdln simulate.",
        "data.shape" if hasattr(law, "shape") else "data.n",
    )


def refuse_many_weights(problem: Problem) -> None:
    """Raise OutOfReachError where the units of one layer have more weights than are solved for while the page waits."""
    weights = problem.one_layer.units * problem.data.n
    if weights > WEIGHTS:
        raise OutOfReachError(
            f"The {problem.one_layer.units} units have {weights} weights on {problem.data.n} sites; the explorer "
            f"computes exact moments and fields for at most {WEIGHTS}.",
            "Take fewer units or sites here, or run gdln solve.",
        )


def seconds_of_training(problem: Problem, steps: float) -> float:
    """Return the estimated processor time of all networks of a problem through this many steps, in seconds."""
    settings = problem.simulated()
    return steps * (_STEP + settings.replicates * settings.batch * problem.data.n * _EXAMPLE)


def refuse_long(problem: Problem) -> None:
    """Raise InputError, whose kind is `until`, where the networks are estimated to take longer than LONGEST.

    `problem` has the times and the simulation with which it is trained.
    """
    settings, end = problem.simulated(), float(problem.training.times[-1])
    step = float(problem.training.tau * settings.learning_rate)
    needed = seconds_of_training(problem, end / step)
    if needed <= LONGEST:
        return
    largest = float(f"{step * LONGEST / seconds_of_training(problem, 1):.3g}")
    if seconds_of_training(problem, largest / step) > LONGEST:
        largest *= 0.99  # three digits may have been rounded up
    raise InputError(
        f"Training to t = {end:.4g} takes {end / step:.3g} steps, about {needed / 60:.2g} minutes of processor time "
        f"for {settings.replicates} networks; the explorer trains for at most {LONGEST / 60:.0f} minutes.",
        f"With these settings t may be up to {largest:.3g}; gdln simulate trains for longer.",
        "until",
    )


def seconds_of_a_map(weights: Sequence[int]) -> float:
    """Return the estimated processor time of exact fields with these numbers of weights K n, one a place, in seconds.

    Places with more than WEIGHTS have no value and take no time.
    """
    return sum(_FIELD + _CUBED * count**3 for count in weights if count <= WEIGHTS)


def refuse_long_map(weights: Sequence[int], along: int) -> None:
    """Raise OutOfReachError where the exact fields of a map are estimated to take longer than LONGEST.

    `weights` has the number of weights at each place, `along` is the larger number of values along an axis.
    """
    needed = seconds_of_a_map(weights)
    if needed <= LONGEST:
        return
    most, largest = int(along * (LONGEST / needed) ** 0.5), max(count for count in weights if count <= WEIGHTS)
    raise OutOfReachError(
        f"A map of {len(weights)} places with up to {largest} weights each takes about {needed / 60:.0f} minutes of "
        f"processor time; the explorer computes maps for at most {LONGEST / 60:.0f} minutes.",
        f"Take at most {most} values along an axis, or fewer sites or units.",
        "size",
    )


def seconds_of_descent(problem: Problem, flow: "GraphFlow", steps: int) -> float:
    """Return the estimated processor time of the gradient descent of a graph on exact moments, in seconds.

    A step multiplies the weights along every path, once for each error and once for each place of a weight.
    """
    settings, graph = problem.simulated(), flow.graph
    starts = settings.replicates if settings.initialisation == "per-replicate" else 1
    size = {node.name: node.dimension for node in graph.nodes}
    paths = [path for output, _ in flow.errors for path in flow.ending(output)]
    paths += [flow.paths[place.path] for name in flow.weights for place in flow.places(name)]
    products = sum(len(path.edges) for path in paths)
    each = sum(size[edge.target] * size[edge.source] for path in paths for edge in path.edges)
    return steps * (products * _PRODUCT + starts * each * flow.inputs * _MULTIPLICATION)


def refuse_long_descent(problem: Problem, flow: "GraphFlow", steps: int) -> None:
    """Raise OutOfReachError where the descent of a graph is estimated to take longer than LONGEST_DESCENT."""
    needed = seconds_of_descent(problem, flow, steps)
    if needed <= LONGEST_DESCENT:
        return
    end = float(problem.training.times[-1])
    raise OutOfReachError(
        f"The graph has {len(flow.paths)} paths, and its theory takes {steps} steps of gradient descent to "
        f"t = {end:.4g}, about {needed:.0f} seconds of processor time; the explorer waits for at most "
        f"{LONGEST_DESCENT:.0f}.",
        f"With these settings t may be up to {end * LONGEST_DESCENT / needed:.3g}; a larger tau or learning rate takes "
        "fewer steps. gdln compare computes for longer.",
        "tau",
    )
