"""Data breakpoints: from a field's name to the stores that can change it, and what has changed at a hit."""
