"""The claims: the claim `area.subject.fact` is in the tuple CLAIMS of `areas/area/subject.py`.

Statement, derivation and oracle are in one file. Code shared by several subjects of an area is in a module of its
folder whose name begins with an underscore; code shared by several areas is in a module of `theory.claims`. The
registry finds folders and files without a list, and raises an error for a claim in a file that its id does not name.
"""
