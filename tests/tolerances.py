"""Every tolerance of the test suite, by name, each with its derivation.

A tolerance is machine epsilon times a condition number, a standard error times a quantile, or the order of a method
times its step. The comment above a name says which, with the numbers. A test that needs another tolerance adds it here.
"""

import numpy as np

# Spacing of float64 at 1: one rounding is at most half of it, relative to the result.
UNIT_ROUNDOFF = float(np.finfo(float).eps)

# --- the simulator ---------------------------------------------------------------------------------------------------

# Six standard errors: P(|N(0, 1)| > 6) = 2e-9, so that a test of up to 1e5 entries fails by chance at most once in
# 5,000 choices of its seed, which is fixed.
STANDARD_ERRORS = 6.0

# A composite Gauss-Legendre sum of fewer than 2,000 terms, of them again 2,000: roundings add up as sqrt(2,000) = 45,
# relative to E erf(gain z)^2, and the reference is stored to 30 digits.
SIM_QUADRATURE = 64 * UNIT_ROUNDOFF

# F^T F against the covariance: products of n <= 40 terms of size <= 1 and the backward error of the eigensolver,
# each at most n roundings; what is dropped is added by the test.
SIM_FACTOR = 4 * 40 * UNIT_ROUNDOFF

# The same for the Fourier modes of a ring of up to 1,024 sites, relative to the largest eigenvalue: four roundings at
# each of ten stages, in the transform to the eigenvalues and in the two that make F^T F.
SIM_SPECTRAL = 3 * 4 * 10 * UNIT_ROUNDOFF

# A gradient is a mean over at most 40 examples of sums over at most 10 sites, by products in another order than
# autograd's; each activation and slope is right to a few roundings. Relative to the largest entry.
SIM_GRADIENT = 4 * 50 * UNIT_ROUNDOFF

# A soft gate is the difference of two values of Phi in [0, 1], each good to a few roundings of 1: of its own and, at
# sharpness 40 and |v| < 10, of its argument, beta v phi(beta v) <= 1/4 of them. Both sides of a comparison.
SOFT_GATE = 16 * UNIT_ROUNDOFF

# The same gradient 40 times in a contracting descent: at most 40 times the error of one. Relative likewise.
SIM_DESCENT = 40 * SIM_GRADIENT

# The same in float32, against float64.
SIM_DESCENT_SINGLE = SIM_DESCENT * float(np.finfo(np.float32).eps) / UNIT_ROUNDOFF

# Loss and moments summed over 200 examples in another order, each term of size up to 10.
SIM_SUMS = 200 * 10 * UNIT_ROUNDOFF

# The largest stable rate is estimated from 4,096 examples, half of them behind a closed gate: E u^4 / (E u^2)^2 = 4.4
# along the leading direction u, so the eigenvalue scatters by sqrt(3.4/4096) = 3 %, in the estimate and in the sample
# that is trained on; five standard deviations of the difference cover the upward bias of a largest eigenvalue.
SIM_STABLE_RATE = 5 * np.sqrt(2 * 3.4 / 4096)

# Sums over n <= 41 sites, of shares of power and in the transform, over another such sum: 41 roundings each, twice.
SIM_SHAPE = 4 * 41 * UNIT_ROUNDOFF

# A centre in sites is n/(2 pi) <= 7 times an angle, whose error is that of R over |R| >= 1/10; a width is a root, which
# halves relative errors, but of 1e-16 leaves 1e-8 where the width is 0: chords of one site are exact to a rounding.
SIM_CENTRE = 7 * 10 * SIM_SHAPE

# Mean over 40,000 draws of a ratio of variance v has the standard error sqrt(v/40,000); six of them.
NULL_DRAWS = 40_000

# --- moments through gates, and the solution of the flow -------------------------------------------------------------

# A moment by lag is atan2 of two sums, over Z: some twenty roundings, none amplified (1 - rho^2 and 1 - kappa^2 enter
# exactly). Relative to the entry; sums over the classes with labels of both signs relative to their largest term.
MOMENT_ENTRY = 32 * UNIT_ROUNDOFF

# E[s1 s2 s3 s4] is stated to 1e-13 absolute, and divides by Z^2 >= 2e-4 (gain 0.01) next to <x x^T>, which it then
# shares: relative to the largest entry of A.
MOMENT_FOUR_FACTORS = 1e-13

# The oracle stores 32 digits, rounded to nearest, so that the last is off by half a unit: relative 5e-32, for an entry
# with two such terms.
MOMENT_STORED_DIGITS = 32
MOMENT_STORED = 10.0 ** (1 - MOMENT_STORED_DIGITS)

# A sum over panels of two variables of some 1e6 weights, whose densities exp(-q/2) have roundings of q/2 eps each, q up
# to 8^2/(1 - r^2) = 120 at the bounds of the rarest gates; slabs that are differences of tails add a few.
THRESHOLD_PLANE = 400 * UNIT_ROUNDOFF

# The probability 2.4e-10 of a slab as a difference of tails of 0.16: some roundings over 2.4e-10, and its width times
# the density at one end is short of it by half of its width.
THIN_SLAB = 1e-6

# A composite Gauss-Legendre sum over 320 by 320 nodes with positive weights that sum to 1, cut at 12 standard
# deviations (4e-33): roundings add up as sqrt(1e5) eps at most; panels of half the width of the density and of erf at
# gain 3/2, longer only where the density is small, leave nothing of 16 nodes. Relative to the largest entry of A.
QUADRANTS = 500 * UNIT_ROUNDOFF

# The integral of a gate at two sites, as `two_sites` states it; the oracle stores 16 digits of numbers below 1.
TWO_SITES = 1e-13


def psd_slack(size: int) -> float:
    """Backward error of a symmetric eigensolver: `size` roundings of the largest eigenvalue, and those of entries."""
    return 4 * size * UNIT_ROUNDOFF


# The bound that solve itself states for w(inf): sixteen roundings (entries and eigensolver) times the condition number
# of A, by which it is multiplied; and the unit-sized entries of the right side.
FLOW_FLOAT64 = 16 * UNIT_ROUNDOFF

# Numbers that no condition number enters, of size 1 and by sums of at most 80 terms; also numbers that were solved in
# balls and rounded, with the few roundings of comparing them.
FLOW_ROUNDED = 80 * UNIT_ROUNDOFF

# w(t <= 100) by eigh of a (24, 24) matrix of norm 1/3: eigh is exact for a matrix within 24 roundings of it, and w
# moves by at most t times the change of the matrix, as |w| < 1: 100 * 24 * 1.1e-16 / 3.
FLOW_DENSE = 100 * 24 * UNIT_ROUNDOFF / 3

# Digits asked for where the oracle stores 32: nearest rounding is off by half a unit of the last digit, the oracle by
# half of a hundredth of one.
FLOW_DIGITS = 30
FLOW_DIGITS_SLACK = "0.51"

# Dense references on single pulses (pseudo-inverse, exponential of a matrix, at most 21 rows; least squares on 320
# inputs): sums of 21 terms, or 320 whose roundings add up as a root, some ten in a row; times the condition number.
PULSE_FLOW = 21 * 10 * UNIT_ROUNDOFF


# --- claims on the flow: oracles and exact formulas ------------------------------------------------------------------

# Digits asked of an oracle; it carries 30 more, of which differences of losses and doublings spend a few.
CLAIM_DIGITS = 35

# An oracle of 35 digits and a formula of 47 agree to 30: the other five are room for the condition of the point.
CLAIM_PRECISE = 1e-30


# A symmetric difference with step h errs by h^2/6 times a third derivative of size at most 100, at h = 1e-15.
PHI_DERIVATIVE = 100 / 6 * 1e-30

# --- Gaussian expectations -------------------------------------------------------------------------------------------

# four_signs promises 1e-13; sums of at most 140 nodes of four terms of size 1, each a few roundings: 140 * 4 * 2 eps.
ORTHANT_QUAD = 140 * 4 * UNIT_ROUNDOFF

# The derivative by a correlation where two variables are as close as 1 - r^2 = 1e-8: the angle of the other two is
# atan2(c, sqrt d), d a difference of eighty rounded operations of relative size 1e-8 where these are the close ones.
# The derivative itself is up to 1/sqrt(1 - r^2): its error is relative to the larger of that and 1.
ORTHANT_DERIVATIVE_CLOSE = 2 * 80 * UNIT_ROUNDOFF / 1e-4

# asin by atan2 of rounded numbers of size 1: three roundings, and two of multiplying by 2/pi.
ORTHANT_PAIR = 5 * UNIT_ROUNDOFF

# E of two signs at thresholds, at most 1 in size: two products of erf, and up to 12 nodes whose weights add up to 1,
# with some five roundings each in a term, which are added one by one.
WEAK_PAIR = (2 * 3 + 5 + 12) * UNIT_ROUNDOFF

# E of signs at thresholds: the arguments are rounded, and dE/dr <= (2/pi)/sqrt(1 - r^2) <= 460 at |r| <= 0.999999; six
# correlations, half an epsilon each, and as much again for differences of them. The stated bound is 1e-12.
THRESHOLD_SIGNS = 2 * 6 * 460 * UNIT_ROUNDOFF / 2

# The proved remainder of the quadrature as its docstring states it: canonical correlations to tanh(10) = 1 - 4e-9, and
# beyond.
THRESHOLD_PROVED = 1e-12
THRESHOLD_PROVED_CLOSE = 2e-11

# Tensors and arrays take the same steps; exp and erf of the two libraries differ in the last bit, in sums of fewer
# than a hundred terms of size 1.
THRESHOLD_TORCH = 100 * UNIT_ROUNDOFF

# The oracle of signs at thresholds stores numbers whose last two of 28 digits at least are not claimed: absolute where
# the value is of size 1, relative for Owen's T.
THRESHOLD_STORED = 1e-25

# A leaf has six correlations with five roundings of a quarter epsilon each on average; the slopes are
# (2/pi)/sqrt(1 - r^2) <= 460 at |r| <= 0.999999. The promise is 1e-12 for such gains and correlations.
NUMERIC_LEAF = 6 * 460 * 5 * UNIT_ROUNDOFF / 4


def owens_t(h: float, a: float) -> float:
    """Relative: rounding h^2/2 and (a h)^2/2 in exponents, rounding a and h themselves, and sixteen of the sum."""
    return (16 + 2 * h * h * (1 + min(abs(a), 1) ** 2)) * UNIT_ROUNDOFF


# --- the report ------------------------------------------------------------------------------------------------------

# Printed values and definitions are shown with 10 significant digits: half a unit of the last, for each of the two.
PRINTED_DIGITS = 2 * 0.5e-9

# P(all four positive) at correlations -1/3 + d is 9/(2 pi^2) d^(3/2) (1 + O(d)), the constant of order one: at
# d = 1e-40 the law holds to 40 digits, of which two are left for the constant.
ORTHANT_SCALING = 1e-38

# E[s1 s2 s3 s4] at a singular covariance against one with 1e-24 added to the diagonal: angles move by its root, times
# fewer than a hundred for the six angles of small integer vectors.
ORTHANT_LIMIT = 100 * 1e-12

# A quadrant at 160 bits, 48 digits: the two fans cancel by less than three digits at the points tried, and the rounding
# of some hundred panels takes three more; ten are kept in hand.
QUADRANT_RADIUS = 10.0 ** -(48 - 3 - 3 - 10)

# The same by mpmath in panels of 1, on which a conditional tail of scale sqrt(1 - r^2) >= 0.43 is a polynomial of
# degree 95, integrated by 48 Gauss-Legendre nodes, to (0.5/0.43)^95/sqrt(95!) < 1e-65; quad ends at an absolute error
# of 1e-60, 1e-29 of the smallest quadrant, 4e-31; four digits are kept in hand.
QUADRANT_BY_QUADRATURE = 1e-25

# What a coarse truncation leaves out, against the rounding of a few hundred operations at 160 bits, 1e-45: a midpoint
# that is farther off than this has lost more than rounding.
COARSE_ERROR = 1e-38

# The remainder of Gauss-Legendre bounds the quadrature of any function in the ellipse; T_2n comes within a factor of 8
# of it, by trying: the sum of the weights times the size 1 of T_2n, against 2 rho/(rho - 1).
BOUND_IS_SHARP = 1 / 16

# A ball at 128 bits whose remainders are below 2^-96, 1e-29, against a quadrature of 30 digits.
CERTIFIED_PAIR = 1e-25

# Signs of a nearly singular matrix in float64, times the root of 1 - c^2: one rounding of each correlation (2^-53),
# six of them with a slope of (2/pi)^2 at most, and the quadrature to a few dozen roundings.
CLOSE_SIGNS = 64 * UNIT_ROUNDOFF

# Two closed forms of twenty terms at a rational point, to 40 digits: they cancel by fewer than ten.
TWO_FORMS = 10.0 ** -(40 - 10)

# Exported closed forms are sums of a few dozen terms and quadratures of at most 161 positive weights: 1e-13 of the
# value at the gallery's points is about 450 roundings.
EXPORTED = 1e-13
# A central difference of step 1e-4 is off by step^2 |f^(3)|/6: relative 1e-6 where |f^(3)| stays below 600 |f'|.
EXPORTED_GRADIENT = 1e-6
# Upper moments are sums of positive terms, relative to the value: the exponent of a normal float64 is below 708 and is
# made by two squares and erfc, each of three roundings: 6 * 708 / 2^53 = 5e-13; the sum and the recurrence add less.
EXPORTED_TAIL = 1e-12
# Where the terms of an exported form cancel further, it returns nan, as theory.gaussian.export.code states.
EXPORTED_LEAST = 1e-6

# A gain of 1e6 (1e-6) is off its limit by a term of order 1/g^2 = 1e-12 (g^2) in kappa^2; correlations carry it with a
# slope of order one, and the quotient by g^2 = 1e-12 leaves the rounding 1e-16/1e-12.
GAIN_LIMIT = 1e-3

# E[1 1 x x] is a quarter of a covariance and of a four-sign expectation, each good to 1e-13, in units of Z^2 <= 1.
FOUR_POINT = 1e-13

# --- the meter of validity -------------------------------------------------------------------------------------------

# Means over at most 16 x 15 pairs of products of 80 numbers of size up to 10, and a root of a number of size 0.1.
METER_SUMS = 240 * 80 * 10 * UNIT_ROUNDOFF

# A band of level 10 % may miss in at most 21 of 120 repeated experiments, the mean 12 and three standard deviations of
# the binomial law, sqrt(120 x 0.1 x 0.9) = 3.3: one that misses with its level fails the test with probability 0.004,
# and one that misses in 30 % passes it with 0.001. The seed is fixed.
METER_LEVEL = 0.1
METER_REPEATS = 120
METER_MISSES = 12 + 3 * np.sqrt(120 * 0.1 * 0.9)

# --- the resampled test ----------------------------------------------------------------------------------------------

# Means and mean squares over at most 96 replicates, the quotient of two of them; relative to the result.
RESAMPLED_SUMS = 4 * 96 * UNIT_ROUNDOFF
# Sums of at most 91 binomial terms with powers up to 90: each term has a rounding for each power, and so has the end of
# the interval, which SciPy inverts to a few units in the last place.
BINOMIAL_TAILS = 4 * 90 * UNIT_ROUNDOFF

# Runs of the stored study that another processor may count differently: a p-value changes where the statistic and one
# of 499 maxima agree to the rounding 1e-6 of single precision, in 1e4 runs about once in a hundred cells.
RECOUNTED = 1

# --- stored measurements ----------------------------------------------------------------------------------------------

# Five significant digits: half a unit of the last one, relative to a number that begins with 1.
STORED_RATIOS = 5e-5

# --- the compiled back end -------------------------------------------------------------------------------------------

# A normal number r cos(t): t in [0, 2 pi] is rounded by at most four units of 1, sine and cosine by one, r < 6.8 by
# two relative ones; |z| < 6.8 (4 + 1 + 2) in units of the dtype, and once more for the other side.
COMPILED_NORMAL = 2 * 6.8 * 7

# erf = t P(t^2)/Q(t^2) in float32, in units of 2^-23. Each rounding is half a unit of what it rounds. That of t^2
# counts half, as erf(t)/t falls no faster than 1/t; Horner's sums count by their share of P and Q, which is largest at
# the end, t = 3.92: together 4.09 and 4.68 roundings; then come the quotient and its product with t; 0.02 is the fit.
COMPILED_ERF = (0.5 + 4.09 + 4.68 + 2) / 2 + 0.02

# erf in float64, in units of its last place. Below 1, t + t P: half a unit of the sum, and of |P| <= 0.38 and its
# product with t two roundings of it. From 1 on, 1 - N/D: half a unit of the difference; the terms of N add up to
# at most 5/2 D, so that four roundings of the larger ones are one unit of 1. Either fit is a twentieth of a unit.
COMPILED_ERF_DOUBLE = 2

# Two evaluations of the same expression in float64.
STREAM_NORMAL = COMPILED_NORMAL * UNIT_ROUNDOFF

# A covariance through a nonlinearity at unit variance, or E[s f(z)], of which `series` states 1e-13, beside a sum of
# Gauss-Legendre panels: 1,500 terms, of them again 1,300, whose roundings add up to less than that.
NONLINEAR = 2e-13

# The same through two signs and cubics: sums of some 60 terms of size at most 6! = 720, in 5 roundings each.
CUBIC_SIGNS = 60 * 720 * 5 * UNIT_ROUNDOFF

# Two forms of one function of the same float64 argument, each with less than 16 roundings, relative; in the tail the
# argument of an exponential or power of size 40 carries its own.
NONLINEAR_VALUES = 16 * 40 * UNIT_ROUNDOFF

# A density of erf(g z)/Z at |g z| <= 3/2, 1/2 <= g: erfinv turns the rounding of its argument into sqrt(pi)/2
# exp(9/4) = 8.4 of them, and the exponent u^2 - u^2/(2 g^2), |1 - 1/(2 g^2)| <= 1, that into 2 u 8.4 = 25; the other
# factors and the derivative beside it take a few, 64 in all.
MARGINAL_DENSITY = 64 * UNIT_ROUNDOFF

# P(x <= a) = Phi(u/g) at the same points: the 8.4 roundings of u times the slope of Phi, at most 0.4/g <= 0.8, and a
# few of Phi itself and of Z: 16 in all.
MARGINAL_CUMULATIVE = 16 * UNIT_ROUNDOFF

# 32 steps of a descent on 32 examples of 40 sites, cut into pieces, against one run: as SIM_GRADIENT, 4 roundings for
# each of at most 72 terms, every step. Relative to the largest weight.
EXPLORER_DESCENT = 32 * 4 * 72 * UNIT_ROUNDOFF

# Mean and covariance of at most 5 weighted examples: two sums of 5 products each, and a division by the class's share,
# each right to a rounding, relative to the largest square.
EXPLORER_EXAMPLES = 16 * UNIT_ROUNDOFF

# The participation ratio of a cosine: two sums of n <= 40 numbers, each rounded n times in relative terms since no term
# is negative, and a square and a quotient. Cosines of arguments below 7, which three roundings move by 21 units, enter
# in the second power and twice in the fourth: 8 times 21.
EXPLORER_WAVE = (3 * 40 + 8 * 21 + 3) * UNIT_ROUNDOFF

# --- the peers of the benchmarks -------------------------------------------------------------------------------------

# Factors in float32 of a covariance with entries <= 1: dropped modes and diagonals lie below one unit of float32 times
# the largest eigenvalue (<= 72 at xi = 40), and each entry of F^T F sums up to 400 products with two roundings of half
# a unit each, which add up as the root of their number times the size 1 of the whole sum.
PEER_COVARIANCE = (72 + np.sqrt(400)) * float(np.finfo(np.float32).eps)

# E[1 1 erf erf] by adaptive quadrature to 1e-12 beside the float64 block, whose error is at most 1e-12.
PLACKETT_QUADRATURE = 2e-12

# --- long correlation lengths, clipped rings, tails ------------------------------------------------------------------

# The optimum in float64 where modes are held: y2 = 1/2 less some 300 squares, each within 16 roundings of the largest.
NEAR_NULL_MSE = 64 * UNIT_ROUNDOFF
# How far the optimum over the moving modes may lie above that over all: the held modes have less of y than the rounding
# of A, 16 roundings of its largest eigenvalue 20, times |w|^2 = 10, and as much again.
NEAR_NULL_SHARE = 1e-12

# A value that is not recomputed has lost at most so many digits, as theory.gaussian.float64.tails states.
TAIL_ACCURACY = 1e-6

# --- worked examples -------------------------------------------------------------------------------------------------

# 200,000 examples of x = z +- 2, E x^2 = 5, E x^4 = 43, E x^6 = 499, E x^8 = 7193, as if their six sites were one: six
# standard errors of the means of x^2 and x_0 x_1 (variance at most 43 - 16), and of x^4/25 with twice the error of x^2
# times 43/125. A Gaussian's kurtosis is 1.28 more, and that of the strength 1 0.78 more.
EXAMPLE_MOMENT = 6 * np.sqrt(27 / 2e5)
EXAMPLE_KURTOSIS = 6 * (np.sqrt((7193 - 43**2) / 2e5) / 25 + 2 * 43 / 125 * np.sqrt(18 / 2e5))

# --- stored answers --------------------------------------------------------------------------------------------------

# Numbers are stored to nine digits, half a unit of the last is at most 5e-9 of the number; both sides are rounded, and
# another machine sums in another order, a hundredth of it. Below the second, a number is the rounding of a sum of terms
# up to 100.
SNAPSHOT_RELATIVE = 2e-8
SNAPSHOT_ZERO = 1e-13

# A sum of squares is flat to rounding, 1e-16 of it, within 1e-8 of its minimum: 1e-8 of a fitted parameter, of one that
# is determined to half its size only, 1e-6. The second is for parameters that are 0 but for their rounding.
SNAPSHOT_FIT = 1e-5
SNAPSHOT_FIT_ZERO = 1e-12

# A mean over the angle at n midpoints misplaces each of up to four jumps by half a step, pi/n of 2 pi, with jumps of a
# mean below 2 over the radius: 4 * 2/2 / n.
MIDPOINT_OF_JUMPS = 4
# The sum on steps of 1e-3 of a function with kinks at three nodes: the slope jumps by 2 there, an error of h^2/12 times
# 2 e^(-x^2/2)/sqrt(2 pi) < 1 each.
KINKS_ON_A_GRID = 3e-6 / 12
