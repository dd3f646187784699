"""Deep linear networks: exact solutions of their gradient flow."""
