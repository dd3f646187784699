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
    name: Annotated[Path, typer.Argument(help="The file to write; .toml is added where it is missing.")],
    law: Annotated[str | None, typer.Option(help=f"nlgp if left out. One of: {_LAWS}.")] = None,
    network: Annotated[
        str, typer.Option(help="gated-linear, graph, for gdln flow, or deep, for gdln paths.")
    ] = "gated-linear",
    data: Annotated[
        Path | None, typer.Option(help="Data of your own: .npy, .npz, .csv, .mat, or a folder of pictures.")
    ] = None,
    labels: Annotated[
        Path | None, typer.Option(help="Of --data: a file of labels; the second class is a Gaussian without them.")
    ] = None,
    grid: Annotated[str | None, typer.Option(help="Of --data: rows and columns of the sites, as 8x8.")] = None,
    whiten: Annotated[str, typer.Option(help="Of --data: none or zca.")] = "none",
    json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")] = False,
) -> int:
    """Write a problem file that works as it is, with a comment at each key; existing files are kept.

    gdln new note writes a note of claims instead, for gdln validate.
    """
    from derivations.output import PASS, run, show

    def body() -> int:
        from derivations.answers import new, note

        of_a_problem = (law, data, labels, grid)
        is_note = name.stem == "note" and not any(of_a_problem)
        answer = note.answer(name) if is_note else new.answer(name, law, network, data, labels, grid, whiten)
        answer.write()
        show("new", answer, json)
        return PASS

    return run(body, json)
