"""The compiled Gaussian vectors against the product of the factor with the stream's normal numbers."""

import numpy as np
import pytest
import torch

from sim.data.factors import Dense
from sim.random.streams import TRAINING, key_of, stream
from tests.tolerances import COMPILED_ERF, COMPILED_ERF_DOUBLE, COMPILED_NORMAL

pytest.importorskip("numba")

COUNT = 2501  # not a whole number of what the loops take at once
OWN = stream(2**40 + 3, 5, TRAINING, 2**32 - 700)


def banded(n, band, dtype):
    lower = np.random.default_rng(band).standard_normal((n, n))
    lower = np.tril(np.triu(lower, 1 - band)).astype(dtype)
    return Dense(torch.from_numpy(np.ascontiguousarray(lower.T)), band=band)


def filled(factors, classes, segment, inputs, dtype, by_site):
    """The columns of the loops, and the order of the examples in them."""
    from sim.training.backends.compiled.colour import fill_coloured, maker, room_for

    begins = range(0, COUNT, segment)
    order = np.concatenate([begin + np.argsort(classes[begin : begin + segment], kind="stable") for begin in begins])
    middle = np.array([begin + np.count_nonzero(classes[begin : begin + segment] == 0) for begin in begins])
    n = factors[0].sites
    out = np.zeros((n, COUNT), dtype) if by_site else np.zeros((COUNT, n), dtype).T
    key, word = tuple(np.uint64(part) for part in key_of(OWN.seed)), np.uint64(OWN.word)
    makers = tuple(tuple(maker(factor)) for factor in factors)
    example, space = (OWN.example + order).astype(np.uint64), room_for(makers)
    fill_coloured(key, word, makers, example, segment, middle, inputs, space, out)
    return out, order


@pytest.mark.parametrize(("n", "segment", "dtype", "by_site"), [(11, 7, np.float32, False), (8, 300, np.float64, True)])
def test_the_vectors_are_the_factor_times_the_normal_numbers_of_the_stream(n, segment, dtype, by_site):
    factors = banded(n, 1, dtype), banded(n, 3, dtype)
    classes = np.random.default_rng(1).integers(2, size=COUNT)
    noise = torch.empty(COUNT, max(factor.rank for factor in factors), dtype=torch.float64)
    OWN.normals(noise)
    z, order = filled(factors, classes, segment, None, dtype, by_site)
    for category, factor in enumerate(factors):
        own_class, matrix = classes[order] == category, factor.matrix.double().numpy()
        apart = np.abs(z[:, own_class].T - noise.numpy()[order][own_class, : factor.rank] @ matrix)
        # Two sums of `rank` products round each of them at most rank + 2 times; a normal number is below 6.8.
        bound = (COMPILED_NORMAL + 6.8 * (factor.rank + 2)) * np.finfo(dtype).eps * np.abs(matrix).sum(axis=0)
        assert (apart <= bound).all()
    x, _ = filled(factors, classes, segment, (dtype(0.75), dtype(0.5)), dtype, by_site)
    expected = torch.erf(torch.from_numpy(dtype(0.75) * z).double()).numpy() / 0.5
    # The product with 1/Z rounds once more, and so does 1/Z; torch's erf in float64 is good to a unit.
    bound = COMPILED_ERF + 1 if dtype is np.float32 else COMPILED_ERF_DOUBLE + 1
    assert (np.abs(x - expected) <= bound * np.finfo(dtype).eps * np.abs(expected)).all()
