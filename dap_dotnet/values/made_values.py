"""Structures that only the debugger has, made by following code of the program: values without a place in it."""

from __future__ import annotations

from dap_dotnet.runtime.model import Value


class MadeValue(Value, frozen=True):
    """A structure that a getter has made, as a value; its bytes (`raw`) only where a known text follows from them."""

    made: object = None
    """What getters are followed on: the interpreter's own."""
