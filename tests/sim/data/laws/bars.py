"""Bars, and laws that a test of their samples must reject."""

from theory.problem import Bars


def bars(rows, columns, boundary="torus", support="zero-one", flip="none", **more):
    """Bars on a grid of three rows and four columns."""
    return Bars((3, 4), boundary, rows, columns, support, flip, (1, 0), **more)


LYING, STANDING = ((1, 1), (2, 3)), ((2, 3), (1, 1))
CASES = [
    (bars(LYING, STANDING), bars(((1, 1), (2, 2)), STANDING)),
    (bars(LYING, STANDING, "open"), bars(LYING, STANDING)),
    (bars(LYING, STANDING, "open", "plus-minus", "sign"), bars(LYING, ((2, 4), (1, 1)), "open", "plus-minus", "sign")),
    (bars(LYING, STANDING, flip="complement", means=(1, 0)), bars(LYING, STANDING, flip="none", means=(1, 0))),
]
