"""The engines: the same bytes from each, also where a worker of it is killed, and checkpoints by both signals."""

import json
import os
import shutil
import signal
import subprocess
import sys
from contextlib import ExitStack, suppress
from importlib.util import find_spec

import pytest

from derivations.output import PASS, UNDECIDED
from tests.derivations.sweeps.cases import TEXT, contents
from tests.derivations.sweeps.cluster import absent, cluster_in, until
from tests.paths import ROOT

pytestmark = pytest.mark.slow
# Two cells of several pieces of training each, of which the first ends after some 50,000 steps, on any machine.
STEPS = 3_000_000
LONG = TEXT.replace("times = [0.5, 2.0]", f"times = [0.5, {STEPS / 2}]").replace("replicates = 3", "replicates = 2")
LONG = LONG.replace('"simulation.seed" = [1, 2]', '"simulation.seed" = [1]')
OPTIONS = {"local": (), "dask": (), "slurm": ("--wait", "--time", 10, "--jobs", 2, "--workers", 1)}


def lacking(engine):
    """Return why the engine cannot run here, or None."""
    if engine == "dask":
        return None if find_spec("distributed") else "Dask is not installed (the extra dask)"
    return absent() if engine == "slurm" else None


def begun(folder, *words, environment=os.environ):
    """`gdln sweep` on the long cells, running in a folder."""
    folder.mkdir(exist_ok=True)
    (folder / "sweep.toml").write_text(LONG)
    words = ["sweep", folder / "sweep.toml", "--workers", 2, "--csv", folder / "table.csv", *words]
    command = [sys.executable, "-m", "derivations", *map(str, words)]
    return subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The folder of the sweep as an undisturbed process computes it."""
    folder = tmp_path_factory.mktemp("whole")
    process = begun(folder, "--workers", 1)
    assert (process.communicate()[0].count(b"complete"), process.returncode) == (3, PASS)
    return folder


def attempts(folder):
    """The processes of the attempts that have begun, by cell."""
    notes = {}
    for file in (folder / "store" / "attempts").glob("[!.]*.json"):
        note = json.loads(file.read_text())
        notes[note["cell"]] = note["process"]
    return notes


@pytest.mark.parametrize("engine", OPTIONS)
def test_with_a_worker_killed_the_table_is_the_same_bit_for_bit(engine, whole, tmp_path):
    """Before that its cells become checkpoints: by SIGTERM to the command or to a worker, by SIGUSR2 to the other."""
    if why := lacking(engine):
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(why)
    folder = tmp_path / "run"
    with ExitStack() as stack:
        environment = os.environ
        if engine == "slurm":
            environment = stack.enter_context(cluster_in(tmp_path / "cluster")).environment
        process = begun(folder, "--engine", engine, *OPTIONS[engine], environment=environment)
        until(lambda: len(attempts(folder)) == 2 or process.poll() is not None, "two cells in work")
        if engine != "slurm":  # whose jobs do not end with the command
            process.terminate()
            said = process.communicate()[0].decode()
            assert process.returncode == UNDECIDED, said
            assert sorted(os.listdir(folder / "store" / "checkpoints")) == sorted(attempts(folder))
            shutil.rmtree(folder)
            process = begun(folder, "--engine", engine, *OPTIONS[engine], environment=environment)
            until(lambda: len(attempts(folder)) == 2 or process.poll() is not None, "two cells in work")
        for (cell, worker), number in zip(attempts(folder).items(), (signal.SIGUSR2, signal.SIGTERM), strict=True):
            with suppress(ProcessLookupError):
                os.kill(worker, number)
            file = folder / "store" / "checkpoints" / cell
            until(lambda file=file, cell=cell: file.exists() or cell in contents(folder / "store"), "a checkpoint")
        killed = min(attempts(folder).values())
        with suppress(ProcessLookupError):
            os.kill(killed, signal.SIGKILL)
        said = process.communicate()[0].decode()
    assert process.returncode == PASS, said
    assert contents(folder / "store") == contents(whole / "store")
    assert (folder / "table.csv").read_bytes() == (whole / "table.csv").read_bytes()
    assert not [*(folder / "store" / "checkpoints").iterdir()]
