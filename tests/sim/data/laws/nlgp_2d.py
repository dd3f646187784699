"""The nonlinear Gaussian process on a grid, and a law that a test of its samples must reject."""

from tests.sim.cases import grid

ROUND = grid(shape=(3, 5), correlation="exponential", grid="isotropic", gain=(1, 2))
WAVE = {"kind": "damped-cosine", "wavelength": 4}
RIPPLES = grid(shape=(4, 4), xi=("4/5", "1/2"), correlation=WAVE, grid="isotropic")
TORUS = grid(
    shape=(4, 6), boundary="torus", xi=("3/4", 1), correlation={"kind": "matern", "smoothness": "3/2"}, grid="isotropic"
)
CASES = [
    (ROUND, grid(shape=(3, 5), correlation="exponential", grid="separable", gain=(1, 2))),
    (RIPPLES, grid(shape=(4, 4), xi=("4/5", "1/2"), correlation=WAVE, grid="separable")),
    (TORUS, grid(shape=(4, 6), boundary="torus", xi=("3/4", 1), correlation="exponential", grid="isotropic")),
    (
        grid(shape=(4, 3), boundary="torus", xi=(1, "1/2"), gain=3),
        grid(shape=(4, 3), boundary="torus", xi=(1, "3/5"), gain=3),
    ),
]
