"""Breakpoints on source lines: from a path, a line and a column to statements of loaded modules."""
