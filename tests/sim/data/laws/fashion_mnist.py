"""Fashion-MNIST, and laws that a test of its samples must reject."""

from dataclasses import replace

from theory.problem.distributions.mnist import FashionMnist, Mnist

LAW = FashionMnist([0, 9], "train", "none", [1, 0], downsample=14)
CASES = [(LAW, replace(LAW, part="test")), (LAW, Mnist([0, 9], "train", "none", [1, 0], downsample=14))]
