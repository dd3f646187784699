"""Numbers of the amplifier view: phi and elasticity for the marginal of a law, and the flat state of a ReLU neuron."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from jaxtyping import Float

from derivations.answers.amplifier import class_of_one, fastest_mode
from derivations.explore.laws import legends
from derivations.explore.tables import page_table, python_code
from derivations.sweeps.table import csv_text
from theory.moments.amplifier import Amplifier, FlatState, critical_gain, flat_state_of, sampled, unit_marginal
from theory.moments.inputs import Density, input_statistics
from theory.moments.sampled import is_estimated
from theory.problem import InputError, Law, Problem, WorkbenchError

CURVE = np.linspace(0.0, 0.98, 50)  # at which phi and the elasticity are drawn
SHOWN = np.arange(1, 10) / 10  # at which the table gives them
GAINS = np.geomspace(0.03, 100, 25)
_REACH = 4.0  # standard deviations of the marginal that are drawn
_BINS = 60  # of its density: with more, the peaks at the ends of a support hide the rest
WHY = (
    "Why a marginal matters: begin with a flat field, one weight for all sites. Pixels with lighter tails than "
    "Gaussian ones drive a ReLU unit more than in proportion to their correlation with its preactivation, so that "
    "pixels that are ahead gain on the others. The elasticity is the exponent of this: 1 is proportional, as for "
    "Gaussian pixels. The critical value is the least elasticity at which some wave on the flat field grows."
)
MECHANISM = (
    "From a wave to a bump: where the elasticity exceeds 1, the crest of a wave is driven more than in proportion to "
    "its flanks, which favours a narrow bump. The chapter on the localization amplifier derives this drive, and the "
    "rates of small waves, under the closure. That a wave ends as a bump is proved nowhere in the book; the chapter "
    "on the gain sweep measures which trained neurons localize."
)
CAUTION = (
    "The closure takes the preactivation given a pixel as Gaussian: an approximation for one neuron, many correlated "
    "pixels and early times. It says nothing about trained networks: an unstable flat field need not localize by the "
    "end of a training, and beside other units a stable one may."
)
ABOUT = (WHY, MECHANISM, CAUTION)


@dataclass(frozen=True, eq=False)
class AmplifierView:
    """phi and the elasticity of the unit marginal of one site, at CURVE and at SHOWN.

    `flat` is the flat state of one ReLU neuron, None where the law has none; `refused` then says why. `errors` are the
    standard errors of phi at CURVE and at SHOWN where the marginal is that of `examples` drawn from the law.
    """

    law: Law
    category: int
    amplifier: Amplifier
    phi: Float[np.ndarray, " a"]
    elasticity: Float[np.ndarray, " a"]
    table: Float[np.ndarray, "9 2"]
    flat: FlatState | None
    refused: WorkbenchError | None
    examples: int | None = None
    errors: tuple[Float[np.ndarray, " a"], Float[np.ndarray, " 9"]] | None = None


def answer(problem: Problem, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return phi and the flat state; settings["scan"] adds them along the gain, settings["class"] chooses the class."""
    chosen = settings.get("class")
    view = amplifier_view(problem.data, None if chosen is None else int(chosen))
    match settings.get("want"):
        case "python":
            return {"text": python_code(problem, python(view))}
        case "csv":
            return {"text": csv(view)}
        case "latex":
            return {"text": latex(view)}
    return page(view, settings)


def amplifier_view(law: Law, category: int | None = None) -> AmplifierView:
    """Return phi for the marginal of site 0 in a class, that of y = 1 where none is named, scaled to variance 1.

    Raises OutOfReachError for a law without that marginal, or one with an infinite variance.

    >>> from theory.problem import NonlinearGP
    >>> view = amplifier_view(NonlinearGP(40, (3, 1), 3, "ring", "unit-variance", (1, 0)))
    >>> view.flat.unstable, fastest_mode(view.flat)
    (True, 1)
    """
    if category is None:
        category = class_of_one(law)
    if not 0 <= category < law.classes:
        raise InputError(f"The law has no class number {category}.", f"It has {law.classes}.", "class")
    statistics = input_statistics(law, category)
    amplifier = Amplifier(unit_marginal(statistics.marginal(0)))
    examples = errors = None
    if is_estimated(law):
        x = statistics.x[:, 0]
        examples, errors = len(x), tuple(sampled(x, a, rescale=True).error for a in (CURVE, SHOWN))
    flat = refused = None
    try:
        flat = flat_state_of(law)
    except WorkbenchError as error:
        refused = error
    return AmplifierView(
        law,
        category,
        amplifier,
        amplifier.at(CURVE),
        amplifier.elasticity(CURVE),
        np.stack([amplifier.at(SHOWN), amplifier.elasticity(SHOWN)], axis=1),
        flat,
        refused,
        examples,
        errors,
    )


def has_a_gain(law: Law) -> bool:
    """Whether one gain belongs to the law, which can be varied."""
    return isinstance(getattr(law, "gain", None), Fraction)


def along_gains(law: Law) -> dict[str, Any]:
    """Return the elasticity less its critical value, and the fastest rate, at GAINS; and the gains of the transition.

    A positive excess means that the flat field is unstable.
    """
    states = [flat_state_of(replace(law, gain=Fraction(float(gain)))) for gain in GAINS]
    excess = np.array([state.elasticity - state.critical for state in states])
    changes = np.flatnonzero(np.diff(excess > 0))
    return {
        "gain": GAINS,
        "excess": excess,
        "rate": np.array([state.rates[1:].max() for state in states]),
        "critical": [critical_gain(law, float(GAINS[place]), float(GAINS[place + 1])) for place in changes],
    }


def density(view: AmplifierView) -> dict[str, Any]:
    """The unit marginal as it is drawn: values with probabilities, or bins with mean densities.

    More values than bins, such as those of examples, are drawn in bins.
    """
    marginal, edges = view.amplifier.marginal, np.linspace(-_REACH, _REACH, _BINS + 1)
    if isinstance(marginal, Density):
        shares = np.diff(marginal.cumulative(edges))
    else:
        x, p = (np.array(each, float) for each in (marginal.values, marginal.probabilities))
        if len(x) <= _BINS:
            return {"discrete": True, "x": x, "p": p}
        shares = np.histogram(x, edges, weights=p)[0]
    return {"discrete": False, "edges": edges, "heights": shares / np.diff(edges)}


def density_on(marginal: Density, x: Float[np.ndarray, " x"]) -> Float[np.ndarray, " x"]:
    """The density of a marginal, averaged over a bin about each of the points x: it may be infinite at its ends."""
    edges = np.concatenate([x[:1], (x[1:] + x[:-1]) / 2, x[-1:]])
    return np.diff(marginal.cumulative(edges)) / np.diff(edges)


def said(view: AmplifierView) -> str:
    """Whether the flat field of one ReLU neuron is unstable, and why, in a sentence."""
    if view.flat is None:
        return ""
    flat, q = view.flat, fastest_mode(view.flat)
    gaussian = "unstable" if flat.critical < 1 else "stable"
    relation = "exceeds" if flat.unstable else "stays below"
    return (
        f"The flat field is {'unstable' if flat.unstable else 'stable'} under the closure for one ReLU neuron: at its "
        f"correlation a₀ = {flat.a:.4g} with a pixel the elasticity {flat.elasticity:.5g} {relation} the critical "
        f"value {flat.critical:.5g} of the wave of {periods(flat.mode)}. The fastest wave has {periods(q)} and the "
        f"rate {flat.rates[q]:.3g}/τ. With Gaussian inputs of the same covariance the elasticity is 1, and the flat "
        f"field {gaussian}."
    )


def transition(along: Mapping[str, Any]) -> str:
    """Return at which gain a flat field changes its stability, and of what this is a prediction.

    >>> transition({"gain": [0.1, 1.0], "excess": [-1.0, 1.0], "critical": [0.185]})[:63]
    'Predicted gain: g = 0.185. Above it the flat field of one ReLU '
    """
    caution = "The closure predicts this for the flat field, not the gain at which trained networks localize."
    if len(along["critical"]) == 0:
        state = "unstable" if along["excess"][0] > 0 else "stable"
        low, high = along["gain"][0], along["gain"][-1]
        return f"The flat field of one ReLU neuron is {state} at every gain from {low:g} to {high:g}. {caution}"
    listed = " and ".join(f"{gain:.3g}" for gain in along["critical"])
    if len(along["critical"]) > 1:
        return f"Predicted gains: the flat field of one ReLU neuron changes its stability at g = {listed}. {caution}"
    above, below = ("unstable", "stable") if along["excess"][-1] > 0 else ("stable", "unstable")
    fact = f"Above it the flat field of one ReLU neuron is {above}, below it {below}."
    return f"Predicted gain: g = {listed}. {fact} {caution}"


def fastest_rate(flat: FlatState) -> float:
    """Return the largest rate of the waves, those that are not flat, in 1/tau."""
    return float(np.max(flat.rates[1:]))


def periods(mode: int) -> str:
    """Return the name of a wave on the ring.

    >>> periods(1), periods(3)
    ('1 period', '3 periods')
    """
    return f"{mode} period{'s' * (mode != 1)}"


def rows(view: AmplifierView) -> list[dict[str, Any]]:
    """Rows of the table: phi, that of a Gaussian pixel, and the elasticity at several a, a_0 among them."""
    at = [(float(a), float(phi), float(slope)) for a, (phi, slope) in zip(SHOWN, view.table, strict=True)]
    table = [{"a": a, "φ(a)": phi, "φ(a), Gaussian": np.sqrt(2 / np.pi) * a, "elasticity": e} for a, phi, e in at]
    if view.errors is not None:
        table = [row | {"standard error of φ": error} for row, error in zip(table, view.errors[1], strict=True)]
    if view.flat is not None:
        a = view.flat.a
        phi = float(view.amplifier.at(a))
        new = {"a": a, "φ(a)": phi, "φ(a), Gaussian": np.sqrt(2 / np.pi) * a, "elasticity": view.flat.elasticity}
        table = sorted([*table, new], key=lambda row: row["a"])
    return [{key: float(value) for key, value in row.items()} for row in table]


def waves(flat: FlatState) -> list[dict[str, Any]]:
    """Rows of the table of the waves on a flat field: their periods on the ring and their rates."""
    return [{"periods": q, "rate": float(rate)} for q, rate in enumerate(flat.rates[: len(flat.rates) // 2 + 1])]


def page(view: AmplifierView, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the data of the figures of the view."""
    flat = view.flat
    answer: dict[str, Any] = {
        "classes": list(legends(view.law)),
        "class": view.category,
        "marginal": density(view),
        "a": CURVE,
        "phi": view.phi,
        "errors": None if view.errors is None else view.errors[0],
        "elasticity": view.elasticity,
        "gaussian": np.sqrt(2 / np.pi) * CURVE,
        "flat": None
        if flat is None
        else {
            "a": flat.a,
            "phi": float(view.amplifier.at(flat.a)),
            "elasticity": flat.elasticity,
            "critical": flat.critical,
            "mode": flat.mode,
            "unstable": flat.unstable,
            "rates": flat.rates[: len(flat.rates) // 2 + 1],
            "fastest": fastest_mode(flat),
        },
        "gain": float(view.law.gain) if has_a_gain(view.law) else None,
        "said": [said(view)] if flat is not None else [],
        "about": [*_origin(view), *ABOUT],
        "refused": None if view.refused is None else {"message": view.refused.message, "remedy": view.refused.hint},
        "table": {"title": "The amplifier", **page_table(rows(view))},
        "waves": None
        if flat is None
        else {"title": "Growth of waves on a flat field, rate in 1/τ", **page_table(waves(flat))},
    }
    if settings.get("scan") and flat is not None and has_a_gain(view.law):
        along = along_gains(view.law)
        answer["gains"] = along | {
            "table": {"title": "Along the gain", **page_table(_gain_rows(along))},
            "said": transition(along),
        }
    return answer


def _origin(view: AmplifierView) -> list[str]:
    """Where the marginal comes from, of a law that is known by its examples."""
    if view.examples is None:
        return []
    return [
        f"The marginal is that of {view.examples} examples drawn from the law. The standard errors of φ include those "
        "of the mean and variance by which the examples are scaled; the elasticity is given without."
    ]


def _gain_rows(along: Mapping[str, Any]) -> list[dict[str, float]]:
    return [
        {"gain": float(gain), "elasticity − critical value": float(excess), "fastest rate (1/τ)": float(rate)}
        for gain, excess, rate in zip(along["gain"], along["excess"], along["rate"], strict=True)
    ]


def csv(view: AmplifierView) -> str:
    """The curves of the figure, one number a row."""
    curves = {"phi": view.phi, "elasticity": view.elasticity}
    if view.errors is not None:
        curves["standard error of phi"] = view.errors[0]
    lines = [
        {"quantity": name, "at": float(a), "value": float(value)}
        for name, values in curves.items()
        for a, value in zip(CURVE, values, strict=True)
    ]
    if view.flat is not None:
        lines += [
            {"quantity": "rate of the mode, in 1/tau", "at": row["periods"], "value": row["rate"]}
            for row in waves(view.flat)
        ]
    if view.flat is not None and has_a_gain(view.law):
        along = along_gains(view.law)
        lines += [
            {"quantity": f"{name} at the gain", "at": float(gain), "value": float(value)}
            for name in ("excess", "rate")
            for gain, value in zip(along["gain"], along[name], strict=True)
        ]
    return csv_text(lines)


def python(view: AmplifierView) -> tuple[str, ...]:
    """Lines that print the numbers of the page."""
    return (
        "from derivations.explore.amplifier import amplifier_view, rows, said",
        "",
        f"view = amplifier_view(problem.data, {view.category})",
        "for row in rows(view):",
        "    print(row)",
        "print(said(view))",
    )


def latex(view: AmplifierView) -> str:
    """The definitions and the numbers of the page."""
    lines = [f"{' & '.join(f'{value:.10g}' for value in row.values())} \\\\" for row in rows(view)]
    columns = [r"$a$", r"$\varphi(a)$", r"$\sqrt{2/\pi}\, a$", r"$d\ln\varphi/d\ln a$"]
    columns += [] if view.errors is None else [r"standard error of $\varphi$"]
    head = " & ".join(columns) + r" \\"
    return (
        "\\[ \\varphi(a) = \\mathbb{E}\\Bigl[X \\operatorname{erf} \\frac{X a}{\\sqrt{2 (1 - a^2)}}\\Bigr] \\]\n\n"
        + "\n".join([f"\\begin{{tabular}}{{{'r' * len(columns)}}}", head, *lines, "\\end{tabular}"])
    )
