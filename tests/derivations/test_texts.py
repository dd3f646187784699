"""Texts beside the code are Markdown with mathematics in dollars: it parses, and nothing of it stands outside."""

import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass

import pytest

from derivations.experiments.folders import discover, figures
from derivations.markdown import plain
from derivations.publish import book_figures, gallery
from derivations.publish.html import mathml
from theory.claims import catalog, reasons
from theory.claims.model import Claim
from theory.claims.recorded import RECORDED
from theory.gaussian import limits
from theory.gaussian.derive import engine
from theory.proof.derivation import Step

# Fields that hold no text: names of documents, labels, rules and claims, and TeX that is shown as a display formula.
_NAMES = {"id", "document", "label", "name", "root", "cites", "claims", "problems", "shown", "rule"}
_FORMULA = re.compile(r"\$([^$]*)\$")
_IN_CODE_OR_FORMULA = re.compile(r"\$[^$]*\$|`[^`]*`")
_ID = re.compile(r"[a-z]+(?:\.[a-z_0-9]+){2,}")
_BARE = re.compile(
    r"\w[_^]\S"  # A_11, w^2
    r"|\b(?:xi|rho|lam|lambda|tau|kappa|sigma|Sigma|Delta|Lambda|pi|ell|yhat|oo|asin|atan|sqrt)\d?\b"
    # a letter alone, but for "a", "I", "i.e.", "e.g." and "(i)"
    r"|(?<![\w'’.-])(?<!Owen's )(?![aAI]\b|i\.e\.|e\.g\.|(?<=\()i\))[A-Za-z]\d?(?![\w'’-])"
    r"|[<>=|\\*~$]|->|\+-"
)


def strings(item: object) -> Iterator[str]:
    """The texts in a claim, source, reading, slip or step, and in tuples and mappings of them."""
    if isinstance(item, str):
        yield item
    elif isinstance(item, tuple):
        for part in item:
            yield from strings(part)
    elif is_dataclass(item):
        for field in fields(item):
            if field.name not in _NAMES:
                yield from strings(getattr(item, field.name))


def of_claim(claim: Claim) -> Iterator[str]:
    """The texts of a claim: its own, those of its sources, parameters and steps, and the names of its wrong forms."""
    yield from (claim.title, claim.settled_by, *claim.assumptions, *claim.unchecked.values())
    yield from (param.doc for param in claim.params)
    yield from strings(claim.sources)
    yield from (wrong.name for wrong in claim.registration.alternatives) if claim.registration else ()
    yield from (step.why for step in claim.derive().steps) if claim.derive else ()


def faults(text: str) -> list[str]:
    """Faults of a text in Markdown."""
    try:
        plain(text)
        for tex in _FORMULA.findall(text):
            mathml(tex)
    except ValueError as error:
        return [str(error)]
    outside = _IN_CODE_OR_FORMULA.sub(" ", text)
    return [found[0] for pattern in (_ID, _BARE) for found in pattern.finditer(outside)]


EVERYWHERE = {
    "recorded": tuple(strings(RECORDED)),
    "reasons": tuple(value for name, value in vars(reasons).items() if name.isupper() and isinstance(value, str)),
    "steps of the engine": (*engine.WHY.values(), *limits.WHY.values()),
    "gallery": tuple(row["name"] for row in gallery.stored()["rows"]),
    "experiments": tuple(experiment.title for experiment in discover()),
    "captions": (*(figure.caption for figure in figures().values()), book_figures.RECEPTIVE_FIELDS.caption),
}


@pytest.mark.parametrize("claim", catalog().values(), ids=lambda claim: claim.id)
def test_texts_of_a_claim(claim):
    assert {text: wrong for text in of_claim(claim) if (wrong := faults(text))} == {}


@pytest.mark.parametrize("place", EVERYWHERE)
def test_other_texts(place):
    assert EVERYWHERE[place]
    assert {text: wrong for text in EVERYWHERE[place] if (wrong := faults(text))} == {}


def test_every_kind_of_text_is_reached():
    texts = list(of_claim(catalog()["flow.redundant.first_in_sum"]))
    assert any("is printed as" in text for text in texts), "the title of a slip"
    assert any("Add $" in text for text in texts), "its repair"
    assert any("set by" in text for text in texts), "a reading"
    assert any("$g_1 = g_2$ gives" in text for text in texts), "a step"
    assert list(strings(Step(None, "why", "a-rule"))) == ["why"]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("the block A_11", "A_1"),
        ("a ring with xi1 = 2", "xi1"),
        ("with yhat of the mean readout", "yhat"),
        ("|q| at most", "|"),
        ("at most n sites", "n"),
        ("x -> -x", "x"),
        ("see flow.mode.solution", "flow.mode.solution"),
        (r"the limit \infty", "\\"),
        ("one dollar $x", "without a partner"),
        (r"$\frac{1}{2}$", "frac"),
        ("$x^{2$", "vocabulary"),
        (r"$\xi_1 > $ and $}$", "}"),
    ],
)
def test_faults_are_found(text, fault):
    assert fault in faults(text)[0]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (r"$\tilde x = \tilde g \otimes x$ and $\hat y$", "x̃ = g̃ ⊗ x and ŷ"),
        (r"$\langle (y - \hat y)^2 \rangle/2$", "⟨(y - ŷ)²⟩/2"),
        (r"$\mathbf{1}[x_i \geq 0]$, $\lvert w_k \rvert \leq n/4$", "1[xᵢ ≥ 0], |wₖ| ≤ n/4"),
        (r"$A_{kilj} w_{lj}$ and $P_{\text{low}}$", "Aₖᵢₗⱼ wₗⱼ and P_low"),
        (r"$\sqrt{2} u/\sqrt{1 + \rho^2}$", "√2 u/√(1 + ρ²)"),
        (r"$e^{C}$, $S^{-1}$, $v^\top$, $L^\ast$, $\{0, 1\}^n$", "e^C, S⁻¹, vᵀ, L*, {0, 1}ⁿ"),
        (r"$\Sigma^{yx}(p)$ in `moment.site_gate.yx`", "Σʸˣ(p) in moment.site_gate.yx"),
    ],
)
def test_terminal(text, shown):
    assert plain(text) == shown
