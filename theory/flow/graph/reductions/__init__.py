"""Reductions of a graph's flow, one file each, with the conditions that each checks. A file is found by being here."""
