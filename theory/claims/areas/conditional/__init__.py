"""Claims on one latent site given two others."""
