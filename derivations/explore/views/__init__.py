"""The views of the explorer, one file each, discovered by its place.

A view has TITLE, QUESTION (the question that it answers, a sentence), ORDER (its place in the navigation, a whole
number), CHAPTERS (the pages of the book behind it) and `answer(problem, settings)`: the numbers that
`web/views/<view>.js` draws, ready for `wire`. `settings` are those that the page sends; with `settings["want"]` of
"csv", "python" or "latex" the answer is {"text": ...}. A view that trains networks also has `rivals(problem,
settings)`, the problems to train side by side by name, and `learned(problem, settings, learned)`, what the page shows
of them. Libraries that take long to load are imported where they are used.
"""

from functools import cache
from types import ModuleType

from theory.problem import InputError
from theory.problem.discovery import modules


@cache
def views() -> dict[str, ModuleType]:
    """The views by name, in the order of the navigation."""
    found = sorted(modules(__name__, __path__), key=lambda module: module.ORDER)
    return {module.__name__.rpartition(".")[2]: module for module in found}


def view_of(name: object) -> ModuleType:
    """Return the view of a name. Raises InputError for a name that no view has."""
    if name not in views():
        raise InputError(f"There is no view {name!r}.", f"Known: {', '.join(views())}.", "view")
    return views()[name]
