"""LINQ over what the adapter itself goes through, by the method that the binder has resolved."""
