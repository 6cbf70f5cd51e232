"""What can be done with operands: members, operators, conversions, text, indexing, methods."""
