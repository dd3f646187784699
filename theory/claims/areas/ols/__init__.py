"""Claims on least-squares losses and the gates that make them small."""
