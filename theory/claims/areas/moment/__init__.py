"""Claims on moments of the data through gates."""
