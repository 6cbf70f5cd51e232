"""The Debug Adapter Protocol on the wire: framing, messages, transport. Knows nothing of .NET."""
