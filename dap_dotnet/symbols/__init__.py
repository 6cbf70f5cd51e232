"""Loaded modules with their metadata and PDBs, and what names and source spans they give."""
