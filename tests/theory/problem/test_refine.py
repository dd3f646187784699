"""The table [refine] of sweep files: what it declares, exactly, and what is no rule is a message that helps."""

from fractions import Fraction
from pathlib import Path

from tests.theory.problem.refusals import not_refused
from theory.problem import Sweep, dumps_sweep, loads_sweep
from theory.problem.sweep_toml import loads_record

HERE = Path(__file__).parent
HEAD = 'base = "valid.toml"\nobservables = ["loss", "participation-ratio", "weights"]\nstore = "results"\n'
AXES = '[axes]\n"data.gain" = [0.5, 1, 2]\n'
COMMON = '[refine]\nobservable = "loss"\ntime = 10.0\nconfidence = 0.99\nmost_cells = 40\n'
CHANGE = COMMON + 'where = "change"\nstep = 0.1\n[refine.finest]\n"data.gain" = { linspace = [0.5, 2, 31] }\n'
TEXT = HEAD + AXES + CHANGE


def loaded(text: str) -> Sweep:
    return loads_sweep(text, HERE)


def test_all_numbers_are_exact():
    rule = loaded(TEXT).refine
    assert (rule.step, rule.confidence, rule.time, rule.most_cells) == (Fraction(1, 10), Fraction(99, 100), 10, 40)
    assert rule.finest["data.gain"][:3] == (Fraction(1, 2), Fraction(11, 20), Fraction(3, 5))


def test_a_record_has_the_rule_and_a_plain_sweep_keeps_its_record():
    sweep = loaded(TEXT)
    again = loads_record(dumps_sweep(sweep), sweep.store)
    assert dumps_sweep(again) == dumps_sweep(sweep)
    assert again.refine.observable == "loss"
    assert '"refine"' not in dumps_sweep(loaded(HEAD + AXES))
    assert loads_record(dumps_sweep(loaded(HEAD + AXES)), "elsewhere").refine is None


def changed(old: str, new: str, text: str = TEXT) -> str:
    assert old in text
    return text.replace(old, new)


BAD = [
    (changed("step =", "stepp ="), "unknown key 'stepp'. Did you mean `step`?"),
    (changed('"change"', '"chance"'), "'chance' is not known. Did you mean `change`?"),
    (changed("step = 0.1\n", ""), "[refine] lacks `step`"),
    (changed(TEXT[TEXT.index("[refine.finest]") :], "finest = 0.1\n"), "refine.finest = 0.1 must be a table"),
    (
        changed("{ linspace = [0.5, 2, 31] }", "0.1"),
        "refine.finest: data.gain = 0.1 is not a list of values. Write [0.1, 1.0], { linspace",
    ),
    (changed("step = 0.1", "step = 0"), "refine.step = 0 must be > 0"),
    (changed("step = 0.1", "step = 0.1\nhalf_width = 1"), "unknown key 'half_width'"),
    (changed("0.99", "1"), "refine.confidence = 1 must lie between 0 and 1"),
    (changed('"loss"\ntime', '"weights"\nunit = 0\ntime'), "has a number for each time, unit, site"),
    (changed('"loss"\ntime', '"gate-flips-between"\nunit = 0\ntime'), "unit, time, other_time"),
    (changed("most_cells = 40", "most_cells = 2"), "must be at least 3"),
    (
        changed('"data.gain" = [0.5, 1, 2]', '"network.model" = ["relu", "erf"]').replace("data.gain", "network.model"),
        "axes: network.model[0] = 'relu' is not a number",
    ),
    (changed("[0.5, 1, 2]", "[2, 1, 0.5]"), "axes: data.gain: 1 follows 2"),
    (changed("[0.5, 1, 2]", "[0.5, 1.01, 2]"), "101/100 is not in the finest grid"),
    (HEAD + "[axes]\n" + CHANGE, "this sweep has 0 (product)"),
    (changed("[refine]", '"data.n" = [30, 40]\n"training.tau" = [1, 2]\n[refine]'), "this sweep has 3 (product)"),
    (changed("store =", 'combine = "zip"\nstore ='), "this sweep has 1 (zip)"),
    (changed("data.gain", "simulation.seed"), "nothing lies between two seeds"),
]


def test_bad_rules_are_refused():
    assert not_refused(loaded, BAD) == []
