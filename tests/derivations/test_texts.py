"""The TeX in texts of claims, sources, steps and experiments parses, as a line of a terminal and as MathML."""

import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass

import pytest

from derivations.experiments.folders import discover, figures
from derivations.markdown import plain
from derivations.publish import book_figures
from derivations.publish.mathml import mathml
from theory.claims import catalog, reasons
from theory.claims.misprints import MISPRINTS
from theory.claims.recorded import RECORDED
from theory.gaussian import limits
from theory.gaussian.derive import engine

# Fields that hold no text: names of documents, labels, rules and claims, and TeX that is shown as a display formula.
_NAMES = {"id", "document", "label", "name", "root", "cites", "claims", "problems", "shown", "rule"}


def strings(item: object) -> Iterator[str]:
    """The texts in a claim, source, reading, slip or step, and in tuples of them."""
    if isinstance(item, str):
        yield item
    elif isinstance(item, tuple):
        for part in item:
            yield from strings(part)
    elif is_dataclass(item):
        for field in fields(item):
            if field.name not in _NAMES:
                yield from strings(getattr(item, field.name))


def texts() -> Iterator[str]:
    """Every text beside the code that may hold TeX."""
    for claim in catalog().values():
        yield from (
            claim.title,
            claim.protocol,
            claim.settled_by,
            claim.known,
            *claim.assumptions,
            *claim.unchecked.values(),
        )
        yield from (param.doc for param in claim.params)
        yield from strings(claim.sources)
        yield from (wrong.name for wrong in claim.registration.alternatives) if claim.registration else ()
        yield from (step.why for step in claim.derive().steps) if claim.derive else ()
    yield from strings((RECORDED, MISPRINTS))
    yield from (value for name, value in vars(reasons).items() if name.isupper() and isinstance(value, str))
    yield from (*engine.WHY.values(), *limits.WHY.values())
    yield from (experiment.title for experiment in discover())
    yield from (figure.caption for figure in (*figures().values(), *book_figures.known().values()))


def fault(text: str) -> str:
    """Return what does not parse in a text, or nothing."""
    try:
        plain(text)
        for tex in re.findall(r"\$([^$]*)\$", text):
            mathml(tex)
    except ValueError as error:
        return str(error)
    return ""


@pytest.mark.slow
def test_every_tex_of_a_text_parses():
    assert {text: wrong for text in set(texts()) if (wrong := fault(text))} == {}
    for text in ("one dollar $x", "$x^{2$", r"$\xi_1 > $ and $}$", r"$\nosuchcommand$"):
        assert fault(text), text


def test_tex_on_a_line_of_a_terminal():
    for text, shown in (
        (r"$\tilde x = \tilde g \otimes x$ and $\hat y$", "x̃ = g̃ ⊗ x and ŷ"),
        (r"$\mathbf{1}[x_i \geq 0]$, $\lvert w_k \rvert \leq n/4$", "1[xᵢ ≥ 0], |wₖ| ≤ n/4"),
        (r"$A_{kilj} w_{lj}$ and $P_{\text{low}}$", "Aₖᵢₗⱼ wₗⱼ and P_low"),
        (r"$\sqrt{2} u/\sqrt{1 + \rho^2}$", "√2 u/√(1 + ρ²)"),
        (r"$e^{C}$, $S^{-1}$, $v^\top$, $L^\ast$, $\{0, 1\}^n$", "e^C, S⁻¹, vᵀ, L*, {0, 1}ⁿ"),
        (r"$\Sigma^{yx}(p)$ in `moment.site_gate.yx`", "Σʸˣ(p) in moment.site_gate.yx"),
    ):
        assert plain(text) == shown
