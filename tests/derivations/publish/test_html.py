"""Markdown as HTML: anchors, numbers of formulas, folded passages, and what is refused or escaped."""

import re
import unicodedata

import pytest

from derivations.publish import document, html


def test_tex_that_cannot_be_read_is_refused():
    with pytest.raises(ValueError, match="nosuchcommand"):
        html.mathml(r"\nosuchcommand{x}")


def test_html_in_the_text_is_shown_and_not_run():
    shown = document.page('# Title\n\n<script>alert(1)</script> a <b onclick="x">b</b>\n', "t")
    assert "<script" not in shown
    assert "<b onclick" not in shown


def test_headings_have_the_anchor_before_them_or_one_of_their_words():
    body = html.body('# A title\n\n<a id="a.b.c"></a>\n\n### A claim\n\n## Why $x$?\n\n## Why $x$?\n')
    assert [heading.anchor for heading in body.headings] == ["a-title", "a.b.c", "why-x", "why-x-1"]
    assert re.findall(r'id="([^"]+)"', body.html) == ["a-title", "a.b.c", "why-x", "why-x-1"]
    assert "<a id" not in body.html


def test_formulas_are_numbered_where_a_page_asks_for_it():
    text = "$$\nx\n$$\n\n1. A step.\n\n   $$\n   y\n   $$\n"
    assert re.findall(r'id="(eq-\d)".*?href="#(eq-\d)">\((7\.\d)\)', html.body(text, "7.").html) == [
        ("eq-1", "eq-1", "7.1"),
        ("eq-2", "eq-2", "7.2"),
    ]
    assert "eq-" not in html.body(text).html


def test_folded_passages_are_closed_and_their_title_is_escaped():
    shown = html.body(html.fold("Digits & more", "| a |\n|---|\n| 1 |\n")).html
    assert shown.startswith('<details class="fold"><summary>Digits &amp; more</summary>')
    assert shown.rstrip().endswith("</details>")
    assert " open" not in shown
    assert "<table>" in shown


def test_a_verdict_has_its_colour_and_other_words_have_none():
    shown = html.body("**CORRECTED**: a slip. **Bold**\n\n| a |\n|---|\n| REMARK |\n| A and B |\n").html
    assert re.findall(r'class="verdict (\w+)"', shown) == ["CORRECTED", "REMARK"]


def test_a_formula_on_one_line_keeps_its_meaning():
    """In the search and in the name of a page: without signs a root and a power would be gone, and 2/πa7 be read."""
    for tex, shown in (
        (r"\sqrt{2/\pi} a^7", "√(2/π)a^7"),
        (r"\hat{y} = \frac{1}{K + 1} \operatorname{erf}(g z_i)", "ŷ=1/(K+1) erf(gz_i)"),
        (r"\Sigma^{yx}_{12} x^{-1/2}", "Σ_12^(yx)x^(−1/2)"),
        (r"\begin{pmatrix} 1 & \rho \\ \rho & 1 \end{pmatrix}", "(1, ρ; ρ, 1)"),
    ):
        assert unicodedata.normalize("NFC", html.words(f"<h1>{html.mathml(tex)}</h1>")) == shown
