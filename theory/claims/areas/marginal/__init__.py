"""Claims on inputs x = f(z)/Z: their covariances at a given latent, and their moments."""
