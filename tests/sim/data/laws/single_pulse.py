"""Single pulses, and laws that a test of their samples must reject."""

from theory.problem import SinglePulse


def pulses(widths, support="zero-one", flip="none", **more):
    """Single pulses on a ring of ten sites."""
    return SinglePulse(10, widths, support, flip, (1, 0), **more)


CASES = [
    (pulses(((3, 4), (5, 7))), pulses(((3, 4), (5, 8)))),
    (pulses(((3, 4), (5, 7)), "plus-minus", "sign"), pulses(((3, 4), (5, 8)), "plus-minus", "sign")),
    (pulses(((3, 4), (5, 7)), flip="complement"), pulses(((3, 4), (5, 8)), flip="complement")),
    (pulses(((2, 2), (1, 1)), means=(1, 0)), pulses(((2, 2), (1, 1)), means=("101/100", 0))),
]
