"""The problems of the start page, each with a sentence, the view that answers it, and the curves of its picture."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
from jaxtyping import Float

from derivations.experiments.folders import problem_file
from theory.problem import LAWS, Problem, dumps, load

Curves = list[Float[np.ndarray, " x"]]
# The last time of the training of the law and its clone: 32 K^2 tau. There the law is far above random weights; at
# 8 K^2 tau, where the file ends, 8 networks often leave it undecided. Both of its cards have the same problem, so that
# what has been trained for one of them is there for the other.
_DECIDED = 3200


@dataclass(frozen=True)
class Preset:
    """A problem to begin with; `draws` says what its picture shows, `colours` are the meanings of the curves."""

    title: str
    says: str
    draws: str
    view: str
    file: str
    picture: Callable[[Problem], Curves]
    colours: tuple[str, ...]
    until: int | None = None  # the last time of the training, where it is not that of the file


def _field(problem: Problem) -> Curves:
    """The fields at the fixed point of the exact flow."""
    from theory.flow import solve

    return list(solve(problem).fixed_point)


def _marginals(problem: Problem) -> Curves:
    """The density of one site, and the Gaussian one of the same variance."""
    from derivations.explore.amplifier import density_on
    from theory.moments.inputs import input_statistics

    x = np.linspace(-2.5, 2.5, 61)
    return [density_on(input_statistics(law, 0).marginal(0), x) for law in (problem.data, _clone(problem))]


def _clone(problem: Problem) -> Any:
    fields = {name: getattr(problem.data, name) for name in ("n", "xi", "gain", "boundary", "normaliser", "labels")}
    return LAWS["gaussian-clone"](**fields)


def _middle_rows(problem: Problem) -> Curves:
    """The covariance of each class with the middle site."""
    from derivations.explore.data import theory_of
    from derivations.statistics.alignment import middle

    return list(theory_of(problem.data).covariance[:, middle(problem.data)])


def _excess(problem: Problem) -> Curves:
    """The elasticity less its critical value along the gain, and 0."""
    from derivations.explore.amplifier import along_gains

    excess = along_gains(problem.data)["excess"]
    return [excess, np.zeros_like(excess)]


PRESETS = (
    Preset(
        "Small bump",
        "The class y = 1 has the longer correlation. Two gates at one site: their exact fields are small bumps.",
        "Weights of both units, by site",
        "fields",
        "small-bump",
        _field,
        ("gated-linear", "muted"),
    ),
    Preset(
        "Small bump, reversed",
        "The same with the lengths exchanged: is the field still local when y = 1 has the shorter correlation?",
        "Weights of both units, by site",
        "fields",
        "small-bump-reversed",
        _field,
        ("gated-linear", "muted"),
    ),
    Preset(
        "Nonlinear process and its Gaussian clone",
        "Two laws with one covariance. ReLU networks learn both: which one makes their fields local, and why?",
        "Density of one site: of the process (two peaks), and of its clone",
        "compare",
        "relu-training",
        _marginals,
        ("class-1", "muted"),
        until=_DECIDED,
    ),
    Preset(
        "Single pulse",
        "One block at a random place; the classes differ in its width alone.",
        "Covariance of each class with the middle site, by site",
        "fields",
        "single-pulse",
        _middle_rows,
        ("class-1", "class-2"),
    ),
    Preset(
        "Gain through the transition",
        "From almost Gaussian to almost binary inputs: at which gain does a flat field, one weight for all sites, "
        "become unstable?",
        "Elasticity less its critical value, by gain: above the line waves grow",
        "amplifier",
        "relu-training",
        _excess,
        ("theory", "line"),
        until=_DECIDED,
    ),
)


@cache
def pictures() -> list[dict[str, Any]]:
    """The presets with the curves of their pictures, computed once."""
    drawn = []
    for preset in PRESETS:
        problem = load(problem_file(preset.file))
        curves = zip(preset.picture(problem), preset.colours, strict=True)
        drawn.append({"curves": [{"y": y, "colour": colour} for y, colour in curves]})
    return drawn


def text_of(preset: Preset) -> str:
    """The problem file of a preset; with other times, its problem as TOML."""
    file = problem_file(preset.file)
    if preset.until is None:
        return file.read_text(encoding="utf-8")
    problem = load(file)
    return dumps(replace(problem, training=replace(problem.training, times=(0, preset.until))))


def answer(_problem: Problem | None, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the presets; with settings["pictures"] also the curves of their pictures, which take a second once."""
    presets = [
        {
            "title": preset.title,
            "says": preset.says,
            "draws": preset.draws,
            "view": preset.view,
            "toml": text_of(preset),
        }
        for preset in PRESETS
    ]
    return {"presets": presets, "pictures": pictures() if settings.get("pictures") else None}
