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
    json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")] = False,
) -> int:
    """Write a problem file that works as it is, with a comment at each key; existing files are kept.

    gdln new note writes a note of claims instead, for gdln validate.
    """
    from derivations.output import PASS, run, show

    def body() -> int:
        from derivations.answers import new
        from derivations.notes import start

        is_note = name.stem == "note" and law is None and network == new.NETWORKS[0]
        answer = start.answer(name) if is_note else new.answer(name, law, network)
        answer.write()
        show("new", answer, json)
        return PASS

    return run(body, json)
