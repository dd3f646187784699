"""The compiled Gaussian vectors against the product of the factor with the stream's normal numbers."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from sim.data.factors import Dense, dense_on_ring
from sim.data.sample import prepare
from sim.random.streams import TRAINING, key_of, stream
from tests.sim.cases import line
from tests.tolerances import COMPILED_ERF, COMPILED_ERF_DOUBLE, COMPILED_NORMAL
from theory.problem import latent_correlation

pytest.importorskip("numba")

COUNT = 2501  # not a whole number of what the loops take at once
OWN = stream(2**40 + 3, 5, TRAINING, 2**32 - 700)


def banded(n, band, dtype):
    lower = np.random.default_rng(band).standard_normal((n, n))
    lower = np.tril(np.triu(lower, 1 - band)).astype(dtype)
    return Dense(torch.from_numpy(np.ascontiguousarray(lower.T)), band=band)


def folding(n, even, odd, dtype):
    """Modes that read the same from both ends, or the same but for the sign, in any order."""
    random = np.random.default_rng(even)
    modes = random.standard_normal((even + odd, n))
    parity = np.array([1] * even + [-1] * odd)
    modes = (modes + parity[:, None] * modes[:, ::-1])[random.permutation(even + odd)]
    return Dense(torch.from_numpy(modes.astype(dtype)))


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
    fill_coloured(key, word, makers, (True, True), example, segment, middle, inputs, space, out)
    return out, order


KINDS = {
    "bands": lambda n, dtype: (banded(n, 1, dtype), banded(n, 3, dtype)),
    "modes": lambda n, dtype: (folding(n, 6, 5, dtype), folding(n, 1, 0, dtype)),
    "modes and band": lambda n, dtype: (folding(n, 3, 8, dtype), banded(n, 5, dtype)),
}


@pytest.mark.parametrize(
    ("n", "segment", "kind", "dtype", "by_site"),
    [
        (11, 7, "bands", np.float32, False),
        (8, 300, "modes", np.float64, True),
        (11, 300, "modes and band", np.float32, True),
    ],
)
def test_the_vectors_are_the_factor_times_the_normal_numbers_of_the_stream(n, segment, kind, dtype, by_site):
    factors = KINDS[kind](n, dtype)
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


def test_modes_that_do_not_fold_are_left_to_the_matrix_product():
    from sim.training.backends.compiled.colour import maker

    dtype = np.float64
    factor = folding(12, 3, 4, dtype)
    assert maker(factor) is not None
    factor.matrix[2, 5] += 20 * np.finfo(dtype).eps * factor.matrix.abs().max()
    assert maker(factor) is None
    assert maker(folding(7, 2, 2, dtype)) is None  # fewer sites than are made at once from both ends


@pytest.mark.parametrize(("n", "xi", "by_site"), [(151, (1, "1/2"), True), (240, (8, 7), False)])
def test_modes_of_a_ring_are_multiplied_in_halves(n, xi, by_site):
    """More modes than the loops fold, or many sites: two products, whose sums and differences are the sites."""
    from sim.training.backends.compiled.draw import Block

    sampler = prepare(line(n=n, boundary="ring", xi=xi), torch.device("cpu"), torch.float32)
    ring = [
        dense_on_ring(latent_correlation(sampler.law, c), "test", torch.device("cpu"), torch.float32) for c in (0, 1)
    ]
    sampler = replace(sampler, factors=tuple(ring))
    block = Block(sampler, np.dtype(np.float32), COUNT, by_site, latent=True)
    assert None not in block.halves
    block.draw(OWN, OWN.example, COUNT, COUNT)
    noise = torch.empty(COUNT, sampler.rank, dtype=torch.float64)
    OWN.normals(noise)
    for category, factor in enumerate(sampler.factors):
        own_class, matrix = block.y == sampler.labels.numpy()[category], factor.matrix.double().numpy()
        order = (block.example[own_class] - np.uint64(OWN.example)).astype(int)
        apart = np.abs(block.z[own_class] - noise.numpy()[order][:, : factor.rank] @ matrix)
        # As above, once more for the sum of the halves, and four units for the entries whose mirror images are taken.
        bound = (COMPILED_NORMAL + 6.8 * (factor.rank + 3 + 4)) * np.finfo(np.float32).eps * np.abs(matrix).sum(axis=0)
        assert (apart <= bound).all()
