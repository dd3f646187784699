"""Gates on tensors, one file for each kind; the kinds of all files in this folder are registered on import."""

from sim.discovery import load

load(__name__, __path__)
