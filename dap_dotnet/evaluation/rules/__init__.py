"""Rules of C#: what the compiler says, and why."""
