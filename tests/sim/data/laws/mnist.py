"""MNIST, and laws that a test of its samples must reject."""

from dataclasses import replace

from theory.problem.distributions.mnist import Mnist

LAW = Mnist([[3], [1, 8]], "train", "mean", [1, 0], downsample=7, priors=["1/3", "2/3"])
CASES = [(LAW, replace(LAW, priors=("7/20", "13/20"))), (LAW, replace(LAW, categories=[[3], [2, 8]]))]
