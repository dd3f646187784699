"""Claims of one's own: a file of statements beside problem files, judged by the levels of the built-in claims."""
