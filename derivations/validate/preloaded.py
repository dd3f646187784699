"""The modules that every worker of a validation needs, loaded once in the process that workers are forked from."""

import derivations.validate.tasks  # noqa: F401
from derivations.experiments.folders import discover
from theory.claims.registry import catalog

catalog()
discover()
