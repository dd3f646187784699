"""Claims on gradient flow and gradient descent."""
