"""Serves the explorer on the loopback address of this machine, behind a token, and opens it in the browser."""

import secrets
import socket
import sys
import tempfile
import threading
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from derivations import fonts
from derivations.explore.running import JOBS
from derivations.explore.views import view_of
from theory.problem import InputError, Problem, WorkbenchError

if TYPE_CHECKING:
    from starlette.types import ASGIApp

HOST = "127.0.0.1"
WEB = Path(__file__).parent / "web"
_TURN = 0.001  # seconds of a thread before another may run; a file takes several turns, and Python's own last 5 ms


def listening(port: int) -> socket.socket:
    """A socket on the loopback address; port 0 takes a free one. Raises InputError for a port that is taken."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((HOST, port))
    except (OSError, OverflowError) as error:
        listener.close()
        reason = (getattr(error, "strerror", None) or str(error)).rstrip(".")
        raise InputError(f"--port {port} cannot be used: {reason}.", "Leave it out for a free one.") from None
    listener.listen()
    return listener


def application(problem: Problem, origin: str, token: str, site: Path | None = None) -> "ASGIApp":
    """The explorer that starts with `problem` as an ASGI application: the page at /, its questions under /api/.

    `site` is the folder of the book's site, which is served under /site/.
    """
    from starlette.applications import Starlette
    from starlette.responses import FileResponse
    from starlette.routing import Mount, Route
    from starlette.staticfiles import StaticFiles

    from derivations.explore.api import routes
    from derivations.explore.guard import Guard

    font = Route(f"/fonts/{fonts.FILE.name}", lambda _: FileResponse(fonts.FILE, media_type="font/woff2"))
    book = [] if site is None else [Mount("/site", StaticFiles(directory=site, html=True))]
    page = Mount("/", StaticFiles(directory=WEB, html=True))
    return Guard(Starlette(routes=[*routes(problem, site is not None), font, *book, page]), origin, token)


def view_at(fragment: str) -> str:
    """Return the view, perhaps with its question, of a fragment such as "#/formula?line=...".

    Raises InputError for a view that there is not.

    >>> view_at("#/formula?line=z1&cov=[[1]]"), view_at("data")
    ('formula?line=z1&cov=[[1]]', 'data')
    """
    view = fragment.removeprefix("#").removeprefix("/")
    view_of(view.partition("?")[0])
    return view


def site_in(folder: Path) -> Path:
    """Return the folder of a site that `gdln derive --format html` has made. Raises InputError for another."""
    if not (folder / "claims").is_dir():
        raise InputError(
            f"--site {folder} has no folder claims.", "Make the site: gdln derive --format html --out gdln-book"
        )
    return folder


def serve(
    problem: Problem,
    listener: socket.socket,
    opens: bool,
    announce: Callable[[str], None],
    at: str = "",
    site: Path | None = None,
) -> None:
    """Serve until interrupted; `announce` gets the address with its token, once it answers.

    The token stands in the fragment of the address, which a browser does not send and no log keeps. Nor does it stand
    on the browser's command line, which every user of the machine can read. `at` is the view that opens, `site` the
    folder of the book's site.
    """
    import uvicorn

    sys.setswitchinterval(_TURN)
    token = secrets.token_urlsafe(24)
    origin = f"http://{HOST}:{listener.getsockname()[1]}"
    app = application(problem, origin, token, site)
    address = f"{origin}/#token={token}{f'&view={at}' if at else ''}"
    announce(address)
    threading.Thread(target=_load_libraries, args=(problem,), daemon=True).start()
    config = uvicorn.Config(app, log_level="warning", lifespan="off", ws="none")
    try:
        with private_page(address) if opens else nullcontext() as page:
            if page:
                threading.Thread(target=webbrowser.open, args=(page,), daemon=True).start()
            uvicorn.Server(config).run(sockets=[listener])
    finally:
        JOBS.stop_all()


@contextmanager
def private_page(address: str) -> Iterator[str]:
    """Yield the address of a file that leads a browser to `address`, and that no other user of the machine can read."""
    with tempfile.TemporaryDirectory(prefix="gdln-explore-") as folder:  # with the rights 0700
        page = Path(folder) / "open.html"
        link = escape(address)
        page.write_text(
            f'<!doctype html><meta charset="utf-8"><title>gdln explore</title><meta http-equiv="refresh" content="0; '
            f'url={link}"><a href="{link}">Open the explorer</a>',
            encoding="utf-8",
        )
        yield page.as_uri()


def _load_libraries(problem: Problem) -> None:
    """Load what the first view needs while the browser starts: SciPy and the exact moments take half a second."""
    with suppress(WorkbenchError):
        view_of("data").answer(problem, {})
