"""MNIST and Fashion-MNIST as laws: which images, with which probabilities, pixels, errors."""

import numpy as np
import pytest

from tests import miniatures
from tests.theory.problem.refusals import not_refused
from tests.tolerances_of_images import PATCH_SUMS
from theory.problem import Network, NormalInitialisation, Problem, Training, dumps, loads
from theory.problem.distributions.mnist import FashionMnist, Mnist

FILES = {"train": "train", "test": "t10k"}


@pytest.mark.parametrize(("kind", "seed", "part", "downsample"), [(Mnist, 1, "train", 4), (FashionMnist, 2, "test", 1)])
def test_rows_are_the_images_of_the_classes(kind, seed, part, downsample):
    arrays = miniatures.images_of_28(seed)
    images, numbers = (arrays[f"{FILES[part]}-{name}-ubyte"].tolist() for name in ("images-idx3", "labels-idx1"))
    law = kind([[3, 5], 8], part, "none", [1, "-1/2"], downsample=downsample, priors=["1/3", "2/3"])
    k, side = downsample, 28 // downsample
    places = [place for place, number in enumerate(numbers) if number in (3, 5, 8)]
    classes = [int(numbers[place] == 8) for place in places]
    assert law.category.tolist() == classes
    for row, place in zip(law.rows.x, places, strict=True):
        image = images[place]
        blocks = [
            sum(image[k * i + a][k * j + b] for a in range(k) for b in range(k)) / (255 * k * k)
            for i in range(side)
            for j in range(side)
        ]
        assert np.abs(row - blocks).max() <= PATCH_SUMS
    counts = [law.category.tolist().count(c) for c in (0, 1)]
    assert counts == [2 * counts[1], counts[1]]
    exact = [[1 / 3, 2 / 3][c] / counts[c] for c in classes]
    assert np.abs(law.rows.probabilities - exact).max() <= PATCH_SUMS
    assert law.rows.y.tolist() == [[[1.0], [-0.5]][c] for c in classes]


def test_centring_subtracts_the_mean_of_the_law():
    priors = ["1/5", "4/5"]
    plain, centred = (Mnist([1, 2], "train", how, [1, 0], priors=priors) for how in ("none", "mean"))
    mean = plain.rows.probabilities @ plain.rows.x
    assert np.abs(centred.rows.x - (plain.rows.x - mean)).max() <= PATCH_SUMS
    assert np.abs(mean).max() > 0.1 > PATCH_SUMS  # the control: there is a mean to subtract


def test_a_problem_and_back():
    law = FashionMnist([7, [0, 3]], "test", "none", [[1, 0], [0, "1/3"]], downsample=4, priors=["1/4", "3/4"])
    start = NormalInitialisation("0.1", 0)
    training = Training("half-mse", 1, start, (1,), readout0=start)
    problem = loads(dumps(Problem(law, Network("relu", "trained-mean", 2), training)))
    assert problem.data == law
    assert (law.n, law.shape, law.outputs) == (49, (7, 7), 2)


def test_fields_that_do_not_fit():
    cases = [
        ({"downsample": 3}, "data.downsample = 3 does not divide the 28 rows"),
        ({"downsample": 56}, "data.downsample = 56 is more than 28"),
        ({"categories": [3]}, "data.categories has 1 entries, data.labels 2"),
        ({"categories": [3, 10]}, "data.categories[1] = 10 is more than 9"),
        ({"categories": [3, []]}, "names no category"),
        ({"categories": [[3, 4], [4]]}, "data.categories names 4 twice"),
    ]
    assert (
        not_refused(
            lambda changed: Mnist(
                **{"categories": [3, 8], "part": "train", "centring": "none", "labels": [1, 0]} | changed
            ),
            cases,
        )
        == []
    )
