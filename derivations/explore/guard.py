"""Checks of every request, and the headers of every answer: the page talks to its own server alone."""

from secrets import compare_digest

from starlette.middleware.base import BaseHTTPMiddleware, RequestResponseEndpoint
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp

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


class Guard(BaseHTTPMiddleware):
    """Answers requests to the served address alone, those to /api/ with the token alone, and adds HEADERS.

    A page of another site that makes the browser call this server sends its own Origin, or a name of its own as Host
    that it lets point to this machine; both are refused.
    """

    def __init__(self, app: ASGIApp, address: str, token: str) -> None:
        super().__init__(app)
        self._host, self._origin, self._authorization = address.partition("://")[2], address, f"Bearer {token}"

    async def dispatch(self, request: Request, call_next: RequestResponseEndpoint) -> Response:
        """Answer one request, or refuse it in one line of text."""
        refused = self._refusal(request)
        response = await call_next(request) if refused is None else refused
        response.headers.update(HEADERS)
        return response

    def _refusal(self, request: Request) -> Response | None:
        headers = request.headers
        if headers.get("host") != self._host:
            return PlainTextResponse("This is not the address that gdln explore printed.", 421)
        if headers.get("origin", self._origin) != self._origin:
            return PlainTextResponse("Only the page of gdln explore may ask.", 403)
        header = headers.get("authorization", "")
        if request.url.path.startswith("/api/") and not compare_digest(header.encode(), self._authorization.encode()):
            return PlainTextResponse("The token is not that of the address that gdln explore printed.", 401)
        return None
