"""Running methods: interpreted where they only read, else called in the program."""
