"""What the C# compiler makes of variables, by the names that it gives: closures and state machines, and their fields.

See Roslyn's GeneratedNames for the grammar.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Sequence

from dap_dotnet.runtime.model import Value
from dap_dotnet.values.context import Program
from dap_dotnet.values.typenames import full_name

_HOISTED = re.compile(r"^<([^<>]+)>5__(\d+)$")
_CLOSURE_LOCAL = re.compile(r"^CS\$<>8__locals\d+$")
_CLOSURE_FIELD = re.compile(r"^(?:<>8__\d+|CS\$<>8__locals\d+)$")
_THIS_FIELD = re.compile(r"^<>4__this$")
_CLOSURE_TYPE = re.compile(r"(?:^|[.+])<>c(?:__DisplayClass[\w]*)?(?:`\d+)?$")


def is_closure(program: Program, value: Value) -> bool:
    """Whether a value is an object that the compiler made to hold captured variables."""
    if value.type is None or value.is_null:
        return False
    return bool(_CLOSURE_TYPE.search(full_name(program, program.debuggee.type_info(value.type))))


def is_closure_local(name: str) -> bool:
    """Whether a local, by its name in the PDB, holds a closure."""
    return _CLOSURE_LOCAL.match(name) is not None


class FieldRole(enum.Enum):
    """What a field of a closure or a state machine holds."""

    VARIABLE = "variable"
    PARAMETER = "parameter"
    THIS = "this"
    CLOSURE = "closure"
    NOTHING = "nothing"


def state_machine_field(name: str, scopes: Sequence[tuple[int, int]], il_offset: int) -> tuple[FieldRole, str]:
    """What a state machine's field holds at an IL offset, and the variable's name.

    `scopes` are (start, length) by hoisted local: Portable PDB, state machine hoisted local scopes.
    """
    hoisted = _HOISTED.match(name)
    if hoisted:
        index = int(hoisted.group(2)) - 1
        if index < len(scopes) and not scopes[index][0] <= il_offset < scopes[index][0] + scopes[index][1]:
            return FieldRole.NOTHING, ""
        return FieldRole.VARIABLE, hoisted.group(1)
    role, shown = closure_field(name)
    return (FieldRole.PARAMETER if role is FieldRole.VARIABLE else role), shown


def closure_field(name: str) -> tuple[FieldRole, str]:
    """What a closure's field holds, and the variable's name."""
    if _THIS_FIELD.match(name):
        return FieldRole.THIS, "this"
    if _CLOSURE_FIELD.match(name):
        return FieldRole.CLOSURE, ""
    return (FieldRole.NOTHING, "") if name.startswith("<") else (FieldRole.VARIABLE, name)


def captured_parameter(name: str) -> str:
    """The field that holds a primary constructor's parameter, which members of the type use."""
    return f"<{name}>P"
