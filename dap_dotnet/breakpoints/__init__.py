"""Breakpoints: what the user asked for (logical), and what the runtime has (bound)."""
