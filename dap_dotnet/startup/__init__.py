"""The adapter process: its options, its log, and what makes it start fast and end well."""
