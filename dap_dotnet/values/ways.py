"""How a value was had, as clients are told among its attributes. What was only read has no such attribute."""

from __future__ import annotations

INTERPRETED = "interpreted"
"""Code of the program was followed by the debugger: nothing ran."""
CALLED = "called"
"""Code of the program ran for the value, or for the text that it is shown by."""
BEHIND = "boundToActualType"
"""Part of the expression is a member that the declared type has not, and the object's own type has."""
