"""Gates on tensors, one file for each kind; the kinds of all files in this folder are registered on import."""

from theory.problem.discovery import modules

list(modules(__name__, __path__))
