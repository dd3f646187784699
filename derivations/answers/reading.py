"""The problem that a user names: a file, or one of the workbench's own."""

from collections.abc import Sequence
from pathlib import Path

from theory.problem import InputError, Problem, load


def read_problem(path: str | Path, settings: Sequence[str] | None = None) -> Problem:
    """Return the problem in a file; a word that is no file is the name of one of the workbench's problems.

    Raises InputError as `load` does, and with the known names for another word; OSError for other paths.

    >>> read_problem("small-bump").data.n
    40
    """
    path = Path(path)
    if len(path.parts) == 1 and not path.suffix and not path.exists():
        from derivations.experiments.folders import problem_file, problem_names

        if path.name not in problem_names():
            raise InputError(
                f"{path} is neither a file nor a problem of the workbench.",
                f"Name a file, as {path}.toml, or one of {', '.join(problem_names())}.",
                "file",
            )
        path = problem_file(path.name)
    return load(path, settings)
