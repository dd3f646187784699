"""The table of the experiment on deep linear networks, from its stored numbers."""

from derivations.experiments.model import Run
from derivations.markdown import table


def distances(run: Run) -> str:
    """The largest distance of each network to its formula, at both rates and extrapolated, and to a competing one."""
    rows = []
    for panel, networks in run["panels"].items():
        for name, network in networks.items():
            found = network["distances"]
            shown = [f"{found[key]:.1e}" for key in ("coarse", "fine", "extrapolated")]
            rival = "" if found["rival"] is None else f"{found['rival']:.3f}"
            rows.append([panel, _told(name), *shown, rival])
    titles = ["panel", "network", *(f"rate {rate:g}" for rate in run["rates"]), "extrapolated", "competing formula"]
    return table(titles, rows)


def _told(name: str) -> str:
    return f"${name.replace('lambda', chr(92) + 'lambda')}$" if "=" in name else name


TABLES = {"deep-linear": {"": distances}}
