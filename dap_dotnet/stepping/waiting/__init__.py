"""What threads wait for, which is not stepping."""
