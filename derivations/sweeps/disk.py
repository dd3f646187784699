"""The few operations on names that leases rely on; a file server performs each of them as one step.

Nothing here depends on locks of a kernel, on clocks or on the times of files. Looks may be answered from an old cache
of a network file system, changes are not.
"""

import os
from dataclasses import dataclass
from pathlib import Path

# A link in the place of a folder could lead anywhere.
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


@dataclass(frozen=True)
class Disk:
    """Names below the folder `root`; all other paths are texts relative to it. Failures are OSErrors."""

    root: Path

    def path(self, place: str) -> Path:
        """Return the path of a place."""
        return self.root / place

    def names(self, place: str) -> tuple[str, ...]:
        """Return the names in a folder, sorted; none where there is no such folder.

        The folder is opened, because network file systems ask the server for its present state then.
        """
        handle = self.enter(place)
        if handle is None:
            return ()
        try:
            return tuple(sorted(os.listdir(handle)))
        finally:
            self.leave(handle)

    def make(self, place: str) -> None:
        """Make a folder. FileExistsError where anything has this name."""
        os.mkdir(self.path(place))

    def touch(self, place: str) -> None:
        """Make an empty file. FileExistsError where anything has this name."""
        os.close(os.open(self.path(place), os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644))

    def move(self, source: str, target: str) -> None:
        """Rename. A folder replaces nothing but an empty folder, and a file nothing but a file."""
        os.rename(self.path(source), self.path(target))

    def unlink(self, place: str) -> None:
        """Remove a file."""
        os.unlink(self.path(place))

    def rmdir(self, place: str) -> None:
        """Remove an empty folder."""
        os.rmdir(self.path(place))

    def sync(self, place: str) -> None:
        """Bring the names in a folder to the disk."""
        handle = os.open(self.path(place), os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)

    def enter(self, place: str) -> int | None:
        """Return a handle of a folder, whatever name it gets later; None where the place is no folder."""
        try:
            return os.open(self.path(place), _FOLDER)
        except (FileNotFoundError, NotADirectoryError):
            return None

    def leave(self, handle: int) -> None:
        """Give a handle back."""
        os.close(handle)

    def names_in(self, handle: int) -> tuple[str, ...]:
        """Return the names in the folder of a handle, sorted."""
        return tuple(sorted(os.listdir(handle)))

    def move_from(self, handle: int, name: str, target: str) -> None:
        """Rename what has the name in the folder of a handle."""
        os.rename(name, self.path(target), src_dir_fd=handle)
