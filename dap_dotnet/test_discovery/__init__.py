"""Tests in a built assembly, from its metadata and its PDB alone: nothing is built, loaded or run."""
