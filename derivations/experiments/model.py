"""The types of an experiment: its settings and results, and the tables and figures of the runs that it stores."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # pages and the explorer read stored runs without SymPy
    from theory.claims.model import CheckResult, Claim

Progress = Callable[[str, float], None]  # (what is running, share done)
Run = Mapping[str, Any]  # the content of one stored run
Data = Mapping[str, Mapping[str, Any]]  # of a figure: panel, curve, numbers


@dataclass(frozen=True)
class Settings:
    """Settings of a run: the device, and `scale`, which multiplies the replicates of the registered problem files."""

    profile: str = "quick"
    device: str = "auto"

    @property
    def scale(self) -> int:
        """Factor on the replicates of the problem files: 1 for quick, 4 for full."""
        return 4 if self.profile == "full" else 1


@dataclass(frozen=True)
class Finding:
    """The results of an experiment, the arrays its figures are drawn from, remarks for the report."""

    results: "tuple[CheckResult, ...]" = ()
    figures: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()
    estimates: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


@dataclass(frozen=True)
class Experiment:
    """A named experiment, the ids of the claims it judges, and `run(claims, settings, progress)`."""

    name: str
    title: str
    claims: tuple[str, ...]
    run: "Callable[[Mapping[str, Claim], Settings, Progress], Finding]"


@dataclass(frozen=True)
class Figure:
    """A figure of the book made from the stored run `run` alone.

    `caption` describes it in words; `data` takes the content of the run to the numbers of its panels and curves;
    `draw(data, path, mark)` writes the image, with `mark` in its description.
    """

    caption: str
    run: str
    data: Callable[[Run], Data]
    draw: Callable[[Data, Path, str], None]
