"""Measurements of observables on trained networks and on fresh data, one file for each family of observables."""

from sim.measure.estimate import Estimate
from sim.measure.measuring import measure, measure_each
from theory.problem.discovery import modules

list(modules(__name__, __path__))

__all__ = ["Estimate", "measure", "measure_each"]
