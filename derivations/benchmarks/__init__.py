"""Measurements for `gdln bench`: each writes one JSON object with versions, ratios taken in one run."""
