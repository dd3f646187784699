"""`gdln ntk` as it is typed: the text, the JSON, and what it refuses."""

import json
from math import asin, pi, sqrt

import pytest

from derivations import cli
from derivations.output import BAD_INPUT, OUT_OF_REACH, PASS
from tests.tolerances import UNIT_ROUNDOFF


def said(capsys, *words):
    code = cli.main(["ntk", *map(str, words), "--json"])
    return code, json.loads(capsys.readouterr().out)


def test_json_of_relu(capsys):
    """Two layers of weights: k1(r) + r k0(r), both in closed form at r = 1/2."""
    code, found = said(capsys, "--activation", "relu", "--depth", 2, "--corr", "1/2", "--digits", 40)
    angle = asin(0.5)
    first = (sqrt(0.75) + 0.5 * (pi / 2 + angle)) / pi
    assert abs(float(found["value"]) - first - 0.5 * (0.5 + angle / pi)) <= 4 * UNIT_ROUNDOFF
    assert (code, found["schema"], found["digits"], found["weight_variance"]) == (PASS, "gdln.ntk/1", 40, "2")
    assert 40 <= len(found["value"].removeprefix("0.")) <= 42
    assert (found["last"], found["kernel"], found["formula"]) == ("alike", "ntk", "relu(h)")


def test_json_of_erf(capsys):
    """erf is erf(h): (2/pi) asin(2 c/3) + c (4/pi)/sqrt(9 - 4 c^2), and erf(h/sqrt 2) by its gain."""
    found = said(capsys, "--activation", "erf", "--depth", 2, "--corr", "-0.5")[1]
    assert abs(float(found["value"]) - 2 / pi * asin(-1 / 3) + 0.5 * 4 / pi / sqrt(8)) <= 4 * UNIT_ROUNDOFF
    words = "--activation erf --gain 1/sqrt(2) --depth 2 --corr 1/2 --kernel nngp"
    scaled = said(capsys, *words.split())[1]
    assert abs(float(scaled["value"]) - 2 / pi * asin(1 / 4)) <= 4 * UNIT_ROUNDOFF
    assert scaled["formula"] == "erf(sqrt(2)*h/2)"


@pytest.mark.parametrize("activation", ["relu", "leaky-relu:1/10", "abs", "step", "sign", "gelu", "max(h, 0)", "sin"])
def test_the_formula_is_written_as_it_is_read(activation, capsys):
    asked = ["--depth", 3, "--corr", "1/3", "--weight-variance", 1, "--digits", 10]
    found = said(capsys, "--activation", activation, *asked)[1]
    again = said(capsys, "--activation", found["formula"], *asked)[1]
    assert (found["value"], found["formula"]) == (again["value"], again["formula"])


def test_text(capsys):
    words = "--activation relu --depth 3 --corr 1/2 --norms [1,2] --bias-variance 1/2 --last unit --digits 5"
    assert cli.main(["ntk", *words.split()]) == PASS
    text = capsys.readouterr().out
    assert "s(h) = relu(h), depth d = 3" in text
    assert "biases of variance 1/2 in every layer" in text
    assert "of weights of variance 1/w" in text
    assert "5 correct digits by arb" in text
    assert cli.main(["ntk", "--activation", "relu", "--depth", "3", "--corr", "1/2", "--kernel", "fixed-gates"]) == PASS
    assert "fixed gates" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("code", "words", "said_so"),
    [
        (BAD_INPUT, "--activation tanh --depth 2 --corr 0", "tanh"),
        (BAD_INPUT, "--activation relu --depth 0 --corr 0", "depth"),
        (BAD_INPUT, "--activation relu --depth 2 --corr 2", "correlation"),
        (BAD_INPUT, "--activation relu --depth 2 --corr r", "--corr"),
        (BAD_INPUT, "--activation relu --depth 2 --corr oo", "oo is not a finite number"),
        (BAD_INPUT, "--activation relu --depth 2 --corr 0 --norms [1,oo]", "oo is not a finite number"),
        (BAD_INPUT, "--activation relu --depth 2 --corr 0 --gain nan", "--gain: nan is no number"),
        (BAD_INPUT, "--activation relu --depth 2 --corr 0 --gain oo", "positive and finite"),
        (BAD_INPUT, "--activation relu --depth 2 --corr 0 --weight-variance 0", "the first must be above 0"),
        (BAD_INPUT, "--activation relu --depth 2 --corr 0 --norms [1]", "--norms"),
        (BAD_INPUT, "--activation relu --depth 2 --corr 0 --last first", "last layer"),
        (BAD_INPUT, "--activation relu --depth 2 --corr 0 --digits 0", "digits"),
        (BAD_INPUT, "--activation relu --depth 2 --corr 0 --weight-variance 0", "variances"),
        (OUT_OF_REACH, "--activation erf --depth 2 --corr 0 --kernel fixed-gates", "gate"),
        (OUT_OF_REACH, "--activation relu(h)*sin(h) --depth 2 --corr 0", "correlated"),
        (OUT_OF_REACH, "--activation log(h) --depth 2 --corr 0", "log"),
    ],
)
def test_errors(capsys, code, words, said_so):
    assert cli.main(["ntk", *words.split()]) == code
    caught = capsys.readouterr()
    assert caught.out == ""
    assert said_so in caught.err
    assert "Traceback" not in caught.err
