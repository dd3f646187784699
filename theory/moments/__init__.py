"""The data laws' statistics through gates, in float64 and as certified balls."""

from theory.moments.basis import GateBasis, gate_basis
from theory.moments.gated import GatedMoments, Moments, gated_moments, gated_moments_certified
from theory.moments.pulse import PulseMoments
from theory.moments.tensor import four_point_block, four_point_blocks, four_point_by_lags

__all__ = [
    "GateBasis",
    "GatedMoments",
    "Moments",
    "PulseMoments",
    "four_point_block",
    "four_point_blocks",
    "four_point_by_lags",
    "gate_basis",
    "gated_moments",
    "gated_moments_certified",
]
