"""Blanks, questions, guesses, assumptions, history and quoted results, which are recorded without a verdict.

Each record may name related claims and answer in a sentence. A question or a guess that the claims decide is a row of
the ledger, with `says=Says.ASKS` or `CONJECTURES`, and not listed
here.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from theory.claims.documents import (
    BUMP_NOTE,
    DEEP_GATED_NETWORKS,
    HALF_SPACES,
    NEURAL_PATH_KERNEL,
    NOTES,
    citation_fault,
)
from theory.problem import InputError


class Left(StrEnum):
    """The kind of a passage that a document leaves without a statement or a proof.

    >>> [how.value for how in Left]
    ['blank', 'question', 'conjecture', 'assumption', 'observation', 'quoted']
    """

    BLANK = "blank"
    QUESTION = "question"
    CONJECTURE = "conjecture"
    ASSUMPTION = "assumption"
    OBSERVATION = "observation"
    QUOTED = "quoted"


@dataclass(frozen=True)
class Recorded:
    """A passage of a document that is recorded without a verdict: a blank by its heading, anything else by its words.

    `claims` are the ids of the related claims, and `answer` is their content in a sentence. Raises InputError for a
    document or a label that `theory.claims.documents` does not list.

    >>> Recorded(BUMP_NOTE, "(14)", Left.QUESTION, "why?")
    Traceback (most recent call last):
    ...
    theory.problem.errors.InputError: A record is unknown: small-bump-gate has no '(14)': its labels are (1) ...
    """

    document: str
    label: str
    left: Left
    words: str
    claims: tuple[str, ...] = ()
    answer: str = ""

    def __post_init__(self) -> None:
        if fault := citation_fault(self.document, self.label):
            raise InputError(f"A record is unknown: {fault}.", "theory/claims/documents.py takes papers and labels.")


RECORDED = (
    Recorded(
        NOTES,
        "section 2",
        Left.ASSUMPTION,
        "We generally assume that $g$ does not vary during learning.",
        ("localization.relu.gates_flip", "localization.relu.replayed_gates"),
        "It is a choice of the model; how far the gates of ReLU units move is measured in the configurations that the "
        "claims name.",
    ),
    Recorded(
        NOTES,
        "section 2",
        Left.QUESTION,
        "To assess the validity of this assumption, we need to see how much $g(x)$, as defined above, changes "
        "during learning.",
        ("localization.relu.gates_flip",),
        "Networks are trained to see how much, in the configurations that the claim names.",
    ),
    Recorded(NOTES, "section 2", Left.QUESTION, "But we’d like to be able to determine this gating upfront."),
    Recorded(
        NOTES,
        "section 2.1",
        Left.OBSERVATION,
        "(There is, importantly, a phase where it goes from Gaussian to non-Gaussian, but the localization seems to be "
        "more likely to occur around its mode.)",
        ("localization.design.concentrated", "localization.relu.around_mode"),
        "Said of earlier experiments. The participation ratio of the weights, and where they localize, are measured in "
        "the configurations that the claims name.",
    ),
    Recorded(
        NOTES,
        "section 2.1",
        Left.CONJECTURE,
        "If this is so, then it would be reasonable to try using a standard GDLN to model the ReLU network.",
        ("localization.relu.replayed_gates",),
        "It is a plan; the claim trains a gated network with the gates of a ReLU network in one configuration.",
    ),
    Recorded(NOTES, "section 2.2", Left.BLANK, "Predicting Loca(liza)tion"),
    Recorded(
        NOTES,
        "section 2.3",
        Left.BLANK,
        "Evolving Gates?",
        ("flow.moving_gates.mode", "flow.moving_gates.moment"),
        "The flow is solved for gates that change with time and not with the weights.",
    ),
    Recorded(
        NOTES,
        "section 3.3",
        Left.QUESTION,
        r"For fixed $p_{\xi_1}$ and $p_{\xi_2}$, how do we choose the gates $g_k$ to minimize equation (16)?",
        ("ols.gates.objective", "ols.gates.span"),
        "The best gates are not known here. The loss depends on the span of the gated inputs alone.",
    ),
    Recorded(
        NOTES,
        "section 3.3",
        Left.CONJECTURE,
        "I think that the best precision matrix would be maximally diagonal (no clue if this actually true! but maybe "
        "it holds empirically?).",
        ("ols.gates.overlap_wins", "ols.gates.span"),
        "It is open for the data of the notes. For an arbitrary law it fails, by an example with four inputs. Gates "
        "with a precision that is not block diagonal can have the loss of a tiling.",
    ),
    Recorded(
        NOTES,
        "section 4.1",
        Left.BLANK,
        "General Case",
        ("flow.descent.weights",),
        "Trained networks with two gates are compared with the law of a mode, those with three overlapping gates with "
        "the printed flow, on the page of repeated experiments.",
    ),
    Recorded(
        NOTES,
        "section 4.2",
        Left.BLANK,
        "Single Gate",
        ("flow.exclusive.mode", "flow.exclusive.own_subset"),
        "The flow of one gate is derived, by $K = 1$ or exclusive gates; networks with such gates are trained beside "
        "it on the page of repeated experiments.",
    ),
    Recorded(
        NOTES,
        "section 4.3",
        Left.BLANK,
        "Redundant Gates",
        ("flow.redundant.first", "flow.redundant.second", "flow.redundant.difference"),
        "The flow of two such units is derived; networks with redundant gates are trained beside it on the page of "
        "repeated experiments.",
    ),
    Recorded(NOTES, "section 5", Left.BLANK, "Concerns:"),
    Recorded(NOTES, "section 5", Left.BLANK, "Questions:"),
    Recorded(
        BUMP_NOTE,
        "after (13)",
        Left.QUESTION,
        "(Also I have no idea how to decouple the ODEs with these matrices.)",
        ("flow.small_bump.first_mode", "flow.small_bump.second_mode", "flow.small_bump.two_sites"),
        r"They decouple in the basis of $\langle x x^\top \rangle$, the same for both units.",
    ),
    Recorded(
        DEEP_GATED_NETWORKS,
        "Assumption 1",
        Left.ASSUMPTION,
        r"$\Theta_0 \sim^{iid} \operatorname{Ber}(1/2)$ over the set $\{-\sigma, +\sigma\}$.",
        ("kernel.proof.same", "kernel.variance.gaussian_weights"),
        "The mean of the kernel needs only independent weights of mean 0 and one variance; its variance also depends "
        "on the kurtosis.",
    ),
    Recorded(
        DEEP_GATED_NETWORKS,
        "Assumption 2",
        Left.ASSUMPTION,
        r"$\mathcal{G}_0$ is statistically independent of $\Theta_0$.",
        ("kernel.relu.mean",),
        "ReLU gates do not satisfy it, as the paper says, and their mean kernel is another one.",
    ),
    Recorded(
        DEEP_GATED_NETWORKS,
        "section 5",
        Left.QUOTED,
        "(Du et al., 2018) claim to demystify the second part of what we called the depth phenomena (“why deeper "
        "networks are harder to train”), since, the dependence on the number of layers improves exponentially for "
        "ResNets.",
    ),
    Recorded(
        DEEP_GATED_NETWORKS,
        "section 5",
        Left.QUOTED,
        "In comparison to (Fiat et al., 2019) who were the first to initiate the study on GaLU networks",
    ),
    Recorded(
        DEEP_GATED_NETWORKS,
        "section 1",
        Left.QUOTED,
        "The ability of DNNs to fit data has been demonstrated in the past (Zhang et al., 2016), i.e., they can fit "
        "even random labels, and random pixels of standard datasets such as MNIST.",
    ),
    Recorded(
        DEEP_GATED_NETWORKS,
        "section 4",
        Left.CONJECTURE,
        "The arguments can be extended to max-pooling with technical modifications.",
    ),
    Recorded(
        DEEP_GATED_NETWORKS,
        "section 5",
        Left.QUOTED,
        r"(Du et al., 2018) show that in fully connected DNNs with $w = \Omega(\operatorname{poly}(n) 2^{O(d)})$, and "
        r"in residual neural networks (ResNets) with $w = \Omega(\operatorname{poly}(n, d))$ gradient descent "
        "converges to zero training loss.",
    ),
    Recorded(
        DEEP_GATED_NETWORKS,
        "section 6",
        Left.OBSERVATION,
        "Hidden features are in the active sub-networks, which are in turn decided by the gates.",
        ("path.feature.feature", "path.overlap.hadamard"),
        "The features are inputs times gates, by their definition; what training makes of them is not decided by it.",
    ),
    Recorded(
        NEURAL_PATH_KERNEL,
        "Assumption 5.1",
        Left.ASSUMPTION,
        r"(i) $\Theta_0^V$ is statistically independent of the fixed NPFs (stored in $\Theta_0^F$ of the feature "
        r"network), (ii) $\Theta_0^V$ are sampled i.i.d from symmetric Bernoulli over $\{-\sigma, +\sigma\}$.",
        ("kernel.mean.value", "kernel.mean.limit"),
        r"Under it the mean holds at every width. The limit holds at a fixed depth where $\sigma^2$ is of the order "
        "$1/w$.",
    ),
    Recorded(
        NEURAL_PATH_KERNEL,
        "Claim I",
        Left.OBSERVATION,
        "Active sub-networks are fundamental entities in DNNs with ReLU activations.",
        ("kernel.mean.limit", "path.overlap.hadamard"),
        "The paper justifies it by Theorem 5.1, whose limit holds under a condition: with fixed gates the kernel of a "
        "wide network is then a function of the inputs and the number of shared paths.",
    ),
    Recorded(
        NEURAL_PATH_KERNEL,
        "section 1.1",
        Left.QUOTED,
        r"as $w \to \infty$, $K_{\Theta_0} \to K^{(d)}$, and $K_{\Theta_t} \approx K^{(d)}$",
        ("ntk.recursion.value",),
        "Quoted from the papers on the tangent kernel. The recursion for the limit is derived for three layers.",
    ),
    Recorded(
        NEURAL_PATH_KERNEL,
        "section 1.1",
        Left.QUOTED,
        "Arora et al. [2019] show that infinite width DNN trained using GD is equivalent to kernel regression with the "
        r"limiting NTK matrix $K^{(d)}$",
    ),
    Recorded(
        NEURAL_PATH_KERNEL,
        "section 1.1",
        Left.QUOTED,
        "Cao and Gu [2019] show that in the NTK regime, a DNN is almost a linear learner with the random NTFs at "
        r"initialisation, and showed a generalisation bound in the form of $\tilde{\mathcal{O}}(d \cdot \sqrt{y^\top "
        r"(K^{(d)})^{-1} y/n})$.",
    ),
    Recorded(
        NEURAL_PATH_KERNEL,
        "section 1.1",
        Left.QUESTION,
        "Can we explain the reason for the performance gain of CNNs over CNTK?",
    ),
    Recorded(
        NEURAL_PATH_KERNEL,
        "section 1.1",
        Left.QUOTED,
        "Arora et al. [2019] report a 5% - 6% performance gain of finite width CNNs (which do not operate in the NTK "
        "regime) over the exact CNTKs corresponding to infinite width CNNs",
    ),
    Recorded(
        NEURAL_PATH_KERNEL,
        "section 5",
        Left.QUOTED,
        r"From previous results Arora et al. [2019], it follows that as $w \to \infty$, the optimisation and "
        "generalisation properties of the fixed NPF learner can be tied down to the infinite width NTK of the FNPF "
        r"learner $K_{FNPF}^{(d)}$ and hence $H_{FNPF}$ (treating $d \sigma^{2(d-1)}$ as a scaling factor).",
        ("kernel.mean.limit",),
        "The claim has the limit of the kernel at initialisation; what follows from it for training is quoted.",
    ),
    Recorded(
        NEURAL_PATH_KERNEL,
        "section 6",
        Left.QUOTED,
        "The performance of CNTK of Arora et al. [2019] is 77.43%.",
    ),
    Recorded(
        NEURAL_PATH_KERNEL,
        "section 6",
        Left.OBSERVATION,
        r"we observe that $K_{\Theta^{DGN}}^V$ and $K_{\Theta^{DGN}}^F$ are in the same scale",
    ),
    Recorded(
        NEURAL_PATH_KERNEL,
        "section 7",
        Left.OBSERVATION,
        "In our experiments, we observed that almost all information of a trained DNN is stored in the neural path "
        "features.",
    ),
    Recorded(
        HALF_SPACES,
        "section 1",
        Left.QUOTED,
        "The theory of Neural Tangent Kernels (Jacot, Gabriel, and Hongler 2018) explains the infinite width neural "
        "network (under an appropriate initialization) with great precision by showing that they are equivalent to "
        "kernel machines.",
    ),
    Recorded(
        HALF_SPACES,
        "section 1",
        Left.QUOTED,
        "There have been several examples of functions that can be represented efficiently with large-depth models, "
        "that need exponentially many parameters with any shallow model (Telgarsky 2016; Shalev-Shwartz, Shamir, and "
        "Shammah 2017).",
    ),
    Recorded(
        HALF_SPACES,
        "section 1",
        Left.QUOTED,
        "it has been shown (Shalev-Shwartz, Shamir, and Shammah 2017) that no gradient-based method is capable of "
        "learning certain multi-layer hierarchical structures in the data.",
    ),
    Recorded(
        HALF_SPACES,
        "section 2.3",
        Left.OBSERVATION,
        "ReLU nets, DLGN and DLGN-PWC perform similarly, and outperform the linear model with empirical NTK features "
        "and deep linear networks by a wide margin.",
        ("path.setting.layer",),
        "Table 1 has the four networks of the claim; it has no row for a linear model with features of the tangent "
        "kernel.",
    ),
    Recorded(
        HALF_SPACES,
        "section 3.1",
        Left.QUOTED,
        "several papers that identify that the activation patterns partition the input space into convex polyhedra, "
        "and that the ReLU net is linear inside each of these regions (Hanin and Rolnick 2019b, a).",
        ("path.experts.relu",),
        "With fixed gates the sum of the claim is linear in the input.",
    ),
    Recorded(
        HALF_SPACES,
        "section 3.1",
        Left.QUOTED,
        "The number of activation pattern regions for ReLU nets can be exponential in the number of neurons.",
        ("region.number.patterns",),
        "The claim counts bit patterns, which are exponential in number; how many of them have a region in a ReLU "
        "network is not judged.",
    ),
    Recorded(
        HALF_SPACES,
        "section 3.1",
        Left.QUOTED,
        "it has been proven that a randomly initialised neural net has only polynomially many activation regions, and "
        "this number also has been observed empirically to not change drastically during training (Hanin and Rolnick "
        "2019a).",
        ("region.number.affine",),
        "The claim has the largest number for linear gates in the plane; random ReLU networks are not judged.",
    ),
    Recorded(
        HALF_SPACES,
        "section 4",
        Left.QUOTED,
        "the phenomenon of spectral bias in neural nets (e.g. (Ronen et al. 2019)) which says: fixed infinite width "
        "NTK has low frequency sinusoids as eigen vectors with larger eigen values, and hence "
        "gradient descent prioritises learning low-frequency components of the target function.",
    ),
)


def recorded_in(documents: Iterable[str]) -> tuple[Recorded, ...]:
    """Return the records of these documents, in their order.

    >>> [record.label for record in recorded_in([BUMP_NOTE])]
    ['after (13)']
    """
    wanted = set(documents)
    return tuple(record for record in RECORDED if record.document in wanted)
