"""Requests that the page makes of the server, all under /api/: each carries its problem, as the server keeps none."""

import json
from collections.abc import Callable, Mapping
from importlib.metadata import version
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from derivations.explore.bar import bar, changed
from derivations.explore.chapters import chapter
from derivations.explore.problems import FIRST, read
from derivations.explore.running import JOBS
from derivations.explore.views import VIEWS, kind_of_job, view_of
from derivations.explore.wire import wire
from derivations.output import DISTRIBUTION
from theory.problem import OutOfReachError, Problem, WorkbenchError, dumps, load

LONGEST_WAIT = 20.0  # seconds that a page waits for news of a job
_REFUSED = 422


def routes(first: Problem, site: bool) -> list[Route]:
    """The routes of the explorer that starts with the problem `first`, and serves the site of the book where `site`."""
    toml = dumps(first)

    def start(_body: Mapping[str, Any]) -> dict[str, Any]:
        listed = [
            {
                "name": name,
                "title": view.title,
                "question": view.question,
                "chapters": [chapter(page) for page in view.chapters],
            }
            for name, view in VIEWS.items()
        ]
        from_file = toml != dumps(load(FIRST))  # by the reader, as a file
        return {"version": version(DISTRIBUTION), "site": site, "views": listed, "given": from_file, **bar(read(toml))}

    return [
        _post("/api/start", lambda body, _: start(body)),
        _post("/api/problem", lambda body, _: _problem(body)),
        _post("/api/views/{view}", _view),
        _post("/api/jobs/{kind}", _begun),
        Route("/api/jobs/{name}", _job, methods=["GET"]),
        Route("/api/jobs/{name}", _stopped, methods=["DELETE"]),
    ]


def _problem(body: Mapping[str, Any]) -> dict[str, Any]:
    """The problem bar of a text, and of the controls in `values` that have moved."""
    problem, notes = read(body["toml"]), ()
    if values := body.get("values"):
        problem, notes = changed(problem, values)
    word = body.get("dialect")
    if not word:
        return bar(problem, notes)
    from derivations.explore.dialect import in_dialect  # it loads SymPy

    return {**bar(problem, notes), "dialect": in_dialect(problem, word)}


def _view(body: Mapping[str, Any], path: Mapping[str, str]) -> dict[str, Any]:
    """The answer of a view; what is out of reach is a note, not an error."""
    view = view_of(path["view"])
    problem = read(body["toml"])
    try:
        return view.answer(problem, body.get("settings") or {})
    except OutOfReachError as error:
        return {"note": _said(error)}


def _begun(body: Mapping[str, Any], path: Mapping[str, str]) -> dict[str, Any]:
    kind, problem, settings = kind_of_job(path["kind"]), read(body["toml"]), body.get("settings") or {}
    question = (path["kind"], kind.question(problem, settings)) if hasattr(kind, "question") else None
    return {"id": JOBS.start(lambda job: kind.run(problem, settings, job), question)}


async def _job(request: Request) -> Response:
    """The state of a job, as soon as its version exceeds `after`, or after `seconds`."""

    def state() -> dict[str, Any]:
        job = JOBS.get(request.path_params["name"])
        after, seconds = int(request.query_params.get("after", -1)), float(request.query_params.get("seconds", 0))
        now = job.state(after, min(seconds, LONGEST_WAIT))
        return {
            "version": now.version,
            "share": now.share,
            "running": now.running,
            "results": now.results,
            "error": None if now.error is None else _said(now.error),
        }

    return await _answered(state)


async def _stopped(request: Request) -> Response:
    def stop() -> dict[str, Any]:
        JOBS.get(request.path_params["name"]).stop()
        return {}

    return await _answered(stop)


Answer = Callable[[Mapping[str, Any], Mapping[str, str]], dict[str, Any]]


def _post(path: str, answer: Answer) -> Route:
    async def endpoint(request: Request) -> Response:
        body = await request.body()
        return await _answered(lambda: answer(json.loads(body), request.path_params))

    return Route(path, endpoint, methods=["POST"])


async def _answered(answer: Callable[[], dict[str, Any]]) -> Response:
    """The answer as JSON, made in a thread; an error of the library as what is wrong and what to do."""

    def response() -> Response:
        try:
            return JSONResponse(wire(answer()))
        except WorkbenchError as error:
            return JSONResponse({"error": _said(error)}, _REFUSED)

    return await run_in_threadpool(response)


def _said(error: WorkbenchError) -> dict[str, str]:
    return {"message": error.message, "remedy": error.hint, "key": error.kind}
