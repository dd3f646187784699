"""Random numbers of the kernels against the reference: the integers bit for bit, normal numbers to rounding."""

import numpy as np
import pytest
import torch

from sim.random.streams import TRAINING, key_of, stream
from tests.sim.random.test_streams import KNOWN
from tests.sim.training.interpreted import DEVICE, interpreting, numbers, triton
from tests.tolerances import COMPILED_NORMAL

tl = triton.language
KINDS = pytest.mark.parametrize("kind", [torch.float64, torch.float32])

with interpreting():

    @triton.jit
    def words_of(given, out):
        call, example = tl.load(given + tl.arange(0, 1)), tl.load(given + 1 + tl.arange(0, 1))
        word, low, high = (
            tl.load(given + 2).to(tl.uint32),
            tl.load(given + 3).to(tl.uint32),
            tl.load(given + 4).to(tl.uint32),
        )
        a, b, c, d = numbers.words(call, example, word, low, high)
        tl.store(out + tl.arange(0, 1), a.to(tl.int64))
        tl.store(out + 1 + tl.arange(0, 1), b.to(tl.int64))
        tl.store(out + 2 + tl.arange(0, 1), c.to(tl.int64))
        tl.store(out + 3 + tl.arange(0, 1), d.to(tl.int64))

    @triton.jit
    def draw(given, normals, coins, ROWS: tl.constexpr, CALLS: tl.constexpr):
        first, example = tl.load(given), tl.load(given + 1) + tl.arange(0, ROWS)
        word, low, high = (
            tl.load(given + 2).to(tl.uint32),
            tl.load(given + 3).to(tl.uint32),
            tl.load(given + 4).to(tl.uint32),
        )
        z = numbers.normals(example, first, word, low, high, CALLS, normals.dtype.element_ty)
        place = tl.arange(0, ROWS)[:, None] * (4 * CALLS) + tl.arange(0, 4 * CALLS)[None, :]
        tl.store(normals + place, z)
        tl.store(coins + tl.arange(0, ROWS), numbers.coins(example, word, low, high).to(tl.int64))


@pytest.fixture(autouse=True)
def interpreted():
    """Triton reads the variable at a launch, too."""
    with interpreting():
        yield


def given(call, example, word, key):
    return torch.tensor([call, example, word, *key], dtype=torch.int64, device=DEVICE)


@pytest.mark.parametrize(("counter", "key", "result"), KNOWN)
def test_known_answers(counter, key, result):
    call, low, high, word = counter
    example = int(np.array(low | high << 32, np.uint64).astype(np.int64))
    out = torch.empty(4, dtype=torch.int64, device=DEVICE)
    words_of[(1,)](given(call, example, word, key), out)
    assert tuple(out.tolist()) == result


@KINDS
def test_examples_are_those_of_the_reference(kind):
    """Around the example 2^32 and a block of 128 coins; coins exactly, normal numbers of two calls to rounding."""
    own, rows, calls = stream(2**40 + 3, 5, TRAINING, 2**32 - 70), 256, 2
    normals = torch.empty(rows, 4 * calls, dtype=kind, device=DEVICE)
    coins = torch.empty(rows, dtype=torch.int64, device=DEVICE)
    draw[(1,)](given(1, own.example, own.word, key_of(own.seed)), normals, coins, rows, calls)
    assert coins.tolist() == own.coins(rows).astype(int).tolist()
    expected = torch.empty(rows, 12, dtype=torch.float64)
    own.normals(expected)
    apart = (normals.cpu().double() - expected[:, 4:]).abs().max()
    assert float(apart) < COMPILED_NORMAL * torch.finfo(kind).eps
