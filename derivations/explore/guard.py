"""Checks of every request, and the headers of every answer: the page talks to its own server alone."""

from collections.abc import Awaitable, Callable, MutableMapping
from secrets import compare_digest
from typing import Any

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Message, Receive, Send], Awaitable[None]]

LARGEST_BODY = 4 * 2**20  # bytes: a problem with examples written out
_POLICY = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self' 'unsafe-inline'",  # figures set the style of their marks
    "img-src": "'self' data: blob:",
    "font-src": "'self'",
    "connect-src": "'self'",
    "frame-ancestors": "'none'",
    "base-uri": "'none'",
    "form-action": "'self'",  # the search of the book's site
}
HEADERS = {
    "content-security-policy": "; ".join(f"{name} {value}" for name, value in _POLICY.items()),
    "x-frame-options": "DENY",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cache-control": "no-cache",  # a file of another version has the same address
}


class Guard:
    """Answers requests to the served address alone, those to /api/ with the token alone, and adds HEADERS.

    A page of another site that makes the browser call this server sends its own Origin, or a name of its own as Host
    that it lets point to this machine; both are refused.
    """

    def __init__(self, app: App, address: str, token: str) -> None:
        self._app = app
        self._host, self._origin = address.partition("://")[2].encode(), address.encode()
        self._authorization = f"Bearer {token}".encode()

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answer one request, or refuse it in one line of text."""
        if scope["type"] != "http":
            if scope["type"] == "websocket":
                await send({"type": "websocket.close"})
            else:
                await self._app(scope, receive, send)
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                added = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
                message["headers"] = [*message.get("headers", ()), *added]
            await send(message)

        refused = self._refusal(scope)
        if refused is not None:
            await _say(guarded, *refused)
            return
        body = await _body(receive)
        if body is None:
            await _say(guarded, 413, f"A request has at most {LARGEST_BODY} bytes.")
        else:
            await self._app(scope, _again(body, receive), guarded)

    def _refusal(self, scope: Message) -> tuple[int, str] | None:
        """The status and the reason of a refusal, or None."""
        headers = dict(scope["headers"])
        if headers.get(b"host") != self._host:
            return 421, "This is not the address that gdln explore printed."
        if headers.get(b"origin", self._origin) != self._origin:
            return 403, "Only the page of gdln explore may ask."
        given = headers.get(b"authorization", b"")
        if scope["path"].startswith("/api/") and not compare_digest(given, self._authorization):
            return 401, "The token is not that of the address that gdln explore printed."
        return None


async def _body(receive: Receive) -> bytes | None:
    """The body of a request, or None where it has more than LARGEST_BODY bytes."""
    parts, size, more = [], 0, True
    while more:
        message = await receive()
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if size > LARGEST_BODY:
            return None
        more = message.get("more_body", False)
    return b"".join(parts)


def _again(body: bytes, receive: Receive) -> Receive:
    """The messages of a request whose body has been read."""
    first = True

    async def given() -> Message:
        nonlocal first
        if not first:
            return await receive()
        first = False
        return {"type": "http.request", "body": body, "more_body": False}

    return given


async def _say(send: Send, status: int, text: str) -> None:
    headers = [(b"content-type", b"text/plain; charset=utf-8")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": text.encode()})
