"""Claims on the neural tangent kernel of gated networks at finite width."""
