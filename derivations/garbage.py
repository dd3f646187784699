"""The setting of Python's collector of cyclic garbage."""

# A collection of cyclic garbage walks over all that SymPy and torch have made. So many new objects, and so many earlier
# collections, are waited for: simulate and validate take 6 to 10 % less time, and no more memory.
GARBAGE = (50_000, 20, 100)
