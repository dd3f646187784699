"""The relation of the two inputs z and z' of a layer."""

from enum import Enum


class Case(Enum):
    """z' = z, z' = -z, on a line through 0, uncorrelated, or another one."""

    SAME = "same"
    OPPOSITE = "opposite"
    LINE = "line"
    OPPOSITE_LINE = "opposite line"
    UNCORRELATED = "uncorrelated"
    GENERAL = "general"


SIDES = {Case.SAME: 1, Case.OPPOSITE: -1, Case.LINE: 1, Case.OPPOSITE_LINE: -1}
EQUAL, LINES = {1: Case.SAME, -1: Case.OPPOSITE}, {1: Case.LINE, -1: Case.OPPOSITE_LINE}
