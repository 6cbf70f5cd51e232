"""Methods that only read, interpreted from their IL instead of called."""
