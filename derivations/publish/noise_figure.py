"""The figure of whitening and its noise: mean and standard deviation of an entry of two inputs, by depth."""

from fractions import Fraction
from pathlib import Path

from derivations.experiments.model import Data

CAPTION = (
    r"An entry $K_0(x, x')$ of two inputs $x = x' = 1$ with Bernoulli(1/2) gates and $\sigma^2 = 2/w$, against the "
    r"depth at two widths: its mean $d \mu^{d-1}$ (dashed) and its standard deviation (line), both exact, and the "
    r"standard deviation of wide and deep networks, $\sqrt{2 (1 + \mu^2)/((1 - \mu^2)^3 w)}$ (dotted)."
)
_WIDTHS = (50, 500)
_DEPTHS = tuple(range(2, 25))
_MU = Fraction(1, 2)


def data() -> Data:
    """Return mean, standard deviation and its limit by depth, for each width."""
    from theory.kernels import alike, mean, variance

    limit = 2 * (1 + _MU**2) / (1 - _MU**2) ** 3
    panels: Data = {}
    for width in _WIDTHS:
        unit = [(_MU * width) ** (depth - 1) for depth in _DEPTHS]
        networks = [alike(width, depth, _MU) for depth in _DEPTHS]
        means = [float(mean(own, (0, 1)) / scale) for own, scale in zip(networks, unit, strict=True)]
        spreads = [float(variance(own, (0, 1)) / scale**2) ** 0.5 for own, scale in zip(networks, unit, strict=True)]
        panels[f"$w = {width}$"] = {
            "depth": list(_DEPTHS),
            "mean": means,
            "standard deviation": spreads,
            "limit": [float(limit / width) ** 0.5] * len(_DEPTHS),
        }
    return panels


def draw(panels: Data, path: Path, mark: str) -> None:
    """Write the image, one panel for each width."""
    from derivations import plots
    from derivations.plots import BLUE, GREEN, ORANGE, STYLE, plt

    with plt.rc_context(STYLE):
        figure, axes = plt.subplots(1, len(panels), figsize=(4.2 * len(panels), 3.2), sharey=True)
        for axis, (title, curves) in zip(axes, panels.items(), strict=True):
            for name, colour, dash in (
                ("mean", GREEN, "--"),
                ("standard deviation", BLUE, "-"),
                ("limit", ORANGE, ":"),
            ):
                axis.plot(curves["depth"], curves[name], dash, color=colour, lw=1.4, label=name)
            axis.set(title=title, yscale="log", xlabel="depth $d$")
            axis.legend(fontsize=7, frameon=False)
        axes[0].set_ylabel("$K_0(x, x')$")
        plots.save(figure, path, mark)
