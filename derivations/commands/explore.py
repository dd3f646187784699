"""`gdln explore`: an interactive view of a problem in the browser."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from derivations.commands import Settings

MAY_BEGIN_WITH_MINUS = False


def command(
    problem: Annotated[
        Path | None,
        typer.Argument(
            metavar="[FILE]",
            help="A problem file (TOML; the small bump if left out), data of your own (.npy, .npz, .csv, .mat, a "
            "folder of pictures), a store of sweeps, or a report of gdln validate.",
        ),
    ] = None,
    port: Annotated[int, typer.Option(help="The port on 127.0.0.1; 0 takes a free one.")] = 0,
    at: Annotated[
        str | None, typer.Option(help="The view to open: data, or with a question '#/formula?line=...&cov=...'.")
    ] = None,
    site: Annotated[
        Path | None,
        typer.Option(help="The book as a site (gdln derive --format html); views link to it."),
    ] = None,
    labels: Annotated[Path | None, typer.Option(help="Of data: a file with their labels.")] = None,
    grid: Annotated[str | None, typer.Option(help="Of data: rows and columns of the sites, as 8x8.")] = None,
    opens: Annotated[bool, typer.Option("--open/--no-open", help="Open the browser.")] = True,
    settings: Settings = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")] = False,
) -> int:
    """Open FILE in the browser: its data, gates, receptive fields and formulas, with controls; or a report."""
    from derivations.output import INTERRUPTED, PASS, emit, run

    def body() -> int:
        from derivations.explore.opening import opened, report_in

        if (report := report_in(problem)) is not None:
            address = report.resolve(strict=True).as_uri()
            emit("explore", {"address": address}, address, json)
            if opens:
                import webbrowser

                webbrowser.open(address)
            return PASS
        _require_server()
        from derivations.explore.server import listening, serve, site_in, view_at

        with opened(problem, settings, labels, grid) as (first, said):
            first_view = "data" if said else None  # data of one's own, and a store, have nothing else to begin with
            view = "" if (named := at or first_view) is None else view_at(named)
            folder = None if site is None else site_in(site)
            listener = listening(port)

            def announce(address: str) -> None:
                lines = [address, *([said] if said else []), "Ctrl-C ends it."]
                emit("explore", {"address": address}, "\n".join(lines), json)
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
