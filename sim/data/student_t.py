"""Samples of the multivariate Student t, an elliptical law."""

from sim.data.elliptical import elliptical_sampler
from sim.data.sample import sampler_of
from theory.problem.distributions.student_t import StudentT

sampler_of.register(StudentT, elliptical_sampler)
