"""Peers of `gdln bench kernels`: the empirical tangent kernel of a ReLU network, by torch.func and neural-tangents.

jacobian     torch.func's first documented way: vmap(jacrev), then the Jacobians' products, a layer at a time
vector       its second: vjp and jvp of every pair of inputs, in parts that fit the memory
layerwise    the formula of `sim.kernels` in plain torch, whole matrices and both halves
nt-*         the three methods of neural-tangents, compiled by JAX

and the kernel of the infinitely wide network by the recursion of neural-tangents.
"""

import warnings
from collections.abc import Callable, Sequence
from importlib import metadata
from importlib.util import find_spec
from typing import Any

import numpy as np
import torch

from derivations.benchmarks.peers.jax_scan import configured
from theory.problem import OutOfReachError

Kernel = Callable[[], Any]  # float32 of shape (N, N), computed anew at each call

NEURAL_TANGENTS = ("nt-jacobian", "nt-vector", "nt-structured")
_PART = 50  # inputs of a part of the second way, whose memory grows with them


def by_jacobian(weights: Sequence[torch.Tensor], inputs: torch.Tensor) -> Kernel:
    """Return the kernel by Jacobians of all inputs, contracted a layer at a time."""
    parameters = tuple(weights)

    def run() -> torch.Tensor:
        layers = torch.func.vmap(torch.func.jacrev(_output), (None, 0))(parameters, inputs)
        return sum(layer.flatten(1) @ layer.flatten(1).T for layer in layers)

    return run


def by_vector_products(weights: Sequence[torch.Tensor], inputs: torch.Tensor) -> Kernel:
    """Return the kernel by a vector-Jacobian and a Jacobian-vector product of each pair of inputs."""
    parameters = tuple(weights)

    def entry(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        output, back = torch.func.vjp(lambda own: _output(own, x), parameters)
        (gradient,) = back(torch.ones_like(output))
        return torch.func.jvp(lambda own: _output(own, y), (parameters,), (gradient,))[1]

    pairs = torch.func.vmap(torch.func.vmap(entry, (None, 0)), (0, None), chunk_size=_PART)
    with warnings.catch_warnings():  # at its first use jvp loads parts of torch that warn of each other
        warnings.simplefilter("ignore", DeprecationWarning)
        entry(inputs[0], inputs[0])
    return lambda: pairs(inputs, inputs)


def layerwise(weights: Sequence[torch.Tensor], inputs: torch.Tensor) -> Kernel:
    """Return the kernel as the sum over layers of products of two Gram matrices, without tiles."""

    def run() -> torch.Tensor:
        forward, gates = [inputs], []
        for matrix in weights[:-1]:
            q = forward[-1] @ matrix.T
            gates.append((q > 0).to(q.dtype))
            forward.append(q * gates[-1])
        kernel = forward[-1] @ forward[-1].T
        backward = weights[-1] * gates[-1]
        for number in reversed(range(len(gates))):
            kernel.addcmul_(forward[number] @ forward[number].T, backward @ backward.T)
            if number:
                backward = (backward @ weights[number]) * gates[number - 1]
        return kernel

    return run


def installed() -> str | None:
    """Return the version of neural-tangents, or None where it or jax is not installed."""
    if find_spec("jax") is None or find_spec("neural_tangents") is None:
        return None
    return metadata.version("neural-tangents")


def neural_tangents(method: str, weights: Sequence[np.ndarray], inputs: np.ndarray) -> Kernel:
    """Return the kernel by a method of neural-tangents, compiled at the first call.

    Raises OutOfReachError where neural-tangents is not installed.
    """
    _require()
    jax, nt = _loaded()
    implementation = {
        "nt-jacobian": nt.NtkImplementation.JACOBIAN_CONTRACTION,
        "nt-vector": nt.NtkImplementation.NTK_VECTOR_PRODUCTS,
        "nt-structured": nt.NtkImplementation.STRUCTURED_DERIVATIVES,
    }[method]

    def outputs(parameters: Any, x: Any) -> Any:
        for matrix in parameters[:-1]:
            x = jax.nn.relu(x @ matrix)
        return x @ parameters[-1]

    kernel = jax.jit(nt.empirical_ntk_fn(outputs, trace_axes=(-1,), vmap_axes=0, implementation=implementation))
    # Matrices as (source, target): with transposes in the network the structured derivatives take 25 times as long.
    parameters, x = [jax.numpy.asarray(matrix.T.copy()) for matrix in weights], jax.numpy.asarray(inputs)
    return lambda: kernel(x, None, parameters).block_until_ready()


def recursion(layers: int, inputs: np.ndarray) -> Kernel:
    """Return the tangent kernel of the infinitely wide ReLU network with so many layers, by neural-tangents.

    Weights after the first layer have the variance 2/width, those of the first layer 1/n. Raises OutOfReachError where
    neural-tangents is not installed.
    """
    _require()
    jax, _ = _loaded()
    from neural_tangents import stax

    units = [part for _ in range(layers - 1) for part in (stax.Relu(), stax.Dense(1, W_std=2**0.5))]
    kernel_fn = stax.serial(stax.Dense(1), *units)[2]
    kernel, x = jax.jit(lambda own: kernel_fn(own, None, "ntk")), jax.numpy.asarray(inputs)
    return lambda: kernel(x).block_until_ready()


def _require() -> None:
    if installed() is None:
        raise OutOfReachError(
            "This peer of gdln bench kernels needs neural-tangents, which is not installed.",
            "Install it with pip install -e '.[peers-kernels]'.",
        )


def _loaded() -> tuple[Any, Any]:
    """Return jax and neural_tangents, with two names that neural-tangents 0.6.5 reads and jax 0.4.26 no longer has."""
    jax = configured()
    from jax.interpreters import ad

    if not hasattr(ad, "source_info_util"):
        from jax._src import source_info_util

        ad.source_info_util, ad.config = source_info_util, jax.config
    import neural_tangents as nt

    return jax, nt


def _output(weights: Sequence[torch.Tensor], x: torch.Tensor) -> torch.Tensor:
    """Return the output of a ReLU network for one input."""
    for matrix in weights[:-1]:
        x = torch.relu(matrix @ x)
    return (weights[-1] @ x)[0]
