"""Claims on the tangent kernel of networks of infinite width."""
