"""gdln explore as a command: what it says where it cannot start, and what it leaves to the browser."""

import json
import socket

import pytest

from derivations import cli
from derivations.output import BAD_INPUT, OUT_OF_REACH
from tests.derivations.explore.browser import needs_a_browser


def test_without_the_extra_it_says_how_to_install_it(capsys, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert cli.main(["explore", "--no-open", "--json"]) == OUT_OF_REACH
    error = json.loads(capsys.readouterr().out)["error"]
    assert "starlette" in error["message"]
    assert ".[explore]" in error["hint"]


@needs_a_browser
@pytest.mark.parametrize("port", ["taken", "70000"])
def test_a_port_that_cannot_be_used(port, capsys):
    with socket.create_server(("127.0.0.1", 0)) as other:
        number = str(other.getsockname()[1]) if port == "taken" else port
        assert cli.main(["explore", "--no-open", "--port", number]) == BAD_INPUT
    assert f"--port {number} cannot be used" in capsys.readouterr().err


@needs_a_browser
def test_a_problem_that_is_not_there(capsys, tmp_path):
    assert cli.main(["explore", str(tmp_path / "none.toml"), "--no-open"]) == BAD_INPUT
    assert "none.toml" in capsys.readouterr().err


@needs_a_browser
@pytest.mark.parametrize(
    ("words", "said"),
    [(["--at", "#/dta?line=z1"], "no view 'dta'"), (["--site", "{folder}"], "no folder claims")],
)
def test_a_view_or_a_site_that_is_not_there(words, said, capsys, tmp_path):
    options = [word.format(folder=tmp_path) for word in words]
    assert cli.main(["explore", "--no-open", *options]) == BAD_INPUT
    assert said in capsys.readouterr().err
