"""Function breakpoints: from a function's name to the methods of loaded modules."""
