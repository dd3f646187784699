"""Claims on bases that diagonalise the flow at all times."""
