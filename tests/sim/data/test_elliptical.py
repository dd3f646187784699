"""Drawn elliptical inputs through half-spaces of any direction, and what their streams share."""

import numpy as np
import pytest
import torch

from sim.data.sample import prepare
from sim.data.scales import radii
from sim.random.streams import MEASUREMENT, stream
from tests.tolerances import STANDARD_ERRORS
from tests.tolerances_of_elliptical import SIM_NEIGHBOURS, SIM_SCALED, SIM_SQUARES
from theory.problem import OutOfReachError, latent_correlation
from theory.problem.distributions.elliptical import Elliptical
from theory.problem.scales import Scale, SphereScale

CPU, ROWS = torch.device("cpu"), 200_000


@pytest.mark.parametrize("boundary", ["open", "ring"])
def test_inputs_on_the_sphere_have_its_radius(boundary):
    """x' R^-1 x = n always; |x|^2 = n where sites are uncorrelated, to the exp(-25) of neighbours."""
    law = Elliptical(6, ("1/5", 1), "sphere", boundary, "unit-variance", (1, 0))
    sampler = prepare(law, CPU, torch.float64)
    drawn = sampler.draw([stream(0, 0, MEASUREMENT)], 500)
    for c in (0, 1):
        x = drawn.x[0][drawn.category[0] == c].numpy()
        inverse = np.linalg.inv(latent_correlation(law.process, c))
        radius = np.einsum("bi,ij,bj->b", x, inverse, x)
        assert np.abs(radius / law.n - 1).max() < SIM_SCALED * law.n
        if c == 0:
            assert np.abs((x**2).sum(axis=1) / law.n - 1).max() < SIM_NEIGHBOURS


def test_marks_are_uniform_and_independent_of_class_and_normals():
    own = stream(1, 0, MEASUREMENT)
    rows = 50_000
    marks = np.stack([own.marks(rows, word) for word in range(4)] + [own.choices(rows)])
    normals = torch.empty(rows, 2, dtype=torch.float64)
    own.normals(normals)
    limit = STANDARD_ERRORS / np.sqrt(rows)
    centred = np.concatenate([(marks - 0.5) * np.sqrt(12), normals.numpy().T])
    assert np.abs(centred.mean(axis=1)).max() < limit
    assert np.abs(centred @ centred.T / rows - np.eye(7)).max() < SIM_SQUARES * limit
    own.advance(7)
    assert (own.marks(3, 2) == stream(1, 0, MEASUREMENT).marks(10, 2)[7:]).all()


def test_a_scale_that_nobody_samples_is_refused_by_name():
    class Odd(Scale):
        kind = "odd"

    rest = torch.empty(2, 3), torch.empty(2, 0), np.zeros(2)
    with pytest.raises(OutOfReachError, match='No sampler for the scale "odd"'):
        radii(Odd(), True, *rest)
    assert radii(SphereScale(), True, torch.ones(2, 3), *rest[1:]).tolist() == [1.0, 1.0]
