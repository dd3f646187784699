"""Serves the views on the loopback address of this machine, behind a token, and opens the first in the browser."""

import os
import secrets
import socket
import threading
import webbrowser
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

from derivations.explore.shell.shared_problem import SHARED
from derivations.explore.training import stop_all
from theory.problem import InputError, Problem

if TYPE_CHECKING:
    from starlette.routing import Route

HOST = "127.0.0.1"
VIEWS = Path(__file__).parents[1] / "views"
FIRST_VIEW = "data"
_ENDING = 2.0  # seconds


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


def serve(listener: socket.socket, opens: bool, announce: Callable[[str], None]) -> None:
    """Serve the views until interrupted; `announce` gets the address with its token, once it answers."""
    import marimo
    import uvicorn
    from starlette.routing import Mount

    leave_processors()
    token = SHARED.token = secrets.token_urlsafe(24)
    builder = marimo.create_asgi_app(quiet=True, token=token)
    for view in sorted(VIEWS.glob("[!_]*.py")):
        builder = builder.with_app(path=f"/{view.stem}", root=str(view))
    address = f"http://{HOST}:{listener.getsockname()[1]}/?access_token={token}"
    first = ThreadPoolExecutor(1).submit(_first_content)  # while the browser opens
    announce(address)
    if opens:
        threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
    app = builder.build()
    app.router.routes.insert(0, _front(token, first))
    config = uvicorn.Config(app, log_level="warning", ws="websockets-sansio", timeout_graceful_shutdown=1)
    try:
        uvicorn.Server(config).run(sockets=[listener])
    finally:
        stop_all()
        # Sessions that are still open would keep the command from ending.
        for mount in app.routes:
            if isinstance(mount, Mount):
                mount.app.state.session_manager.close_all_sessions()
        _let_end()


def _let_end() -> None:
    """Wait for the threads of the sessions, for seconds at most: one that stays in torch aborts the interpreter."""
    latest = monotonic() + _ENDING
    for thread in threading.enumerate():
        if thread.daemon and thread is not threading.current_thread():
            thread.join(max(0.0, latest - monotonic()))


def leave_processors() -> None:
    """Leave half of the processors to the browser; the library takes OMP_NUM_THREADS, if set, or the other half.

    With more, threads that wait for each other keep the browser from drawing: a move of a slider takes half as long
    again.
    """
    from threadpoolctl import threadpool_limits

    if "OMP_NUM_THREADS" not in os.environ:
        threads = max(1, (os.cpu_count() or 1) // 2)
        os.environ["OMP_NUM_THREADS"] = str(threads)  # SciPy and torch read it when they are loaded
        threadpool_limits(threads, user_api="blas")  # NumPy has been loaded


def _first_content() -> tuple[Problem, str]:
    """The problem and the content of the first page, drawn while the browser opens, as the first drawing is slow."""
    from derivations.explore.figures.pixels import settle
    from derivations.explore.shell.front import content

    problem = SHARED.problem
    drawn = content(problem)
    settle()
    return problem, drawn


def _front(token: str, first: Future[tuple[Problem, str]]) -> "Route":
    """The first page at /, for requests with the token."""
    from starlette.requests import Request
    from starlette.responses import HTMLResponse, PlainTextResponse, Response
    from starlette.routing import Route

    def answer(request: Request) -> Response:
        from derivations.explore.shell.front import content, whole

        if not secrets.compare_digest(request.query_params.get("access_token", "").encode(), token.encode()):
            return PlainTextResponse("The access_token of this address is not that of gdln explore.", 401)
        problem, drawn = first.result()
        now = SHARED.problem
        view = f"/{FIRST_VIEW}/?access_token={token}"
        return HTMLResponse(whole(drawn if now is problem else content(now), view))

    return Route("/", answer)
