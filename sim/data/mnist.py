"""Samples of MNIST and Fashion-MNIST: one of their images at a time, by the class and then uniformly."""

from sim.data.sample import sampler_of
from sim.data.table import rows_sampler
from theory.problem.distributions.mnist import FashionMnist, Mnist

for _law in (Mnist, FashionMnist):
    sampler_of.register(_law, rows_sampler)
