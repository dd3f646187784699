"""Serves the views on the loopback address of this machine, behind a token, and opens the first in the browser."""

import secrets
import socket
import threading
import webbrowser
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from derivations.explore.board import BOARD
from theory.problem import InputError

HOST = "127.0.0.1"
VIEWS = Path(__file__).parent / "views"
FIRST_VIEW = "data"


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

    token = BOARD.token = secrets.token_urlsafe(24)
    builder = marimo.create_asgi_app(quiet=True, token=token)
    for view in sorted(VIEWS.glob("[!_]*.py")):
        builder = builder.with_app(path=f"/{view.stem}", root=str(view))
    address = f"http://{HOST}:{listener.getsockname()[1]}/{FIRST_VIEW}/?access_token={token}"
    threading.Thread(target=_prepare, daemon=True).start()
    announce(address)
    if opens:
        threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
    app = builder.build()
    config = uvicorn.Config(app, log_level="warning", ws="websockets-sansio", timeout_graceful_shutdown=1)
    try:
        uvicorn.Server(config).run(sockets=[listener])
    finally:  # sessions that are still open would keep the command from ending
        for mount in app.routes:
            if isinstance(mount, Mount):
                mount.app.state.session_manager.close_all_sessions()


def _prepare() -> None:
    """Load what the first view needs and draw it once, while the browser still opens: the first drawing is slow."""
    import gc

    from derivations.explore import data, drawing, page
    from theory.problem import WorkbenchError

    del page  # the views import it
    with suppress(WorkbenchError):
        drawing.shown(drawing.data_figure(data.theory_of(BOARD.problem.data), None), "")
    gc.freeze()  # a full collection walks SymPy's caches, a quarter of a second in the middle of a drag
