"""The table of the experiment on deep linear networks, from its stored numbers."""

from derivations.experiments.model import Run
from derivations.markdown import table


def distances(run: Run) -> str:
    """The largest distance of each network to its formula, at both rates and extrapolated, and to a competing one."""
    rows = []
    for panel, networks in run["panels"].items():
        for name, network in networks.items():
            apart = network["distances"]
            shown = [f"{apart[key]:.1e}" for key in ("coarse", "fine", "extrapolated")]
            rival = "" if apart["rival"] is None else f"{apart['rival']:.3f}"
            rows.append([panel, _label(name), *shown, rival])
    titles = ["panel", "network", *(f"rate {rate:g}" for rate in run["rates"]), "extrapolated", "competing formula"]
    return table(titles, rows)


def _label(name: str) -> str:
    return f"${name.replace('lambda', chr(92) + 'lambda')}$" if "=" in name else name


TABLES = {"deep-linear": {"": distances}}
