"""C# types from metadata alone: which there are, and how they relate."""
