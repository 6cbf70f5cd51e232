"""Steps through async methods: awaits, who goes on when one has ended."""
