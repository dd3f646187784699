"""The answer of `gdln controls`: problems that differ from one in a single statistic of their data, and their sweep."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import isinf
from pathlib import Path
from typing import Any

from theory.moments.controls import NAMES, Control, controls
from theory.problem import DeepNetwork, GatedGraph, InputError, Problem, SiteGate, WorkbenchError, dumps
from theory.problem.distributions.arrays import ArraysLaw
from theory.problem.toml import toml_value

ORIGINAL = "original"
_SWEEP = """\
# Which statistic of the data makes the difference? gdln sweep sweep.toml
base = "{original}.toml"
store = "results"
observables = ["loss", "participation-ratio"]
[axes]
data = [{files}]
"""


@dataclass(frozen=True)
class ControlledProblem:
    """A control with the problem on its data, or None where the law has no such control or the gates forbid it."""

    control: Control
    problem: Problem | None
    why: str


@dataclass(frozen=True)
class ControlsAnswer:
    """A problem and its controls."""

    problem: Problem
    controls: tuple[ControlledProblem, ...]

    @property
    def existing(self) -> tuple[ControlledProblem, ...]:
        """The controls that exist."""
        return tuple(one for one in self.controls if one.problem is not None)

    def files(self) -> dict[str, str]:
        """The text of every file by its name: the problems as TOML and, where they can be trained, their sweep."""
        return self._texts({one.control.name: one.problem for one in self.existing})

    def _texts(self, problems: Mapping[str, Problem]) -> dict[str, str]:
        # Without the word, gates look at the latent of a law that has one and at the input of another.
        texts = {f"{ORIGINAL}.toml": dumps(self.problem).replace('on = "latent"\n', "")}
        texts |= {f"{name}.toml": dumps(problem) for name, problem in problems.items()}
        if self._swept:
            texts["sweep.toml"] = _SWEEP.format(original=ORIGINAL, files=", ".join(f'"{name}"' for name in texts))
        return texts

    @property
    def _swept(self) -> bool:
        network = self.problem.network
        return self.problem.simulation is not None and not isinstance(network, GatedGraph | DeepNetwork)

    def _written(self, folder: Path) -> dict[str, str]:
        """Write the arrays of laws into the folder, and return the texts, which name these files."""
        problems = {}
        for one in self.existing:
            law = one.control.law
            written_out = isinstance(law, ArraysLaw) and not law.file
            data = law.filed(folder / f"{one.control.name}.npz") if written_out else law
            problems[one.control.name] = replace(one.problem, data=data)
        here = toml_value(f"{folder}/")[:-1]
        return {name: text.replace(f"file = {here}", 'file = "') for name, text in self._texts(problems).items()}

    def json(self) -> dict[str, Any]:
        """The object that `gdln controls --json` prints."""
        rows = [
            {
                "name": one.control.name,
                "differs": one.control.says,
                "toml": None if one.problem is None else dumps(one.problem),
                "why_not": one.why or None,
            }
            for one in self.controls
        ]
        names = [f"{name}.toml" for name in (ORIGINAL, *(one.control.name for one in self.existing))]
        return {"controls": rows, "files": [*names, "sweep.toml"] if self._swept else names}

    def text(self) -> str:
        """Each control with what it keeps and changes, for a reader."""
        lines = []
        for one in self.controls:
            lines.append(f"{one.control.name:<11} {one.control.says}")
            if one.problem is None:
                lines.append(f"{'':<11} not there: {one.why}")
        return "\n".join(lines)

    def write(self, folder: Path) -> tuple[Path, ...]:
        """Write the files into a new or empty folder, and beside them archives of large arrays.

        Raises InputError where the folder has files.
        """
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise InputError(f"{folder} exists and is no empty folder; files would be lost.", "Name another.", "file")
        folder.mkdir(parents=True, exist_ok=True)
        written = []
        for name, text in self._written(folder.resolve()).items():
            path = folder / name
            path.write_text(text, encoding="utf-8")
            written.append(path)
        return tuple(written)


def answer(problem: Problem, marginal: Any = "laplace", correlation: Any = "exponential") -> ControlsAnswer:
    """Return the controls of the data of a problem, each with the same network, training and simulation.

    Gates at sites of a latent at 0 look at the input where a control has no latent: both have the same sign. Raises
    InputError for a marginal or a correlation that is none.
    """
    controlled = (_on(problem, control) for control in controls(problem.data, marginal, correlation))
    return ControlsAnswer(problem, tuple(controlled))


def named(problem: Problem, name: str) -> ControlledProblem:
    """Return one of the controls of `answer` without making the others. Raises InputError for a name that is none."""
    if name not in NAMES:
        raise InputError(f"There is no control {name!r}.", f"Known: {', '.join(NAMES)}.", "pair")
    return _on(problem, next(one for one in controls(problem.data, names=(name,)) if one.name == name))


def _on(problem: Problem, control: Control) -> ControlledProblem:
    if control.law is None:
        return ControlledProblem(control, None, control.why)
    try:
        network = _looking(problem.network, control.law.latent)
        return ControlledProblem(control, replace(problem, data=control.law, network=network), "")
    except WorkbenchError as error:
        return ControlledProblem(control, None, f"{error.message} {error.hint}".strip())


def _looking(network: Any, latent: bool) -> Any:
    """The network with gates on the input where there is no latent; a deep network looks at no latent."""
    if isinstance(network, DeepNetwork):
        return network
    gates = tuple(_gate(gate, latent) for gate in network.gates)
    return network if gates == network.gates else replace(network, gates=gates)


def _gate(gate: Any, latent: bool) -> Any:
    """The same event without the latent: sign(z_i) = sign(x_i)."""
    if latent or not isinstance(gate, SiteGate) or gate.on != "latent":
        return gate
    if not all(bound == 0 or isinf(bound) for bound in (gate.lo, gate.hi)):
        raise InputError(
            "A gate has a threshold on the latent, which this control does not have.",
            'Use gates at 0, or on = "input".',
        )
    return replace(gate, on="input")
