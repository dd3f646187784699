"""`gdln data`: the data sets that laws of real data read, and the exact statistics of the data of a problem."""

from pathlib import Path
from typing import Annotated

import typer

from derivations.commands import Settings, Timeout

MAY_BEGIN_WITH_MINUS = False
ACTIONS = ("list", "get", "check", "show")


def command(
    action: Annotated[str, typer.Argument(metavar="ACTION", help="list, get, check or show.")],
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="[NAME]",
            help="A data set; of show a problem file, .npy, .npz, .csv, .mat or a folder of pictures; check without "
            "one reads all that are here.",
        ),
    ] = None,
    source: Annotated[
        Path | None, typer.Option("--from", help="Get it from this folder or archive, not from the network.")
    ] = None,
    labels: Annotated[Path | None, typer.Option(help="Of show: a file with the labels of the examples.")] = None,
    grid: Annotated[str | None, typer.Option(help="Of show: rows and columns of the sites, as 8x8.")] = None,
    settings: Settings = None,
    timeout: Timeout = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")] = False,
) -> int:
    """List the data sets, get one, check the files that are here, or show the statistics of a problem's data.

    Nothing but get downloads anything.
    """
    from derivations.output import CHECK_FAILED, PASS, run, show

    def body() -> int:
        from theory.problem import InputError
        from theory.problem.numbers import one_of

        one_of(action, "ACTION", ACTIONS)
        if name is None and action in ("get", "show"):
            what = "the name of a set" if action == "get" else "a problem file or data file"
            hint = "`gdln data list` shows them." if action == "get" else "Such as gdln data show patches.npy."
            raise InputError(f"gdln data {action} needs {what}.", hint, "usage")
        if action == "list" and name is not None:
            raise InputError("gdln data list shows all sets.", f"Leave {name} out.", "usage")
        if action != "show" and (settings or labels or grid):
            option = "--set" if settings else "--labels" if labels else "--grid"
            raise InputError(f"gdln data {action} reads no problem or data file.", f"Leave {option} out.", "usage")
        if action != "get" and source is not None:
            raise InputError(f"gdln data {action} reads no other folder.", "Leave --from out.", "usage")
        if action == "show":
            from derivations.answers import data_show

            show("data", data_show.shown(name, settings, labels, grid), json)
            return PASS
        from derivations.answers import data

        answers = {"list": data.listed, "check": lambda: data.checked(name), "get": lambda: data.got(name, source)}
        answer = answers[action]()
        show("data", answer, json)
        return CHECK_FAILED if action == "check" and answer.damaged else PASS

    return run(body, json, timeout)
