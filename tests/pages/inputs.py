"""Numbers on the pages that nothing computes: configurations, horizons, domains, sections, constants of formulas.

Each is a pattern of the plain text. A result that a page states belongs in `sentences`, not here.
"""

INPUTS = (
    r"[Ss]ections? \d\.\d((,| and|, section) \d\.\d)*",
    # domains of parameters and conditions on them
    r"^- -? ?\d+/\d+ (<|leq) [^:]*",
    r"^- .* > \d+/\d+$",
    r"^- g in left 1/20,",
    r"lengths are tried in steps of 1/100 site",
    # configurations
    r"at gain 1/(10|20)",
    r"xi1 = 0\.7 > xi2 = 0\.3",
    r"(lengths|at lengths|With lengths of|with lengths) 0\.3 and 0\.7",
    r"xi1 = 0\.7 \(y = 1\) and xi2 = 0\.3 \(y = 0\)",
    r"\(3\.5, 2\)",
    r"standard deviation (0\.007|1/100 or 1/10|1/10( or (3/10|1))?)",
    r"learning rate (0\.1|K2/100 or K2/50)",
    r"at rate 0\.0?1\b",
    r"mathcal N\(0, 0\.1\^2\)",
    r"lengths 3/2 and 3/4",
    r"xi = \(3/2, 1\) for y = \(1, 0\)",
    r"w = e20 \+ 1/2 e22",
    r"x = 1/[ab]",
    r"(Up to|At|From) gain \d\.\d( on)?",
    r"gains 35\.9 and 100",
    r"added to the diagonal .*",
    r"The 10\^-3 on the diagonal",
    r"in units of 10\^-12$",
    r"output bias starts( where .*)? at 1/2 for erf and at 0 for sigmoid",
    # levels that a rule fixed
    r"its intervals are those of 99\.5 %: so a decision that either look makes is wrong with probability 1/100 at most",
    r"as 99\.5 % intervals for the four differences",
    r"All modes start at the strength 0\.01",
    r"of L = \(s - [^)]*\)2/2",
    # class probabilities, labels and factors, by convention
    r"probability 1/2( each)?",
    r"each (has|with) probability 1/2",
    r"class prior 1/2",
    r"\| class probabilities \| 1/2 each",
    r"1/2 for balanced classes",
    r"(the )?factor 1/2",
    r"without( its)? 1/2",
    r"the 1/2 of the loss",
    r"langle y2 rangle = 1/2",
    r"\| loss \| 1/2 langle",
    r"W2 = \(1/2, 1/2\)",
    r"s = 1/2, and the half-mse",
    r"\(1/2\) A11-1",
    # constants of formulas that stand in a sentence
    r"1/2 \[\(f - 1\)2 \+ f2\] = \(f - 1/2\)2 \+ 1/4: the labels are \+- 1/2,",
    r"\(a - 1/2\)/n and \(b \+ 1/2\)/n",
    r"large-gain \| 1/2 operatornameerf",
    r"1/\(2 Z\)",
    r"rangle = 1/2 ?",
    r"correlations 1/2$",
    # bounds, and values of a share that is unrelated
    r"below 1/2, where",
    r"1/2 (is|being) unrelated",
    r"unrelated gates: 1/2",
    r"1/2 for unrelated gates",
    r"by less than 1/3 and",
    r"At p = 1/2",
)
