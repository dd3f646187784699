"""How accurate float64 is in the flow, and how accurate it has to be."""

import numpy as np

EPS = float(np.finfo(float).eps)
# A and its eigenvectors carry a few roundings relative to the largest eigenvalue (entries: at most 8; symmetric
# eigensolver and transforms: about as many); the condition number carries them into w(inf) and the optimum.
ROUNDINGS = 16
# Above this bound on the relative error of w(inf), Arb replaces float64 where the size allows it...
FLOAT64_ERROR = 1e-10
# ... and modes whose error bound would exceed this one are held at their initial values.
WORST_ERROR = 1e-6
