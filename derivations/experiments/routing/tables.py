"""The tables of the experiment of routing networks, from its stored numbers."""

import numpy as np

from derivations.experiments.model import Run
from derivations.markdown import table

LEARNED = 1e-6  # a network whose error on trained pairs lies below has learned


def departures(run: Run) -> str:
    """Trained strengths beside those of the reduction at four times."""
    times, fine = run["aligned"]["times"], np.array(run["reduction"]["times"])
    strengths, predicted = (np.array(run[name]["strengths"]) for name in ("aligned", "reduction"))
    shown = [len(times) // 4, len(times) // 2, 3 * len(times) // 4, len(times) - 1]
    rows = []
    for mode in range(strengths.shape[1]):
        for which, name in enumerate(("b_1", "b_2")):
            cells = []
            for index in shown:
                theory = predicted[int(np.abs(fine - times[index]).argmin()), mode, which]
                cells.append(f"{strengths[index, mode, which]:.4f} / {theory:.4f}")
            rows.append([f"${name}$, mode {mode + 1}", *cells])
    return table(["trained / reduction", *(f"$t = {times[index]:g}$" for index in shown)], rows)


def scales(run: Run) -> str:
    """Errors of untrained pairs by the standard deviation of the initial weights, of the networks that have learned."""
    rows = []
    for one in run["by_scale"]:
        trained, untrained, change = (np.array(one[name]) for name in ("trained", "untrained", "change_of_shared"))
        learned = trained < LEARNED
        middle, largest = np.median(untrained[learned]), untrained[learned].max()
        rows.append(
            [
                f"{one['scale']:.3g}",
                f"{learned.sum()} of {len(learned)}",
                f"{np.median(change[learned]):.2g}",
                f"{middle:.1e}",
                f"{largest:.1e}",
            ]
        )
    head = ["standard deviation", "have learned", "change of $W$, median", "error, median", "error, largest"]
    return table(head, rows)


TABLES = {"routing": {"departures": departures, "scales": scales}}
