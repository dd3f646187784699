"""Reductions of a graph's flow, one file each, with their conditions; all files in this folder are found."""
