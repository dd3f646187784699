"""The fused back end: draw, colour, forward, gradient and update of a step in one Triton kernel, on the chip."""
