"""The heap as a user asks for it: instances by type, who refers to an object, and what it keeps alive."""
