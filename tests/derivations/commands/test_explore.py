"""gdln explore as a command: what it says where it cannot start, and what it leaves to the browser."""

import json
import os
import socket
import subprocess
import sys

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
    given = [word.format(folder=tmp_path) for word in words]
    assert cli.main(["explore", "--no-open", *given]) == BAD_INPUT
    assert said in capsys.readouterr().err


_CORES = os.cpu_count() or 1
_THREADS = """
import numpy
from derivations.explore.server import leave_processors
leave_processors()
import scipy.linalg, torch
from threadpoolctl import threadpool_info
print(*{torch.get_num_threads(), *(pool["num_threads"] for pool in threadpool_info())})
"""


@needs_a_browser
@pytest.mark.parametrize(("asked", "given"), [(None, max(1, _CORES // 2)), (str(_CORES), _CORES)])
def test_half_of_the_processors_are_left_to_the_browser(asked, given):
    names = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")
    plain = {name: value for name, value in os.environ.items() if name not in names}
    chosen = {} if asked is None else {names[0]: asked}
    answer = subprocess.run([sys.executable, "-c", _THREADS], env=plain | chosen, capture_output=True, text=True)
    assert answer.stdout.split() == [str(given)], answer.stderr
