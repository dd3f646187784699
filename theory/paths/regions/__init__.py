"""Regions of the plane on which the paths of a network are active, exactly (half-space paper, sections 2 and 3).

LinearGates, ReluGates            the hidden layers of a deep linearly gated network and of a ReLU network
declared_gates(problem)           those that a problem file declares; third_input(problem), with which it has biases
division(gates, box)              the plane divided by the gates: half-edges, activation patterns
Division.region(path), .counts    the region of a path, and the exact numbers of regions
switches(start, end, points)      the instants at which gates switch while the weights move on a straight line
"""

from theory.paths.regions.declared import declared_gates, third_input
from theory.paths.regions.division import Counts, Division, PathRegion, division
from theory.paths.regions.gating import LinearGates, ReluGates, pattern_at
from theory.paths.regions.planar import Subdivision
from theory.paths.regions.switching import Switch, switches

__all__ = [
    "Counts",
    "Division",
    "LinearGates",
    "PathRegion",
    "ReluGates",
    "Subdivision",
    "Switch",
    "declared_gates",
    "division",
    "pattern_at",
    "switches",
    "third_input",
]
