"""Requests to the explorer's application without a network: replies with status, headers and body."""

import asyncio
import json
import time
from dataclasses import dataclass

from derivations.explore.problems import FIRST
from derivations.explore.server import application
from theory.problem import load

ORIGIN, TOKEN = "http://127.0.0.1:8000", "the-token"


@dataclass(frozen=True)
class Reply:
    """A reply of the application."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self):
        """The content as JSON."""
        return json.loads(self.body)


class Client:
    """A page of an explorer that shows a problem; `request` sends what a browser sends."""

    def __init__(self, problem=None):
        self.app = application(problem or load(FIRST), ORIGIN, TOKEN)

    def request(self, method, path, body=b"", **changed):
        """The reply to one request; `changed` are headers, None for one that is left out."""
        headers = {"host": ORIGIN.partition("://")[2], "origin": ORIGIN, "authorization": f"Bearer {TOKEN}"} | changed
        path, _, query = path.partition("?")
        scope = {
            "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": method, "scheme": "http",
            "path": path, "raw_path": path.encode(), "query_string": query.encode(), "root_path": "",
            "headers": [(name.encode(), value.encode()) for name, value in headers.items() if value is not None],
            "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 8000),
        }  # fmt: skip
        sent, parts = [], [body[start : start + 2**16] for start in range(0, len(body), 2**16)] or [b""]

        async def receive():
            if not parts:
                await asyncio.Event().wait()  # the page stays
            return {"type": "http.request", "body": parts.pop(0), "more_body": bool(parts)}

        async def send(message):
            sent.append(message)

        asyncio.run(self.app(scope, receive, send))
        named = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
        return Reply(sent[0]["status"], named, b"".join(message.get("body", b"") for message in sent[1:]))

    def post(self, path, content=None):
        """The reply to a question of the page."""
        return self.request("POST", f"/api/{path}", json.dumps(content or {}).encode())


def finished(client, kind, toml, settings):
    """The number of a job and its last state."""
    name = client.post(f"jobs/{kind}", {"toml": toml, "settings": settings}).json["id"]
    until = time.monotonic() + 60
    while time.monotonic() < until:
        state = client.request("GET", f"/api/jobs/{name}?after=-1&seconds=1").json
        if not state["running"]:
            return name, state
    raise AssertionError("the job does not end")
