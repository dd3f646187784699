"""The claims: the claim `area.subject.fact` stands in `areas/area/subject.py`, in that file's tuple CLAIMS.

Statement, derivation and oracle stand together. What several subjects of an area share is a module of its folder whose
name begins with an underscore; what several areas share is a module of `theory.claims`. The registry finds folders and
files by itself, and refuses a claim in a file that its id does not name.
"""
