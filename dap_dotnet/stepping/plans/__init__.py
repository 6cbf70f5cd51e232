"""The plans of steps, and the one loop that asks them."""
