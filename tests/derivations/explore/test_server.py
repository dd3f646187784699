"""The server of the explorer: who may ask, how much, what the headers say, and how errors are answered."""

import stat
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from derivations import fonts
from derivations.explore.api import LONGEST_WAIT
from derivations.explore.guard import HEADERS
from derivations.explore.problems import FIRST
from derivations.explore.running import JOBS, Job
from derivations.explore.server import HOST, WEB, listening, serve, site_in, view_at
from derivations.explore.views import VIEWS, kind_of_job, view_of
from tests.derivations.explore.client import TOKEN, Client
from theory.problem import InputError, OutOfReachError, dumps, load, loads

FIRST_TEXT = dumps(load(FIRST))


@pytest.fixture(scope="module")
def client():
    return Client()


def test_the_page_comes_without_the_token_and_the_answers_do_not(client):
    assert client.request("GET", "/", authorization=None).body == (WEB / "index.html").read_bytes()
    for header in (None, "", "Bearer", f"Bearer {TOKEN}x", "Bearer ü"):
        assert client.request("POST", "/api/start", b"{}", authorization=header).status == 401
    for method, path in (("POST", "problem"), ("POST", "views/data"), ("POST", "jobs/fields"), ("GET", "jobs/1")):
        assert client.request(method, f"/api/{path}", b"{}", authorization=None).status == 401
    assert client.post("start").status == 200


def test_the_browser_s_command_line_names_a_private_page_without_the_token(monkeypatch):
    """Every user of the machine reads command lines."""
    opened, addresses, page = threading.Event(), [], []

    def browser(address):
        path = Path(address.removeprefix("file://"))
        addresses.append(address)
        page.extend([path.read_text(), stat.S_IMODE(path.parent.stat().st_mode)])
        opened.set()

    monkeypatch.setattr("derivations.explore.server.sys.setswitchinterval", lambda _: None)
    monkeypatch.setattr("derivations.explore.server.JOBS.stop_all", lambda: None)
    monkeypatch.setattr("derivations.explore.server.webbrowser.open", browser)
    monkeypatch.setattr("uvicorn.Server.run", lambda _, sockets: opened.wait(60) and sockets[0].close())
    announced = []
    serve(load(FIRST), listening(0), True, announced.append, "data")
    address = announced[0].replace("&", "&amp;")
    assert (f'url={address}"' in page[0], page[1]) == (True, 0o700)
    assert HOST not in addresses[0]
    assert not Path(addresses[0].removeprefix("file://")).exists()


@pytest.mark.parametrize("path", ["/", "/api/start"])
def test_only_the_served_address_is_answered(client, path):
    method = "GET" if path == "/" else "POST"
    for host in ("evil.example", "127.0.0.1:8001", "localhost:8000", "", None):
        assert client.request(method, path, b"{}", host=host).status == 421
    for origin in ("http://evil.example", "http://127.0.0.1:8001", "https://127.0.0.1:8000", "null"):
        assert client.request(method, path, b"{}", origin=origin).status == 403
    assert client.request(method, path, b"{}", origin=None).status == 200


def test_every_answer_has_the_headers(client):
    for path, sent in (("/app.js", {}), ("/none", {}), ("/api/start", {"authorization": None}), ("/", {"host": "x"})):
        headers = client.request("GET", path, **sent).headers
        assert {name: headers[name] for name in HEADERS} == HEADERS
    policy = dict(part.split(" ", 1) for part in headers["content-security-policy"].split("; "))
    assert policy["default-src"] == policy["frame-ancestors"] == "'none'"
    assert headers["x-frame-options"] == "DENY"
    assert policy["script-src"] == policy["connect-src"] == "'self'"


def test_the_page_and_the_font_of_formulas_are_served_alone(client):
    reply = client.request("GET", f"/fonts/{fonts.FILE.name}", authorization=None)
    assert (reply.body, reply.headers["content-type"]) == (fonts.FILE.read_bytes(), "font/woff2")
    for path in ("/fonts/__init__.py", "/../server.py", "/%2e%2e/server.py", "/..%2fserver.py", "//etc/passwd"):
        assert client.request("GET", path).status == 404


def test_a_large_request_is_read_whole(client):
    assert client.post("problem", {"toml": f"{FIRST_TEXT}# {'x' * 2**17}"}).status == 200  # in several messages


def test_what_is_not_there_is_named(client):
    for path, body, says in (
        ("problem", b'{"toml": "[data]"}', "lacks"),
        ("views/none", b'{"toml": ""}', "no view"),
        ("jobs/none", b'{"toml": ""}', "no kind of job"),
    ):
        reply = client.request("POST", f"/api/{path}", body)
        assert (reply.status, says in reply.json["error"]["message"]) == (422, True), path
        assert reply.json["error"]["remedy"]


def test_the_first_answer_has_the_views_and_the_problem(client):
    answer = client.post("start").json
    assert [view["name"] for view in answer["views"]] == list(VIEWS)
    assert answer["views"][0]["name"] == "start"
    assert answer["toml"] == FIRST_TEXT
    assert all((WEB / "views" / f"{view['name']}.js").is_file() for view in answer["views"])
    assert all(view["question"].endswith("?") for view in answer["views"])


def test_an_error_is_refused_and_a_limitation_is_a_note(client, monkeypatch):
    def refused(_problem, settings):
        raise {"error": InputError, "limit": OutOfReachError}[settings["raise"]]("No.", "Do.", "gain")

    monkeypatch.setattr(view_of("data"), "answer", refused)
    said = {"message": "No.", "remedy": "Do.", "key": "gain"}
    reply = client.post("views/data", {"toml": FIRST_TEXT, "settings": {"raise": "error"}})
    assert (reply.status, reply.json) == (422, {"error": said})
    reply = client.post("views/data", {"toml": FIRST_TEXT, "settings": {"raise": "limit"}})
    assert (reply.status, reply.json) == (200, {"note": said})


def test_a_problem_is_that_of_the_request(client):
    other = dumps(replace(load(FIRST), data=replace(load(FIRST).data, gain=7)))
    assert client.post("problem", {"toml": other}).json["toml"] == other
    first = client.post("start").json
    assert (first["toml"], first["given"], Client(loads(other)).post("start").json["given"]) == (
        FIRST_TEXT,
        False,
        True,
    )
    moved = client.post("problem", {"toml": other, "values": {"data.law": "gaussian-clone"}}).json
    assert 'law = "gaussian-clone"' in moved["toml"]
    assert "no latent" in moved["notes"][0]
    shown = client.post("problem", {"toml": other, "dialect": "workbench"}).json
    assert (shown["toml"], shown["dialect"]["numbers"]["gain"]) == (other, "g = 7")


@pytest.fixture
def job(client, monkeypatch):
    """The number of a job that waits until it is told to go on, and the function that tells it."""
    go = threading.Event()

    def run(_problem, settings, job):
        job.advance(0.5)
        job.publish({"seen": settings["word"]})
        go.wait()
        job.advance(1.0)
        job.publish({"seen": "the end"})

    monkeypatch.setattr(kind_of_job("graph"), "run", run)
    name = client.post("jobs/graph", {"toml": FIRST_TEXT, "settings": {"word": "first"}}).json["id"]
    yield name, go
    go.set()
    JOBS.get(name).join()


def test_a_job_is_followed_to_its_end(client, job):
    name, go = job
    first = client.request("GET", f"/api/jobs/{name}?after=0&seconds=60").json
    assert (first["results"], first["running"], first["share"]) == ([{"seen": "first"}], True, 0.5)
    same = client.request("GET", f"/api/jobs/{name}?after={first['version']}&seconds=0").json
    assert (same["version"], same["results"]) == (first["version"], [])
    go.set()
    JOBS.get(name).join()
    last = client.request("GET", f"/api/jobs/{name}?after={first['version']}&seconds=60").json
    assert (last["results"], last["running"], last["share"], last["error"]) == ([{"seen": "the end"}], False, 1.0, None)


def test_a_job_is_stopped(client, job, monkeypatch):
    name, go = job
    with monkeypatch.context() as patch:
        waits, now = [], JOBS.get(name).state()
        patch.setattr(Job, "state", lambda _, after, seconds: waits.append((after, seconds)) or now)
        for query in ("?after=3&seconds=1000", ""):
            client.request("GET", f"/api/jobs/{name}{query}")
        assert waits == [(3, LONGEST_WAIT), (-1, 0)]
    client.request("GET", f"/api/jobs/{name}?after=0&seconds=60")
    assert client.request("DELETE", f"/api/jobs/{name}").status == 200
    go.set()
    JOBS.get(name).join()
    last = client.request("GET", f"/api/jobs/{name}").json
    assert (last["running"], last["results"], last["error"]) == (False, [{"seen": "first"}], None)
    assert client.request("GET", "/api/jobs/nobody").status == 422


def test_the_view_of_a_fragment_and_the_claims_of_a_site_must_exist(tmp_path):
    assert view_at("#/formula?line=z1&cov=[[1,r],[r,1]]") == "formula?line=z1&cov=[[1,r],[r,1]]"
    assert view_at("/data") == view_at("data") == "data"
    with pytest.raises(InputError, match="no view 'dta'"):
        view_at("#/dta?x=1")
    with pytest.raises(InputError, match="no folder claims"):
        site_in(tmp_path)
    (tmp_path / "claims").mkdir()
    assert site_in(tmp_path) == tmp_path
