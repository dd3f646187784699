"""Patches of photographs, and laws that a test of their samples must reject.

A site of whitened patches has no marginal; their draws are those of other patches, times a matrix.
"""

from dataclasses import replace

from theory.problem.distributions.images import Images

# One photograph: of several, single values of a site would be too rare for the normal law of their counts.
LAW = Images(3, ["camera", "grass"], ["patch", "gaussian"], "patch", "none", [1, 0])
WHITE = Images(
    3, ["scenes", "textures"], ["gaussian", "gaussian"], "mean", "zca", [1, 0], floor="1/10", priors=["1/3", "2/3"]
)
CASES = [
    (LAW, replace(LAW, photographs=(("camera",), ("gravel",)))),
    (WHITE, replace(WHITE, floor="1/9")),
]
