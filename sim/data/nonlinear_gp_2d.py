"""Samples of the nonlinear Gaussian process on a grid, whose kernel is the product of those of its two axes."""

from sim.data.nonlinear_gp import process_sampler
from sim.data.sample import sampler_of
from theory.problem import NonlinearGP2D

sampler_of.register(NonlinearGP2D, process_sampler)
