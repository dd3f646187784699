"""A SLURM of one node on this machine: munged, slurmctld and slurmd on free ports, all in one folder.

Nothing outside of the folder is read or written, and no control group is mounted.
"""

import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from getpass import getuser
from importlib.util import find_spec
from pathlib import Path

PATIENCE = 300.0  # seconds: the machine may be busy
_PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "srun", "squeue", "scontrol", "scancel", "sinfo")
_PATH = os.pathsep.join((os.environ.get("PATH", ""), "/usr/sbin", "/usr/local/sbin"))
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
KillWait=2
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/node
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
NodeName=node NodeHostname=localhost NodeAddr=127.0.0.1 Port={port} CPUs=2 RealMemory=1000
SchedulerParameters=sched_interval=1
PartitionName=main Nodes=node Default=YES MaxTime=INFINITE State=UP
"""


def absent() -> str | None:
    """Return why there can be no cluster here, or None."""
    missing = [program for program in _PROGRAMS if shutil.which(program, path=_PATH) is None]
    if missing:
        return f"SLURM is not installed: {', '.join(missing)} not found (Debian: slurm-wlm, munge)"
    return None if find_spec("submitit") else "submitit is not installed (the extra cluster)"


def until(condition: Callable[[], bool], what: str) -> None:
    """Wait until it holds. Raises TimeoutError after PATIENCE."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError(f"{what} did not happen within {PATIENCE:g} s")
        time.sleep(0.1)


class Cluster:
    """The cluster in a folder, with the environment in which its commands run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environment = os.environ | {"SLURM_CONF": str(folder / "slurm.conf"), "PATH": _PATH}
        self._daemons: list[subprocess.Popen[bytes]] = []

    def start(self) -> None:
        """Start all daemons and wait until the node takes jobs."""
        for name in ("state", "node"):
            (self.folder / name).mkdir(parents=True)
        (self.folder / "munge.key").write_bytes(os.urandom(128))
        (self.folder / "munge.key").chmod(0o600)
        control, port = _free_ports()
        text = _CONFIGURATION.format(user=getuser(), control=control, port=port, folder=self.folder)
        (self.folder / "slurm.conf").write_text(text)
        files = {"key-file": "key", "socket": "socket", "pid-file": "pid", "log-file": "log", "seed-file": "seed"}
        words = [f"--{word}={self.folder}/munge.{name}" for word, name in files.items()]
        self._start("munged", "--foreground", "--force", *words)
        until((self.folder / "munge.socket").exists, "munged")
        self._start("slurmctld", "-D")
        self._start("slurmd", "-D", "-N", "node")
        until(lambda: self.output("sinfo", "-h", "-o", "%t").split() == ["idle"], "an idle node")

    def output(self, *words: str) -> str:
        """Return the output of a command of SLURM; nothing where it fails."""
        done = subprocess.run(words, env=self.environment, capture_output=True, text=True, check=False)
        return done.stdout if done.returncode == 0 else ""

    def stop(self) -> None:
        """End all jobs and daemons."""
        self.output("scancel", "--signal=KILL", "--full", "--user", getuser())
        self.output("scancel", "--user", getuser())
        for daemon in reversed(self._daemons):
            daemon.terminate()
            try:
                daemon.wait(timeout=10)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()
        until(lambda: not _kill(self.environment["SLURM_CONF"]), "the end of all processes")

    def _start(self, *words: str) -> None:
        with (self.folder / f"{words[0]}.output").open("ab") as output:
            daemon = subprocess.Popen(
                words, env=self.environment, stdin=subprocess.DEVNULL, stdout=output, stderr=output
            )
        self._daemons.append(daemon)


@contextmanager
def cluster_in(folder: Path) -> Iterator[Cluster]:
    """Yield a cluster that lives as long as the block."""
    cluster = Cluster(folder)
    try:
        cluster.start()
        yield cluster
    finally:
        cluster.stop()


def _free_ports() -> list[int]:
    """Return two ports of the loopback device that nobody uses now."""
    with socket.socket() as first, socket.socket() as second:
        for one in (first, second):
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in (first, second)]


def _kill(configuration: str) -> bool:
    """Kill the processes of this cluster; return whether one was alive."""
    alive = False
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            variables = (folder / "environ").read_bytes().split(b"\0")
            if f"SLURM_CONF={configuration}".encode() in variables and int(folder.name) != os.getpid():
                alive = True
                os.kill(int(folder.name), signal.SIGKILL)
    return alive
