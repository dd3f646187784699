"""The figures of a validation: the arrays from which each is drawn, and its caption."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from matplotlib.figure import Figure

from derivations import plots
from derivations.validate.judged import Validation
from sim.measure.receptive_fields import participation_ratio
from theory.flow.linear.convention import convention
from theory.flow.linear.descent import discrete, mse_at
from theory.flow.picture import Series, picture
from theory.moments import gated_moments
from theory.problem import Problem

YX, XX = "moment.site_gate.yx", "moment.site_gate.xx"


@dataclass(frozen=True)
class Drawing:
    """A figure before it is drawn: file name, caption, the arrays it shows, and how they are drawn."""

    name: str
    caption: str
    arrays: Mapping[str, np.ndarray]
    draw: Callable[[], Figure]


def drawings(validation: Validation) -> Iterator[Drawing]:
    """Yield the figures of what this run has measured."""
    for name, data in validation.finding.estimates.items():
        claim, _, problem = name.partition("/")
        if "curves" in data:
            yield _trained(claim, problem, data)
        if claim == YX:
            yield _input_output(data)
        if claim == XX:
            yield _second_moments(data)
    relu = validation.finding.figures.get("relu_order")
    if relu:
        yield Drawing(
            "relu_order",
            "Receptive fields of trained ReLU networks (two units of the first replicate, turned to the middle): "
            "low-frequency bumps where the class $y = 1$ has the longer correlation, short-range oscillation "
            "otherwise.",
            {f"{title}: {curve}": values for title, curves in relu.items() for curve, values in curves.items()},
            lambda: plots.profiles(relu, "weight"),
        )


def _trained(claim: str, problem: str, data: Mapping) -> Drawing:
    """Fields, loss and participation ratio of a registered training, beside gradient descent on exact moments."""
    theory, networks = _theory(data["source"]), _networks(data)
    arrays = {
        f"{one.name}: {what}": values
        for one in (theory, networks)
        for what, values in vars(one).items()
        if isinstance(values, np.ndarray)
    }
    return Drawing(
        f"trained_{problem}",
        f"Problem `{problem}` (`{claim}`): gradient descent on the exact moments (lines) and {data['replicates']} "
        "networks trained on sampled data (markers or bands: mean and 99 % interval). The loss is that of the weights, "
        "averaged over the law exactly.",
        arrays,
        lambda: picture(data["source"].data, [theory, networks]),
    )


def _theory(problem: Problem) -> Series:
    mean, times = discrete(problem), np.array([float(time) for time in problem.training.times])
    losses = mse_at(gated_moments(problem), mean.weights, float(convention(problem).s), mean.biases)
    ratio = participation_ratio(mean.weights) if np.abs(mean.weights).max(axis=-1).all() else None
    return Series("theory", times, mean.weights, losses, ratio)


def _networks(data: Mapping) -> Series:
    (losses, losses_error), ratios = data["curves"]["loss"], data["curves"]["participation_ratio"]
    return Series(
        "networks",
        np.asarray(data["times"]),
        data["mean"],
        losses,
        ratios[0],
        data["standard_error"],
        losses_error,
        ratios[1],
        measured=True,
    )


def _input_output(data: Mapping) -> Drawing:
    panels = {
        r"$\Sigma^{yx}(p_1)$": {
            "theory": data["prediction"][0],
            "small-bump (7), without 1/(2 Z)": data["alternatives"]["small-bump (7) without $1/(2 Z)$"][0],
            "simulated mean": data["mean"][0],
        }
    }
    return Drawing(
        "input_output_moment",
        "Input-output correlation through the site gate: theory, the printed (7), and sampled data.",
        panels[r"$\Sigma^{yx}(p_1)$"],
        lambda: plots.profiles(panels, r"$\langle g_1 y x_k \rangle$"),
    )


def _second_moments(data: Mapping) -> Drawing:
    theory, mean = data["prediction"][0, 0], data["mean"][0, 0]
    panels = {
        r"theory $\Sigma^{xx}(p_1,p_1)$": theory,
        "simulated": mean,
        "difference, simulated - theory": mean - theory,
        "small-bump (8) as printed": data["alternatives"]["small-bump (8)"][0, 0],
    }
    return Drawing(
        "input_moment",
        "Second moment through the site gate: theory, sampled data, their difference (own scale), the printed (8).",
        panels,
        lambda: plots.moment_matrices(panels),
    )
