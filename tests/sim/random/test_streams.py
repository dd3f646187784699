"""The generator against published vectors, the mapping of its counters, and the law of what comes of them."""

import math

import numpy as np
import pytest
import torch

from sim.random.streams import COINS, LOW, MEASUREMENT, MOST_NETWORKS, TRAINING, key_of, philox, stream
from tests.tolerances import STREAM_NORMAL
from theory.problem import InputError

# The known answers of philox4x32-10 in Random123 1.14 (kat_vectors): counter, key, result.
PI = (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344)
KNOWN = [
    ((0, 0, 0, 0), (0, 0), (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
    ((LOW,) * 4, (LOW, LOW), (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
    (PI, (0xA4093822, 0x299F31D0), (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1)),
]


def normals(own, rows, modes):
    out = torch.empty(rows, modes, dtype=torch.float64)
    own.normals(out)
    own.advance(rows)
    return out.numpy()


@pytest.mark.parametrize(
    "make", [lambda word: np.array([word]), lambda word: torch.tensor([word])], ids=["np", "torch"]
)
@pytest.mark.parametrize(("counter", "key", "result"), KNOWN)
def test_known_answers(counter, key, result, make):
    assert tuple(int(word[0]) for word in philox(tuple(make(word) for word in counter), key)) == result


def test_the_normal_numbers_by_hand():
    """Modes 4q..4q+3 of example e, from the words of the counter that the module's docstring names."""
    seed, network, example = 2**40 + 7, 12, 2**33 + 5
    own = stream(seed, network, MEASUREMENT, example)
    found = normals(own, 1, 10)[0]
    for q in range(3):
        counter = (q, example & LOW, example >> 32, 4 * network + 2)
        a, b, c, d = (int(w[0]) for w in philox(tuple(np.array([word]) for word in counter), key_of(seed)))
        for place, (one, two) in enumerate(((a, b), (c, d))):
            radius, angle = math.sqrt(-2 * math.log((one + 0.5) / 2**32)), 2 * math.pi * (two + 0.5) / 2**32
            expected = np.array([radius * math.cos(angle), radius * math.sin(angle)])
            mine = found[4 * q + 2 * place : 4 * q + 2 * place + 2]
            assert np.abs(mine - expected[: len(mine)]).max(initial=0) < STREAM_NORMAL


def words_of(*counter, seed=3):
    return [int(word[0]) for word in philox(tuple(np.array([part]) for part in counter), key_of(seed))]


@pytest.mark.parametrize(("purpose", "example"), [(TRAINING, 100), (MEASUREMENT, 2**39 + 1000)])
def test_coins_by_hand(purpose, example):
    found = stream(3, 1, purpose, example).coins(3 * COINS)
    assert len(found) == 3 * COINS
    for place in (0, 27, 28, 29, 200, 3 * COINS - 1):
        group, bit = divmod(example + place, COINS)
        words = words_of(0, group & LOW, group >> 32, 4 + 2 * purpose + 1)
        assert found[place] == bool(words[bit // 32] >> (bit % 32) & 1)


@pytest.mark.parametrize(("purpose", "example"), [(TRAINING, 100), (MEASUREMENT, 2**33 + 5)])
def test_choices_and_uniform_numbers_by_hand(purpose, example):
    """(word + 1/2)/2^32 is a float64, so that nothing is rounded."""
    own = stream(3, 1, purpose, example)
    choices, uniforms = own.choices(3), own.uniforms(3, 2)
    assert (choices.shape, uniforms.shape) == ((3,), (3, 2))
    for place in range(3):
        low, high, word = (example + place) & LOW, (example + place) >> 32, 4 + 2 * purpose
        assert choices[place] == (words_of(1, low, high, word + 1)[0] + 0.5) / 2**32
        assert uniforms[place].tolist() == [(one + 0.5) / 2**32 for one in words_of(0, low, high, word)[:2]]


def test_many_examples_are_those_that_stand_at_their_places():
    """More than are made at once: 2^14 calls of the generator, one or two for each example."""
    for modes, rows in ((4, 2**14 + 3), (5, 2**13 + 3)):
        found = normals(stream(5, 2, TRAINING, 7), rows, modes)
        for first in (0, rows // 2, rows - 5):
            assert (found[first : first + 5] == normals(stream(5, 2, TRAINING, 7 + first), 5, modes)).all()


def test_a_place_in_the_stream_is_all_there_is():
    """Any division into chunks, and going on from a number of examples, gives the same numbers."""
    whole = normals(stream(5, 2, TRAINING), 60, 7)
    coins = stream(5, 2, TRAINING).coins(60)
    own = stream(5, 2, TRAINING)
    parts = [(own.coins(rows), normals(own, rows, 7)) for rows in (1, 40, 19)]
    assert (np.concatenate([part[0] for part in parts]) == coins).all()
    assert (np.concatenate([part[1] for part in parts]) == whole).all()
    assert (normals(stream(5, 2, TRAINING, 41), 19, 7) == whole[41:]).all()
    # Fewer modes are the first of the same example's.
    assert (normals(stream(5, 2, TRAINING), 60, 5) == whole[:, :5]).all()


@pytest.mark.parametrize("network", [-1, MOST_NETWORKS])
def test_numbers_without_a_stream_are_refused(network):
    with pytest.raises(InputError, match="has no stream"):
        stream(0, network, TRAINING)
