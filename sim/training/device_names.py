"""The names of devices."""

DEVICES = ("auto", "cpu", "cuda")
