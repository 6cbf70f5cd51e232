"""From the tree to a closure that can be run in any frame at its site."""
