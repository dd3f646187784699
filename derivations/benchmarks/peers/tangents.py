"""Peers of `gdln bench kernels`: the tangent kernel of a ReLU network, by torch.func and neural-tangents.

torch.func by its first documented way: vmap(jacrev), then the Jacobians' products, a layer at a time. Its second way,
vjp and jvp of every pair of inputs, was slower. Of the three methods of neural-tangents the structured derivatives, by
far the fastest here, are taken. JAX compiles them and the recursion for the infinitely wide network.
"""

from collections.abc import Callable, Sequence
from importlib import metadata
from importlib.util import find_spec
from typing import Any

import numpy as np
import torch

from derivations.benchmarks.peers.jax_scan import configured

Kernel = Callable[[], Any]  # float32 of shape (N, N), computed anew at each call


def by_jacobian(weights: Sequence[torch.Tensor], inputs: torch.Tensor) -> Kernel:
    """Return the kernel by Jacobians of all inputs, contracted a layer at a time."""

    def output(layers: Sequence[torch.Tensor], x: torch.Tensor) -> torch.Tensor:
        for matrix in layers[:-1]:
            x = torch.relu(matrix @ x)
        return (layers[-1] @ x)[0]

    def run() -> torch.Tensor:
        layers = torch.func.vmap(torch.func.jacrev(output), (None, 0))(tuple(weights), inputs)
        return sum(layer.flatten(1) @ layer.flatten(1).T for layer in layers)

    return run


def installed() -> str | None:
    """Return the version of neural-tangents, or None where it or jax is not installed."""
    if find_spec("jax") is None or find_spec("neural_tangents") is None:
        return None
    return metadata.version("neural-tangents")


def neural_tangents(weights: Sequence[torch.Tensor], inputs: torch.Tensor) -> Kernel:
    """Return the kernel by structured derivatives, compiled at the first call."""
    jax, nt = _loaded()

    def outputs(parameters: Any, x: Any) -> Any:
        for matrix in parameters[:-1]:
            x = jax.nn.relu(x @ matrix)
        return x @ parameters[-1]

    structured = nt.NtkImplementation.STRUCTURED_DERIVATIVES
    kernel = jax.jit(nt.empirical_ntk_fn(outputs, trace_axes=(-1,), vmap_axes=0, implementation=structured))
    # Matrices as (source, target): with transposes in the network the structured derivatives take 25 times as long.
    parameters = [jax.numpy.asarray(matrix.T.numpy().copy()) for matrix in weights]
    x = jax.numpy.asarray(inputs.numpy())
    return lambda: kernel(x, None, parameters).block_until_ready()


def recursion(layers: int, inputs: np.ndarray) -> Kernel:
    """Return the tangent kernel of the infinitely wide ReLU network with so many layers, by neural-tangents.

    Weights after the first layer have the variance 2/width, those of the first layer 1/n.
    """
    jax, _ = _loaded()
    from neural_tangents import stax

    units = [part for _ in range(layers - 1) for part in (stax.Relu(), stax.Dense(1, W_std=2**0.5))]
    kernel_fn = stax.serial(stax.Dense(1), *units)[2]
    kernel, x = jax.jit(lambda inputs: kernel_fn(inputs, None, "ntk")), jax.numpy.asarray(inputs)
    return lambda: kernel(x).block_until_ready()


def _loaded() -> tuple[Any, Any]:
    """Return jax and neural_tangents, with two names that neural-tangents 0.6.5 reads and jax 0.4.26 no longer has."""
    jax = configured()
    from jax.interpreters import ad

    if not hasattr(ad, "source_info_util"):
        from jax._src import source_info_util

        ad.source_info_util, ad.config = source_info_util, jax.config
    import neural_tangents as nt

    return jax, nt
