"""Collections of the framework as their items, read from their fields without a call into the program."""
