"""The sampler of Ising models: its conditional probabilities, multiplied, and its draws against the definition."""

from fractions import Fraction

import numpy as np
import pytest
import torch

from sim.data.sample import prepare
from tests.oracles import spins
from tests.tolerances_of_laws import SPIN_MEANS
from theory.problem import OutOfReachError
from theory.problem.distributions.ising import Ising
from theory.problem.distributions.ising_2d import Ising2D

CPU = torch.device("cpu")
COUPLINGS = [("1/2", "1/5", "3/10"), ("-2/5", "4/5", 0)]


def sampler(law, dtype=torch.float64):
    return prepare(law, CPU, dtype)


def probabilities(made, x):
    """The product of the conditional probabilities along the sites, for each row of x, in class 0."""
    grid, table = made.grid, made.table[0].numpy()
    spins_in_order = x if made.places is None else x[:, np.argsort(made.places.numpy())]
    total = np.ones(len(x))
    for row, own in enumerate(spins_in_order > 0):
        recent = first = 0
        for site, up in enumerate(own.tolist()):
            p = table[site, recent | first << grid.columns]
            total[row] *= p if up else 1 - p
            recent = (recent << 1 | up) & ((1 << grid.columns) - 1)
            first = recent if grid.periodic and site == grid.columns - 1 else first
    return total


@pytest.mark.parametrize(
    ("n", "boundary", "case"), [(2, "ring", COUPLINGS[0]), (7, "open", COUPLINGS[0]), (7, "ring", COUPLINGS[1])]
)
def test_conditional_probabilities_of_a_chain_multiply_to_its_law(n, boundary, case):
    beta, _, h = case
    x, p = spins.chain(n, boundary, float(Fraction(beta)), float(Fraction(h)))
    made = sampler(Ising(n, boundary, (1, 0), beta=(beta, 0), h=(h, 0)))
    assert np.abs(probabilities(made, x) - p).max() <= SPIN_MEANS


@pytest.mark.parametrize(
    ("shape", "boundary", "case"),
    [((2, 3), "torus", COUPLINGS[0]), ((3, 2), "torus", COUPLINGS[1]), ((3, 2), "open", COUPLINGS[0])],
)
def test_conditional_probabilities_of_a_grid_multiply_to_its_law(shape, boundary, case):
    down, across, h = case
    x, p = spins.grid(shape, boundary, (float(Fraction(down)), float(Fraction(across))), float(Fraction(h)))
    made = sampler(Ising2D(shape, boundary, (1, 0), couplings=((down, across), 0), h=(h, 0)))
    assert np.abs(probabilities(made, x) - p).max() <= SPIN_MEANS


@pytest.mark.parametrize(
    ("law", "message"),
    [
        (
            Ising2D((20, 30), "open", (1, 0), couplings=(1, 0)),
            r"30 x 20 spins .* state of one row of 20 spins: 10\.1 GB",
        ),
        (
            Ising2D((9, 30), "torus", (1, 0), couplings=(1, 0)),
            r"two rows of 9 spins: 1\.13 GB.*use boundary = \"open\"",
        ),
    ],
)
def test_a_grid_that_fills_the_memory_is_refused(law, message):
    with pytest.raises(OutOfReachError, match=message):
        sampler(law)
