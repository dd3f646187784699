"""The table of the drawn kernels: the means of powers of the standardised entries beside their exact values."""

from derivations.experiments.model import Run
from derivations.markdown import table

_POWERS = ("mean", "variance", "third moment", "fourth moment")


def moments(run: Run) -> str:
    """Moments of (K0 - E K0)/sd with standard errors over networks, and the exact ones in parentheses."""
    rows = []
    for name, histogram in run["histograms"].items():
        triples = zip(histogram["moments"], histogram["standard_errors"], histogram["exact"], strict=True)
        rows.append([name, *(f"{value:.2f} ± {error:.2f} ({exact:.2f})" for value, error, exact in triples)])
    return table(["networks", *_POWERS], rows)


TABLES = {"initial-kernels": {"": moments}}
