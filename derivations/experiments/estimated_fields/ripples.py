"""A law that is known by its draws alone: a ripple of random phase in one class, noise of random size in the other."""

import numpy as np

SITES = 4


def draw(generator, rows, wavelength):
    """Draw inputs and classes: class 0 has the ripple in noise, class 1 noise with heavier tails."""
    category = generator.integers(0, 2, rows)
    phase = generator.uniform(0, 2 * np.pi, (rows, 1))
    ripple = np.cos(2 * np.pi * np.arange(SITES) / wavelength + phase)
    noise = generator.standard_normal((rows, SITES))
    x = np.where(category[:, None] == 0, ripple + noise / 2, noise * generator.uniform(0.5, 1.5, (rows, 1)))
    return x, category
