"""`gdln new`: a commented problem file to start from."""

from pathlib import Path
from typing import Annotated

import typer

MAY_BEGIN_WITH_MINUS = False
_LAWS = (
    "nlgp, nlgp-2d, gaussian-clone, gaussian, nlgp-matrix, gaussian-copula, "
    "student-t, elliptical, mixture, ising, ising-2d, single-pulse, pulses, bars, "
    "finite, table, mnist, fashion-mnist, images, own"
)


def command(
    name: Annotated[
        Path | None, typer.Argument(help="The file to write; .toml is added where it is missing.", metavar="NAME")
    ] = None,
    law: Annotated[str | None, typer.Option(help=f"nlgp if left out. One of: {_LAWS}.")] = None,
    network: Annotated[
        str | None,
        typer.Option(help="gated-linear if left out, graph, for gdln flow, or deep, for gdln paths."),
    ] = None,
    data: Annotated[
        Path | None, typer.Option(help="Data of your own: .npy, .npz, .csv, .mat, or a folder of pictures.")
    ] = None,
    labels: Annotated[
        Path | None, typer.Option(help="Of --data: a file of labels; the second class is a Gaussian without them.")
    ] = None,
    grid: Annotated[str | None, typer.Option(help="Of --data: rows and columns of the sites, as 8x8.")] = None,
    whiten: Annotated[str | None, typer.Option(help="Of --data: none, if left out, or zca.")] = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")] = False,
) -> int:
    """Write a problem file that works as it is, with a comment at each key; existing files are kept.

    gdln new note, without options, writes a note of claims instead, for gdln validate.
    """
    from derivations.output import PASS, run, show

    def body() -> int:
        from derivations.answers import new, note
        from theory.problem import InputError

        if name is None:
            hint = "Such as gdln new mine, gdln new mine --data patches.npy, or gdln new note."
            raise InputError("gdln new needs the name of the file to write.", hint, "usage")
        options = {"law": law, "network": network, "data": data, "labels": labels, "grid": grid, "whiten": whiten}
        chosen = {option: value for option, value in options.items() if value is not None}
        is_note = name.stem == "note" and not chosen
        answer = note.answer(name) if is_note else new.answer(name, **chosen)
        answer.write()
        show("new", answer, json)
        return PASS

    return run(body, json)
