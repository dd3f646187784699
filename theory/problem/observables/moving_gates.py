"""The gates of networks that gate themselves, as observables."""

from dataclasses import dataclass
from typing import ClassVar

from theory.problem.observables.base import Observable


@dataclass(frozen=True)
class GateFlipsAtTimes(Observable):
    """Share of examples x with 1[w_k(t).x + b_k(t) >= 0] other than at the first of the problem's times: array (T, K).

    0 where w_k keeps its direction, 1/2 in the mean for an unrelated one.
    """

    name: ClassVar[str] = "gate-flips"
    axes: ClassVar[tuple[str, ...]] = ("time", "unit")


@dataclass(frozen=True)
class GateFlipsBetweenTimes(Observable):
    """Share of examples x on which the gates 1[w_k.x + b_k >= 0] at the times t and t' differ: array (K, T, T)."""

    name: ClassVar[str] = "gate-flips-between"
    axes: ClassVar[tuple[str, ...]] = ("unit", "time", "other_time")


@dataclass(frozen=True)
class OpenTogetherBetweenTimes(Observable):
    """<g_k(t) g_k(t')>, g = 1[w_k.x + b_k >= 0]: array (K, T, T), on the diagonal the share that the gate is open."""

    name: ClassVar[str] = "open-together-between"
    axes: ClassVar[tuple[str, ...]] = ("unit", "time", "other_time")


@dataclass(frozen=True)
class GateOverlapBetweenTimes(Observable):
    """<g_k(t) g_k(t')> / sqrt(<g_k(t)> <g_k(t')>), g = 1[w_k.x + b_k >= 0]: array (K, T, T), 1 on the diagonal.

    1/2 in the mean for unrelated gates that are open half of the time; undefined for a gate that never opens.
    """

    name: ClassVar[str] = "gate-overlap-between"
    axes: ClassVar[tuple[str, ...]] = ("unit", "time", "other_time")
