"""The sign of a sum of saturated inputs: x = erf(gain z)/Z rounds to +-1/Z for |z| above a few 1/gain.

With x_i = sign(z_i) (1 - erfc(gain |z_i|))/Z the sum w.x is (S + T)/Z, S = sum_i w_i sign(z_i) and
T = -sum_i w_i sign(z_i) erfc(gain |z_i|). For S = 0 the sign is that of T, whose terms are computed relative to the
largest from their logarithms, so that nothing saturates. Without this a gate 1[x_i - x_j >= 0] would be open, by
rounding, for one example in forty at gain 3 and for most examples at gain 100.
"""

import math
from fractions import Fraction

import torch
from jaxtyping import Float

from theory.problem import OutOfReachError

# Whole numbers up to here, and their sums, are exact in float64.
_LARGEST_EXACT = 2**53


def with_lost_signs(
    along: Float[torch.Tensor, "*any"],
    weights: tuple[Fraction, ...],
    z: Float[torch.Tensor, "*any m"],
    gain: float | Float[torch.Tensor, "*any 1"],
    largest: float = 1.0,
) -> Float[torch.Tensor, "*any"]:
    """Return `along` = w.x; entries that rounding made about 0 are replaced by the smallest number of the right sign.

    z are the latents of the sites with a weight in w, `gain` is one number or that of each example, and `largest`
    bounds the size of the rounded inputs. Raises OutOfReachError where an example needs a common denominator of the
    weights and there is none below 2^53.
    """
    rounding = 4 * len(weights) * torch.finfo(along.dtype).eps * largest * float(sum(map(abs, weights)))
    lost = along.abs() <= rounding
    if not bool(lost.any()):
        return along
    whole = _whole(weights)
    signs = torch.sign(z[lost]).double() * torch.tensor(whole, dtype=torch.float64, device=z.device)
    # log erfc(u) = log 2 + log Phi(-sqrt2 u); the common log 2 does not matter.
    own = gain[lost].double() if isinstance(gain, torch.Tensor) else gain
    tails = torch.special.log_ndtr(-math.sqrt(2) * own * z[lost].double().abs())
    relative = torch.exp(tails - tails.max(dim=-1, keepdim=True).values)
    remainder = -(signs * relative).sum(dim=-1)
    smallest = torch.finfo(along.dtype).tiny
    found = torch.where(signs.sum(dim=-1) == 0, smallest * torch.sign(remainder), along[lost].double())
    return along.index_put((lost,), found.to(along.dtype))


def _whole(weights: tuple[Fraction, ...]) -> list[float]:
    """Return the weights times their common denominator."""
    common = math.lcm(*(weight.denominator for weight in weights))
    whole = [int(weight * common) for weight in weights]
    shared = math.gcd(*whole)
    whole = [number // shared for number in whole]
    if sum(map(abs, whole)) > _LARGEST_EXACT:
        raise OutOfReachError(
            "The inputs saturate, and a gate's direction has weights with too many digits to tell whether they cancel.",
            'Round the weights to a few decimals, or gate the latent (on = "latent").',
        )
    return [float(number) for number in whole]
