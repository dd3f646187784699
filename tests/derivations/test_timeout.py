"""--timeout: the exit code, what it was doing, no leftovers; also where a C library never returns to Python."""

import json
import signal
import subprocess
import sys
import time

import pytest

from derivations.output import INTERRUPTED, OUT_OF_REACH, PASS
from derivations.sweeps.store import Store
from derivations.timeout import limit_in
from tests.derivations.sweeps.cases import TEXT
from tests.derivations.sweeps.forked import Forked
from tests.paths import ROOT

# `gdln moment z1 --cov [[1]] WORDS`, whose work is replaced by {body}.
PROGRAM = """
import math, os, pathlib, subprocess, sys, time
import derivations.timeout
from derivations import atomic
from derivations.__main__ import main
from derivations.commands import moment
derivations.timeout.GRACE = 0.6
def work(*words, **named):
    {body}
moment._moment = work
sys.argv = ["gdln", "moment", "z1", "--cov", "[[1]]", *sys.argv[1:]]
sys.exit(main())
"""
NEVER_RETURNS = "math.factorial(10**7)"


def gdln(*words):
    return subprocess.run(
        [sys.executable, "-m", "derivations", *words], cwd=ROOT, capture_output=True, text=True, check=False
    )


def begun(body, *words):
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM.format(body=body), *words],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def ended(process):
    said = process.communicate(timeout=60)
    return process.returncode, *said


def has_gone(pid):
    """Whether a process ends within seconds."""
    for _ in range(200):
        try:
            with open(f"/proc/{pid}/stat") as file:
                if file.read().rsplit(")", 1)[1].split()[0] == "Z":
                    return True
        except FileNotFoundError:
            return True
        time.sleep(0.01)  # only how often it looks
    return False


def test_python_that_takes_long_says_what_it_was_doing():
    words = ["moment", "(z1+z2+z3+z4)**40*erf(z1)", "--cov", "[[2,1,1,1],[1,2,1,1],[1,1,2,1],[1,1,1,2]]"]
    # Loading SymPy alone takes longer, so that no machine is fast enough to answer.
    done = gdln(*words, "--timeout", "0.2", "--json")
    assert done.returncode == OUT_OF_REACH
    assert "Stopped after 0.2 s (--timeout) while " in done.stderr
    assert "Traceback" not in done.stderr
    error = json.loads(done.stdout)["error"]
    assert error["kind"] == "timeout"
    assert error["message"] in done.stderr


def test_a_c_library_that_never_returns_is_ended_and_named():
    code, out, said = ended(begun(NEVER_RETURNS, "--timeout", "0.5", "--json"))
    assert (code, json.loads(out)["error"]["kind"]) == (OUT_OF_REACH, "timeout")
    assert "Stopped after 0.5 s (--timeout)" in said
    assert "Traceback" not in said


@pytest.mark.parametrize("wait", ["time.sleep(60)", NEVER_RETURNS])
def test_work_in_a_function_called_answered_is_no_answer(wait):
    """Verbs call what they compute `answered`, and the name stands in the notes on what ran."""
    body = f"def answered():\n        {wait}\n    answered()"
    code, out, said = ended(begun(body, "--timeout", "0.5"))
    assert (code, out) == (OUT_OF_REACH, "")
    assert said.count("Stopped after 0.5 s (--timeout) while ") == 1


def test_one_object_on_stdout_where_the_process_does_not_end_after_its_answer():
    """It has printed the error, and what runs at its end never returns: the supervisor prints no second one."""
    late = f"import atexit; atexit.register(lambda: {NEVER_RETURNS}); time.sleep(60)"
    code, out, said = ended(begun(late, "--timeout", "0.5", "--json"))
    assert (code, json.loads(out)["error"]["kind"]) == (OUT_OF_REACH, "timeout")
    assert said.count("Stopped after") == 1


def test_a_limit_among_other_words():
    for words, seconds in (
        ("a --timeout 2.5 b", 2.5),
        ("--timeout=9", 9),
        ("-- --timeout=9", None),
        ("--timeout x", None),
        ("--timeout", None),
        ("--timeout nan", None),
        ("--timeout 0", None),
        ("--timeout 1e9", None),
    ):
        assert limit_in(words.split()) == seconds, words


def test_what_was_being_written_is_removed(tmp_path):
    (tmp_path / "precious").write_text("x")
    file, folder = (f"pathlib.Path({str(tmp_path / name)!r})" for name in ("file", "folder"))
    body = f"with atomic.new_text({file}), atomic.replacing({folder}): time.sleep(60)"
    code, _, _ = ended(begun(body, "--timeout", "0.5"))
    assert code == OUT_OF_REACH
    assert [path.name for path in tmp_path.iterdir()] == ["precious"]


@pytest.mark.parametrize("body", [NEVER_RETURNS, "time.sleep(60)"])
@pytest.mark.slow
def test_workers_are_ended_too(body):
    """One that leaves a pipe open keeps `communicate` waiting; its group has none that lives."""
    start = "p = subprocess.Popen(['sleep', '60'], stdout=-3, stderr=-3); print(p.pid, flush=True);"
    process = begun(f"{start}\n    try: {body}\n    finally: p.kill()", "--timeout", "2")
    worker = int(process.stdout.readline())
    assert ended(process)[0] == OUT_OF_REACH
    assert has_gone(worker)


@pytest.mark.parametrize(("body", "code"), [("return 0", PASS), ("return 3", 3), ("raise KeyboardInterrupt", 130)])
def test_what_ends_in_time_ends_as_ever(body, code):
    assert ended(begun(body, "--timeout", "30"))[0] == code


@pytest.fixture
def heard():
    """A hangup that is not ignored, as children of a run under nohup would inherit it."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)


@pytest.mark.usefixtures("heard")
@pytest.mark.parametrize(
    ("number", "words"),
    [(signal.SIGINT, ["--timeout", "50"]), (signal.SIGTERM, []), (signal.SIGHUP, ["--timeout", "50"])],
)
def test_an_interrupt_reaches_the_work(number, words):
    process = begun("print('here', flush=True); time.sleep(60)", *words)
    assert process.stdout.readline() == "here\n"
    process.send_signal(number)
    code, _, said = ended(process)
    assert code == INTERRUPTED
    assert "Interrupted" in said


@pytest.mark.slow
def test_a_sweep_that_takes_long_leaves_no_half_cell(tmp_path):
    (tmp_path / "sweep.toml").write_text(TEXT.replace("times = [0.5, 2.0]", "times = [0.5, 500000.0]"))
    sweep = Forked("sweep", tmp_path / "sweep.toml", "--workers", 1, "--timeout", 2)
    assert b"while making the cells of the sweep" in sweep.communicate()[1]
    assert sweep.returncode == OUT_OF_REACH
    store = Store.open(tmp_path / "store")  # a fast machine may have finished some
    assert all(store.read(name) for name in store.names())
