"""Data sets that are files: a table of them with their checksums, the folder that holds them, and its readers."""
