"""Claims on the laws of the localization notes, and on trained ReLU and sigmoid networks."""
