"""Measurements of observables on trained networks and on fresh data, one file for each family of observables."""

from sim.discovery import load
from sim.measure.estimate import Estimate
from sim.measure.measuring import measure, measure_each

load(__name__, __path__)

__all__ = ["Estimate", "measure", "measure_each"]
