"""The alignment of the tangent kernel with the labels, for the deep networks of problem files that were trained."""

import numpy as np
import torch
from jaxtyping import Float

from sim.deep.batches import ExampleSet
from sim.deep.family import Family, Start
from sim.deep.kernels import kernels_of
from sim.deep.members import Member
from sim.kernels import nu
from sim.training.run import Run
from theory.problem import CircularConvolution, FiniteData, InputError, OutOfReachError, Problem

_SINGULAR = "singular"


def check_alignment(problem: Problem) -> None:
    """Raise InputError for data without listed examples and with several outputs, OutOfReachError for other networks.

    >>> from theory.problem import AllOpenGates, DeepNetwork, InitialWeights, NormalInitialisation
    >>> weights = InitialWeights(NormalInitialisation(1, 0))
    >>> check_alignment(Problem(FiniteData([[1]], [1]), DeepNetwork((2,), AllOpenGates()), weights))
    """
    if isinstance(problem.deep.architecture, CircularConvolution):
        raise OutOfReachError(
            "The alignment of a network with convolutions is not measured.", 'Write architecture = "fully-connected".'
        )
    if not isinstance(problem.data, FiniteData) or problem.data.outputs > 1:
        raise InputError(
            f'The alignment is that of listed examples with one label each; the law is "{problem.data.law}" with '
            f"{problem.data.outputs} numbers a label.",
            'Write law = "finite" with x and y, or leave the alignment out.',
        )


def label_alignment(run: Run) -> Float[np.ndarray, "S T"]:
    """Return nu = y^T (K/tr K)^-1 y of each replicate at each time, K the tangent kernel of the listed examples.

    K is that of the parameters that learn. An entry is NaN where K is singular to rounding, as where an example opens
    no path. Raises as `check_alignment`. Sources: Deep Gated Networks, Figure 6; Neural Path Features, Figure 3.
    """
    problem = run.problem
    check_alignment(problem)
    x = torch.tensor([[float(value) for value in row] for row in problem.data.x], dtype=torch.float64, device="cpu")
    y = torch.tensor([float(label) for label in problem.data.y], dtype=torch.float64, device="cpu")
    found = np.empty((len(run.replicates), len(run.times)))
    start = Start("normal", (1.0,) * problem.network.depth, 0)  # not drawn: the parameters are those of the run
    family = Family((Member("own", problem.network),), len(found), x.shape[1], 1, start)
    for place in range(len(run.times)):
        weights = {f"own.{name}": torch.from_numpy(array[:, place]) for name, array in run.parameters.items()}
        for replicate, kernel in enumerate(kernels_of(family, "own", weights, ExampleSet(x, y[:, None])).tangent):
            found[replicate, place] = _nu((kernel + kernel.T) / 2, y)
    return found


def _nu(kernel: torch.Tensor, y: torch.Tensor) -> float:
    try:
        return nu(kernel, y, by_trace=True).value
    except OutOfReachError as error:
        if error.kind != _SINGULAR:
            raise
        return float("nan")
