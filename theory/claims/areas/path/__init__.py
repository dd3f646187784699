"""Claims on the path view of gated networks: outputs, overlaps and kernels as sums over paths."""
