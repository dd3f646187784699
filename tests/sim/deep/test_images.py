"""Declared sets of images, against loops over the arrays of the small data sets; and networks that train on one."""

from collections import Counter

import numpy as np
import pytest
import torch

from sim import deep
from tests import miniatures
from tests.tolerances import STANDARD_ERRORS
from tests.tolerances_of_deep_training import STANDARD_LEVELS
from theory.problem import InputError, OutOfReachError
from theory.problem.datasets.folder import VARIABLE

PLAIN = {"dataset": "mnist", "normalisation": "none", "targets": "class"}
TWO = {"classes": (4, 7), "size": 10, "test_size": 4}


def loaded(**fields):
    return deep.LabelledImages(**{**PLAIN, **fields}).load(torch.float64)


def arrays(seed, part):
    own = miniatures.images_of_28(seed)
    return own[f"{part}-images-idx3-ubyte"], own[f"{part}-labels-idx1-ubyte"]


def test_all_images_as_the_files_have_them():
    split = loaded()
    for x, y, part in ((split.x, split.y, "train"), (split.test_x, split.test_y, "t10k")):
        images, labels = arrays(1, part)
        assert np.array_equal(x.numpy(), images[:, None].astype(float))
        assert np.array_equal(y.numpy(), labels)
        assert y.dtype == torch.int64
    assert np.array_equal(split.training().x.numpy(), arrays(1, "train")[0].reshape(60, -1).astype(float))
    assert split.held_out().x.shape == (20, 784)


def test_two_classes_of_equal_size_with_signs():
    split = loaded(targets="signs", **TWO)
    images, labels = arrays(1, "train")
    places = [int(np.flatnonzero((images == x.numpy()).all(axis=(1, 2)))[0]) for x in split.x[:, 0]]
    assert places == sorted({*places})
    assert [{4: -1.0, 7: 1.0}[int(label)] for label in labels[places]] == split.y.flatten().tolist()
    assert Counter(split.y.flatten().tolist()) == {-1.0: 5, 1.0: 5}
    assert (split.y.shape, split.test_y.shape) == ((10, 1), (4, 1))


def test_targets():
    classes = loaded(classes=(2, 5, 8)).y
    one_hot = loaded(classes=(2, 5, 8), targets="one-hot").y
    assert one_hot.sum(dim=1).tolist() == [1.0] * len(classes)
    assert torch.equal(one_hot.argmax(dim=1), classes)
    assert torch.equal(loaded(classes=(2, 5, 8), targets="signs").y, 2 * one_hot - 1)
    for fields, outputs in (
        ({"classes": (2, 5, 8), "targets": "signs"}, 3),
        ({"classes": (2, 5), "targets": "signs"}, 1),
        ({"classes": (2, 5), "targets": "one-hot"}, 2),
        ({}, 10),
    ):
        assert deep.LabelledImages(**{**PLAIN, **fields}).outputs == outputs


def test_normalisations():
    dataset = "cifar-10"
    raw = loaded(dataset=dataset)
    unit, standard = (loaded(dataset=dataset, normalisation=kind) for kind in ("unit", "standard"))
    assert torch.equal(unit.x, raw.x / 255)
    assert torch.equal(unit.test_x, raw.test_x / 255)
    mean = raw.x.mean(dim=(0, 2, 3), keepdim=True)
    deviation = raw.x.std(dim=(0, 2, 3), keepdim=True, correction=0)
    for found, levels in ((standard.x, raw.x), (standard.test_x, raw.test_x)):
        assert float((found - (levels - mean) / deviation).abs().max()) <= STANDARD_LEVELS
    assert not torch.equal(standard.x, unit.x)


def test_random_labels_are_uniform_and_of_their_seed():
    true, random = loaded(), loaded(labels="random", seed=3)
    assert torch.equal(true.x, random.x)
    assert {*random.y.tolist()} <= {*range(10)}
    drawn = torch.cat([torch.cat([own.y, own.test_y]) for own in (loaded(labels="random", seed=s) for s in range(25))])
    counts = torch.bincount(drawn, minlength=10)
    expected = len(drawn) / 10
    chi_square = float(((counts - expected) ** 2).sum() / expected)
    assert chi_square < 9 + STANDARD_ERRORS * 18**0.5  # nine degrees of freedom
    assert not torch.equal(random.y, loaded(labels="random", seed=4).y)
    assert not torch.equal(random.y[:20], random.test_y)


def test_random_pixels_keep_the_pixels_of_each_image():
    dataset = "cifar-10"
    true, random = loaded(dataset=dataset), loaded(dataset=dataset, pixels="random")
    assert torch.equal(true.y, random.y)
    places = set()
    for before, after in ((true.x, random.x), (true.test_x, random.test_x)):
        for image, shuffled in zip(before.flatten(2), after.flatten(2), strict=True):
            columns, moved = (sorted(map(tuple, own.T.tolist())) for own in (image, shuffled))
            assert columns == moved
            places.add(int((image != shuffled).any(dim=0).sum()))
            assert (image != shuffled).any(dim=0).float().mean() > 0.5
    assert len(places) > 1


@pytest.mark.parametrize("seed", [3])
def test_each_label_has_as_many_parts_as_a_class(seed, monkeypatch):
    """Of five different images in a class each is a part, so that five of the 25 parts have each of the labels."""
    levels, own = np.zeros((50, 1, 28, 28), np.uint8), np.arange(50) % 10
    levels[:, 0, 5, 7] = 5 * np.arange(50)
    monkeypatch.setattr("sim.deep.images.labelled_images", lambda dataset, part: (levels, own))
    split = loaded(labels="clusters", seed=seed)
    divided = torch.from_numpy(own >= 5)
    assert torch.equal(split.y[~divided], torch.from_numpy(own[own < 5]))
    assert Counter(split.y[divided].tolist()) == dict.fromkeys(range(5, 10), 5)
    assert Counter(split.test_y[divided].tolist()) == dict.fromkeys(range(5, 10), 5)
    assert not torch.equal(split.y[divided], torch.from_numpy(own[own >= 5]))


def test_fields_that_do_not_fit():
    for fields, says in [
        ({"dataset": "minst"}, "Did you mean `mnist`"),
        ({"normalisation": "zca"}, "normalisation = 'zca' is not known"),
        ({"classes": (4,)}, "two or more different"),
        ({"classes": (4, 4)}, "two or more different"),
        ({"classes": (4, 10)}, "mnist has 10 categories"),
        ({"size": 15}, "size = 15 is no multiple of 10"),
        ({"test_size": 3, "classes": (4, 7)}, "test_size = 3 is no multiple of 2"),
        ({"labels": "clusters", "classes": (1, 2, 3)}, "Give an even number"),
        ({"labels": "clusters", "clusters": 0}, "clusters = 0"),
        ({"clusters": 5}, 'clusters = 5 with labels = "true"'),
        ({"seed": -1}, "seed = -1"),
    ]:
        with pytest.raises(InputError, match=says):
            deep.LabelledImages(**{**PLAIN, **fields})


def test_more_examples_than_images():
    with pytest.raises(InputError, match="has 6 images of category 4 in the part train; 7 are needed for 14 examples"):
        loaded(classes=(4, 7), size=14)
    with pytest.raises(InputError, match="6 images cannot be divided into 7 clusters"):
        loaded(labels="clusters", clusters=7)


def test_a_set_that_is_not_on_the_machine(tmp_path, monkeypatch):
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    with pytest.raises(OutOfReachError, match=r"gdln data get cifar-10 --from cifar-10-binary\.tar\.gz"):
        loaded(dataset="cifar-10")
