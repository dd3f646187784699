"""The data laws' statistics through gates, in float64 and as certified balls.

    feature_moments(law, network)   A, b and <y.y>, all that the linear flow depends on, as FeatureMoments
    moments_of(problem)             the same of a problem, also with fixed biases
    FeatureMoments                  A.dense(), A.matvec(theta), A.rank; b and y2
    gated_moments(problem)          Sigma^yx(p), Sigma^xx(p, q), A and b as arrays, as GatedMoments
    gated_moments_certified(problem, digits)   the same as balls
    GatedMoments                    sigma_yx, sigma_xx, A, b, y2, covariances
    gate_basis(network)             the gates as exact combinations of 1 and of half-spaces
    GateBasis                       half_spaces and coefficients
    four_point_block(law, c, i, j)  E[1_i 1_j x_k x_l] for all k, l

`marginal` has density, distribution and kurtosis of one site, `relu_gates` the moments of ReLU gates on the input,
`lit_sites` the moments of pulses and bars as fractions, `spins` those of laws on {-1, 1}^n with the exact range of A,
and `statistics` the moments of one class by distance.

A law's moments are in the file of this folder that has the name of the law's file in `theory.problem.distributions`,
and are registered automatically.
"""

from importlib import import_module
from importlib.util import find_spec
from pkgutil import iter_modules

from theory.moments import nonlinearities
from theory.moments.basis import GateBasis, gate_basis
from theory.moments.feature_moments import FeatureMoments, feature_moments
from theory.moments.fixed_biases import moments_of
from theory.moments.gated import GatedMoments, gated_moments, gated_moments_certified
from theory.moments.tails import four_point_block
from theory.problem import distributions

for _law in iter_modules(distributions.__path__):
    if find_spec(f"{__name__}.{_law.name}"):
        import_module(f"{__name__}.{_law.name}")
for _kind in iter_modules(nonlinearities.__path__):
    import_module(f"{nonlinearities.__name__}.{_kind.name}")

__all__ = [
    "FeatureMoments",
    "GateBasis",
    "GatedMoments",
    "feature_moments",
    "four_point_block",
    "gate_basis",
    "gated_moments",
    "gated_moments_certified",
    "moments_of",
]
