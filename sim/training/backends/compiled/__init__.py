"""The compiled back end on the CPU: the same networks on the same random numbers, by numba (extra `speed`)."""

from pathlib import Path


def forget_stale(folder: Path) -> None:
    """Remove what numba compiled before any source in the folder last changed.

    numba looks at the file of a function alone: one that calls a function of another file would be taken as it was.
    """
    changed = max(source.stat().st_mtime for source in folder.glob("*.py"))
    for compiled in (folder / "__pycache__").glob("*.nb[ic]"):
        try:
            if compiled.stat().st_mtime < changed:
                compiled.unlink()
        except OSError:  # another process was faster, or the folder is not ours to write: then numba keeps none there
            continue


forget_stale(Path(__file__).parent)
