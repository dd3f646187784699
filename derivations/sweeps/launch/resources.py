"""The jobs that a scheduler is asked for, read from the words of the command."""

import re
from dataclasses import dataclass, fields
from math import ceil

from theory.problem import InputError
from theory.problem.numbers import whole

SHORTEST = 10  # minutes: time to load the libraries, to train, and to leave when the scheduler says so
_MOST = 10_000  # jobs of an array, and processors or GPUs of a job
_LONGEST = 60 * 24 * 366  # minutes
_TIME = re.compile(r"(?:(?P<days>\d{1,3})-)?(?P<rest>\d{1,6}(?::\d{1,2}){0,2})", re.ASCII)
_MEMORY = re.compile(r"(?P<number>\d{1,6}(?:\.\d{1,3})?)(?P<unit>[MGT])B?", re.ASCII | re.IGNORECASE)
_MEGABYTES = {"M": 1, "G": 1024, "T": 1024**2}


@dataclass(frozen=True)
class Resources:
    """Jobs and what each of them gets; None leaves it to the engine.

    `memory` is in megabytes and `time` in minutes. Raises InputError for numbers below 1, and for a limit of time that
    is too short to leave in.
    """

    jobs: int | None = None
    cpus: int | None = None
    gpus: int | None = None
    memory: int | None = None
    time: int | None = None
    partition: str | None = None

    def __post_init__(self) -> None:
        for name in ("jobs", "cpus", "gpus"):
            if getattr(self, name) is not None:
                whole(getattr(self, name), f"--{name}", least=1, most=_MOST, why="it is a number of them for each job")
        if self.time is not None and not SHORTEST <= self.time <= _LONGEST:
            raise InputError(
                f"--time asks for {self.time} minutes; it must lie between {SHORTEST} and {_LONGEST}.",
                "A job that is told to leave needs minutes to load its libraries and to keep its cells.",
                "usage",
            )
        if self.partition is not None and not re.fullmatch(r"\w[\w.,-]{0,199}", self.partition):
            raise InputError(
                f"--partition {self.partition[:40]!r} is no name of a partition.", "sinfo lists them.", "usage"
            )

    @property
    def given(self) -> list[str]:
        """The options that were given.

        >>> Resources(jobs=2, memory=512).given
        ['--jobs', '--memory']
        """
        return [f"--{field.name}" for field in fields(self) if getattr(self, field.name) is not None]


def minutes(text: str | None) -> int | None:
    """Return the minutes of a time in SLURM's forms: M, M:S, H:M:S, D-H, D-H:M or D-H:M:S.

    >>> minutes("90"), minutes("90:30"), minutes("4:00:00"), minutes("2-12"), minutes("1-00:30")
    (90, 91, 240, 3600, 1470)
    """
    if text is None:
        return None
    match = _TIME.fullmatch(text)
    if match is None:
        raise InputError(
            f"--time {text[:40]!r} is no limit of time.",
            "Give minutes (90), hours:minutes:seconds (4:00:00) or days-hours (2-12).",
            "usage",
        )
    numbers = [int(number) for number in match["rest"].split(":")]
    if match["days"] is not None:
        hours, mins, seconds = (*numbers, 0, 0)[:3]
    else:
        hours, mins, seconds = ((0, numbers[0], 0), (0, *numbers), numbers)[len(numbers) - 1]
    return ceil(int(match["days"] or 0) * 24 * 60 + hours * 60 + mins + seconds / 60)


def megabytes(text: str | None) -> int | None:
    """Return the megabytes of an amount of memory: a number and M, G or T.

    >>> megabytes("500M"), megabytes("1.5GB"), megabytes("2t")
    (500, 1536, 2097152)
    """
    if text is None:
        return None
    match = _MEMORY.fullmatch(text)
    amount = 0 if match is None else ceil(float(match["number"]) * _MEGABYTES[match["unit"].upper()])
    if amount < 1:
        raise InputError(
            f"--memory {text[:40]!r} is no amount of memory.", "Give a positive number and a unit: 500M, 4G.", "usage"
        )
    return amount
