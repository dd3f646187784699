"""Claims on Ising chains."""
