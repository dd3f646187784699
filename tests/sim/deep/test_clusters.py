"""k-means: its clusters are a fixed point of Lloyd's iteration, by fractions; and the draws that it begins with."""

from fractions import Fraction

import numpy as np
import pytest

from sim.deep import clusters as module
from sim.deep.clusters import UNITS, k_means, nearest
from sim.deep.draws import PIXELS, numbers_for, orders
from sim.random.streams import TRAINING, stream
from tests import miniatures
from theory.problem import InputError, OutOfReachError

IMAGES = miniatures.images_of_28(2)["train-images-idx3-ubyte"].reshape(60, -1)
COUNT = 7


def distances(images, centres):
    """The squared distances of images from centres, in exact fractions."""
    fractions = [[Fraction(int(entry), UNITS) for entry in centre] for centre in centres]
    return [[sum((int(x) - c) ** 2 for x, c in zip(image, own, strict=True)) for own in fractions] for image in images]


def blocks():
    """The images, averaged over 8 parts of 98 pixels each: fractions over 784 pixels would take long."""
    return (IMAGES.reshape(60, 8, 98).mean(axis=2)).astype(np.uint8)


@pytest.mark.parametrize("seed", range(2))
def test_the_centres_are_a_fixed_point(seed):
    images = blocks()
    centres = k_means(images, COUNT, stream(seed, 0, TRAINING))
    exact = distances(images, centres)
    chosen = [row.index(min(row)) for row in exact]
    assert nearest(images, centres).tolist() == chosen
    for c, centre in enumerate(centres):
        members = [image for image, own in zip(images, chosen, strict=True) if own == c]
        assert members
        for entry, column in zip(centre, zip(*members, strict=True), strict=True):
            mean = Fraction(sum(map(int, column)), len(members))
            assert abs(Fraction(int(entry), UNITS) - mean) <= Fraction(1, 2 * UNITS)


def test_orders_in_blocks_are_those_of_one_draw():
    numbers = numbers_for(PIXELS, 0, "train")
    blocks = np.concatenate([orders(numbers, 3, 4), orders(numbers, 4, 4)])
    assert np.array_equal(blocks, orders(numbers_for(PIXELS, 0, "train"), 7, 4))


def test_what_it_refuses(monkeypatch):
    with pytest.raises(InputError, match="60 images cannot be divided into 61 clusters"):
        k_means(IMAGES, 61, stream(0, 0, TRAINING))
    monkeypatch.setattr(module, "_MOST_STEPS", 1)
    with pytest.raises(OutOfReachError, match="still move after 1 steps"):
        k_means(IMAGES, COUNT, stream(0, 0, TRAINING))
