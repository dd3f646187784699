"""Markdown as one HTML page: what is refused or escaped, and what is let through."""

import pytest

from derivations.publish import html
from derivations.publish.mathml import mathml


def test_tex_that_cannot_be_read_is_refused():
    with pytest.raises(ValueError, match="nosuchcommand"):
        mathml(r"\nosuchcommand{x}")


def test_html_in_the_text_is_shown_and_not_run():
    shown = html.body('# Title\n\n<script>alert(1)</script> a <b onclick="x">b</b>\n')
    assert "<script" not in shown
    assert "<b onclick" not in shown


def test_folded_passages_are_closed_and_their_title_is_escaped():
    shown = html.body(html.fold("Digits & more", "| a |\n|---|\n| 1 |\n"))
    assert shown.startswith("<details><summary>Digits &amp; more</summary>")
    assert shown.rstrip().endswith("</details>")
    assert "<table>" in shown
