"""The figure of the tangent kernel's variance against the depth: exact, as printed, the proved bound, and as drawn."""

from fractions import Fraction
from pathlib import Path

from derivations.experiments.model import Data

CAPTION = (
    r"Variance of $K_0$ for $\sigma^2 = 1/w$ and all gates open, against the depth at two widths: exact (lines), the "
    r"order that Theorem 2.3 prints, $\max\{d^2/w, d^3/w^2\}$ (dotted), and the proved bound (dashed). No constant "
    "factor carries the dotted line above the exact one at all depths. Circles: networks drawn at initialisation, with "
    "intervals of two standard errors."
)
_WIDTHS = (20, 200)
_DEPTHS = (2, 3, 4, 5, 6, 8, 10, 14, 20, 28, 40, 56, 80, 112, 160)


def data() -> Data:
    """Return the curves over the depths, by width."""
    from derivations.experiments.folders import read
    from theory.kernels import alike, relative_variance_bound, variance

    drawn = read("initial-kernels")["depths"]
    panels: Data = {}
    for width in _WIDTHS:
        seen = drawn[str(width)]
        exact = [variance(alike(width, depth)) / Fraction(width) ** (2 * (depth - 1)) for depth in _DEPTHS]
        panels[f"$w = {width}$"] = {
            "depth": list(_DEPTHS),
            "exact": [float(value) for value in exact],
            "printed": [max(depth**2 / width, depth**3 / width**2) for depth in _DEPTHS],
            "proved": [float(depth**2 * relative_variance_bound(width, depth)) for depth in _DEPTHS],
            "drawn depth": seen["depth"],
            "drawn": seen["variance"],
            "drawn error": seen["standard_error"],
        }
    return panels


def draw(panels: Data, path: Path, mark: str) -> None:
    """Write the image, one panel for each width."""
    from derivations import plots
    from derivations.plots import BLUE, GREEN, GREY, ORANGE, STYLE, plt

    with plt.rc_context(STYLE):
        figure, axes = plt.subplots(1, len(panels), figsize=(4.2 * len(panels), 3.2), squeeze=False)
        for axis, (title, curves) in zip(axes[0], panels.items(), strict=True):
            for name, colour, dash in (("proved", GREEN, "--"), ("exact", BLUE, "-"), ("printed", ORANGE, ":")):
                # The variance at the depth 2 is 0, which a logarithmic axis does not show.
                pairs = [(d, value) for d, value in zip(curves["depth"], curves[name], strict=True) if value]
                axis.plot(*zip(*pairs, strict=True), dash, color=colour, lw=1.4, label=name)
            drawn, error = curves["drawn"], [2 * own for own in curves["drawn error"]]
            mark_style = {"fmt": "o", "ms": 3.5, "mfc": "white", "color": GREY, "lw": 1.0, "label": "drawn"}
            axis.errorbar(curves["drawn depth"], drawn, yerr=error, **mark_style)
            axis.set(title=title, xscale="log", yscale="log", xlabel="depth $d$")
            axis.legend(fontsize=7, frameon=False)
        axes[0][0].set_ylabel(r"$\mathrm{Var}\, K_0$")
        plots.save(figure, path, mark)
