"""Lambdas and groups of methods as code that the program is to run: C#'s rules applied, nothing run."""
