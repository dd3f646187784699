"""Moments of x = f(gain z)/Z through half-spaces of z, one file for each nonlinearity f or family of them.

Each file registers the statistics of a class (`statistics_through`) and of its inputs (`inputs_through`).
"""
