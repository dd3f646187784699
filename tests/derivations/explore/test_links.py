"""Links between the book and the formula view: claims on an average, and addresses that open a question."""

import shlex
from urllib.parse import parse_qs

import pytest
import sympy

from derivations.explore.amplifier import MECHANISM
from derivations.explore.book import claims_on
from derivations.explore.chapters import chapter
from derivations.explore.server import site_in, view_at
from derivations.explore.views import view_of, views
from derivations.publish.places import sources
from tests.derivations.explore.browser import EVERY, Page, explorer, needs_a_browser
from theory.claims import catalog
from theory.gaussian.expectation import Expectation
from theory.gaussian.moment import text
from theory.problem import InputError

STEPS = ("E[Heaviside(z1)*Heaviside(z2)] = 1/4 + asin(c)/(2*pi)", "[[1, c], [c, 1]]", "-1<c<1")
AT = "#/formula?line=Heaviside(z1)*erf(h*z2)&cov=[[1,r],[r,1]]&where=h>0,-1<r<1"


def ids(*question):
    line, cov, where = question
    return [claim["id"] for claim in claims_on(line, cov, "", where)]


def own_questions():
    """Each claim that equates one average with a formula, with the question that it answers, in its own names."""
    for name, claim in catalog().items():
        left = getattr(claim.statement, "lhs", None)
        if isinstance(left, Expectation):
            rows = ", ".join(f"[{', '.join(map(text, row))}]" for row in left.cov.tolist())
            where = ", ".join(
                f"{text(p.domain.start)}<{p.symbol.name}<{text(p.domain.end)}"
                for p in claim.params
                if isinstance(p.domain, sympy.Interval)
            )
            yield name, (text(left.integrand), f"[{rows}]", where)


def test_every_claim_on_an_average_is_found_by_it():
    questions = dict(own_questions())
    assert len(questions) > 10
    assert [name for name, question in questions.items() if name not in ids(*question)] == []


def test_names_and_numbers_of_parameters_do_not_matter_and_the_average_does():
    assert "gaussian.step_step.orthant" in ids(*STEPS)
    assert "gaussian.step_step.orthant" in ids("Heaviside(z1)*Heaviside(z2)", "[[1, -1/5], [-1/5, 1]]", "")
    assert "gaussian.step_step.orthant" not in ids("Heaviside(z1)*Heaviside(z2)", "[[1, 1], [1, 2]]", "")
    assert ids("z1**7*exp(z2)", "[[1, 1/2], [1/2, 1]]", "") == []


def test_a_number_outside_of_the_domain_is_no_case_of_a_claim():
    name = "marginal.kurtosis.cubic"
    coefficient = catalog()[name].params[0].domain
    assert 0 not in coefficient
    assert 2 in coefficient
    assert name in ids("(z1 + 2*z1**3)**4", "[[1]]", "")
    assert name not in ids("z1**4", "[[1]]", "")


def test_the_view_of_a_fragment_must_exist():
    assert view_at(AT) == AT.removeprefix("#/")
    assert view_at("/data") == view_at("data") == "data"
    with pytest.raises(InputError, match="no view 'dta'"):
        view_at("#/dta?x=1")


def test_a_folder_without_claim_pages_is_no_site(tmp_path):
    with pytest.raises(InputError, match="no folder claims"):
        site_in(tmp_path)
    (tmp_path / "claims").mkdir()
    assert site_in(tmp_path) == tmp_path


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A site with the pages of two claims."""
    folder = tmp_path_factory.mktemp("site")
    (folder / "claims").mkdir()
    for name in ("gaussian.step_erf.arcsine", "gaussian.step_step.orthant"):
        (folder / "claims" / f"{name}.html").write_text(f"<!doctype html><h1>{name}</h1>", encoding="utf-8")
    chapter = '<!doctype html><h1>A chapter</h1><a href="/#/formula?line=z1**2&cov=[[1]]">to the explorer</a>'
    (folder / "amplifier.html").write_text(chapter, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def running(site):
    with explorer("--at", AT, "--site", str(site)) as found:
        yield found


def asked(shown):
    return [
        shown.page.locator(f".asked-{name} :is(input, textarea)").input_value() for name in ("line", "cov", "where")
    ]


def copied(shown, label, beginning):
    """The text that a button copies, which begins so."""
    shown.page.get_by_role("button", name=label).click()
    holds = "beginning => navigator.clipboard.readText().then(text => text.startsWith(beginning))"
    shown.page.wait_for_function(holds, arg=beginning, polling=EVERY)
    return shown.page.evaluate("navigator.clipboard.readText()")


@needs_a_browser
def test_a_question_comes_from_the_address_and_goes_into_links(running):
    shown = Page(running.context.new_page(), running.address)
    shown.page.goto(running.printed)
    shown.page.locator(".verdict .badge", has_text="derived, each step checked").wait_for()
    assert asked(shown) == ["Heaviside(z1)*erf(h*z2)", "[[1,r],[r,1]]", "h>0,-1<r<1"]
    command = shlex.split(copied(shown, "Copy the command that opens it", "gdln "))
    assert command[:3] == ["gdln", "explore", "--at"]
    question = parse_qs(view_at(command[3]).partition("?")[2])
    assert [question[name] for name in ("line", "cov", "where")] == [[value] for value in asked(shown)]
    other = Page(running.context.new_page(), running.address)
    other.page.goto(copied(shown, "Copy a link to this formula", running.address))
    other.page.locator(".verdict .badge", has_text="derived, each step checked").wait_for()
    assert asked(other) == asked(shown)
    assert "token" not in other.page.url
    for tab in (shown, other):
        tab.nothing_went_wrong()
        tab.page.close()


def test_chapters_of_views_are_pages_of_the_book():
    known = {page: text.splitlines()[0] for page, text in sources().items()}
    named = [page for view in views().values() for page in getattr(view, "CHAPTERS", ())]
    assert {"amplifier", "relu-gates", "localization-sweep"} <= set(named)
    assert [f"# {chapter(page)['title']}" for page in named] == [known[page] for page in named]


def test_every_view_has_a_chapter():
    assert [name for name, view in views().items() if not getattr(view, "CHAPTERS", ())] == ["start"]


@pytest.mark.parametrize("name", ["amplifier", "compare"])
def test_where_the_instability_is_spoken_of_the_chapters_that_prove_and_measure_it_are_linked(name):
    """The sentence on a wave that becomes a bump names two chapters, and the view links to both."""
    assert {"amplifier", "localization-sweep"} <= set(view_of(name).CHAPTERS)
    assert "localization amplifier" in MECHANISM
    assert "gain sweep" in MECHANISM
    assert [chapter(page)["title"] for page in ("amplifier", "localization-sweep")] == [
        "The localization amplifier",
        "The gain sweep of localization",
    ]


@needs_a_browser
def test_a_view_leads_to_its_chapter_and_the_chapter_back(running):
    """A link of the site opens the explorer in a tab that has the token of the one it came from."""
    shown = running.tab("amplifier")
    with shown.page.context.expect_page() as opened:
        shown.page.get_by_role("link", name="The localization amplifier").click()
    page = opened.value
    page.get_by_role("link", name="to the explorer").click()
    page.locator(".verdict .badge").first.wait_for()
    assert page.locator("#banner").is_hidden()
    page.close()
    shown.nothing_went_wrong()
    shown.page.close()


@needs_a_browser
def test_a_tab_without_the_token_is_told_from_a_server_that_has_ended(running):
    page = running.context.new_page()
    page.goto(running.address.partition("#")[0] + "#/formula?line=z1")
    banner = page.locator("#banner")
    banner.get_by_text("This tab lacks the token").wait_for()
    assert "&view=formula?line=z1" in banner.inner_text()
    assert "ended" not in banner.inner_text()
    page.evaluate("sessionStorage.setItem('gdln-token', 'of-another-server')")
    page.reload()
    banner.get_by_text("This page belongs to a server that has ended").wait_for()
    page.goto(f"{running.address}&view=formula?line=z1**2&cov=[[1]]")  # in the same tab
    page.locator(".verdict .badge").first.wait_for()
    assert banner.is_hidden()
    assert "token" not in page.url
    page.close()


@needs_a_browser
def test_a_new_question_in_the_address_is_asked_and_a_claim_leads_to_its_page(running):
    shown = running.tab("formula")
    page = shown.page
    page.get_by_role("heading", name="Where the book derives this").wait_for()
    line, cov, where = STEPS
    fragment = page.evaluate(
        "given => '#/formula?' + new URLSearchParams(given)", dict(line=line, cov=cov, where=where)
    )
    page.evaluate("fragment => { location.hash = fragment; }", fragment)
    page.locator(".verdict .badge", has_text="proved").wait_for()
    assert asked(shown) == [line, cov, where]
    with page.context.expect_page() as opened:
        page.get_by_role("link", name="gaussian.step_step.orthant").click()
    opened.value.get_by_role("heading", name="gaussian.step_step.orthant").wait_for()
    opened.value.close()
    page.reload()
    page.locator(".verdict .badge", has_text="proved").wait_for()
    assert asked(shown) == [line, cov, where]
    shown.nothing_went_wrong()
    page.close()
