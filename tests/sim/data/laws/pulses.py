"""Several pulses, and laws that a test of their samples must reject."""

from theory.problem import Pulses


def pulses(overlap="sum", boundary="ring", form="block", widths=((1, 2), (3, 3)), heights=(1,), **more):
    """One or two pulses of class 0, three of class 1, on six sites."""
    counts = more.pop("counts", ((1, 2), (3, 3)))
    return Pulses(6, boundary, form, widths, counts, heights, overlap, (1, 0), **more)


SMOOTH = {"form": "raised-cosine", "widths": ((2, 3), (4, 4)), "heights": (1, -1)}
CASES = [
    (pulses(), pulses("max")),
    (pulses("max", "open"), pulses("max")),
    (pulses("sum", "open", **SMOOTH), pulses("sum", "open", **SMOOTH | {"form": "gaussian"})),
    (
        pulses("sum", heights=(1, -1), means=(1, 0)),
        pulses("sum", heights=(1, -1), counts=((2, 2), (3, 3)), means=(1, 0)),
    ),
]
