"""Claims on mixtures of laws."""
