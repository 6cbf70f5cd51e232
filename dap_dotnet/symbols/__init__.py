"""Loaded modules with their metadata and PDBs, and what names and source places they give."""
