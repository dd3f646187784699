"""Gated deep linear networks on graphs: paths, and the gradient flow of every weight, path by path."""
