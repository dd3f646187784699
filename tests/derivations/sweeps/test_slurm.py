"""`gdln sweep --engine slurm` on a real SLURM: a job that is requeued costs time, and no bit of the results."""

import json
import os
import subprocess
import sys

import pytest

from derivations.output import PASS
from derivations.seals import SEAL
from derivations.sweeps.store import Store
from tests.derivations.sweeps.cases import ROOT, TEXT, contents
from tests.derivations.sweeps.cluster import absent, cluster_in, until

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(absent() is not None and os.environ.get("CI") != "true", reason=str(absent())),
]

# Several pieces of the training, of which the first ends after some 50,000 steps, on any machine.
STEPS = 4_500_000
BOTH = TEXT.replace("times = [0.5, 2.0]", f"times = [0.5, {STEPS / 2}]").replace("replicates = 3", "replicates = 2")
BOTH = BOTH.replace('"simulation.seed" = [1, 2]', '"simulation.seed" = [1]')
RUN = {"started", "finished", "wall_seconds", "resumed", SEAL}  # facts of a run, and not of its results


def run(environment, folder, *words):
    """`gdln sweep` on both cells in a folder, to its end."""
    (folder / "sweep.toml").write_text(BOTH)
    command = [sys.executable, "-m", "derivations", "sweep", str(folder / "sweep.toml"), *map(str, words)]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


def meaning(store, cell):
    """The facts of meta.json on the numbers."""
    return {name: fact for name, fact in Store.open(store).meta(cell).items() if name not in RUN}


def test_an_array_of_which_a_job_is_requeued_has_the_cells_of_one_machine(tmp_path):
    """SLURM sends SIGUSR2 before the time of a job is over: the job leaves its cell and asks to be run again."""
    if (why := absent()) is not None:
        pytest.fail(why)
    local, folder = tmp_path / "local", tmp_path / "slurm"
    for each in (local, folder):
        each.mkdir()
    assert run(os.environ, local, "--workers", 2).returncode == PASS
    store = folder / "store"
    with cluster_in(tmp_path / "cluster") as cluster:
        done = run(cluster.environment, folder, "--engine", "slurm", "--time", 10, "--json", "--jobs", 2)
        assert (done.returncode, done.stderr) == (PASS, "")
        answer = json.loads(done.stdout)
        assert (answer["mode"], answer["counts"]["missing"]) == ("submit", len(answer["cells"]))
        first = f"{answer['job']}_0"
        until(lambda: len([*(store / "leases").glob("[!.]*")]) == 2, "two cells in work")
        cluster.output("scancel", "--signal=USR2", first)
        until(lambda: len(contents(store)) == 2, "the end of the sweep")
        assert "Restarts=1" in cluster.output("scontrol", "show", "job", first)
    assert contents(store) == contents(local / "store")
    assert all(meaning(store, cell) == meaning(local / "store", cell) for cell in contents(store))
    assert list((store / "checkpoints").iterdir()) == []
