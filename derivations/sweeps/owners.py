"""Names of processes that hold leases, and the judgement that one of them is gone."""

import hashlib
import os
import platform
import re
import time
from collections.abc import Hashable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from uuid import uuid4

BEAT = 5.0  # seconds from one heartbeat to the next
PATIENCE = 60.0  # seconds without a heartbeat after which a lease is stale; twelve beats
_TOKEN = re.compile(r"(?P<host>\w{1,32})-(?P<kernel>[0-9a-f]{12})-(?P<pid>\d+)-(?P<begin>\d+)-[0-9a-f]{12}", re.ASCII)


def new_token() -> str:
    """Return a name for one attempt of this process: its machine, its kernel, itself, and a random part.

    >>> new_token() == new_token()
    False
    """
    host = re.sub(r"\W", "_", platform.node(), flags=re.ASCII)[:32] or "_"
    return f"{host}-{_kernel()}-{os.getpid()}-{_begin(os.getpid()) or 0}-{uuid4().hex[:12]}"


def is_token(text: str) -> bool:
    """Whether the text has the form of a token.

    >>> is_token(new_token()), is_token("thesis.tex")
    (True, False)
    """
    return _TOKEN.fullmatch(text) is not None


def host_of(token: str) -> str:
    """Return the name of the machine whose process made the token."""
    return token.partition("-")[0]


def has_died(token: str) -> bool:
    """Whether the process of the token ran under this kernel and has ended. False where nobody knows.

    Nobody knows it of another machine, nor where /proc hides the processes of other users and one has its number.

    >>> has_died(new_token())
    False
    """
    match = _TOKEN.fullmatch(token)
    if match is None or not int(match["begin"]) or match["kernel"] != _kernel():
        return False
    pid = int(match["pid"])
    if not _exists(pid):
        return True
    begin = _begin(pid)
    return begin is not None and begin != int(match["begin"])


@dataclass
class Watch:
    """A memory of what this process has seen, and when by its own clock, which no other clock is compared with.

    `beat` is the time between two heartbeats of this process, `patience` its time for those of others, in seconds.
    """

    beat: float = BEAT
    patience: float = PATIENCE
    _seen: dict[Hashable, tuple[str, float]] = field(default_factory=dict)

    def gone(self, key: Hashable, token: str, state: str) -> bool:
        """Whether the process of the token is gone: it has died here, or `state` stayed the same for `patience`.

        The first call for another state begins the wait.
        """
        if has_died(token):
            return True
        now = time.monotonic()
        before, since = self._seen.get(key, (None, now))
        if before != state:
            self._seen[key] = (state, now)
            return False
        return now - since >= self.patience


@cache
def _kernel() -> str:
    """Return a name for this run of the kernel and this space of process numbers; of nothing where it tells none."""
    try:
        said = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii") + os.readlink("/proc/self/ns/pid")
    except OSError:
        said = uuid4().hex  # no other process has it, so that none is judged by its number
    return hashlib.sha256(said.encode()).hexdigest()[:12]


def _exists(pid: int) -> bool:
    """Whether a process of any user has this number, as the kernel says, which hides none from signals."""
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:  # it belongs to another user
        return True
    return True


def _begin(pid: int) -> int | None:
    """Return when a process began, in the kernel's ticks; 0 where only its record is left, None where none is shown."""
    try:
        facts = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
    except OSError:
        return None
    return 0 if facts[0] in "ZX" else int(facts[19])
