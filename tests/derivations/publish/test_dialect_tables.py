"""The tables of the page on dialects are those of the conversions."""

from dataclasses import fields, replace

from derivations.publish.dialect_tables import COLUMNS, TABLES
from theory.claims import dialects
from theory.claims.dialects import DIALECTS


def rows(name):
    """The cells of a table by the first cell of their row."""
    lines = [line.strip("| ").split(" | ") for line in TABLES[name]().splitlines()[2:]]
    return {line[0]: line[1:] for line in lines}


def test_a_changed_convention_changes_its_cell(monkeypatch):
    before = rows("conventions")
    monkeypatch.setitem(COLUMNS, "workbench", replace(dialects.OURS, loss_factor=dialects.HEAD.loss_factor))
    after = rows("conventions")
    assert [title for title in before if before[title] != after[title]] == ["loss"]


def test_a_convention_that_a_source_does_not_state_is_not_shown():
    names = {field.name for field in fields(dialects.Dialect)}
    assert all(dialect.undecided <= names for dialect in DIALECTS)
    notes = list(COLUMNS).index("notes")
    table = rows("conventions")
    assert [table[title][notes] for title in ("divided by", "kernel", "loss", '"IPR"')] == ["not stated"] * 4
    assert table["labels, first length named first"][notes] == "1, 0"
    assert table["divided by"][0] == "$Z$"
    assert "not stated" not in {cells[0] for cells in table.values()}


def test_the_conversions_to_the_workbench_are_listed():
    """By hand: 1/sqrt(400) = 1/20 before the weights and a loss twice ours make t' = a^2 2 t."""
    result = rows("conversions")
    assert result["conv_emerge, perturbation=0"] == ["0.7071", "1/20", "1/200", "1/2", "4"]
    assert result["Localization, head"] == ["1", "1", "2", "1/2", "1/4"]
    assert result["Localization, head, adjust=(0, 1)"] == ["1", "–", "–", "1/2", "1/4"]
    assert result["conv_emerge, p=1"][:3] == ["–", "–", "–"]
