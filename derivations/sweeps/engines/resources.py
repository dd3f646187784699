"""The jobs that a scheduler is asked for, read from the words of the command."""

import re
from dataclasses import dataclass, fields
from math import ceil
from typing import Any

from theory.problem import InputError
from theory.problem.numbers import whole

_SHORTEST, _LONGEST = 10, 60 * 24 * 366  # minutes: time to load the libraries, to train, and to leave
_MOST = 10_000  # jobs of an array, and processors or GPUs of a job
_JOBS, _HOUR = 8, 60  # by default: jobs at most, and minutes of each
_TIME = re.compile(r"(?:(?P<days>\d{1,3})-)?(?P<rest>\d{1,6}(?::\d{1,2}){0,2})", re.ASCII)


@dataclass(frozen=True)
class Resources:
    """Jobs and what each of them gets, in the words of SLURM; None leaves it to the engine.

    `memory` is like 500M or 4G, `time` M, M:S, H:M:S, D-H, D-H:M or D-H:M:S. Raises InputError for other words, for
    numbers below 1, and for a limit of time that is too short to leave in.
    """

    jobs: int | None = None
    cpus: int | None = None
    gpus: int | None = None
    memory: str | None = None
    time: str | None = None
    partition: str | None = None
    wait: bool | None = None

    def __post_init__(self) -> None:
        for name in ("jobs", "cpus", "gpus"):
            if getattr(self, name) is not None:
                whole(getattr(self, name), f"--{name}", least=1, most=_MOST, why="it is a number of them for each job")
        minutes, remedy = self.minutes, "Give minutes (90), hours:minutes:seconds (4:00:00) or days-hours (2-12)."
        if minutes is not None and not _SHORTEST <= minutes <= _LONGEST:
            why = f"it must lie between {_SHORTEST} and {_LONGEST} minutes"
            raise InputError(f"--time {self.time[:40]!r} is no limit of time: {why}.", remedy, "usage")
        if self.memory is not None and not re.fullmatch(r"[1-9]\d{0,5}[MGT]", self.memory, re.ASCII):
            hint = "Give a positive whole number and a unit: 500M, 4G."
            raise InputError(f"--memory {self.memory[:40]!r} is no amount of memory.", hint, "usage")
        if self.partition is not None and not re.fullmatch(r"\w[\w.,-]{0,199}", self.partition):
            message = f"--partition {self.partition[:40]!r} is no name of a partition."
            raise InputError(message, "sinfo lists them.", "usage")

    @property
    def options(self) -> list[str]:
        """The options that were used.

        >>> Resources(jobs=2, memory="512M").options
        ['--jobs', '--memory']
        """
        return [f"--{field.name}" for field in fields(self) if getattr(self, field.name) is not None]

    @property
    def minutes(self) -> int | None:
        """The limit of time; -1 for words that are none.

        >>> [Resources(time=text).minutes for text in ("90", "90:30", "4:00:00", "2-12", "1-00:30")]
        [90, 91, 240, 3600, 1470]
        """
        if self.time is None:
            return None
        match = _TIME.fullmatch(self.time)
        if match is None:
            return -1
        numbers = [int(number) for number in match["rest"].split(":")]
        if match["days"] is not None:
            hours, mins, seconds = (*numbers, 0, 0)[:3]
        else:
            hours, mins, seconds = ((0, numbers[0], 0), (0, *numbers), numbers)[len(numbers) - 1]
        return ceil(int(match["days"] or 0) * 24 * 60 + hours * 60 + mins + seconds / 60)

    def jobs_for(self, cells: int) -> int:
        """Return the number of jobs for so many cells."""
        return min(cells, self.jobs or _JOBS)

    def settings(self, workers: int) -> dict[str, Any]:
        """Return what a job with so many workers asks of SLURM, by the names that submitit has for it."""
        optional = {"partition": self.partition, "mem": self.memory, "gpus_per_node": self.gpus}
        settings = {"time": self.minutes or _HOUR, "cpus_per_task": self.cpus or workers}
        return settings | {name: value for name, value in optional.items() if value is not None}
