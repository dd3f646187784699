"""Balls (Arb): certified values of SymPy expressions, and the signs that follow from them."""
