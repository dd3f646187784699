"""Exact solutions of the gradient flow of a graph, each where its conditions hold."""
