"""The book: it is what claims, evidence and prose give; directives that do not exist are errors."""

import json
import re
import shutil
from dataclasses import replace

import pytest
import sympy

from derivations import cli
from derivations.evidence.entries import Entry
from derivations.output import BAD_INPUT, CHECK_FAILED, PASS
from derivations.publish import book_figures, compose, files, places
from derivations.publish.errata import errata
from theory.claims import catalog
from theory.claims.documents import NOTES
from theory.claims.rows import Verdict
from theory.claims.sources import Source
from theory.problem import InputError

CLAIM = "flow.fixed_point.mode"
PAGES = tuple(places.sources())


@pytest.fixture(scope="module")
def book():
    """The book of the whole catalog."""
    return compose.Book(catalog(), places.sources())


@pytest.fixture(scope="module")
def texts():
    """The text of each stored page, which `gdln derive --check` compares with the rendered one."""
    return {page: (compose.BOOK / f"{page}.md").read_text(encoding="utf-8") for page in PAGES}


FEW = (CLAIM, "flow.gradient.entry", "flow.gradient.general", "flow.mode.solution", "moment.site_gate.yx")


def few():
    return {name: catalog()[name] for name in FEW}


def small(**pages):
    """A book of these pages and of a few claims."""
    return compose.Book(few(), pages)


@pytest.mark.slow
def test_the_committed_book_is_what_is_derived(capsys):
    assert cli.main(["derive", "--check"]) == PASS, capsys.readouterr().out


def test_only_write_changes_the_stored_book(tmp_path, monkeypatch, capsys):
    """A user who tries the command must not rewrite the source tree; with --write what is no page is removed too."""
    book, work, whole = tmp_path / "book", tmp_path / "work", compose.Book
    monkeypatch.setattr(compose, "Book", lambda _claims, pages, **more: whole(few(), pages, **more))
    book.mkdir()
    work.mkdir()
    (book / "no-page.md").write_text("x")
    monkeypatch.setattr(compose, "BOOK", book)
    monkeypatch.setattr(files, "BOOK", book)
    monkeypatch.setattr(places, "sources", lambda: {"one": "# One\n\nA page.\n"})
    monkeypatch.chdir(work)
    assert cli.main(["derive"]) in (PASS, CHECK_FAILED)
    assert [path.name for path in (work / "gdln-book").iterdir()] == ["one.md"]
    assert [path.name for path in book.iterdir()] == ["no-page.md"]
    assert cli.main(["derive", "--write"]) in (PASS, CHECK_FAILED)
    assert [path.name for path in book.iterdir()] == ["one.md"]
    capsys.readouterr()


def test_every_claim_is_stated_once(book, texts):
    text = "".join(texts.values())
    anchors = re.findall(r'<a id="([\w.]+)"></a>', text)
    assert sorted(anchors) == sorted(catalog())
    assert {place.page for place in book.where.values()} <= set(PAGES)


def test_every_link_between_claims_has_its_anchor(texts):
    for page, text in texts.items():
        for target, anchor in re.findall(r"\]\((?:([\w-]+)\.md)?#([\w.]+)\)", text):
            assert f'<a id="{anchor}"></a>' in texts[target or page], (page, target, anchor)
        for target in re.findall(r"\]\(([\w-]+)\.md[#)]", text):
            assert target in texts, (page, target)


def test_a_wrong_form_without_its_slip_is_no_erratum():
    """It is refused with the file that takes the slip, so that no accusation stands without its repair."""
    source = Source(NOTES, "(1)", printed=sympy.Integer(3))
    claim = replace(catalog()[CLAIM], sources=(source,))
    entry = Entry(claim, source, Verdict.CORRECTED.value, {"agrees": False, "reading": ""}, {})
    with pytest.raises(InputError, match=r"at \(1\) is wrong and names no slip.*slips.py"):
        errata([entry], link=lambda name: name, names={})


def test_a_planted_change_of_text_is_a_difference(tmp_path, capsys, texts):
    name = "conventions"
    assert cli.main(["derive", name, "--out", str(tmp_path)]) in (PASS, CHECK_FAILED)
    path = tmp_path / f"{name}.md"
    assert path.read_text(encoding="utf-8") == texts[name]
    path.write_text(texts[name].replace("gated linear network", "gated network", 1), encoding="utf-8")
    capsys.readouterr()
    assert cli.main(["derive", name, "--check", "--out", str(tmp_path), "--json"]) == CHECK_FAILED
    (difference,) = json.loads(capsys.readouterr().out)["differences"]
    assert (difference["page"], difference["status"]) == (name, "stale")
    assert difference["stored"] != difference["rendered"]


def test_a_missing_and_a_left_over_page_are_found(tmp_path):
    (tmp_path / "old.md").write_text("# Old\n")
    made = files.Files({"new.md": "# New\n"}, {})
    result = files.compare(made, tmp_path, whole=True)
    assert [(item.page, item.status) for item in result] == [("new", "missing"), ("old", "left over")]
    assert [item.page for item in files.compare(made, tmp_path, whole=False)] == ["new"]


def test_a_wrong_directive_is_an_error_with_its_line():
    for line, words in (
        ("{proof flow.mode.solution}", "no directive {proof}"),
        ("see {ref no.such.claim}", "no claim is called 'no.such.claim'"),
        ("{table no-such-document}", "no claim has the source 'no-such-document'"),
        ("{measured replayed-gates}", "the measurements replayed-gates have no table ''"),
    ):
        with pytest.raises(InputError, match=re.escape(words)) as caught:
            small(page=f"# Page\n\n{line}\n").render("page")
        assert "page.md, line 3" in str(caught.value), line


def test_the_pieces_of_a_claim():
    rendered = small(
        page=f"# P\n\n{{claim {CLAIM} as w}}\n\n{{derivation {CLAIM}}}\n\n{{numbers {CLAIM}}}\n\n"
        f"{{printed {CLAIM}}}\n\n"
        f"It is {{verdict {CLAIM}}}, see {{ref {CLAIM}}}.\n"
    ).render("page")
    assert r"w = u{(\infty)} = \frac{K c}{\lambda}" in rendered
    assert "1. The mode at time $t$. (*premise*, `flow.mode.solution`)" in rendered
    assert "*As printed.* `localization-with-gated-linear-networks` after (11), INHERITED:" in rendered
    assert f"It is INHERITED, see [`{CLAIM}`](#{CLAIM})." in rendered


def test_rest_gives_what_no_page_names():
    pages = {"one": f"# One\n\n{{claim {CLAIM}}}\n\n{{rest flow}}\n", "two": "# Two\n\n{rest}\n"}
    where = places.placed(few(), pages)
    assert where[CLAIM] == places.Place("one")
    assert where["flow.gradient.entry"] == places.Place("one", "flow")
    assert where["moment.site_gate.yx"] == places.Place("two", "")
    assert small(**pages).render("one").count(f'<a id="{CLAIM}">') == 1


def test_an_unknown_page_and_options_that_exclude_each_other_are_bad_input(capsys):
    for words in (["no-such-page"], ["--format", "docx"], ["--check", "--format", "html"], ["--write", "--out", "x"]):
        assert cli.main(["derive", *words]) == BAD_INPUT, words
    assert capsys.readouterr().out == ""


FIGURE = "receptive-fields"


@pytest.fixture
def figures(tmp_path):
    """One figure of the book in a folder of its own, and its data."""
    (tmp_path / book_figures.FOLDER).mkdir()
    for ending in ("json", "svg"):
        name = f"{book_figures.FOLDER}/{FIGURE}.{ending}"
        shutil.copyfile(compose.BOOK / name, tmp_path / name)
    data = json.loads((tmp_path / book_figures.FOLDER / f"{FIGURE}.json").read_text(encoding="utf-8"))
    return tmp_path, {FIGURE: data}


def test_an_edited_datum_of_a_figure_is_a_difference(figures):
    folder, data = figures
    path = folder / book_figures.FOLDER / f"{FIGURE}.json"
    text = path.read_text(encoding="utf-8")
    for change, status, where in (
        (lambda panel: panel["theory"][1].__setitem__(3, panel["theory"][1][3] + 1e-6), "stale", "theory/1/3"),
        (lambda panel: panel["error"][0].pop(), "stale", "error/0/16"),
        # Rounding is no change of the data, but the image says what it was drawn from.
        (lambda panel: panel["theory"][1].__setitem__(3, panel["theory"][1][3] + 1e-12), "an image of other data", ""),
    ):
        edited = json.loads(text)
        change(next(iter(edited.values())))
        path.write_text(json.dumps(edited), encoding="utf-8")
        (difference,) = files.compare(files.Files({}, data), folder, whole=True)
        assert (difference.page, difference.status) == (f"figures/{FIGURE}", status)
        assert difference.where.endswith(where)


def test_a_missing_an_unreadable_and_a_left_over_figure_are_found(figures):
    folder, data = figures
    inside = folder / book_figures.FOLDER
    (inside / "old.png").write_bytes(b"")
    (inside / f"{FIGURE}.json").write_text("{", encoding="utf-8")
    assert [(d.page, d.status) for d in files.compare(files.Files({}, data), folder, whole=True)] == [
        (f"figures/{FIGURE}", "unreadable"),
        ("figures/old.png", "left over"),
    ]
    (inside / f"{FIGURE}.svg").unlink()
    assert [d.status for d in files.compare(files.Files({}, data), folder, whole=False)] == ["missing"]


def test_the_contents_have_the_summary_of_each_page_that_gives_one():
    built = small(index="# I\n\n{contents}\n", one="# One\n\n{summary all of $x$.}\n\nText.\n", two="# Two\n")
    assert "- [One](one.md): all of $x$.\n- [Two](two.md)\n" in built.render("index")
    assert "all of" not in built.render("one")
