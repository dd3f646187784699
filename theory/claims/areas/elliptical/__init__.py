"""Claims on elliptical laws: a Gaussian vector times an independent scale."""
