"""Data laws as samplers, one file a law: a law's sampler is picked up by its file being here."""

from sim.discovery import load

load(__name__, __path__)
