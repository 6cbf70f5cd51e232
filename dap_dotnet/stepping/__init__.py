"""Steps: which IL ranges a step has to leave, and whether the place where it ended is one to show."""
