"""Bound code as closures that run here: reads of the program, computations, and calls of its methods."""
