"""The views of the explorer and the kinds of long work, each with its module, which is loaded where it is asked for.

The module of a view has `answer(problem, settings)`: the numbers that `web/views/<view>.js` draws, ready for `wire`.
`settings` are those that the page sends; with `settings["want"]` of "csv", "python" or "latex" the answer is
{"text": ...}.

The module of a kind of work has `run(problem, settings, job)`, which shows what it finds, ready for JSON, until it is
done or is stopped: `job.publish` and `job.add` then raise StoppedError. The first replaces what was shown, the second
shows one more. It may have `question(problem, settings)`: a value that holds all on which its answer depends. A
question that a job has answered gets the same answer again, at once.
"""

from dataclasses import dataclass
from importlib import import_module
from types import ModuleType

from theory.problem import InputError


@dataclass(frozen=True)
class View:
    """The title of a view, the question that it answers, its module, and the pages of the book behind it."""

    title: str
    question: str
    module: str
    chapters: tuple[str, ...] = ()


# In the order of the navigation.
VIEWS = {
    "start": View("Start", "Which data make receptive fields local, and why?", "presets"),
    "data": View(
        "Data", "How do the inputs x of the classes differ: exactly, and in samples?", "data_page", ("data-laws",)
    ),
    "amplifier": View(
        "Amplifier",
        "Which marginals make the flat field of one ReLU neuron unstable, if preactivations are Gaussian?",
        "amplifier",
        ("amplifier", "localization-sweep"),
    ),
    "fields": View(
        "Fields",
        "Which fields do networks learn, and when?",
        "fields_page",
        ("gated-gradient-flow", "small-bump-gate"),
    ),
    "compare": View(
        "Compare",
        "Which of two laws localizes, at which gain, and why?",
        "compare_page",
        ("relu-gates", "amplifier", "localization-sweep"),
    ),
    "map": View("Map", "Where in two parameters is a field local, or a flat one unstable?", "map_page", ("amplifier",)),
    "gates": View("Gates", "What does a gate see?", "gates_page", ("relu-gates", "small-bump-gate")),
    "formula": View("Formula", "Does this average hold?", "questions", ("gaussian-averages",)),
    "graph": View("Graph", "How do the paths of a gated graph race?", "graph_page", ("gated-graphs", "race")),
}
_WORK = {
    "compare": "compare_page",
    "fields": "fields_page",
    "fits": "fits_page",
    "formula": "questions",
    "gains": "gain_sweep",
    "graph": "graph_page",
    "map": "map_page",
}


def view_of(name: str) -> ModuleType:
    """Return the module of a view. Raises InputError for a name that no view has."""
    if name not in VIEWS:
        raise InputError(f"There is no view {name!r}.", f"Known: {', '.join(VIEWS)}.", "view")
    return import_module(f"derivations.explore.{VIEWS[name].module}")


def kind_of_job(name: str) -> ModuleType:
    """Return the module of a kind of long work. Raises InputError for a name that no kind has."""
    if name not in _WORK:
        raise InputError(f"There is no kind of job {name!r}.", f"Known: {', '.join(_WORK)}.", "job")
    return import_module(f"derivations.explore.{_WORK[name]}")
