"""Claims on laws of listed examples, and on laws whose moments are estimated."""
