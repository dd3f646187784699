"""The figure of the tangent kernel at infinite width beside that of fixed gates, by correlation and depth."""

import math
from pathlib import Path

from derivations.experiments.model import Data

CAPTION = (
    r"Tangent kernels of ReLU networks of infinite width, divided by the depth $d$, against the correlation of two "
    r"unit inputs. Left: all weights are trained and move the gates, $\tilde K^{(d)}/d$. Right: the gates of a random "
    r"network are kept, $\sigma^{2(d-1)} H$. Both are 1 at equal inputs. Elsewhere the right one is nowhere larger, "
    "and falls to 0 with the depth."
)
_DEPTHS = (2, 3, 5, 10, 30)
_ANGLES = 60  # equal steps of the angle between the inputs, because the kernels are steep at small angles
_ROUNDED = 1000  # correlations are fractions of this denominator
_DIGITS = 12
_PANELS = {"ntk": "trained gates", "fixed-gates": "fixed gates"}


def data() -> Data:
    """Return the curves over the correlation, by depth."""
    import sympy

    from theory.kernels.infinite import WideNetwork, certified_kernel

    cosines = [math.cos(math.pi * k / _ANGLES) for k in range(_ANGLES, -1, -1)]
    correlations = [sympy.Rational(round(_ROUNDED * one), _ROUNDED) for one in cosines]
    panels: Data = {}
    for kernel, title in _PANELS.items():
        panels[title] = {"correlation": [float(r) for r in correlations]}
        for depth in _DEPTHS:
            network = WideNetwork("relu", depth)
            found = [certified_kernel(network, r, digits=_DIGITS, kernel=kernel) for r in correlations]
            panels[title][f"$d = {depth}$"] = [float(one.value) / depth for one in found]
    return panels


def draw(panels: Data, path: Path, mark: str) -> None:
    """Write the image, one panel for each kernel."""
    from derivations import plots
    from derivations.plots import STYLE, plt

    with plt.rc_context(STYLE):
        figure, axes = plt.subplots(1, len(panels), figsize=(4.2 * len(panels), 3.2), sharey=True, squeeze=False)
        for axis, (title, curves) in zip(axes[0], panels.items(), strict=True):
            names = [name for name in curves if name != "correlation"]
            shades = plt.get_cmap("viridis")([0.85 * k / (len(names) - 1) for k in range(len(names))])
            for name, colour in zip(names, shades, strict=True):
                axis.plot(curves["correlation"], curves[name], color=colour, lw=1.4, label=name)
            axis.set(title=title, xlabel=r"correlation $\rho$")
        axes[0][0].set_ylabel("kernel / depth")
        axes[0][0].legend(fontsize=7, frameon=False)
        plots.save(figure, path, mark)
