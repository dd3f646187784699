"""The histograms of drawn kernels beside their exact mean and variance, from the stored numbers."""

from pathlib import Path

import numpy as np

from derivations.experiments.model import Data, Figure, Run

_SHOWN = {False: (0.0, 4.0), True: (-3.0, 3.0)}  # from zero, or from the mean, in standard deviations; by `two`
_FINER = 8  # points of the curve in a bin


def data(run: Run) -> Data:
    """The panels: densities by bin, and the curve of a law with the exact mean and variance."""
    edges = np.array(run["edges"])
    panels = {}
    for name, histogram in run["histograms"].items():
        two, mean, sd = name.startswith("two"), histogram["mean"], histogram["sd"]
        low, high = (mean + sd * end for end in _SHOWN[two])
        places = mean + sd * edges
        shown = (places[:-1] >= (low if two else -sd / 10)) & (places[1:] <= high)
        middles = ((places[:-1] + places[1:]) / 2)[shown]
        density = (np.array(histogram["counts"]) / run["networks"] / np.diff(places))[shown]
        fine = np.linspace(middles[0], middles[-1], _FINER * (len(middles) - 1) + 1)
        panels[name] = {
            "kernel": middles.round(9).tolist(),
            "drawn": density.round(9).tolist(),
            "curve at": fine.round(9).tolist(),
            "curve": (_gaussian if two else _log_normal)(fine, mean, sd).round(9).tolist(),
            "mean": [mean],
        }
    return panels


def _log_normal(at: np.ndarray, mean: float, sd: float) -> np.ndarray:
    """The density of exp(N(m, v)) with this mean and standard deviation; 0 below 0."""
    v = np.log1p((sd / mean) ** 2)
    m = np.log(mean) - v / 2
    positive = np.where(at > 0, at, 1.0)
    return np.where(at > 0, np.exp(-((np.log(positive) - m) ** 2) / (2 * v)) / (positive * np.sqrt(2 * np.pi * v)), 0)


def _gaussian(at: np.ndarray, mean: float, sd: float) -> np.ndarray:
    return np.exp(-(((at - mean) / sd) ** 2) / 2) / (sd * np.sqrt(2 * np.pi))


def _draw(panels: Data, path: Path, mark: str) -> None:
    from derivations.plots import BLUE, GREY, ORANGE, STYLE, plt, save

    with plt.rc_context(STYLE):
        figure, axes = plt.subplots(1, len(panels), figsize=(3.6 * len(panels), 3.0))
        for axis, (title, curves) in zip(axes, panels.items(), strict=True):
            places = np.array(curves["kernel"])
            axis.bar(places, curves["drawn"], width=places[1] - places[0], color=GREY, alpha=0.5, label="drawn")
            two = title.startswith("two")
            name, dash = ("Gaussian", ":") if two else ("log-normal", "-")
            axis.plot(curves["curve at"], curves["curve"], dash, color=ORANGE if two else BLUE, lw=1.3, label=name)
            axis.axvline(curves["mean"][0], color="black", lw=0.8, ls="--", label="exact mean")
            axis.set(title=title, xlabel="$K_0(x, x')$" if two else "$K_0(x, x)$")
            axis.legend(fontsize=7, frameon=False)
        axes[0].set_ylabel("density")
        save(figure, path, mark)


FIGURES = {
    "initial-kernels": Figure(
        r"Entries of $K_0$ of networks at initialisation with $w = 64$, $d = 20$ and $\sigma^2 = 1/(\mu w)$, each with "
        r"its own weights and gates (bars), and laws with the exact mean and variance: log-normal ones for "
        r"diagonal entries, a Gaussian for the entry of two inputs. The gates are all open, or open with $\mu = 1/2$. "
        "The curves have no parameter that is fitted.",
        "initial-kernels",
        data,
        _draw,
    )
}
