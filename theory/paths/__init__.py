"""Paths of gated networks: `theory.paths.regions` finds the inputs on which paths are active."""
