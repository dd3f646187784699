"""Claims on single pulses."""
