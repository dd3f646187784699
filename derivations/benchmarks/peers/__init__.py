"""The peers of `gdln bench train`: the same training, written with torch and with JAX alone."""
