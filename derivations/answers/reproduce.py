"""The answer of `gdln reproduce`: the experiments of the sources with their verdicts, stored or run now."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from derivations.markdown import plain
from derivations.output import PASS, UNDECIDED, counted
from derivations.reproductions import stored
from derivations.reproductions.catalog import named
from derivations.reproductions.model import UNSAID
from derivations.reproductions.rules import ORDER, REPRODUCED
from derivations.reproductions.rules import UNDECIDED as UNDECIDED_RUNS
from derivations.reproductions.running import Report, device_for, run_with_theory
from derivations.reproductions.scoreboard import Entry, entries, shown_time
from derivations.sweeps.engines import MOST_WORKERS, engine_named
from derivations.sweeps.engines.resources import Resources
from theory.problem import InputError
from theory.problem.datasets.folder import checked_content
from theory.problem.datasets.known import DATASETS
from theory.problem.numbers import one_of, whole

PROFILES = ("quick", "full")
_MEANING = "What verdicts and numbers mean: derivations/book/scoreboard.md."


@dataclass(frozen=True)
class ScoreboardAnswer:
    """All experiments with their stored verdicts; nothing is run."""

    entries: tuple[Entry, ...]

    def json(self) -> dict[str, Any]:
        """The object that `gdln reproduce --json` prints."""
        return {"experiments": [vars(entry) for entry in self.entries]}

    def text(self) -> str:
        """A line for each experiment."""
        width = max(len(entry.name) for entry in self.entries)
        head = max(len(entry.verdict) for entry in self.entries)
        lines = [
            f"{entry.name:<{width}}  {entry.verdict:<{head}}  {plain(entry.title)} ({entry.place}); {entry.cost}"
            + (f"; images: {plain(entry.needs)}" if entry.needs else "")
            for entry in self.entries
        ]
        return "\n".join(
            [
                "Verdicts and costs of the full profile. The quick one, the default, takes seconds to minutes.",
                "",
                *lines,
                "",
                f"Run one: gdln reproduce NAME [--profile full]. {_MEANING}",
            ]
        )


@dataclass(frozen=True)
class ReproduceAnswer:
    """Experiments that were run, with the result of each and the remarks of its run."""

    results: tuple[dict[str, Any], ...]
    explanations: dict[tuple[str, str], str]
    computed: int
    remarks: tuple[str, ...]
    folder: Path

    @property
    def exit_code(self) -> int:
        """0 if the runs decide every statement, for or against it; 3 if they leave one open."""
        verdicts = {row["verdict"] for result in self.results for row in result["rows"]}
        return UNDECIDED if verdicts & {UNDECIDED_RUNS, UNSAID} else PASS

    def json(self) -> dict[str, Any]:
        """The object that `gdln reproduce NAME --json` prints."""
        return {
            "results": list(self.results),
            "store": str(self.folder),
            "made": self.computed,
            "remarks": self.remarks,
        }

    def text(self) -> str:
        """The statements of each experiment with the printed and the measured number, for a reader."""
        lines: list[str] = []
        for result in self.results:
            lines += [f"{result['name']} ({result['profile']}): {result['verdict']}"]
            lines += [f"  {_line(row)}" for row in result["rows"]]
            explained = {
                self.explanations.get((result["name"], row["key"]), "") for row in result["rows"] if _fails(row)
            } - {""}
            lines += [f"  {plain(text)}" for text in sorted(explained)]
            lines += [f"  beside: {_beside(row)}" for row in result["beside"]]
            lines += [f"  {_run_of(result)}"]
            if "theory" in result:
                lines += [f"  the theory: {_run_of(result['theory'])}"]
            lines += [""]
        lines += [f"{remark}\n" for remark in self.remarks]
        return "\n".join([*lines, f"{counted(self.computed, 'cell')} made now. Store: {self.folder}. {_MEANING}"])


def _fails(row: dict[str, Any]) -> bool:
    return row["verdict"] not in (ORDER, REPRODUCED)


def _run_of(result: dict[str, Any]) -> str:
    return f"{counted(result['cells'], 'cell')}, {shown_time(result['seconds'])} {stored.place(result)}"


def _line(row: dict[str, Any]) -> str:
    stated = "above 0" if row["value"] is None else f"{row['value']:.4g}"
    measured = f"{row['mean']:.4g} ({row['low']:.4g} to {row['high']:.4g}, {row['runs']} runs)"
    return f"{row['verdict']:<14}  {row['key']}: {measured}; stated: {stated} ({plain(row['printed'])})"


def _beside(row: dict[str, Any]) -> str:
    runs = "" if "mean" not in row else f"; runs {row['mean']:.4g} ({row['low']:.4g} to {row['high']:.4g})"
    return f"{row['key']}: {row['kind']} {row['theory']:.4g}{runs}; {plain(row['text'])}"


def scoreboard() -> ScoreboardAnswer:
    """Return all experiments with their stored verdicts.

    >>> {entry.verdict for entry in scoreboard().entries} >= {"REPRODUCED", "NOT RUN"}
    True
    """
    return ScoreboardAnswer(entries())


def answer(
    names: Sequence[str],
    profile: str = "quick",
    folder: Path = stored.DEFAULT_STORE,
    report: Callable[[str], Report] = lambda _name: lambda _done, _all: None,
    device: str = "auto",
    by: tuple[str, int, str | None] = ("local", 1, None),
) -> ReproduceAnswer:
    """Run the experiments of these names in a profile on a device, and judge them.

    `by` names the engine, its number of processes and its scheduler; the local one with one process is this process.

    `device` "auto" takes a GPU for the experiments whose cells can be made there. Finished cells of the store `folder`
    are kept. `report(name)` returns the function that is told how many cells are finished. Raises InputError for
    unknown names, another profile, a folder that cannot be a store, and one whose cells answer another definition of an
    experiment; OutOfReachError for cuda where there is none, for an experiment that is computed on the processor alone,
    and for images that are missing.
    """
    one_of(profile, "--profile", PROFILES)
    chosen = named(names)
    if not chosen:
        raise InputError("No experiment is named.", "Name one, as listed by gdln reproduce.")
    engine_name, workers, scheduler = by
    whole(workers, "--workers", least=1, most=MOST_WORKERS, why="each is a process of its own")
    waits = Resources(wait=True if engine_name == "slurm" else None)
    engine = None if by == ("local", 1, None) else engine_named(engine_name, workers, waits, scheduler)
    results, remarks, computed = [], [], 0
    places = [device_for(one, device) for one in chosen]
    if not folder.exists():  # nothing is made of a store whose cells would all lack their images
        for dataset in {name: DATASETS[name] for one in chosen for name in one.datasets}.values():
            checked_content(dataset, dataset.files[0])
    for one, place in zip(chosen, places, strict=True):
        ran = run_with_theory(one, profile, folder, report(one.name), place, engine)
        results.append(stored.result(one, profile, ran))
        for part in (ran, ran.theory):
            if part is not None:
                remarks += part.remarks
                computed += part.made
    explained = {(one.name, t.key): t.explains for one in chosen for t in one.targets if profile == "full"}
    return ReproduceAnswer(tuple(results), explained, computed, tuple(remarks), folder)
