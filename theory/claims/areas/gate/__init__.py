"""Claims on gates: their scale, and the sets on which they are open."""
