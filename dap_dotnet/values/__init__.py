"""Values as the user sees them: names of types, text, children, paging."""
