"""gdln explore as a command: what it says where it cannot start, and what it leaves to the browser."""

import json
import socket

import numpy as np
import pytest

from derivations import cli
from derivations.explore.opening import opened
from derivations.explore.views import view_of
from derivations.output import BAD_INPUT, OUT_OF_REACH, PASS
from tests.derivations.explore.browser import needs_a_browser
from tests.theory.problem.refusals import not_refused


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


def test_it_opens_what_it_is_given(tmp_path, gdln):
    """Data become the problem of gdln new, a store shows its first cell, a report is opened as it is."""
    x = np.random.default_rng(0).standard_normal((50, 4))
    np.save(tmp_path / "rows.npy", x)
    with opened(tmp_path / "rows.npy", ["data.shape=[2, 2]"], None, None) as (problem, said):
        assert (problem.data.rows.x[:50] == x).all()
        assert (problem.data.shape, "50 rows of 4 numbers" in said) == ((2, 2), True)
        for view in ("data", "gates", "fields"):
            assert view_of(view).answer(problem, {}).get("note") is None
    assert gdln("new", tmp_path / "small", "--law", "finite")[0] == PASS
    sweep = 'base = "small.toml"\nstore = "results"\nobservables = ["loss"]\n[axes]\n'
    sweep += '"data.y" = [[1, 0, 1, 0, 0], [1, 1, 1, 0, 0]]\n'
    (tmp_path / "sweep.toml").write_text(sweep)
    assert gdln("sweep", tmp_path / "sweep.toml", "--record")[0] == PASS
    with opened(tmp_path / "results", None, None, None) as (problem, said):
        assert (problem.data.y, said[:22]) == ((1, 0, 1, 0, 0), "The first of 2 cells: ")
    (tmp_path / "report.html").write_text("report")
    code, shown = gdln("explore", tmp_path, "--no-open")
    assert (code, shown["address"]) == (PASS, (tmp_path / "report.html").as_uri())


def test_what_cannot_be_opened_is_named(tmp_path):
    np.save(tmp_path / "rows.npy", np.eye(3))
    (tmp_path / "empty").mkdir()

    def open_it(*words):
        with opened(*words):
            pass

    cases = [
        (tmp_path / "none.npy", None, None, None, "cannot be read"),
        (tmp_path / "empty", None, None, None, "has no pictures"),
        (tmp_path / "rows.npy", None, None, "2x2", "has 3 columns; a grid of 2 x 2"),
        (tmp_path / "rows.npy", ["data.shape=[2, 2]"], None, None, "data.shape = [2, 2] has 4 sites"),
        (None, None, None, "2x2", "--labels and --grid belong to data of your own"),
    ]
    assert not_refused(open_it, cases) == []
