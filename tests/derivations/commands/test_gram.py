"""`gdln gram` as it is typed: the text, the JSON, and what it refuses."""

import json
from fractions import Fraction

import pytest

from derivations import cli
from derivations.output import BAD_INPUT, OUT_OF_REACH, PASS
from tests.theory.kernels import enumeration


def said(capsys, *words):
    code = cli.main(["gram", *map(str, words), "--json"])
    return code, json.loads(capsys.readouterr().out)


def test_json(capsys):
    code, found = said(capsys, "--width", 10, "--depth", 3)
    assert (code, found["schema"], found["gates"], found["weights"]) == (PASS, "gdln.gram/1", "all-on", "bernoulli")
    assert (found["mean"], found["variance"]) == ("300", "3600")
    assert found["printed_bound"] == str(max(3**2 * 10**3, 3**3 * 10**2))
    assert found["relative_variance"] == "0.04"


def test_random_gates_of_two_layers(capsys):
    """K0 = sum_i g_i (theta_1i^2 + theta_2i^2) = 2 s^2 B, with B binomial."""
    found = said(capsys, "--width", 9, "--depth", 2, "--gates", "bernoulli:1/3")[1]
    assert (found["mean"], found["variance"]) == (str(2 * 3), str(4 * 2))
    cross = said(capsys, "--width", 9, "--depth", 2, "--gates", "bernoulli:1/3", "--cross")[1]
    # Gates of two inputs are open together with probability 1/9: K0 = 2 s^2 B again.
    assert (cross["mean"], cross["variance"], cross["entry"]) == ("2", str(4 * Fraction(9 * 8, 81)), "cross")
    assert found["proved_relative_bound"] is None


def test_gaussian_weights_have_no_printed_bound(capsys):
    found = said(capsys, "--width", 5, "--depth", 2, "--weights", "gaussian")[1]
    assert (found["mean"], found["variance"], found["printed_bound"]) == ("10", "20", None)


def test_closed_gates(capsys):
    code, found = said(capsys, "--width", 5, "--depth", 3, "--gates", "bernoulli:0")
    assert (code, found["mean"], found["variance"], found["relative_variance"]) == (PASS, "0", "0", None)
    assert cli.main(["gram", "--width", "5", "--depth", "3", "--gates", "bernoulli:0"]) == PASS


def test_text(capsys):
    assert cli.main(["gram", "--width", "100", "--depth", "10"]) == PASS
    text = capsys.readouterr().out
    assert "variance            8.396457019\n" in text  # for s^2 = 1/w
    assert "condition 4d/w^2 < 1 holds" in text
    assert cli.main(["gram", "--width", "2", "--depth", "3", "--gates", "bernoulli:1/2"]) == PASS
    text = capsys.readouterr().out
    assert "for s^2 = 1/(mu w)" in text
    assert "does not hold" in text


def test_numbers_longer_than_python_prints(capsys):
    found = said(capsys, "--width", 10**4, "--depth", 1000)[1]
    assert found["mean"] == "1" + "0" * (4 * 999 + 3)
    assert len(found["variance"]) == 7998
    assert found["relative_variance"].startswith("0.144974")


def test_unequal_levels_and_inputs(capsys):
    """Beside all signs: two input nodes, levels of two nodes and one, all gates open."""
    found = said(capsys, "--widths", "2,1", "--input", "1,2", "--other", "3,-1")[1]
    inputs, gates = [[1, 2], [3, -1]], [[[1, 1], [1]]] * 2
    mean, square = (enumeration.moment(inputs, gates, [(0, 1)] * power) for power in (1, 2))
    assert (found["mean"], found["variance"], found["entry"]) == (str(mean), str(square - mean**2), "cross")
    assert (found["width"], found["widths"], found["depth"]) == (None, [2, 1], 3)
    assert found["inputs"] == [["1", "2"], ["3", "-1"]]
    assert (found["printed_bound"], found["proved_relative_bound"], found["tail"]) == (None, None, None)
    assert cli.main(["gram", "--widths", "2,1", "--input", "1,2", "--other", "3,-1"]) == PASS
    assert "depth d = 3, widths 2, 1, gates all-on, weights bernoulli of variance s^2, x = (1, 2), x' = (3, -1)" in (
        capsys.readouterr().out
    )


def test_an_input_of_several_entries_keeps_the_proved_bound(capsys):
    found = said(capsys, "--width", 4, "--depth", 3, "--input", "1,-1/2")[1]
    assert (found["printed_bound"], found["proved_relative_bound"]) == (None, "1.25")
    assert found["mean"] == str(3 * 16 * Fraction(5, 4))
    cross = said(capsys, "--width", 4, "--depth", 3, "--input", "1,2", "--other", "1,0")[1]
    assert cross["proved_relative_bound"] is None  # the bound is for x = x'


def test_tails(capsys):
    found = said(capsys, "--width", 10, "--depth", 3, "--tail", "1/2")[1]["tail"]
    assert (found["share"], found["chebyshev"], found["cantelli"]) == ("1/2", "0.16", "0.1379310345")
    assert cli.main(["gram", "--width", "10", "--depth", "3", "--tail", "1/2"]) == PASS
    least = found["fourth_moment"]
    assert float(least) < float(found["chebyshev"])
    assert f"P(|K0 - mean| >= 1/2 |mean|) <= {least}, on one side <= 0.1379310345, proved" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        ([], BAD_INPUT, "--width and --depth, or --widths, are needed"),
        (["--width", "3", "--widths", "3,2"], BAD_INPUT, "--widths has the nodes of all hidden levels"),
        (["--widths", ""], BAD_INPUT, "'' of --widths is no whole number"),
        (["--widths", "3", "--input", ""], BAD_INPUT, "an input = '' is not a number"),
        (["--width", "3", "--depth", "3", "--tail", ""], BAD_INPUT, "--tail = '' is not a number"),
        (["--width", "3", "--depth", "3", "--gates", ""], BAD_INPUT, "--gates '' is not known"),
        (["--widths", "3,x"], BAD_INPUT, "'x' of --widths is no whole number"),
        (["--widths", "3,0"], BAD_INPUT, "a width of --widths = 0 must be at least 1"),
        (["--widths", "3", "--other", "1,2"], BAD_INPUT, "the first is missing"),
        (["--widths", "3", "--input", "1", "--other", "1,2"], BAD_INPUT, "The inputs have 1 and 2 entries"),
        (["--widths", "3", "--input", "1,y"], BAD_INPUT, "an input = 'y' is not a number"),
        (["--width", "3", "--depth", "3", "--tail", "0"], BAD_INPUT, "is no distance"),
        (["--width", "0", "--depth", "3"], BAD_INPUT, "width = 0 must be at least 1"),
        (["--width", "3", "--depth", "0"], BAD_INPUT, "depth = 0 must be at least 1"),
        (["--width", "3", "--depth", "-1"], BAD_INPUT, "depth = -1 must be at least 1"),
        (["--width", "2.5", "--depth", "3"], BAD_INPUT, "Invalid value for '--width'"),
        (["--width", "3"], BAD_INPUT, "--depth"),
        (["--width", "3", "--depth", "3", "--gates", "bernoulli:3/2"], BAD_INPUT, "3/2 of --gates is no probability"),
        (["--width", "3", "--depth", "3", "--gates", "bernoulli:-1/2"], BAD_INPUT, "-1/2 of --gates is no probability"),
        (["--width", "3", "--depth", "3", "--gates", "bernoulli:x"], BAD_INPUT, "mu of --gates = 'x' is not a number"),
        (["--width", "3", "--depth", "3", "--gates", "relu"], BAD_INPUT, "--gates 'relu' is not known"),
        (["--width", "3", "--depth", "3", "--gates", "bernoulli"], BAD_INPUT, "--gates 'bernoulli' is not known"),
        (["--width", "3", "--depth", "3", "--weights", "cauchy"], BAD_INPUT, "--weights = 'cauchy' is not known"),
        (["--width", "10000", "--depth", "100000"], OUT_OF_REACH, "Depth 100000 is too large"),
        (["--width", "3", "--depth", str(10**12)], BAD_INPUT, "is more than 1000000"),
        (["--width", "3", "--depth", "3", "--timeout", "0"], BAD_INPUT, "is no time limit"),
    ],
)
def test_refusals(words, code, message, capsys):
    found = said(capsys, *words)
    assert found[0] == code
    assert message in found[1]["error"]["message"]
    assert found[1]["error"]["hint"]
