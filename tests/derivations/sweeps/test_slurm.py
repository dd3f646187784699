"""`gdln sweep --engine slurm` on a real SLURM of two nodes: a lost job costs time, and no bit of the results."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from derivations.output import PASS
from derivations.seals import SEAL
from derivations.sweeps.store import Store
from tests.derivations.sweeps.cases import ROOT, TEXT, contents
from tests.derivations.sweeps.cluster import NODES, URGENT, absent, cluster_in, until

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(absent() is not None and os.environ.get("CI") != "true", reason=str(absent())),
]

# Several pieces of the training, of which the first ends after some 50,000 steps, on any machine, and longer than SLURM
# waits before it kills a job.
STEPS = 4_500_000
LONG = TEXT.replace("times = [0.5, 2.0]", f"times = [0.5, {STEPS / 2}]").replace("replicates = 3", "replicates = 2")
BOTH = LONG.replace('"simulation.seed" = [1, 2]', '"simulation.seed" = [1]')
# What a run has of its own: its clock, and whether it was interrupted.
OWN = {"started", "finished", "wall_seconds", "resumed", SEAL}


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """The cluster of this file; where there can be none, a machine that must test everything fails."""
    if (why := absent()) is not None:
        pytest.fail(why)
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
    """The facts of meta.json on the numbers."""
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
    """Each node has the name of another kernel, so that nobody knows of its death: the other waits for its patience."""
    store = tmp_path / "store"
    job = submitted(cluster, tmp_path, BOTH, "--jobs", 2)
    until(lambda: len(in_work(store)) == 2, "two cells in work")
    assert {cluster.node_of(f"{job}_{index}") for index in (0, 1)} == set(NODES)
    tokens = [name for cell in (store / "leases").glob("[!.]*") for name in os.listdir(cell)]
    assert len({token.split("-")[1] for token in tokens}) == len(tokens) == 2
    cluster.break_node("node1")
    until(lambda: len(contents(store)) == 2, "the end of the sweep")
    assert as_local(store, local) == [None, None]


def test_jobs_that_are_preempted_or_run_out_of_time_continue_from_their_checkpoints(cluster, local, tmp_path):
    """Two jobs at once, by SLURM's own signals.

    A job of a preferred partition takes the node of one: SLURM sends SIGTERM, kills it, and runs it again. The time of
    the other expires: SLURM sends SIGUSR2 before, and the job itself asks to be run again.

    Limits are whole minutes, and SLURM looks at them every 30 s: workers stand still until SLURM wakes them.
    """
    store = tmp_path / "store"
    job = submitted(cluster, tmp_path, BOTH, "--jobs", 2)
    until(lambda: len(makers_by_node(store)) == 2, "two cells in work")
    expiring, preempted = (makers_by_node(store)[cluster.node_of(f"{job}_{index}")] for index in (0, 1))
    for _, maker in (expiring, preempted):
        os.kill(maker, signal.SIGSTOP)
    cluster.said("scontrol", "update", f"JobId={job}_0", "TimeLimit=1")
    node = ("-p", URGENT, "-w", cluster.node_of(f"{job}_1"))
    urgent = cluster.said("sbatch", "--parsable", *node, "-o", "/dev/null", "--wrap", "hostname").strip()
    until((store / "checkpoints" / preempted[0]).exists, "a checkpoint")
    os.kill(preempted[1], signal.SIGSTOP)  # it would make the cell before its end
    until(lambda: f"Requeued job {job}_0" in log(store), "the signal of SLURM and the answer of the job")
    cluster.said("scontrol", "update", f"JobId={job}_0", "TimeLimit=10")
    until(lambda: "JobState=COMPLETED" in cluster.said("scontrol", "show", "job", urgent), "the end of the other job")
    until(lambda: len(contents(store)) == 2, "the end of the sweep")
    as_local(store, local)
    said, meta = log(store), Store.open(store).meta
    assert 0 < meta(preempted[0])["resumed"] < STEPS
    # A worker that is told to leave before its first steps has nothing to keep.
    left = f"The cell {expiring[0][:12]} was left after step" in said
    assert (meta(expiring[0])["resumed"] is not None) == left
    assert f"The cell {preempted[0][:12]} was left after step" not in said
    assert "DUE TO PREEMPTION" in said
    assert all("Restarts=1" in cluster.said("scontrol", "show", "job", f"{job}_{index}") for index in (0, 1))


def makers_by_node(store):
    """The cells in work, each with the number of the process that makes it, by the names of the nodes."""
    found = {}
    for cell in (store / "leases").glob("[!.]*"):
        for maker in (int(name.split("-")[2]) for name in os.listdir(cell)):
            words = Path(f"/proc/{maker}/environ").read_text().split("\0")
            (node,) = [word.partition("=")[2] for word in words if word.startswith("SLURMD_NODENAME=")]
            found[node] = cell.name, maker
    return found
