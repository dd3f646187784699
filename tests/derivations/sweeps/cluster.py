"""A SLURM of two nodes on this machine: munged, slurmctld and two slurmd on free ports, all in one folder.

Nodes are daemons with names and ports of their own, so that a node can be stopped like a machine: with all of its
processes. To the Python of its jobs a node tells an identity of its own for the run of its kernel, as a machine would.
Nothing outside of the folder is read or written, and no control group is mounted.
"""

import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from getpass import getuser
from importlib.util import find_spec
from pathlib import Path

NODES = ("node1", "node2")
URGENT = "urgent"  # the partition whose jobs are preferred: they take the nodes from others after a time of grace
PATIENCE = 300.0  # seconds: the machine may be busy
_PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "srun", "squeue", "scontrol", "scancel", "sinfo")
_POLL = 0.1  # seconds between two looks
_CONFIGURATION = """
ClusterName=gdln
SlurmctldHost=localhost(127.0.0.1)
SlurmUser={user}
SlurmdUser={user}
SlurmctldPort={control}
AuthType=auth/munge
# Credentials live for two minutes by default, and a job that was requeued waits for that of its last run to expire.
AuthInfo=socket={folder}/munge.socket,cred_expire=5
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
MpiDefault=none
JobRequeue=1
ReturnToService=2
SlurmdTimeout=10
KillWait=2
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/%n.log
{nodes}
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
# A preempted job is looked at when the scheduler runs, each minute by default, and every 30 s besides.
SchedulerParameters=sched_interval=1
PartitionName=main Nodes={names} Default=YES MaxTime=INFINITE State=UP PriorityTier=1 GraceTime=5
PartitionName={urgent} Nodes={names} MaxTime=INFINITE State=UP PriorityTier=2
"""
# The module that Python imports as it starts.
_SITE = """
import os
import pathlib

node, read = os.environ.get("SLURMD_NODENAME"), pathlib.Path.read_text

def read_text(self, *words, **named):
    said = read(self, *words, **named)
    return f"{said} of {node}" if str(self) == "/proc/sys/kernel/random/boot_id" else said

if node is not None:
    pathlib.Path.read_text = read_text
"""


def absent() -> str | None:
    """Return why there can be no cluster here, or None."""
    path = os.pathsep.join((os.environ.get("PATH", ""), "/usr/sbin", "/usr/local/sbin"))
    missing = [program for program in _PROGRAMS if shutil.which(program, path=path) is None]
    if missing:
        return f"SLURM is not installed: {', '.join(missing)} not found (Debian: slurm-wlm, munge)"
    return None if find_spec("submitit") else "submitit is not installed (the extra cluster)"


def until(condition: Callable[[], bool], what: str) -> None:
    """Wait until it holds. Raises TimeoutError after PATIENCE."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError(f"{what} did not happen within {PATIENCE:g} s")
        time.sleep(_POLL)


class Cluster:
    """The cluster in a folder, with the environment in which its commands run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environment = os.environ | {
            "SLURM_CONF": str(folder / "slurm.conf"),
            "PATH": os.pathsep.join((os.environ.get("PATH", ""), "/usr/sbin", "/usr/local/sbin")),
            "PYTHONPATH": os.pathsep.join([str(folder / "site"), *filter(None, [os.environ.get("PYTHONPATH")])]),
        }
        self._daemons: dict[str, subprocess.Popen[bytes]] = {}

    def start(self) -> None:
        """Start all daemons and wait until both nodes take jobs."""
        for name in ("state", "site", *NODES):
            (self.folder / name).mkdir()
        (self.folder / "site" / "sitecustomize.py").write_text(_SITE)
        (self.folder / "munge.key").write_bytes(os.urandom(128))
        (self.folder / "munge.key").chmod(0o600)
        control, *ports = _free_ports(1 + len(NODES))
        nodes = "\n".join(
            f"NodeName={name} NodeHostname=localhost NodeAddr=127.0.0.1 Port={port} CPUs=1 RealMemory=1000"
            for name, port in zip(NODES, ports, strict=True)
        )
        text = _CONFIGURATION.format(
            user=getuser(), control=control, folder=self.folder, nodes=nodes, names=",".join(NODES), urgent=URGENT
        )
        (self.folder / "slurm.conf").write_text(text)
        files = {"key-file": "key", "socket": "socket", "pid-file": "pid", "log-file": "log", "seed-file": "seed"}
        words = [f"--{word}={self.folder}/munge.{name}" for word, name in files.items()]
        self._start("munged", "munged", "--foreground", "--force", *words)
        until((self.folder / "munge.socket").exists, "munged")
        self._start("slurmctld", "slurmctld", "-D")
        self.repair()

    def repair(self) -> None:
        """Start the nodes that are stopped, and wait until both take jobs."""
        for name in NODES:
            if name not in self._daemons:
                self._start(name, "slurmd", "-D", "-N", name)
        states = ("sinfo", "-h", "-N", "-p", "main", "-o", "%t")
        until(lambda: self.said(*states).split() == ["idle"] * len(NODES), "idle nodes")

    def said(self, *words: str) -> str:
        """Return the output of a command of SLURM; nothing where it fails."""
        done = subprocess.run(words, env=self.environment, capture_output=True, text=True, check=False)
        return done.stdout if done.returncode == 0 else ""

    def node_of(self, job: str) -> str:
        """Return the node on which a job runs, or nothing."""
        return self.said("squeue", "-h", "-t", "running", "-j", job, "-o", "%N").strip()

    def break_node(self, name: str) -> None:
        """Stop a node like a machine that loses its power: its daemon and all processes of its jobs are killed."""
        daemon = self._daemons.pop(name)
        daemon.kill()
        daemon.wait()
        _kill(lambda known: known.get("GDLN_NODE") == name or known.get("SLURMD_NODENAME") == name, self.environment)

    def stop(self) -> None:
        """End all jobs and daemons."""
        self.said("scancel", "--signal=KILL", "--full", "--user", getuser())
        self.said("scancel", "--user", getuser())
        for name in (*NODES, "slurmctld", "munged"):
            if (daemon := self._daemons.pop(name, None)) is not None:
                daemon.terminate()
                try:
                    daemon.wait(timeout=10)
                except subprocess.TimeoutExpired:
                    daemon.kill()
                    daemon.wait()
        _kill(lambda _known: True, self.environment)

    def _start(self, name: str, *words: str) -> None:
        with (self.folder / f"{name}.said").open("ab") as said:
            self._daemons[name] = subprocess.Popen(
                words, env=self.environment | {"GDLN_NODE": name}, stdin=subprocess.DEVNULL, stdout=said, stderr=said
            )


@contextmanager
def cluster_in(folder: Path) -> Iterator[Cluster]:
    """Yield a cluster that lives as long as the block."""
    cluster = Cluster(folder)
    try:
        cluster.start()
        yield cluster
    finally:
        cluster.stop()


def _free_ports(count: int) -> list[int]:
    """Return ports of the loopback device that nobody uses now."""
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]


def _kill(chosen: Callable[[dict[str, str]], bool], environment: dict[str, str]) -> None:
    """Kill the processes of this cluster whose environment variables are `chosen`, until none is left."""

    def living() -> list[int]:
        found = []
        for folder in Path("/proc").iterdir():
            if not folder.name.isdecimal() or int(folder.name) == os.getpid():
                continue
            with suppress(OSError):
                text = (folder / "environ").read_bytes().decode(errors="replace")
                known = dict(word.split("=", 1) for word in text.split("\0") if "=" in word)
                if known.get("SLURM_CONF") == environment["SLURM_CONF"] and chosen(known):
                    found.append(int(folder.name))
        return found

    def done() -> bool:
        left = living()
        for pid in left:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        return not left

    until(done, "the end of the processes of a node")
