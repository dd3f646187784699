"""`gdln sweep --engine slurm` on a real SLURM of two nodes: a lost job costs time, and no bit of the results."""

import json
import os
import signal
import subprocess
import sys

import pytest

from derivations.output import PASS
from derivations.seals import SEAL
from derivations.sweeps.store import Store
from tests.derivations.sweeps.cases import ROOT, TEXT, contents, makers
from tests.derivations.sweeps.cluster import NODES, URGENT, absent, cluster_in, until

pytestmark = [
    pytest.mark.skipif(absent() is not None, reason=str(absent())),
    pytest.mark.xdist_group("slurm"),
]

# Enough for several pieces of the training on any machine: the first ends after some 50,000 steps.
STEPS = 1_500_000
LONG = TEXT.replace("times = [0.5, 2.0]", f"times = [0.5, {STEPS / 2}]").replace("replicates = 3", "replicates = 2")
BOTH = LONG.replace('"simulation.seed" = [1, 2]', '"simulation.seed" = [1]')
ONE = BOTH.replace('"data.gain" = [0.5, 2.0]', '"data.gain" = [2.0]')
# What a run has of its own: its clock, and whether it was interrupted.
OWN = {"started", "finished", "wall_seconds", "resumed", SEAL}


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """The cluster of this file."""
    with cluster_in(tmp_path_factory.mktemp("cluster")) as made:
        yield made


@pytest.fixture(scope="module")
def local(tmp_path_factory):
    """The store of both cells, made by the local engine."""
    folder = tmp_path_factory.mktemp("local")
    assert run(os.environ, folder, BOTH, "--workers", 2).returncode == PASS
    return folder / "store"


def run(environment, folder, text, *words):
    """`gdln sweep` on this text in its folder, to its end."""
    (folder / "sweep.toml").write_text(text)
    command = [sys.executable, "-m", "derivations", "sweep", str(folder / "sweep.toml"), *map(str, words)]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


def submitted(cluster, folder, text, *words):
    """The number of the job of a sweep, submitted to the cluster."""
    cluster.repair()
    done = run(cluster.environment, folder, text, "--engine", "slurm", "--time", 10, "--json", *words)
    assert (done.returncode, done.stderr) == (PASS, "")
    answer = json.loads(done.stdout)
    assert (answer["mode"], answer["counts"]["missing"]) == ("submit", len(answer["cells"]))
    assert any("--status shows the cells" in remark for remark in answer["remarks"])
    return answer["job"]


def in_work(store):
    """The cells that have a lease."""
    return [item.name for item in (store / "leases").iterdir() if not item.name.startswith(".")]


def meaning(store, cell):
    """What meta.json says of the numbers."""
    return {name: fact for name, fact in Store.open(store).meta(cell).items() if name not in OWN}


def as_local(store, local):
    """Check that the cells of a store are those of the local one, bit for bit; return the steps of resumption."""
    found, expected = contents(store), contents(local)
    assert found.items() <= expected.items()
    assert all(meaning(store, cell) == meaning(local, cell) for cell in found)
    assert list((store / "checkpoints").iterdir()) == []
    return [Store.open(store).meta(cell)["resumed"] for cell in found]


def log(store):
    """All that the jobs said."""
    return "\n".join(file.read_text() for file in sorted((store / "jobs").glob("*/*/*_log.*")))


def test_a_node_that_stops_costs_nothing_but_time(cluster, local, tmp_path):
    store = tmp_path / "store"
    job = submitted(cluster, tmp_path, BOTH, "--jobs", 2)
    until(lambda: len(in_work(store)) == 2, "two cells in work")
    assert {cluster.node_of(f"{job}_{index}") for index in (0, 1)} == set(NODES)
    cluster.break_node("node1")
    until(lambda: len(contents(store)) == 2, "the end of the sweep")
    assert as_local(store, local) == [None, None]


def test_a_job_whose_time_expires_continues_from_its_checkpoint(cluster, local, tmp_path):
    """SLURM sends SIGUSR2 before the end of a job's time, and the job itself asks to be run again.

    Limits are whole minutes, and SLURM looks at them every 30 s: the worker stands still until SLURM wakes it, first by
    SIGCONT and then by the signal.
    """
    store = tmp_path / "store"
    job = submitted(cluster, tmp_path, ONE)
    cell = held(store)
    cluster.said("scontrol", "update", f"JobId={job}", "TimeLimit=1")
    until(lambda: f"Requeued job {job}" in log(store), "the signal of SLURM and the answer of the job")
    cluster.said("scontrol", "update", f"JobId={job}", "TimeLimit=10")
    until(lambda: len(contents(store)) == 1, "the end of the sweep")
    (step,) = as_local(store, local)
    assert 0 < step < STEPS
    assert f"The cell {cell[:12]} was left after step {step}, and continues from there" in log(store)


def test_a_job_that_is_preempted_continues_from_its_checkpoint(cluster, local, tmp_path):
    """A job of a preferred partition takes the nodes: SLURM sends SIGTERM, kills the sweep, and runs it again."""
    store = tmp_path / "store"
    job = submitted(cluster, tmp_path, ONE)
    until(lambda: len(in_work(store)) == 1, "a cell in work")
    (cell,), (maker,) = in_work(store), makers(store)
    urgent = cluster.said("sbatch", "--parsable", "-p", URGENT, "-N2", "-o", "/dev/null", "--wrap", "hostname").strip()
    until((store / "checkpoints" / cell).exists, "a checkpoint")
    os.kill(maker, signal.SIGSTOP)  # it would make the cell before its end
    until(lambda: "JobState=COMPLETED" in cluster.said("scontrol", "show", "job", urgent), "the end of the other job")
    assert contents(store) == {}
    until(lambda: len(contents(store)) == 1, "the end of the sweep")
    (step,) = as_local(store, local)
    assert 0 < step < STEPS
    assert "Restarts=1" in cluster.said("scontrol", "show", "job", job)
    assert "DUE TO PREEMPTION" in log(store)
    assert "was left after step" not in log(store)


def held(store):
    """The cell in work of a job whose worker is stopped at its beginning."""
    until(lambda: len(in_work(store)) == 1, "a cell in work")
    (cell,), (maker,) = in_work(store), makers(store)
    os.kill(maker, signal.SIGSTOP)
    return cell
