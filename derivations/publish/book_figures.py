"""The figures of the book: their data are committed beside the image and compared; pixels are not.

A figure is made from what is stored (evidence, measured runs) and from the theory, never from a simulation. The image
carries the hash of the data that it was drawn from, so that an image of other data is found too.
"""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

from derivations.atomic import write_text
from derivations.evidence import stored
from derivations.experiments.folders import figures, problem_named, read
from derivations.experiments.model import Data, Figure
from derivations.markdown import plain
from derivations.publish import (
    amplifier_figure,
    depth_figure,
    law_controls,
    mode_figure,
    noise_figure,
    ntk_figure,
    path_figure,
    region_figure,
    reproduction_figure,
)
from theory.claims.model import Claim
from theory.problem import InputError

FOLDER = "figures"  # inside the folder of the book
# Theory in float64 differs between machines by the rounding times the condition number, here about 10^5.
ROUNDING = 1e-9
_WEIGHTS = "flow.descent.weights"
_BESIDE = 8  # sites shown on either side of the gate
_FIELDS = (2, 10, 100)  # times of the fields on the ring


@dataclass(frozen=True)
class BookFigure:
    """A figure: its caption, its data, and the function that draws them into a file."""

    caption: str
    data: Callable[[Mapping[str, Claim], Path], Data]
    draw: Callable[[Data, Path, str], None]


def _fields(claims: Mapping[str, Claim], evidence: Path) -> Data:
    """Weights of the small-bump problem at the last time: exact gradient descent and trained networks."""
    import numpy as np

    from theory.flow import discrete

    known = stored.read(claims[_WEIGHTS], evidence)
    panels = {}
    for name, trained in (known or {"simulated": {}})["simulated"].items():
        problem = problem_named(name.split("/")[1])
        site = problem.network.gates[0].site
        window = slice(max(0, site - _BESIDE), site + _BESIDE + 1)
        curves = {
            "theory": discrete(problem).weights[-1],
            "mean": np.asarray(trained["mean"])[-1],
            "error": np.asarray(trained["standard_error"])[-1],
        }
        first, second = (float(xi) for xi in problem.data.xi)
        title = rf"$\xi_1 = {first:g}$, $\xi_2 = {second:g}$, $t = {trained['times'][-1]:g}$"
        panels[title] = {
            "site": list(range(problem.data.n))[window],
            **{curve: np.round(values[:, window], 12).tolist() for curve, values in curves.items()},
        }
    return panels


def _draw_fields(data: Data, path: Path, mark: str) -> None:
    import numpy as np

    from derivations import plots

    panels = {title: {name: np.asarray(values) for name, values in panel.items()} for title, panel in data.items()}
    plots.save(plots.receptive_fields(panels, slice(None)), path, mark)


def _ring_modes(_claims: Mapping[str, Claim], _evidence: Path) -> Data:
    """The small-bump problem on a ring: modes of the first unit against time, and its field at three times."""
    import numpy as np

    from theory.flow import solve

    flat = problem_named("small-bump")
    law = replace(flat.data, boundary="ring", xi=(Fraction(3, 2), Fraction(1)))
    times = np.round(np.geomspace(0.5, 200, 40), 3).tolist()
    problem = replace(flat, data=law, training=replace(flat.training, times=tuple(times)))
    site, n = problem.network.gates[0].site, law.n
    solution = solve(problem)
    around = np.roll(solution.weights[:, 0], -site, axis=1)
    modes = np.fft.fft(around, axis=1).real.round(12)
    shown = solve(problem, times=_FIELDS).weights[:, 0, site - _BESIDE : site + _BESIDE + 1].round(12)
    return {
        "modes": {"time": times, **{f"$q = {q}$": modes[:, q].tolist() for q in (0, n // 8, n // 4, n // 2)}},
        "fields": {
            "site": list(range(site - _BESIDE, site + _BESIDE + 1)),
            **{f"$t = {t}\\, \\tau$": field.tolist() for t, field in zip(_FIELDS, shown, strict=True)},
        },
    }


def _draw_ring_modes(data: Data, path: Path, mark: str) -> None:
    from derivations.plots import BLUE, GREEN, GREY, ORANGE, STYLE, plt, save

    with plt.rc_context(STYLE):
        figure, axes = plt.subplots(1, 2, figsize=(8.4, 3.2))
        for axis, (panel, across) in zip(axes, (("modes", "time"), ("fields", "site")), strict=True):
            curves = dict(data[panel])
            places = curves.pop(across)
            for (name, values), colour, dash in zip(
                curves.items(), (BLUE, ORANGE, GREEN, GREY), ("-", "--", "-.", ":"), strict=False
            ):
                axis.plot(places, values, dash, color=colour, lw=1.4, label=name)
            axis.axhline(0, color="black", lw=0.5)
            axis.legend(fontsize=7, frameon=False)
        axes[0].set(xscale="log", xlabel=r"time $t/\tau$", ylabel="mode $w_q$, from the gate's site")
        axes[1].set(xlabel="site $j$", ylabel="weight $w_j$")
        save(figure, path, mark)


def _without_evidence(caption: str, data: Callable[[], Data], draw: Callable[[Data, Path, str], None]) -> BookFigure:
    return BookFigure(caption, lambda _claims, _evidence: data(), draw)


def _of(module: Any) -> BookFigure:
    """The figure of a module that has CAPTION, data() and draw()."""
    return _without_evidence(module.CAPTION, module.data, module.draw)


def _of_reproduction(name: str) -> BookFigure:
    caption = reproduction_figure.caption(name)
    return _without_evidence(caption, lambda: reproduction_figure.data(name), reproduction_figure.draw)


def _of_experiment(declared: Figure) -> BookFigure:
    return _without_evidence(declared.caption, lambda: declared.data(read(declared.run)), declared.draw)


RECEPTIVE_FIELDS = BookFigure(
    "Weights of the two units beside the gate's site: exact gradient descent (lines) and trained networks (mean "
    "and 99 % interval over replicates). The longer correlation in class 1 gives a bump, the shorter one an "
    "oscillation at short range.",
    _fields,
    _draw_fields,
)

RING_MODES = BookFigure(
    "Modes of the unit that opens for positive inputs at its site, on a ring: long waves arrive first (left), so that "
    "the field begins wide and sharpens (right). Lines are the exact solution.",
    _ring_modes,
    _draw_ring_modes,
)


@cache
def known() -> dict[str, BookFigure]:
    """Every figure by name: that of the evidence, those of the theory, of experiments, and of repeated experiments."""
    own = {
        "receptive-fields": RECEPTIVE_FIELDS,
        "race-modes": _of(mode_figure),
        "ring-modes": RING_MODES,
        "amplifier": _of(amplifier_figure),
        "depth-and-width": _of(depth_figure),
        "paths": _of(path_figure),
        **{
            name: _without_evidence(caption, data, region_figure.draw)
            for name, (caption, data) in region_figure.FIGURES.items()
        },
        "noise-floor": _of(noise_figure),
        "neural-path-kernel": _of(ntk_figure),
        "law-controls": _of(law_controls),
    }
    repeated = {reproduction_figure.figure_of(name): _of_reproduction(name) for name in reproduction_figure.names()}
    return own | {name: _of_experiment(declared) for name, declared in figures().items()} | repeated


def figure(name: str, here: str) -> BookFigure:
    """The figure of this name. Raises InputError where there is none."""
    if name not in known():
        raise InputError(f"{here}: no figure is called {name!r}.", f"Known: {', '.join(known())}.")
    return known()[name]


def markdown(name: str, here: str) -> str:
    """The lines that show a figure on a page; its text for readers who do not see it has no TeX."""
    caption = figure(name, here).caption
    return f"![{plain(caption)}]({FOLDER}/{name}.svg)\n\n*{caption}*\n"


def digest(data: Data) -> str:
    """The hash that an image carries of the data it was drawn from."""
    return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()


def differences(name: str, data: Data, folder: Path) -> Iterator[tuple[str, str, str, str]]:
    """Return differences of the committed data or image from these: (status, where, stored, now); empty if none."""
    file, image = folder / FOLDER / f"{name}.json", folder / FOLDER / f"{name}.svg"
    if not file.is_file() or not image.is_file():
        yield "missing", "", "", ""
        return
    try:
        there = json.loads(file.read_text(encoding="utf-8"))
    except ValueError:
        yield "unreadable", "", "", ""
        return
    before, now = dict(_numbers(there)), dict(_numbers(data))
    largest = max((abs(value) for value in now.values()), default=0.0)
    for place in sorted({*before, *now}):
        old, new = before.get(place), now.get(place)
        if old is None or new is None or not abs(old - new) <= ROUNDING * largest:
            yield "stale", place, str(old), str(new)
            return
    if digest(there).encode() not in image.read_bytes():
        yield "an image of other data", "", "", ""


def _numbers(data: Any, place: str = "") -> Iterator[tuple[str, float]]:
    """Yield every number with its place, `panel/curve/0/3`; entries that are no numbers are NaN."""
    if isinstance(data, Mapping):
        for key, value in data.items():
            yield from _numbers(value, f"{place}/{key}")
    elif isinstance(data, list):
        for index, value in enumerate(data):
            yield from _numbers(value, f"{place}/{index}")
    else:
        is_number = isinstance(data, int | float) and not isinstance(data, bool)
        yield place.lstrip("/"), float(data) if is_number else float("nan")


def write(name: str, data: Data, folder: Path) -> None:
    """Write data and image, unless the stored ones agree."""
    if next(differences(name, data, folder), None) is None:
        return
    (folder / FOLDER).mkdir(exist_ok=True)
    write_text(folder / FOLDER / f"{name}.json", json.dumps(data, indent=1, allow_nan=False) + "\n")
    known()[name].draw(data, folder / FOLDER / f"{name}.svg", digest(data))
