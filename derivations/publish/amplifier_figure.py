"""The figure of the amplifier: phi and its elasticity for five marginals."""

from pathlib import Path

from derivations.experiments.model import Data

CAPTION = (
    "The amplifier of five pixel marginals of variance 1 (left) and its elasticity (right). A Gaussian pixel is "
    "neutral: its elasticity is 1. At small $a$ the bounded marginals, whose kurtosis is below 3, lie above it, the "
    "Laplace marginal with its heavy tails below it; near $a = 1$ the order reverses."
)
_LAST, _POINTS = 0.98, 50


def data() -> Data:
    """phi and the elasticity against a for each marginal."""
    import numpy as np

    from theory.moments.amplifier import Amplifier, unit_marginal
    from theory.moments.inputs import Values
    from theory.moments.marginal import erf_marginal, gaussian_marginal
    from theory.moments.nonlinearities.functions import marginal
    from theory.problem import Laplace

    marginals = {
        "two values": Values((-1, 1), (0.5, 0.5)),
        "erf of gain 3": unit_marginal(erf_marginal(3.0, 1.0)),
        "uniform": unit_marginal(erf_marginal(0.5**0.5, 1.0)),
        "Gaussian": gaussian_marginal(1.0),
        "Laplace": unit_marginal(marginal(Laplace(), 1.0)),
    }
    a = np.linspace(_LAST / _POINTS, _LAST, _POINTS)
    found = {name: Amplifier(each) for name, each in marginals.items()}
    return {
        "phi": {"a": a.round(6).tolist()} | {name: each.at(a).round(10).tolist() for name, each in found.items()},
        "elasticity": {"a": a.round(6).tolist()}
        | {name: each.elasticity(a).round(10).tolist() for name, each in found.items()},
    }


def draw(panels: Data, path: Path, mark: str) -> None:
    """Write the image, one panel for phi and one for the elasticity."""
    from derivations import plots
    from derivations.plots import BLUE, GREEN, GREY, ORANGE, PURPLE, STYLE, plt

    labels = {"phi": r"amplifier $\phi(a)$", "elasticity": r"elasticity $d \log \phi/d \log a$"}
    with plt.rc_context(STYLE):
        figure, axes = plt.subplots(1, len(panels), figsize=(8.4, 3.4))
        for axis, (panel, curves) in zip(axes, panels.items(), strict=True):
            names = [name for name in curves if name != "a"]
            looks = zip(names, (BLUE, GREEN, PURPLE, GREY, ORANGE), ("-", "-.", (0, (5, 1)), "--", ":"), strict=True)
            for name, colour, dash in looks:
                axis.plot(curves["a"], curves[name], ls=dash, color=colour, lw=1.4, label=name)
            axis.set(xlabel="$a$", ylabel=labels[panel])
        axes[0].legend(fontsize=8, frameon=False)
        plots.save(figure, path, mark)
