"""nu of trained deep networks beside Jacobians of plain torch and the solution of linear equations in NumPy."""

import numpy as np
import pytest
import torch

from sim.deep import check_alignment, label_alignment
from sim.train import train
from tests.deep_cases import SOFT
from tests.sim.deep.families import members
from tests.sim.deep.plain import KINDS, Plain
from tests.tolerances import SIM_GRADIENT
from theory.problem import (
    AllOpenGates,
    CircularConvolution,
    DeepNetwork,
    FiniteData,
    InputError,
    NonlinearGP,
    NormalInitialisation,
    OutOfReachError,
    OwnGates,
    Problem,
    Simulation,
    Training,
)

DATA = FiniteData([[1, 2, -1], [0, -1, 3], [2, 1, 1]], [1, -1, 2])
LAW = NonlinearGP(3, (2, 1), 1, "open", "unit-variance", (1, -1))


def question(network, data=DATA):
    training = Training("half-mse", 1, NormalInitialisation("1/2", 1), (0, 1))
    settings = Simulation("online", 20, "1/8", 3, 3, 4, initialisation="per-replicate")
    return Problem(data, network, training, settings)


@pytest.mark.parametrize("name", ["soft-relu", "galu", "dlgn-pwc"])
def test_nu_is_that_of_the_jacobian_in_what_learns(name):
    network = next(member.network for member in members() if member.name == name)
    run = train(question(network), "cpu")
    found = label_alignment(run)
    x = torch.tensor([[float(value) for value in row] for row in DATA.x], dtype=torch.float64)
    y = np.array([float(label) for label in DATA.y])
    for replicate in range(3):
        for place in range(2):
            own = {key: torch.from_numpy(array[replicate, place]) for key, array in run.parameters.items()}
            weights = [[own[theta] for theta in names] for names in (network.names, network.gating_names)]
            plain = Plain(KINDS[name], *weights)
            learned = [theta for theta in plain.parameters() if theta.requires_grad]
            rows = [
                torch.cat([g.flatten() for g in torch.autograd.grad(out, learned, retain_graph=True)])
                for out in plain(x, torch.arange(3))[:, 0]
            ]
            kernel = (torch.stack(rows) @ torch.stack(rows).T).numpy()
            assert np.isnan(found[replicate, place]) == (np.linalg.matrix_rank(kernel) < 3)
            if np.isfinite(found[replicate, place]):
                expected = np.trace(kernel) * (y @ np.linalg.solve(kernel, y))
                assert abs(found[replicate, place] / expected - 1) < SIM_GRADIENT * np.linalg.cond(kernel)
    assert np.isfinite(found).sum() >= 5


def test_a_singular_kernel_has_no_alignment():
    """Two equal examples have two equal rows of the kernel."""
    data = FiniteData([[1, 2, -1], [1, 2, -1]], [1, 1])
    assert np.isnan(label_alignment(train(question(DeepNetwork((4,), AllOpenGates()), data), "cpu"))).all()


def test_what_has_no_listed_labels_is_refused():
    network = DeepNetwork((4,), AllOpenGates())
    with pytest.raises(InputError, match='the law is "nlgp"'):
        check_alignment(question(network, LAW))
    with pytest.raises(InputError, match="2 numbers a label"):
        check_alignment(question(network, FiniteData([[1, 0]], [[1, 0]])))
    with pytest.raises(OutOfReachError, match="convolutions"):
        check_alignment(question(DeepNetwork((4,), OwnGates(SOFT), architecture=CircularConvolution(2))))
