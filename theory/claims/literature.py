"""Prior work beyond the five documents: who has a statement that a claim proves again.

A claim that names one of these as `known` and has no source is KNOWN in the ledger, and no result of the workbench.
"""

SHEPPARD = "Sheppard, “On the application of the theory of error to cases of normal distribution” (1899)"
PEARSON = "Pearson, “On further methods of determining correlation” (1907)"
ARCSINE_LAW = "the arcsine law: Van Vleck and Middleton, “The spectrum of clipped noise” (1966)"
ERF_NETWORKS = "Williams, “Computing with infinite networks” (1997)"
ARC_COSINE = "Cho and Saul, “Kernel methods for deep learning” (2009)"
DEEP_LINEAR = (
    "Saxe, McClelland and Ganguli, “Exact solutions to the nonlinear dynamics of learning in deep linear neural "
    "networks” (2014)"
)
NEURAL_RACE = "Saxe, Sodhani and Lewallen, “The Neural Race Reduction” (2022)"
LOCALIZATION = "Lufkin, Saxe and Grant, “Nonlinear dynamics of localization in neural receptive fields” (2024)"
FINITE_WIDTH = (
    "the order of depth over width: Hanin and Nica, “Finite depth and width corrections to the neural tangent kernel” "
    "(2020), for ReLU networks"
)
