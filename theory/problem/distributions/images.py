"""Patches of photographs as a law: its definition."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

import numpy as np
from jaxtyping import Float, Int

from theory.problem.datasets.known import SCENES, TEXTURES
from theory.problem.datasets.patches import PatchMoments, Source, drawn_patches, patch_moments
from theory.problem.datasets.pictures import read_pictures
from theory.problem.distributions.base import Label, identify, set_field
from theory.problem.distributions.sampled import Estimate, SampledLaw
from theory.problem.errors import InputError
from theory.problem.numbers import exact, one_of, shown, whole

GROUPS = {"scenes": SCENES, "textures": TEXTURES}
KINDS = ("patch", "gaussian")
CENTRINGS = ("none", "mean", "patch")
WHITENINGS = ("none", "zca")
_MOST_SIDE = 64


@dataclass(frozen=True)
class Images(SampledLaw):
    """Class c: a square of patch x patch pixels of one of photographs[c], or a Gaussian with its mean and covariance.

    A class of the kind "patch" draws a position uniformly, among all at which the square lies inside one of its
    photographs. Let p be the n = patch^2 grey levels from 0 to 1, row by row, as they are stored (not linear in the
    light). A class of the kind "gaussian" draws a normal p with the mean and the covariance that patches of its
    photographs have over all positions. Then:

    centring = "none" leaves p; "patch" subtracts the mean of each p; "mean" subtracts <p>, the mean of the law.
    whitening = "zca" gives x = U diag(max(l_i, floor l_1))^(-1/2) U' (p - <p>): the covariance U diag(l_i) U' of the
    law after centring, all classes together and over all positions, l_1 its largest eigenvalue. The directions with
    l_i >= floor l_1 have variance 1 afterwards, the others less. whitening = "none" leaves x = p.

    An entry of `photographs` is a name or a list of names; "scenes" and "textures" stand for all of a kind. The files
    are read when the first example is drawn. With a `folder` the photographs are the pictures in it, by the names of
    their files, and "all" stands for all; `sha256`, that of all files, identifies them. Raises InputError for fields
    that do not fit, and OutOfReachError at the first use where the photographs are not on the machine.

    Statistics of the inputs are exact; moments through gates are estimated, as `estimate` says.

    >>> law = Images(8, ["scenes", "scenes"], ["patch", "gaussian"], "mean", "zca", [1, -1], floor="1/1000")
    >>> law.n, law.names(0)[:3]
    (64, ('astronaut', 'camera', 'chelsea'))
    """

    patch: int
    photographs: tuple[tuple[str, ...], ...]
    kinds: tuple[str, ...]
    centring: str
    whitening: str
    labels: tuple[Label, ...]
    floor: Fraction = field(default=Fraction(0), kw_only=True)
    priors: tuple[Fraction, ...] = field(default=(), kw_only=True)
    estimate: Estimate = field(default_factory=Estimate, kw_only=True)
    folder: str = field(default="", compare=False, kw_only=True)
    sha256: str = field(default="", kw_only=True)

    law: ClassVar[str] = "images"
    centrings: ClassVar[tuple[str, ...]] = CENTRINGS

    def __post_init__(self) -> None:
        whole(self.patch, "data.patch", least=2, most=_MOST_SIDE, why="the covariance of its pixels takes minutes")
        set_field(self, "_groups", self._of_folder() if self.folder else GROUPS)
        known = (*self._groups, *(self._groups["all"] if self.folder else SCENES + TEXTURES))
        self.each_class(
            "photographs",
            lambda value, where: _words(value, where, known, self._groups),
            "names",
            'Give one for each class, such as ["scenes", ["brick", "grass"]], or of a folder ["all", "all"].',
        )
        self.each_class(
            "kinds", lambda kind, where: one_of(kind, where, KINDS), "kinds", f"Give one of {KINDS} a class."
        )
        one_of(self.centring, "data.centring", CENTRINGS)
        one_of(self.whitening, "data.whitening", WHITENINGS)
        self._check_floor()
        set_field(self, "estimate", Estimate.of(self.estimate))
        self.check_classes()

    def _of_folder(self) -> dict[str, tuple[str, ...]]:
        """The names of the pictures of the folder, after a check of their content and sizes."""
        if not isinstance(self.folder, str):
            raise InputError(f"data.folder = {shown(self.folder)} must be a path.", 'Write for example "photos".')
        set_field(self, "folder", os.path.abspath(self.folder))
        pictures = read_pictures(self.folder)
        identify(self, pictures.sha256, self.folder)
        for name, image in pictures.levels.items():
            if min(image.shape) < self.patch:
                raise InputError(
                    f"{name} in {self.folder} has {image.shape[0]} x {image.shape[1]} pixels, fewer than a patch of "
                    f"{self.patch} x {self.patch}.",
                    "Give a smaller data.patch, or take the picture away.",
                    "file",
                )
        return {"all": tuple(pictures.levels)}

    def _check_floor(self) -> None:
        set_field(self, "floor", exact(self.floor, "data.floor"))
        if self.whitening == "none" and self.floor:
            raise InputError('data.floor is that of whitening, and data.whitening = "none".', "Leave floor out.")
        if self.whitening == "zca" and not 0 < self.floor <= 1:
            raise InputError(
                f"data.floor = {self.floor} must be above 0 and at most 1: whitening divides by roots of eigenvalues.",
                "Give the share of the largest eigenvalue to which smaller ones are raised, such as 1e-3.",
            )

    @property
    def n(self) -> int:
        """The number of sites."""
        return self.patch**2

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of the sites."""
        return self.patch, self.patch

    def names(self, c: int) -> tuple[str, ...]:
        """The names of the photographs of class c."""
        return _names(self.photographs[c], self._groups)

    def source(self, c: int) -> Source:
        """The photographs of class c."""
        return Source(self.names(c), self.folder, self.sha256)

    def pixel_moments(self, c: int) -> PatchMoments:
        """Mean and covariance of the pixels of class c after centring = "patch", before all else."""
        raw = patch_moments(self.source(c), self.patch)
        if self.centring != "patch":
            return raw
        centre = np.eye(self.n) - 1 / self.n
        return PatchMoments(centre @ raw.mean, centre @ raw.covariance @ centre)

    @cached_property
    def offset(self) -> Float[np.ndarray, " n"]:
        """The mean that is subtracted from all patches."""
        if self.centring != "mean" and self.whitening == "none":
            return np.zeros(self.n)
        return sum(float(p) * self.pixel_moments(c).mean for c, p in enumerate(self.probabilities))

    @cached_property
    def whitener(self) -> Float[np.ndarray, "n n"] | None:
        """The symmetric matrix of whitening, None without it."""
        if self.whitening == "none":
            return None
        total = 0.0
        for c, probability in enumerate(self.probabilities):
            moments = self.pixel_moments(c)
            apart = moments.mean - self.offset
            total = total + float(probability) * (moments.covariance + np.outer(apart, apart))
        return whitening_matrix(total, float(self.floor))

    def draw(self, generator: np.random.Generator, rows: int) -> tuple[Float[np.ndarray, "B n"], Int[np.ndarray, " B"]]:
        """Draw `rows` examples: the classes first, then the pixels of each class in turn."""
        category = generator.choice(self.classes, size=rows, p=np.array(self.probabilities, dtype=float))
        x = np.empty((rows, self.n))
        for c, kind in enumerate(self.kinds):
            mine = category == c
            count = int(mine.sum())
            if kind == "patch":
                x[mine] = drawn_patches(self.source(c).images, self.patch, generator, count)
            else:
                mean = patch_moments(self.source(c), self.patch).mean
                x[mine] = mean + generator.standard_normal((count, self.n)) @ self._factors[c].T
        return self.placed(self.centred(x)), category

    def centred(self, pixels: Float[np.ndarray, "B n"]) -> Float[np.ndarray, "B n"]:
        """Return pixels after centring = "patch", unchanged for another."""
        return pixels - pixels.mean(axis=1, keepdims=True) if self.centring == "patch" else pixels

    def placed(self, centred: Float[np.ndarray, "B n"]) -> Float[np.ndarray, "B n"]:
        """Return x of pixels that `centred` gave: less the offset, and whitened."""
        x = centred - self.offset
        return x if self.whitener is None else x @ self.whitener

    @cached_property
    def _factors(self) -> dict[int, Float[np.ndarray, "n n"]]:
        """For each Gaussian class a factor F of the covariance F F' of its pixels."""
        return {
            c: _factor(patch_moments(self.source(c), self.patch).covariance)
            for c, kind in enumerate(self.kinds)
            if kind == "gaussian"
        }


def _factor(covariance: Float[np.ndarray, "n n"]) -> Float[np.ndarray, "n n"]:
    """Return F with F F' the covariance: Cholesky's, or that of its eigenvectors where few patches make it singular."""
    try:
        return np.linalg.cholesky(covariance)
    except np.linalg.LinAlgError:
        values, vectors = np.linalg.eigh(covariance)
        return vectors * np.sqrt(np.maximum(values, 0))


def whitening_matrix(covariance: Float[np.ndarray, "n n"], floor: float) -> Float[np.ndarray, "n n"]:
    """Return U diag(max(l_i, floor l_1))^(-1/2) U' of a covariance U diag(l_i) U', l_1 its largest eigenvalue.

    >>> whitening_matrix(np.diag([4.0, 0.04]), 0.25).tolist()
    [[0.5, 0.0], [0.0, 1.0]]
    """
    values, vectors = np.linalg.eigh(covariance)
    if not values[-1] > 0:
        raise InputError("The inputs do not vary: whitening divides by their variance.", "Leave the whitening out.")
    return (vectors / np.sqrt(np.maximum(values, floor * values[-1]))) @ vectors.T


def _words(value: object, where: str, known: tuple[str, ...], groups: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """One of the `known` names of a photograph or a group, or a list of them, with no photograph twice."""
    words = tuple(value) if isinstance(value, list | tuple) else (value,)
    if not words:
        raise InputError(f"{where} = {shown(value)} names no photograph.", 'Write for example "scenes".')
    for word in words:
        one_of(word, where, known)
    names = _names(words, groups)
    twice = [name for index, name in enumerate(names) if name in names[:index]]
    if twice:
        raise InputError(f"{where} has the photograph {twice[0]} twice.", "Name each once.")
    return words


def _names(words: tuple[str, ...], groups: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(name for word in words for name in groups.get(word, (word,)))
