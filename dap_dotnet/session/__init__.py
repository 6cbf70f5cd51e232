"""One debug session: its verbs, its state, and what each runtime event does to it."""
