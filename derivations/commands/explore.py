"""`gdln explore`: an interactive view of a problem in the browser."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from derivations.commands import Settings

MAY_BEGIN_WITH_MINUS = False


def command(
    problem: Annotated[Path | None, typer.Argument(help="A problem file (TOML); the small bump if left out.")] = None,
    port: Annotated[int, typer.Option(help="The port on 127.0.0.1; 0 takes a free one.")] = 0,
    at: Annotated[
        str | None, typer.Option(help="The view to open: data, or with a question '#/formula?line=...&cov=...'.")
    ] = None,
    site: Annotated[
        Path | None,
        typer.Option(help="The book as a site (gdln derive --format html); views link to it."),
    ] = None,
    opens: Annotated[bool, typer.Option("--open/--no-open", help="Open the browser.")] = True,
    settings: Settings = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")] = False,
) -> int:
    """Open PROBLEM in the browser: its data, gates, receptive fields and formulas, with controls."""
    from derivations.output import INTERRUPTED, PASS, emit, run

    def body() -> int:
        _require_server()
        from derivations.explore.problems import FIRST, refuse_undrawn
        from derivations.explore.server import listening, serve, site_in, view_at
        from theory.problem import load

        first = load(FIRST if problem is None else problem, settings)
        refuse_undrawn(first)
        view = "" if at is None else view_at(at)
        folder = None if site is None else site_in(site)
        listener = listening(port)

        def announce(address: str) -> None:
            emit("explore", {"address": address}, f"{address}\nCtrl-C ends it.", json)
            sys.stdout.flush()  # the command runs as long as it serves

        try:
            serve(first, listener, opens, announce, view, folder)
        except KeyboardInterrupt:  # Ctrl-C is the regular end: the answer is already on stdout
            print("gdln: Interrupted.", file=sys.stderr)
            return INTERRUPTED
        return PASS

    return run(body, json)


def _require_server() -> None:
    from importlib.util import find_spec

    from theory.problem import OutOfReachError

    missing = [name for name in ("starlette", "uvicorn") if find_spec(name) is None]
    if missing:
        raise OutOfReachError(
            f"gdln explore needs {' and '.join(missing)}, which {'is' if len(missing) == 1 else 'are'} not installed.",
            "Install the extra: .venv/bin/pip install -c constraints.txt -e '.[explore]'",
        )
