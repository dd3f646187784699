"""Examples as a gate at another place would see them, with or without their sign."""

from dataclasses import replace

import torch
from jaxtyping import Float

from sim.data.sample import Draw


def moved(draw: Draw, shift: tuple[int, ...], sign: float, sides: tuple[int, ...]) -> Draw:
    """Return the draw with (T u)_j = sign u_{j + shift} in the place of latent and input u.

    A gate at site j of the new draw is that gate at site j + shift of the old one, closed where u has the other sign.
    `shift` and `sides` are sites along a line, or along both axes of a grid. Sites beyond an end continue at the other.

    >>> x = torch.tensor([[[1.0, 2.0, 3.0]]])
    >>> moved(Draw(None, x, torch.zeros(1, 1), torch.zeros(1, 1)), (1,), -1.0, (3,)).x.tolist()
    [[[-2.0, -3.0, -1.0]]]
    """

    def rolled(u: Float[torch.Tensor, "S B n"]) -> Float[torch.Tensor, "S B n"]:
        on_axes = u.reshape(*u.shape[:2], *sides)
        back = tuple(-steps for steps in shift)
        return sign * torch.roll(on_axes, back, tuple(range(2, 2 + len(sides)))).reshape(u.shape)

    # Without gain and means a gate on the input reads the rounded input: these belong to the examples as drawn.
    return replace(draw, z=None if draw.z is None else rolled(draw.z), x=rolled(draw.x), gain=None, means=())
