"""Gates on tensors, one file a kind: a kind is picked up by its file being here."""

from sim.discovery import load

load(__name__, __path__)
