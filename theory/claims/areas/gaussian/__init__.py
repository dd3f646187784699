"""Claims on Gaussian expectations of steps and erfs."""
