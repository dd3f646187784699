"""The gates of networks that gate themselves, as observables."""

from dataclasses import dataclass
from typing import ClassVar

from theory.problem.observables.base import Observable


@dataclass(frozen=True)
class GateFlipsAtTimes(Observable):
    """Share of examples x with 1[w_k(t).x + b_k(t) >= 0] other than at the first of the problem's times: array (T, K).

    The share is 0 where w_k keeps its direction, and 1/2 on average for an unrelated direction.

    A rotation of w by the angle a in the plane flips the share a/pi of examples of a rotationally symmetric law:

    >>> import numpy as np
    >>> angle = 2 * np.pi * (np.arange(1000) + 0.5) / 1000
    >>> x = np.stack([np.cos(angle), np.sin(angle)], axis=-1)
    >>> before, after = x @ [1.0, 0.0] >= 0, x @ [np.cos(np.pi / 4), np.sin(np.pi / 4)] >= 0
    >>> float(np.mean(before != after))
    0.25
    """

    name: ClassVar[str] = "gate-flips"
    axes: ClassVar[tuple[str, ...]] = ("time", "unit")


@dataclass(frozen=True)
class GateFlipsBetweenTimes(Observable):
    """Share of examples x on which the gates 1[w_k.x + b_k >= 0] at the times t and t' differ: array (K, T, T).

    The share is 0 for equal times, and symmetric in the two:

    >>> import numpy as np
    >>> gates = np.array([[1, 1, 0, 0], [1, 0, 0, 1]])  # time, example
    >>> (gates[:, None] != gates[None]).mean(axis=-1).tolist()
    [[0.0, 0.5], [0.5, 0.0]]
    """

    name: ClassVar[str] = "gate-flips-between"
    axes: ClassVar[tuple[str, ...]] = ("unit", "time", "other_time")


@dataclass(frozen=True)
class OpenTogetherBetweenTimes(Observable):
    """<g_k(t) g_k(t')>, g = 1[w_k.x + b_k >= 0]: array (K, T, T); the diagonal is the share of open gates.

    Under a rotationally symmetric law two gates at the angle a are open together with probability
    (pi - a)/(2 pi), here 3/8 for a = pi/4:

    >>> import numpy as np
    >>> angle = 2 * np.pi * (np.arange(1000) + 0.5) / 1000
    >>> x = np.stack([np.cos(angle), np.sin(angle)], axis=-1)
    >>> before, after = x @ [1.0, 0.0] >= 0, x @ [np.cos(np.pi / 4), np.sin(np.pi / 4)] >= 0
    >>> float(np.mean(before & after))
    0.375
    """

    name: ClassVar[str] = "open-together-between"
    axes: ClassVar[tuple[str, ...]] = ("unit", "time", "other_time")


@dataclass(frozen=True)
class GateOverlapBetweenTimes(Observable):
    """<g_k(t) g_k(t')> / sqrt(<g_k(t)> <g_k(t')>), g = 1[w_k.x + b_k >= 0]: array (K, T, T), 1 on the diagonal.

    It is 1/2 on average for unrelated gates open on half of the examples, and undefined for a gate that never opens.

    For two gates that are each open on half of the examples it is 1 minus twice the share of flips:

    >>> import numpy as np
    >>> g = np.array([[1, 1, 0, 0], [1, 0, 0, 1]])  # time, example
    >>> both = (g[:, None] * g[None]).mean(axis=-1)
    >>> (both / 0.5).tolist(), (1 - (g[:, None] != g[None]).mean(axis=-1)).tolist()
    ([[1.0, 0.5], [0.5, 1.0]], [[1.0, 0.5], [0.5, 1.0]])
    """

    name: ClassVar[str] = "gate-overlap-between"
    axes: ClassVar[tuple[str, ...]] = ("unit", "time", "other_time")
