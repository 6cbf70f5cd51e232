"""What threads wait for: locks, tasks, events, other threads."""
