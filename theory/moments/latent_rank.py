"""Whether gates on a stationary latent are linearly independent functions: its covariance must not be singular.

Products of half-spaces and inputs of different sites are linearly independent functions of a Gaussian latent that has
a density (`basis`). In a mixture of classes one such class is enough. The matrices of the Gaussian, exponential and
Matern kinds, and of damped cosines along axes, are never singular: their determinants are sums of exponentials at
different algebraic numbers with coefficient 1 at exponent 0, which are not zero by the theorem of Lindemann and
Weierstrass.
"""

import numpy as np

from theory.problem import NonlinearGP, OutOfReachError
from theory.problem.correlations import GAUSSIAN
from theory.problem.correlations.spectrum import SpectrumCorrelation
from theory.problem.positivity import smallest


def require_independent(law: NonlinearGP) -> None:
    """Raise OutOfReachError unless the latent of a class is certain to have a density.

    A clipped ring of Gaussian kernels is not judged: its latent is degenerate, and `process_moments` admits only hard
    gates at single sites there.

    >>> waves = {"kind": "spectrum", "values": [0, 1, 0]}
    >>> require_independent(NonlinearGP(4, (), 1, "ring", "none", (1, 0), correlation=waves))
    Traceback (most recent call last):
    ...
    theory.problem.errors.OutOfReachError: The covariance of the latent is singular, or not certain to be regular, ...
    """
    if law.clipped and set(law.kernels) == {GAUSSIAN}:
        return
    if any(regular(law, c) for c in range(law.classes)):
        return
    raise OutOfReachError(
        "The covariance of the latent is singular, or not certain to be regular, in every class: gates and inputs of "
        "different sites may then be linearly dependent, and the rank of the features is not known.",
        "Simulate it (gdln simulate), or give a class a correlation whose eigenvalues are all above rounding.",
    )


def regular(law: NonlinearGP, c: int) -> bool:
    """Whether the covariance of the latent of class `c` is certainly not singular; then nothing of it is clipped.

    >>> regular(NonlinearGP(4, (2, 1), 1, "open", "none", (1, 0), correlation="exponential"), 0)
    True
    """
    kernel = law.kernels[c]
    if not law.clipped and kernel.never_singular(law.isotropic):
        return True
    if isinstance(kernel, SpectrumCorrelation):
        return all(np.count_nonzero(kernel.modes(sites, law.boundary)) >= sites for sites in law.axes)
    shapes = (law.axes,) if law.isotropic else tuple((sites,) for sites in law.axes)
    return all(smallest(kernel, shape, law.boundary, law.length(c), True).decided for shape in shapes)
