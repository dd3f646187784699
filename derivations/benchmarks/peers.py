"""The peers: training as it is commonly written, in torch and in JAX."""

from collections.abc import Callable

import numpy as np
import torch

from theory.problem import Problem, latent_correlation


def _factors(problem: Problem) -> list[np.ndarray]:
    """A square factor of each class, by eigenvectors: Cholesky's fails where rounding makes an eigenvalue negative."""
    lam, vectors = np.linalg.eigh(np.stack([latent_correlation(problem.data, c) for c in (0, 1)]))
    return list((vectors * np.sqrt(np.abs(lam))[:, None, :]).astype(np.float32))


def _scale(problem: Problem) -> float:
    """1/Z by 100,000 midpoints of the normal law, once."""
    z = torch.linspace(-8, 8, 100_001, dtype=torch.float64)
    weight = torch.exp(-z * z / 2)
    return float((weight.sum() / (weight * torch.erf(float(problem.data.gain) * z) ** 2).sum()).sqrt())


def torch_loop(problem: Problem, steps: int) -> Callable[[], int]:
    """One ReLU network, one step at a time, with its gradient written out."""
    first, second = (torch.from_numpy(factor.T.copy()) for factor in _factors(problem))
    n, units, batch = problem.data.n, problem.network.units, problem.simulated().batch
    rate, gain, over = float(problem.simulated().learning_rate), float(problem.data.gain), _scale(problem)
    generator = torch.Generator().manual_seed(0)
    y = torch.empty(batch)

    def run() -> int:
        w = torch.from_numpy(problem.w0()).float()
        for _ in range(steps):
            ones = int((torch.rand(batch, generator=generator) < 0.5).sum())
            noise = torch.randn(batch, n, generator=generator)
            z = torch.cat([noise[:ones] @ first, noise[ones:] @ second])
            x = torch.erf(gain * z) * over
            y[:ones], y[ones:] = 1.0, 0.0
            h = x @ w.T
            residual = torch.relu(h).mean(dim=1) - y
            pull = (h > 0) * residual[:, None]
            w -= rate / (batch * units) * (pull.T @ x)
        return steps

    return run


def jax_scan(problem: Problem, networks: int, steps: int) -> Callable[[], int]:
    """All networks under vmap, all steps under scan, compiled; each example picks its class's product."""
    import jax
    import jax.numpy as jnp

    factors = jnp.stack([jnp.asarray(factor.T) for factor in _factors(problem)])
    n, units, batch = problem.data.n, problem.network.units, problem.simulated().batch
    rate, gain, over = float(problem.simulated().learning_rate), float(problem.data.gain), _scale(problem)

    def step(w, key):
        coin, normal = jax.random.split(key)
        second = jax.random.bernoulli(coin, 0.5, (batch,))
        noise = jax.random.normal(normal, (batch, n))
        if batch == 1:
            z = noise @ factors[second[0].astype(int)]
        else:
            z = jnp.where(second[:, None], noise @ factors[1], noise @ factors[0])
        x = jax.scipy.special.erf(gain * z) * over
        h = x @ w.T
        residual = jax.nn.relu(h).mean(axis=1) - (1.0 - second)
        return w - rate / (batch * units) * (((h > 0) * residual[:, None]).T @ x), None

    @jax.jit
    def all_steps(w, key):
        keys = jax.random.split(key, (networks, steps))
        return jax.vmap(lambda w, own: jax.lax.scan(step, w, own)[0])(w, keys)

    w0 = jnp.broadcast_to(jnp.asarray(problem.w0(), dtype=jnp.float32), (networks, units, n))

    def run() -> int:
        all_steps(w0, jax.random.key(0)).block_until_ready()
        return networks * steps

    return run
