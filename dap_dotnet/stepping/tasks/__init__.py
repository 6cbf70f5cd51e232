"""What the program waits for: the suspended async methods, and who awaits whom."""
