"""Sets of labelled images, declared: which images, what is done to their labels and pixels, and the targets."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Int64, UInt8

from sim.deep.batches import ExampleSet
from sim.deep.clusters import k_means, nearest
from sim.deep.draws import ASSIGNED, CENTRES, CHOICE, LABELS, PIXELS, below, numbers_for, order, orders
from theory.problem import InputError
from theory.problem.datasets.labelled import LABELLED, labelled_images
from theory.problem.datasets.pixels import WHITE
from theory.problem.numbers import one_of, shown, whole

NORMALISATIONS = ("none", "unit", "standard")
TARGETS = ("class", "one-hot", "signs")
LABEL_RULES = ("true", "random", "clusters")
PIXEL_RULES = ("true", "random")
_CLUSTERS = 5  # of a class that is divided, as in "Half-Space Feature Learning"
_AT_ONCE = 512  # images whose pixels are put in random order together

Images = UInt8[np.ndarray, "N channels rows columns"]
Classes = Int64[np.ndarray, " N"]


@dataclass(frozen=True, eq=False)
class Split:
    """Images to train and held-out ones: x (N, channels, rows, columns), and y as the targets say.

    >>> images = torch.zeros(3, 1, 28, 28)
    >>> split = Split(images, torch.tensor([0, 1, 0]), images[:2], torch.tensor([1, 0]))
    >>> split.training().x.shape, split.held_out().x.shape
    (torch.Size([3, 784]), torch.Size([2, 784]))
    """

    x: torch.Tensor
    y: torch.Tensor
    test_x: torch.Tensor
    test_y: torch.Tensor

    def training(self) -> ExampleSet:
        """Return the training examples with inputs (N, n): channel by channel, row by row."""
        return ExampleSet(self.x.flatten(1), self.y)

    def held_out(self) -> ExampleSet:
        """Return the held-out examples, likewise."""
        return ExampleSet(self.test_x.flatten(1), self.test_y)


@dataclass(frozen=True)
class LabelledImages:
    """A training set of images and its held-out examples, from the two parts of a data set.

    dataset         mnist, fashion-mnist, cifar-10, cifar-100, or cifar-100-coarse: cifar-100 with its 20 coarse classes
    classes         the categories that are taken; class c is classes[c]. Empty: all categories
    size            number of training examples, the same for each class; None: all images of the classes
    test_size       the same for the held-out examples
    normalisation   "none": grey levels 0 to 255. "unit": levels over 255. "standard": levels less their mean, over
                    their standard deviation; both for each channel, over all pixels of the training examples
    targets         "class": c. "one-hot": 1 at c, else 0. "signs": 1 at c, else -1; for two classes one number,
                    -1 for classes[0] and 1 for classes[1]
    labels          "true": the class of the image. "random": a uniform class for each image. "clusters": the first half
                    of the classes as they are; each class of the second half is divided by k-means into `clusters`
                    parts, 5 by default, and each class of this half is the label of equally many parts, in random order
    pixels          "true", or "random": each image has its own random order of pixels, with all channels of a pixel
    seed            seed of every random choice: of images, labels, pixels, first centres, labels of parts

    The rules for labels and pixels act on the held-out examples, too, which belong to the part with the nearest centre.
    Examples stand in the order of the files. The images of a smaller set are among those of a larger one with the same
    seed; their random labels and orders of pixels differ. Images, labels and orders are the same on every machine.

    The papers leave much of this unsaid. "Deep Gated Networks" (2020) trains on MNIST with "random label and pixels"
    and cites Zhang et al. (2016), whose random pixels are the rule here; it takes n' = 200 examples, 100 of each class,
    of the classes 4 and 7. "Half-Space Feature Learning" (2024) divides Fashion-MNIST "based on a type of clustering"
    and assigns labels "randomly": k-means of grey levels and equally many parts for each label are our choice. No paper
    states a normalisation but the last: "the images are used as-is".

    Raises InputError for fields that do not fit.

    >>> task = LabelledImages("mnist", "unit", "signs", classes=(4, 7), size=200)
    >>> task.outputs
    1
    """

    dataset: str
    normalisation: str
    targets: str
    classes: tuple[int, ...] = ()
    size: int | None = None
    test_size: int | None = None
    labels: str = "true"
    pixels: str = "true"
    clusters: int | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        one_of(self.dataset, "dataset", LABELLED)
        one_of(self.normalisation, "normalisation", NORMALISATIONS)
        one_of(self.targets, "targets", TARGETS)
        one_of(self.labels, "labels", LABEL_RULES)
        one_of(self.pixels, "pixels", PIXEL_RULES)
        if self.clusters is not None:
            whole(self.clusters, "clusters", least=1)
            self._check_clusters_are_used()
        elif self.labels == "clusters":
            object.__setattr__(self, "clusters", _CLUSTERS)
        whole(self.seed, "seed", least=0, most=2**64 - 1, why="the generator has a key of 64 bits")
        if not isinstance(self.classes, Iterable) or isinstance(self.classes, str):
            raise InputError(f"classes = {shown(self.classes)} is no list of categories.", "Write for example (4, 7).")
        categories = LABELLED[self.dataset].categories
        object.__setattr__(self, "classes", tuple(self.classes) or tuple(range(categories)))
        for category in self.classes:
            whole(category, "classes", least=0, most=categories - 1, why=f"{self.dataset} has {categories} categories")
        if len(self.classes) < 2 or len({*self.classes}) < len(self.classes):
            raise InputError(
                f"classes = {self.classes} must be two or more different categories.", "Name each category once."
            )
        many = len(self.classes)
        for name, size in (("size", self.size), ("test_size", self.test_size)):
            if size is not None and whole(size, name, least=1) % many:
                raise InputError(
                    f"{name} = {size} is no multiple of {many}: each of the {many} classes has equally many examples.",
                    f"Give a multiple of {many}.",
                )
        if self.labels == "clusters" and many % 2:
            raise InputError(
                f'labels = "clusters" divides the second half of the classes, and there are {many}.',
                "Give an even number of classes.",
            )

    def _check_clusters_are_used(self) -> None:
        if self.labels != "clusters":
            raise InputError(
                f'clusters = {self.clusters} with labels = "{self.labels}": no class is divided into clusters.',
                'Leave clusters out, or write labels = "clusters".',
            )

    @property
    def outputs(self) -> int:
        """The number of outputs of a network for these targets."""
        return 1 if self.targets == "signs" and len(self.classes) == 2 else len(self.classes)

    def load(self, dtype: torch.dtype = torch.float32) -> Split:
        """Return the examples, inputs and targets of type `dtype`, classes of type int64.

        Raises InputError for more examples of a class than it has images, and for a channel without contrast where
        normalisation = "standard"; OutOfReachError where the data set is not on the machine.
        """
        chosen = {part: self._chosen(part, size) for part, size in (("train", self.size), ("test", self.test_size))}
        offset, scale = (numbers.to(dtype) for numbers in self._affine(chosen["train"][0]))
        centres = self._centres(*chosen["train"])
        tensors = []
        for part, (images, own) in chosen.items():
            labels = self._labelled(part, images, own, centres)
            pixels = _shuffled(images, self.seed, part) if self.pixels == "random" else images
            tensors += [torch.from_numpy(pixels).to(dtype).sub_(offset).div_(scale), self._targets(labels, dtype)]
        return Split(*tensors)

    def _chosen(self, part: str, size: int | None) -> tuple[Images, Classes]:
        """Return the images of a part and their classes."""
        images, categories = labelled_images(self.dataset, part)
        class_of = np.full(LABELLED[self.dataset].categories, -1)
        class_of[list(self.classes)] = np.arange(len(self.classes))
        own = class_of[categories]
        places = np.flatnonzero(own >= 0)
        if size is not None:
            each = size // len(self.classes)
            shuffled = order(numbers_for(CHOICE, self.seed, part), len(own))
            chosen = [shuffled[own[shuffled] == c][:each] for c in range(len(self.classes))]
            for category, found in zip(self.classes, chosen, strict=True):
                if len(found) < each:
                    raise InputError(
                        f"{self.dataset} has {len(found)} images of category {category} in the part {part}; {each} are "
                        f"needed for {size} examples.",
                        "Take a smaller size, or None for all images.",
                    )
            places = np.sort(np.concatenate(chosen))
        return images[places], own[places]

    def _centres(self, images: Images, own: Classes) -> dict[int, Int64[np.ndarray, "k n"]]:
        """Return the centres of the parts of each class that the rule for labels divides."""
        if self.labels != "clusters":
            return {}
        return {
            c: k_means(_flat(images[own == c]), self.clusters, numbers_for(CENTRES + c, self.seed, "train"))
            for c in range(len(self.classes) // 2, len(self.classes))
        }

    def _labelled(
        self, part: str, images: Images, own: Classes, centres: dict[int, Int64[np.ndarray, "k n"]]
    ) -> Classes:
        """Return the labels of images by the rule."""
        if self.labels == "random":
            return below(numbers_for(LABELS, self.seed, part), len(own), len(self.classes))
        if not centres:
            return own
        half = len(self.classes) // 2
        numbers = order(numbers_for(ASSIGNED, self.seed, "train"), half * self.clusters) % half + half
        labels = own.copy()
        for of_parts, (c, found) in zip(numbers.reshape(half, -1), centres.items(), strict=True):
            labels[own == c] = of_parts[nearest(_flat(images[own == c]), found)]
        return labels

    def _affine(self, images: Images) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the numbers that are subtracted from the levels of each channel, and divide them then."""
        if self.normalisation != "standard":
            scale = 1.0 if self.normalisation == "none" else float(WHITE)
            return torch.zeros(1, 1, 1, device="cpu"), torch.full((1, 1, 1), scale, device="cpu")
        mean, deviation = torch.empty(2, images.shape[1], 1, 1, dtype=torch.float64, device="cpu")
        levels = np.arange(WHITE + 1)
        for channel in range(len(mean)):
            counts = np.bincount(images[:, channel].ravel(), minlength=WHITE + 1)
            count, first, second = (int(counts @ levels**power) for power in range(3))  # whole numbers, no rounding
            mean[channel], deviation[channel] = first / count, math.sqrt(count * second - first**2) / count
        if not bool(deviation.all()):
            raise InputError(
                'normalisation = "standard" divides by the standard deviation of a channel, which is 0: all of its '
                "pixels are equal.",
                'Take "unit".',
            )
        return mean, deviation

    def _targets(self, own: Classes, dtype: torch.dtype) -> torch.Tensor:
        labels = torch.from_numpy(own)
        if self.targets == "class":
            return labels
        one_hot = torch.nn.functional.one_hot(labels, len(self.classes)).to(dtype)
        if self.targets == "one-hot":
            return one_hot
        return (2 * one_hot - 1)[:, 1:] if self.outputs == 1 else 2 * one_hot - 1


def _flat(images: Images) -> UInt8[np.ndarray, "N n"]:
    return images.reshape(len(images), -1)


def _shuffled(images: Images, seed: int, part: str) -> Images:
    """Return images with their pixels in random order, another one for each image."""
    own = numbers_for(PIXELS, seed, part)
    pixels = images.reshape(*images.shape[:2], -1)
    found = np.empty_like(pixels)
    for start in range(0, len(images), _AT_ONCE):
        block = pixels[start : start + _AT_ONCE]
        places = orders(own, len(block), block.shape[2])
        found[start : start + _AT_ONCE] = np.take_along_axis(block, places[:, None], axis=2)
    return found.reshape(images.shape)
