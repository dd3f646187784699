"""Reasons, shared by several claims, why a level of checking does not apply."""

from theory.claims.model import Kind

ARCSINES = r"an arcsine or arctangent over $\pi$ is not rational at most rational points"
EXPONENTIALS = "the flow is exponential in time, so it is not rational at rational times"
A_LIMIT = "the definition is the limit of a flow, which no finite sum of fractions reaches"
SAMPLES_BY_ROOTS = "the samples that have these moments are built with square roots"
BY_LAGS = (
    "the library has it in float64 for the correlations of a law, as compared in `moment.site_gate.yx` and "
    "`moment.site_gate.xx`"
)
IN_A_DERIVATION = "a step of a derivation: the library uses what follows from it, and does not evaluate it"
NO_VELOCITY = "the library moves by the solved flow and evaluates no velocity"
NO_NETWORK = "the theory evaluates no network; the simulator does, and is a witness of its own"
FINITE_DATA = "the library solves data laws with gates of half spaces, not lists of samples with any gates"
BY_COUNTING = "every pulse is counted in fractions at drawn points; no chain of steps derives the count"

# The reasons for every claim of a kind.
OF_KIND = {
    Kind.DEFINITION: "a definition names something and states nothing that could be false",
    Kind.EMPIRICAL: "a sentence on trained networks: an experiment decides it, with its own control",
}
NOT_GIVEN = "no reason is given"
