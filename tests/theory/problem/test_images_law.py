"""Patches of photographs as a law: draws of each kind, centring, whitening, errors."""

import numpy as np
import pytest

from tests.miniatures import listed_patches, photographs_named
from tests.theory.problem.refusals import not_refused
from tests.tolerances_of_images import PATCH_SUMS, WHITENED_SUMS
from theory.problem import Network, NormalInitialisation, Problem, Training, dumps, loads
from theory.problem.datasets.known import SCENES
from theory.problem.distributions.images import Images

FIELDS = {
    "patch": 3,
    "photographs": ["scenes", ["grass", "camera"]],
    "kinds": ["patch", "patch"],
    "centring": "none",
    "whitening": "none",
    "labels": [1, 0],
}


def law_of(**changed):
    return Images(**FIELDS | changed)


CLASSES = [listed_patches(photographs_named(names), 3) for names in (SCENES, ["grass", "camera"])]


def drawn(law, rows=4000, seed=0):
    return law.examples(np.random.default_rng(seed), rows)


def test_examples_are_patches_of_their_class():
    x, category = drawn(law_of())
    assert set(category.tolist()) == {0, 1}
    for c in (0, 1):
        every = {tuple(patch) for patch in CLASSES[c].tolist()}
        assert {tuple(patch) for patch in x[category == c].tolist()} <= every
    assert not {tuple(patch) for patch in CLASSES[1].tolist()} <= {tuple(patch) for patch in CLASSES[0].tolist()}


def mixed(priors=(1 / 2, 1 / 2)):
    """All patches of both classes with their probabilities."""
    p = np.concatenate([np.full(len(each), prior / len(each)) for each, prior in zip(CLASSES, priors, strict=True)])
    return np.concatenate(CLASSES), p


def test_centring():
    plain, _ = drawn(law_of())
    patches, p = mixed()
    of_patch, _ = drawn(law_of(centring="patch"))
    assert np.abs(of_patch - (plain - plain.mean(axis=1, keepdims=True))).max() <= PATCH_SUMS
    of_law, _ = drawn(law_of(centring="mean"))
    assert np.abs(of_law - (plain - p @ patches)).max() <= PATCH_SUMS * len(patches)


@pytest.mark.parametrize("centring", ["none", "mean", "patch"])
def test_whitening(centring):
    """The covariance of all patches: 1 along the eigenvectors l above the floor, l/(floor l_1) along the others."""
    floor, priors = 0.1, (1 / 4, 3 / 4)
    law = law_of(centring=centring, whitening="zca", floor="1/10", priors=["1/4", "3/4"])
    patches, p = mixed(priors)
    patches = patches - patches.mean(axis=1, keepdims=True) if centring == "patch" else patches
    off = patches - p @ patches
    values, vectors = np.linalg.eigh((off * p[:, None]).T @ off)
    white = off @ law.whitener
    covariance = vectors.T @ ((white * p[:, None]).T @ white) @ vectors
    wanted = values / np.maximum(values, floor * values[-1])
    assert (values < floor * values[-1]).any()  # the floor matters here
    assert np.abs(covariance - np.diag(wanted)).max() <= WHITENED_SUMS
    assert np.abs(law.whitener - law.whitener.T).max() <= WHITENED_SUMS
    x, category = drawn(law)
    plain, same = drawn(law_of(centring="patch" if centring == "patch" else "none", priors=["1/4", "3/4"]))
    assert np.array_equal(category, same)
    assert np.abs(x - (plain - p @ patches) @ law.whitener).max() <= WHITENED_SUMS


def test_a_problem_and_back():
    law = law_of(kinds=["patch", "gaussian"], centring="patch", whitening="zca", floor="1/100", priors=["1/3", "2/3"])
    training = Training("half-mse", 1, NormalInitialisation("0.1", 0), (1,))
    problem = loads(dumps(Problem(law, Network("relu", "mean", 2), training)))
    assert problem.data == law
    assert (law.n, law.shape) == (9, (3, 3))


def test_fields_that_do_not_fit():
    cases = [
        ({"patch": 65}, "data.patch = 65 is more than 64"),
        ({"photographs": ["scenes"]}, "data.photographs has 1 entries"),
        ({"photographs": ["scenes", ["camera", "scenes"]]}, "has the photograph camera twice"),
        ({"kinds": ["patch", "phase"]}, "'phase' is not known"),
        ({"whitening": "pca"}, "data.whitening = 'pca' is not known"),
        ({"whitening": "zca"}, "data.floor = 0 must be above 0 and at most 1"),
        ({"floor": "1/10"}, "data.floor is that of whitening"),
    ]
    assert not_refused(lambda changed: law_of(**changed), cases) == []
