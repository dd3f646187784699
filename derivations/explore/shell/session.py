"""The session of one open view: its copy of the shared problem, and the changes of its controls that it writes back.

Several tabs may show one problem. A view whose problem another view has changed merges its change into the new one.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from derivations.explore.gates import gates_of, with_gates
from derivations.explore.shell.controls import law_of
from derivations.explore.shell.shared_problem import SharedProblem, attempt, carried, law_values
from theory.problem import InputError, Law, Network, Problem, WorkbenchError
from theory.problem.distributions.own import OwnLaw

Anew = Callable[[int], int]


def _anew(version: int) -> int:
    """The next version of a view: marimo runs the cells that read it."""
    return version + 1


class Session:
    """A view's own copy of the shared problem.

    `problem` is the one that the view shows, `shared` the one that the views share now, and `stale` whether another
    view has replaced it.
    """

    def __init__(self, shared: SharedProblem) -> None:
        self._shared, self.problem = shared, shared.problem
        self._built: object = None
        self._values: dict[str, Any] = {}

    @property
    def shared(self) -> Problem:
        """The problem that the views share."""
        return self._shared.problem

    @property
    def stale(self) -> bool:
        """Whether another view has changed the shared problem since this one read or wrote it."""
        return self.shared != self.problem

    def read(self) -> Problem:
        """Show the shared problem as it is now."""
        self.problem = self.shared
        return self.problem

    def moved(self, built: object, values: Mapping[str, Any]) -> set[str]:
        """The names of values that differ from those last written, or from the first ones of the controls `built`."""
        if built is not self._built:
            self._built, self._values = built, dict(values)
        return {name for name, value in values.items() if name not in self._values or self._values[name] != value}

    def write(self, problem: Problem, values: Mapping[str, Any]) -> Problem:
        """Share `problem`, which the controls declare at `values`."""
        self._values = dict(values)
        self.problem = self._shared.put(problem)
        return problem

    def replace(self, text: str) -> Problem:
        """Share the problem written in TOML. Raises InputError, also where another view changed it in the meantime."""
        if self.stale:
            raise InputError(
                "Another view has changed the shared problem since this text was written out.",
                "Press Problem again and make the change in the new text.",
                "stale",
            )
        self.problem = self._shared.read(text)
        return self.problem

    def take(self, text: str | None, set_version: Callable[[Anew], None]) -> WorkbenchError | None:
        """Share the problem of an editor, where there is one, and draw anew; return the error that the text has."""
        taken, misread = (None, None) if text is None else attempt(lambda: self.replace(text))
        if taken is not None:
            set_version(_anew)
        return misread

    def looking_again(
        self, choose: Callable[[str], None], set_version: Callable[[Anew], None]
    ) -> Callable[[str], None]:
        """Return `choose` for a click that also draws a view anew, if another one has overtaken it.

        Both happen in the same turn: nothing of the old problem is drawn once more.
        """

        def chosen(name: str) -> None:
            if self.stale:
                set_version(_anew)
            choose(name)

        return chosen


def with_law(
    session: Session, built: object, kind: type[Law], values: Mapping[str, Any]
) -> tuple[Problem, Sequence[str]]:
    """Return the shared problem with the changes of a law's controls, and the changes that these require, in words.

    `values` are as `controls.law_of` takes them. A control that has not moved does not change its field; where
    another view has chosen another law, the controls of this one do not change it. Raises InputError as the law does.
    """
    declared = {"law": kind.law, **values}
    moved, current = session.moved(built, declared), session.shared
    if "law" in moved:
        if issubclass(kind, OwnLaw) and not any(values[source] != '""' for source in ("path", "sampler", "folder")):
            raise InputError(
                "A law of your own comes from a problem file, which allows its code to run.",
                'Start gdln explore FILE with a file that has law = "own", or give a folder of arrays, in quotes.',
            )
        law = law_of(kind, values)
    elif moved and current.data.law == kind.law:
        law = law_of(kind, {name: values[name] for name in moved}, law_values(current.data))
    else:
        return current, ()
    problem, notes = carried(current, law)
    return session.write(problem, declared), notes


def with_moved_gates(session: Session, built: object, values: Mapping[str, Any], adopt: bool = False) -> Problem:
    """The shared problem with the gates that the controls changed in it, shared again where it is gated-linear.

    A shared network of another model is not changed: the returned problem has the gates of the controls, and is shared
    only with `adopt`. `values` hold the number of `units`, and kind.k, site.k and range.k of each unit k.
    """
    moved, current = session.moved(built, values), session.shared
    gated = current.network.model == Network.gated
    if gated and not moved:
        return current
    problem = with_gates(current, gates_of(current, values, moved))
    return session.write(problem, values) if gated or adopt else problem
