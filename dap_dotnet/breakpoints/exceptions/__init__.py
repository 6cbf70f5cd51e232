"""Exception breakpoints: which exceptions stop the program, and at which moment of their life."""
