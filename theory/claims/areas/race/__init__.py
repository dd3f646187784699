"""Claims on gated deep linear networks whose pathways race."""
