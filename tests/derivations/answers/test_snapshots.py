"""The answer of every verb beside a stored one: exit code, JSON object, text and what the picture shows.

`pytest --snapshot-update tests/derivations/answers` stores the answers anew; read the difference before you keep it.
"""

import pytest

PAIR = '--cov "[[1,1/2],[1/2,1]]"'
SYMBOLS = '--cov "[[1,r],[r,1]]" --where "-1<r<1"'
TRIPLE = '--cov "[[1,1/2,1/3],[1/2,1,1/4],[1/3,1/4,1]]"'
EXPECTATIONS = [
    f"moment Heaviside(z1)*erf(z2) {PAIR} --digits 12",
    f"moment sign(z1)*sign(z2)*z3**2 {TRIPLE}",
    'moment "Heaviside(z1)*erf(g*z2)" --cov "[[1,r],[r,1]]" --where "g>0,-1<r<1"',
    'moment "Heaviside(z1)*erf(g*z2)" --cov "[[1,r],[r,1]]" --where "g>0,-1<r<1" --limit "g->oo"',
    'moment "erf(g*z1)**2" --cov "[[1]]" --where "g>0" --export numpy',
    'moment "erf(g*z1)**2" --cov "[[1]]" --where "g>0" --export latex',
    f'moment Heaviside(z1)*relu(z2) {PAIR} --mean "[1/3,-1/2]"',
    'moment z1**2 --cov "[[1,1/3],[1/3,1]]" --given "z2 = 1/2"',
    'moment -1/2 --cov "[[1]]"',
    'moment z1*z2 --cov "[[1,2],[2,1]]"',
    'moment erf(g*z1) --cov "[[1]]"',
    'moment "z1^2" --cov "[[1]]"',
    'moment z1 --cov "[[1]]" --digits 0',
    'moment z1 --cov "[[1]]" --export fortran',
    'moment erf(g*z1) --cov "[[1]]" --where "g>0" --limit "g->1"',
    'moment erf(g*z1) --cov "[[1]]" --where "0<g<1,g>2"',
    f'check "E[sign(z1)*sign(z2)] = 2*asin(r)/pi" {SYMBOLS}',
    f'check "E[erf(z1)*erf(z2)] = 2*asin(r/3)/pi" {SYMBOLS}',
    'check "sqrt(x-1/2)**2 = x-1/2" --where "0<x<1"',
    'check "asin(sin(x)) = x" --where "-1<x<1"',
    'check "sign(x-y) = 1" --where "0<y<1,y<x<3"',
    'check "sqrt(x**2) = x" --where "-1<x<1"',
    'check "E[z1] = b*r" --cov "[[1,r],[r,1]]" --where "-1<r<1" --given "z2 = b"',
    'check "1+1"',
    'check "x = x" --digits 0',
    'check "E[Heaviside(z1)*erf(g*z2)] = atan(sqrt(r**2/(1/(2*g**2) + 1 - r**2)))/pi" '
    '--cov "[[1,r],[r,1]]" --where "g>0,-1<r<1" --digits 20',
    'check "E[sign(z1)*sign(z2)] = 2*asin(c/sqrt(a*b))/pi" --cov "[[a,c],[c,b]]" --where "-1<a<4,b>0,c>0,c**3<a*b"',
    'moment "Heaviside(z1)*erf(g*z2)" --cov "[[1,r],[r,1]]" --where "g<0,-1<r<1"',
    'moment "erf(g*z1)*z1" --cov "[[1]]" --where "-2<g<-1"',
    'moment "z1**2*Heaviside(z2)" --cov "[[2,r],[r,1]]" --where "-1<r<1"',
    'moment sign(z1)*sign(z2) --cov "[[1,r],[r,1]]" --where "-2<r<2"',
    'check "asin(2 + x) = 1" --where "0<x<1"',
    f"moment -hermite(2,z1)*z2**2 {PAIR}",
]
KERNELS = [
    "gram --width 10 --depth 3 --gates bernoulli:1/2 --weights bernoulli",
    "gram --width 25 --depth 5 --gates all-on --weights gaussian --tail 1/10",
    "gram --width 12 --depth 4 --gates bernoulli:1/2 --cross",
    "gram --widths 3,2,4 --input 1,2 --other 2,-1",
    "gram --widths 3,2 --input 1,1/2",
    "gram --width 4 --depth 3 --input 1,-1/2",
    "gram --width 3 --depth 2 --gates bernoulli:0",
    "gram --width 3 --depth 2 --gates bernoulli:3/2",
    "gram --width 3 --depth 2 --gates open",
    "gram --width 3 --widths 2,3",
    "gram --width 3",
    "gram --widths 2,x",
    "gram --width 3 --depth 2 --other 1,2",
    "gram --width 3 --depth 2 --input 1 --other 1,2",
    "ntk --activation relu --depth 3 --corr 1/2",
    "ntk --activation relu --depth 6 --corr -1/3 --kernel nngp --digits 12",
    "ntk --activation relu --depth 5 --corr 1/2 --kernel fixed-gates",
    'ntk --activation leaky-relu:1/10 --depth 2 --corr 2/3 --norms "[1,2]" --bias-variance 1/4 --last unit',
    'ntk --activation "erf(h/sqrt(2))" --depth 2 --corr 1/2 --gain 1/2 --weight-variance 3',
    "ntk --activation foo --depth 2 --corr 1/2",
    "paths toy.toml --plot toy.svg",
    "paths toy.toml --inputs 2 --torch",
    "paths toy-soft.toml --plot toy.svg",
    "paths toy-random.toml",
    "paths toy-open.toml",
    "paths wide.toml --inputs 0 --plot wide.svg",
    "paths toy.toml --inputs 3",
    "paths toy.toml --inputs a",
    "paths toy.toml --inputs 0,0",
    "paths small-bump.toml",
    "paths toy.toml --regions --plot plane.svg",
    "paths toy-plane.toml --regions --inputs 1",
    "paths toy.toml --regions --inputs 0,1",
    "paths toy.toml --regions --inputs 4",
    "paths toy.toml --regions --torch",
    "paths toy-random.toml --regions",
]
THEORY = [
    "solve line.toml --plot line.svg",
    "solve line.toml --digits 20",
    *(f"solve {name}.toml" for name in ("biases", "bars", "grid", "ising", "elliptical", "mixture", "one-pulse")),
    *(f"solve {name}.toml" for name in ("three-sites", "vector", "ring", "zero", "always", "mine", "relu-training")),
    "solve race.toml --plot race.svg",
    "solve race.toml --digits 20",
    "solve switch.toml",
    "solve routing.toml",
    "solve gated-readout.toml",
    "solve linear.toml",
    "solve nothing.toml",
    "flow race.toml --plot race.svg",
    "flow switch.toml --weight P1 --format latex",
    "flow race.toml --format markdown",
    "flow race.toml --format numpy",
    "flow race.toml --format torch",
    "flow race.toml --weight nothing",
    "flow race.toml --format word",
    "flow line.toml",
    "optimum three-sites.toml",
    "optimum three-sites.toml --gates 1 --kind exclusive",
    "optimum race.toml --gates 2 --kind tiling",
    "optimum race.toml",
    "optimum three-sites.toml --kind nothing",
    "optimum line.toml",
]
DATA = [
    *(f"data show {name}.toml" for name in ("line", "ising-grid", "single-pulse", "student-t", "mixture", "mine")),
    "data show bars.toml",
    "data show nlgp-matrix.toml",
    "data get mnist --from nothing",
    "data get",
    "data show",
    "data show line.toml --from x",
    "data fetch",
    'amplifier --marginal "exp(-sqrt(2)*abs(x))/sqrt(2)" --at "0.3, 0.9, 1" --digits 8 --plot phi.svg',
    'amplifier --values "0: 1/2, 4: 1/2" --rescale --at "-3/5" --digits 10',
    "amplifier --samples samples.txt --rescale --at 0.5 --plot phi.svg",
    "amplifier --quantile quantiles.txt --rescale --at 0.5,1",
    "amplifier ring.toml --at 0.5 --gains 0.05,5",
    "amplifier line.toml --at 0.5",
    "amplifier centred.toml --rescale --at 0.5",
    "amplifier",
    "amplifier --values 1,2",
    'amplifier --values "1: 1" --rescale',
    "amplifier --values '-1: 1/2, 1: 1/2' --at 3/2",
    "amplifier --values '-1: 1/2, 1: 1/2' --gains 1,2",
    "amplifier ring.toml --gains 2,1",
    "amplifier line.toml --gains 1,2",
    "amplifier --marginal exp(-abs(x))/2 --rescale",
    "amplifier --marginal exp(-abs(x))/2 --support 1",
    "amplifier --samples line.toml",
    "amplifier --quantile samples.txt",
    "controls line.toml",
    "controls grid-small.toml --marginal uniform --out grid-controls",
    "controls always.toml",
    'controls line.toml --marginal \'{ kind = "quantile", p = ["1/2", "3/4", 1], x = [0, 1, 3] }\'',
    'controls line.toml --correlation \'{ kind = "matern", smoothness = "3/2" }\'',
    "controls line.toml --marginal nothing",
    "controls line.toml --out .",
    "controls race.toml",
]


@pytest.mark.slow
def test_expectations_and_checks(changed):
    assert not changed(EXPECTATIONS)


def test_kernels_and_paths(changed):
    assert not changed(KERNELS)


def test_solutions_flows_and_best_gates(changed):
    assert not changed(THEORY)


def test_data_amplifiers_and_controls(changed):
    assert not changed(DATA)
