"""What the user has decided on showing values: decided before a program starts, so that it is a module of its own."""

from __future__ import annotations

from msgspec import Struct


class DisplayOptions(Struct, frozen=True):
    """What showing a value may do and how it is shown: launch.json's `expressionEvaluationOptions`."""

    may_run: bool = True
    """Code of the program may run to show what the client opens."""
    may_run_to_string: bool = True
    """The same for ToString, where `may_run` allows calls at all."""
    raw: bool = False
    """Objects are shown with their members only, whatever attributes say and collections hold."""
    hover_timeout_s: float = 0.3
    """How long code of the program may run for a hover; 0: none does."""
    text_timeout_s: float = 2.0
    """How long one call for a value's text may take."""
    hidden: bool = False
    """All members are shown, those that attributes hide and what is not public among the others (`,hidden`)."""
    hexadecimal: bool | None = None
    """Whether integers are (`,h`), or are not (`,d`), whatever the client's format says; None: that decides."""
