"""The compiled back end on the CPU: the same networks on the same random numbers, by numba (extra `speed`)."""
