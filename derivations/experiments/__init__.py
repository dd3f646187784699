"""Experiments: one folder each, with the decision rule beside the theory it tests; `folders` finds them.

Claims that register an observable, a prediction and wrong forms need no experiment: `registered` runs them all.
"""
