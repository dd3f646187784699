"""Definitions of the networks, and their equal forms."""
