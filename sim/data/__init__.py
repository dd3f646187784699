"""Data laws as samplers, one file for each law; the samplers of all files in this folder are registered on import."""

from theory.problem.discovery import modules

list(modules(__name__, __path__))
