"""The kinds of long work, one file each, discovered by its place.

A kind has `run(problem, settings, job)`, which shows what it finds, ready for JSON, until it is done or is stopped:
`job.publish` and `job.add` then raise StoppedError. The first replaces what was shown, the second shows one more.

A kind may have `question(problem, settings)`: a value that holds all on which its answer depends. A question that a job
has answered gets the same answer again, at once.
"""

from functools import cache
from types import ModuleType

from theory.problem import InputError
from theory.problem.discovery import modules


@cache
def _kinds() -> dict[str, ModuleType]:
    return {module.__name__.rpartition(".")[2]: module for module in modules(__name__, __path__)}


def kind_of_job(name: str) -> ModuleType:
    """Return the kind of long work of a name. Raises InputError for a name that no kind has."""
    if name not in _kinds():
        raise InputError(f"There is no kind of job {name!r}.", f"Known: {', '.join(_kinds())}.", "job")
    return _kinds()[name]
