"""`gdln gram` and `gdln ntk` as they are typed."""

from derivations.output import PASS


def test_numbers_longer_than_python_prints(gdln):
    code, kernel = gdln("gram", "--width", 10**4, "--depth", 1000)
    assert (code, kernel["mean"]) == (PASS, "1" + "0" * (4 * 999 + 3))
    assert len(kernel["variance"]) == 7998


def test_the_formula_is_written_as_it_is_read(gdln):
    options = ["--depth", 3, "--corr", "1/3", "--weight-variance", 1, "--digits", 10]
    for activation in ("leaky-relu:1/10", "step", "max(h, 0)", "sin"):
        kernel = gdln("ntk", "--activation", activation, *options)[1]
        again = gdln("ntk", "--activation", kernel["formula"], *options)[1]
        assert (kernel["value"], kernel["formula"]) == (again["value"], again["formula"]), activation
