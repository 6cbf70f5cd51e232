"""State machines, the tasks of those, and who awaits them, as the objects of the program tell."""
