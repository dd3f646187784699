"""The tables of the sweep of the gain, from its stored numbers and the published ones.

IPR = sum_j w_j^4/(sum_j w_j^2)^2 throughout, as the public code has it.
"""

from collections.abc import Callable, Mapping
from functools import partial

import numpy as np

from derivations.experiments.model import Run
from derivations.markdown import table

SHORT, LONG = (0.3, 0.7), (2.0, 3.0)  # correlation lengths of y = 0 and y = 1
PUBLISHED_TIME, PUBLISHED_SEEDS = 100.0, 30
# Mean and, where it is known, standard deviation over seeds of the public sweep at SHORT, by gain to three digits; that
# of gain 35.9 is not known.
PUBLISHED: Mapping[str, tuple[float, float | None]] = {
    "0.01": (0.060, 0.017),
    "0.0278": (0.061, None),
    "0.0774": (0.063, None),
    "0.215": (0.090, 0.035),
    "0.599": (0.792, 0.129),
    "1.67": (0.974, None),
    "4.64": (0.987, None),
    "12.9": (0.990, None),
    "100": (0.991, 0.001),
}


def cells_of(run: Run, xi: tuple[float, float]) -> list[Run]:
    """The cells at these correlation lengths, by gain."""
    return sorted((cell for cell in run["cells"] if tuple(cell["xi"]) == xi), key=lambda cell: cell["gain"])


def ratios(run: Run, xi: tuple[float, float]) -> str:
    """Mean ratios with standard errors at each time after the start; beside the published ones where there are any."""
    times, with_published = run["times"][1:], xi == SHORT
    columns = ["gain", *(["published"] if with_published else []), *(f"$t = {time:g}$" for time in times)]
    columns += [f"$t = {PUBLISHED_TIME:g}$ less published"] if with_published else []
    rows = []
    for cell in cells_of(run, xi):
        values = np.array(cell["participation_ratio"])[:, 1:]
        mean, error = values.mean(axis=0), values.std(axis=0, ddof=1) / np.sqrt(len(values))
        shown = [f"{m:.4f} ± {e:.4f}" for m, e in zip(mean, error, strict=True)]
        row = [f"{cell['gain']:.3g}", *shown]
        if with_published:
            at = times.index(PUBLISHED_TIME)
            row.insert(1, _published(row[0]))
            row.append(_difference(row[0], mean[at], error[at]))
        rows.append(row)
    return table(columns, rows)


def flips(run: Run, xi: tuple[float, float]) -> str:
    """Per cent of examples on which the gate differs between two times, with standard errors over networks."""
    times, last = run["times"], len(run["times"]) - 1
    pairs = [*((i, i + 1) for i in range(last)), (0, last)]
    rows = []
    for cell in cells_of(run, xi):
        mean, error = cell["gate_flips"]["mean"], cell["gate_flips"]["standard_error"]
        rows.append([f"{cell['gain']:.3g}", *(f"{100 * mean[i][j]:.1f} ± {100 * error[i][j]:.1f}" for i, j in pairs)])
    return table(["gain", *(f"$t = {times[i]:g}$ to ${times[j]:g}$" for i, j in pairs)], rows)


def shapes(run: Run, xi: tuple[float, float]) -> str:
    """Shapes of the fields at the last time: width, spectral peak, and the share of power there."""
    rows = []
    for cell in cells_of(run, xi):
        width, share = (
            f"{cell[name]['mean'][-1]:.2f} ± {cell[name]['standard_error'][-1]:.2f}"
            for name in ("field_width", "peak_share")
        )
        rows.append([f"{cell['gain']:.3g}", width, f"{cell['flat'][-1]} of {run['networks']}", share])
    return table(["gain", "width in sites", "spectral peak at frequency 0", "share of power at the peak"], rows)


def _published(gain: str) -> str:
    if gain not in PUBLISHED:
        return ""
    mean, spread = PUBLISHED[gain]
    return f"{mean:.3f}" if spread is None else f"{mean:.3f} (sd {spread:.3f})"


def _difference(gain: str, mean: float, error: float) -> str:
    """The difference of the means and, where both standard errors are known, in units of that of the difference.

    A published mean is printed to a thousandth, which adds the variance 0.001^2/12 of its rounding.
    """
    if gain not in PUBLISHED:
        return ""
    published, spread = PUBLISHED[gain]
    if spread is None:
        return f"{mean - published:+.3f}"
    both = np.sqrt(error**2 + spread**2 / PUBLISHED_SEEDS + 0.001**2 / 12)
    return f"{mean - published:+.3f} ({(mean - published) / both:+.1f} standard errors)"


def _ratios_at(run: Run, xi: tuple[float, float], gain: str, time: int) -> np.ndarray:
    """The ratios of the networks at a gain to three digits, and at one of the times."""
    (cell,) = (cell for cell in cells_of(run, xi) if f"{cell['gain']:.3g}" == gain)
    return np.array(cell["participation_ratio"])[:, time]


def _agreement(run: Run) -> str:
    """The largest difference from a published mean up to gain 0.215, in standard errors where they are known."""
    errors = []
    for cell in cells_of(run, SHORT)[:4]:
        gain = f"{cell['gain']:.3g}"
        values = _ratios_at(run, SHORT, gain, run["times"].index(PUBLISHED_TIME))
        text = _difference(gain, values.mean(), values.std(ddof=1) / np.sqrt(len(values)))
        if "standard errors" in text:
            errors.append(abs(float(text.partition("(")[2].split()[0])))
    return f"{max(errors):.1f}"


def _width(run: Run) -> str:
    (cell,) = (cell for cell in cells_of(run, LONG) if f"{cell['gain']:.3g}" == "0.599")
    return f"{cell['field_width']['mean'][2]:.1f}"


def _mean(run: Run, gain: str, time: int, digits: int) -> str:
    return f"{_ratios_at(run, LONG, gain, time).mean():.{digits}f}"


_OF_THE_SWEEP: Mapping[str, Callable[[Run], str]] = {
    "ratios": partial(ratios, xi=SHORT),
    "ratios-long": partial(ratios, xi=LONG),
    "shapes": partial(shapes, xi=SHORT),
    "shapes-long": partial(shapes, xi=LONG),
    "flips": partial(flips, xi=SHORT),
    "flips-long": partial(flips, xi=LONG),
    # Single numbers, for sentences.
    "agreement": _agreement,
    "bump-width": _width,
    "bump-ratio": partial(_mean, gain="0.599", time=2, digits=2),
    "high-gain-ratio": partial(_mean, gain="4.64", time=3, digits=1),
    "low-gain-ratio": partial(_mean, gain="0.01", time=3, digits=2),
}
_OF_THE_BATCHES: Mapping[str, Callable[[Run], str]] = {
    "": partial(ratios, xi=SHORT),
    "spread": lambda run: f"{_ratios_at(run, SHORT, '0.599', 2).std(ddof=1):.2f}",
}
TABLES = {"localization-sweep": _OF_THE_SWEEP, "localization-batch": _OF_THE_BATCHES}
