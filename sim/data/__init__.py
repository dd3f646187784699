"""Data laws as samplers, one file for each law; the samplers of all files in this folder are registered on import."""

from sim.discovery import load

load(__name__, __path__)
