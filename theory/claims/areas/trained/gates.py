"""What training makes of gates and regions: sentences of the papers that stay open.

Experiments that the papers print are repeated on the scoreboard of the book, each in its setting; a sentence here says
more than any of them decides.
"""

import sympy
from sympy import Le, Lt

from theory.claims.documents import DEEP_GATED_NETWORKS, HALF_SPACES, NEURAL_PATH_KERNEL
from theory.claims.model import Claim, Kind, Level
from theory.claims.sources import Says, Source


def _open(name: str, title: str, statement: sympy.Basic, settled_by: str, *sources: Source) -> Claim:
    return Claim(
        id=f"trained.gates.{name}",
        title=title,
        kind=Kind.EMPIRICAL,
        statement=statement,
        sources=sources,
        settled_by=settled_by,
        unchecked={Level.NEGATIVE_CONTROL: "no rule is fixed that a control could reject"},
    )


def _real(*names: str) -> tuple[sympy.Symbol, ...]:
    return tuple(sympy.Symbol(name, real=True) for name in names)


CLAIMS = (
    _open(
        "alignment",
        r"Is $y^\top K_t^{-1} y$ of learned or adaptable gates at most that of the others, at all times?",
        Le(*_real(r"\nu_t^{adaptable}", r"\nu_t^{frozen}")),
        "Networks of several settings whose kernels are measured throughout training; the scoreboard has the networks "
        "of Figure 8 at four times.",
        Source(
            DEEP_GATED_NETWORKS,
            "section 1",
            says=Says.READ_AS,
            words=r"$\nu_t$ in the case of adaptive gates/learned gates is always upper bounded by $\nu_t$ when gates "
            r"are non-adaptive/non-learned gates.",
            note="Experiment 3 says it without “always”; four times of one setting are no “always”",
        ),
    ),
    _open(
        "relu_conditioning",
        "Are the products of different active paths the reason why ReLU networks are worse conditioned than GaLU ones?",
        Lt(*_real(r"\rho_{\min}^{ReLU}", r"\rho_{\min}^{GaLU}")),
        "Spectra of both kernels with the products of different paths and without them; the scoreboard has the order "
        "of both spectra alone (Figure 4).",
        Source(
            DEEP_GATED_NETWORKS,
            "section 2",
            says=Says.READ_AS,
            words="This can be attributed to the fact that, in ReLU network the dot product of two different active "
            "paths is not zero and hence the Gram matrix entries fall back to the algebraic expression for $K_t$ in "
            "(9).",
            note="the products have other means, see `kernel.relu.mean`; that they cause the worse spectrum is not "
            "tested",
        ),
    ),
    _open(
        "generalisation",
        "Is it key for generalisation that the active sub-networks are learned?",
        Lt(*_real(r"\operatorname{error}_{learned}", r"\operatorname{error}_{fixed}")),
        "A measure of what is key, and networks that differ in the learning of gates alone; the scoreboard compares "
        "the accuracies of Table 2 on MNIST, where both values and gates differ in how they are trained.",
        Source(
            NEURAL_PATH_KERNEL,
            "Claim II",
            says=Says.READ_AS,
            words="Learning of the active sub-networks during training is key for generalisation.",
            note="section 6 reports that networks with learned gates test better than those with random gates, in the "
            "settings of its Table 2",
        ),
    ),
    _open(
        "regions_change",
        "Does the tangent kernel change because active path regions change?",
        Lt(*_real(r"\Delta K_{held}", r"\Delta K")),
        "Networks whose regions are held while their weights learn, beside the same networks with regions that move; "
        "the scoreboard has kernels and regions of networks on the circle, and no such pair.",
        Source(
            HALF_SPACES,
            "section 4",
            says=Says.CONJECTURES,
            words="We hypothesize that the active path regions change during training thus causing the NTK to change.",
            note="with fixed gates the kernel changes as well, through the values of paths (`path.kernel.tangent`)",
        ),
    ),
    _open(
        "regions_move",
        "Do path regions move to the simpler part of the target function?",
        Lt(*_real(r"N_{complex}", r"N_{simple}")),
        "The paper's target functions and initialisation, or a rule over a design of them; the scoreboard has the "
        "circle and the modified Fashion-MNIST in settings of its own, and numbers of paths that follow the initial "
        "draw.",
        Source(
            HALF_SPACES,
            "section 5",
            says=Says.CONJECTURES,
            words="the activation regions of the experts/paths move preferentially to cover low-frequency/simpler "
            "regions of the target function in the input space.",
            note="one of its main conjectures; its experiments are the circle (Figures 2 to 6) and Fashion-MNIST "
            "(Figure 7)",
        ),
    ),
)
