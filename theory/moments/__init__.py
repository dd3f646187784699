"""The data laws' statistics through gates, in float64 and as certified balls.

A law's moments are in the file of this folder that has the name of the law's file in `theory.problem.distributions`;
it is found by itself.
"""

from importlib import import_module
from importlib.util import find_spec
from pkgutil import iter_modules

from theory.moments.basis import GateBasis, gate_basis
from theory.moments.feature_moments import FeatureMoments, feature_moments
from theory.moments.gated import GatedMoments, gated_moments, gated_moments_certified
from theory.moments.tensor import four_point_block, four_point_blocks, four_point_by_lags
from theory.problem import distributions

for _law in iter_modules(distributions.__path__):
    if find_spec(f"{__name__}.{_law.name}"):
        import_module(f"{__name__}.{_law.name}")

__all__ = [
    "FeatureMoments",
    "GateBasis",
    "GatedMoments",
    "feature_moments",
    "four_point_block",
    "four_point_blocks",
    "four_point_by_lags",
    "gate_basis",
    "gated_moments",
    "gated_moments_certified",
]
