"""What compilers make of variables, by the names that they give: closures and state machines, and their fields.

See GeneratedNames of Roslyn's compilers for C# and Visual Basic for the grammar.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from dap_dotnet.runtime.model import TypeDefToken, Value
from dap_dotnet.symbols.modules import LoadedModule
from dap_dotnet.values.context import Program
from dap_dotnet.values.typenames import full_name

if TYPE_CHECKING:
    from portablepdb import Metadata

GENERATED_TYPES = ("<", "_Closure$", "VB$")
"""How the names of types begin that a compiler made."""
_HOISTED = re.compile(r"^<([^<>]+)>5__(\d+)$|^\$VB\$ResumableLocal_([^$].*)\$(\d+)$")
_CLOSURE_LOCAL = re.compile(r"^CS\$<>8__locals\d+$|^\$VB\$Closure_\w+$")
_CLOSURE_FIELD = re.compile(
    r"^(?:<>8__\d+|CS\$<>8__locals\d+|\$VB\$NonLocal_.+|\$VB\$ResumableLocal_\$VB\$Closure_.+)$"
)
_THIS_FIELD = re.compile(r"^<>4__this$|^\$VB\$Me$")
_VB_VARIABLE = re.compile(r"^\$VB\$Local_([^$].*)$")
_CLOSURE_TYPE = re.compile(r"(?:^|[.+])(?:<>c(?:__DisplayClass[\w]*)?|_Closure\$__(?:R?\d+(?:-\d+)?)?)(?:`\d+)?$")
_FINALLY = re.compile(r"^<>m__Finally\d+$")


def runs_in_state_machine(module: LoadedModule | None, method: int | None) -> bool:
    """Whether a method is one of a state machine: its MoveNext, or the block after `finally` of an iterator.

    False where damaged symbols or metadata do not say it.
    """
    if module is None or module.pdb is None or module.metadata is None or method is None:
        return False
    from portablepdb import PortablePdbError

    try:
        return bool(module.pdb.kickoff_method(method)) or bool(_FINALLY.match(module.metadata.method(method).name))
    except PortablePdbError:
        return False


def is_closure(program: Program, value: Value) -> bool:
    """Whether a value is an object that the compiler made to hold captured variables."""
    if value.type is None or value.is_null:
        return False
    return bool(_CLOSURE_TYPE.search(full_name(program, program.debuggee.type_info(value.type))))


def is_compilers_local(name: str) -> bool:
    """Whether a local, by its name in the PDB, is one that the source does not have: as `$W0`, of a `With`."""
    return name.startswith(("<", "CS$", "$", "VB$"))


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
    if hoisted and not _CLOSURE_FIELD.match(name):
        index = state_machine_scope(name)
        start, length = scopes[index] if index is not None and index < len(scopes) else (il_offset, 1)
        if not start <= il_offset < start + length:
            return FieldRole.NOTHING, ""
        return FieldRole.VARIABLE, hoisted.group(1) or hoisted.group(3)
    role, shown = closure_field(name, lambda _: False)
    return (FieldRole.PARAMETER if role is FieldRole.VARIABLE else role), shown


def state_machine_scope(name: str) -> int | None:
    """The number of the scope of a hoisted local, by the name of its field; None for other fields."""
    hoisted = _HOISTED.match(name)
    if hoisted is None:
        return None
    return int(hoisted.group(2) or hoisted.group(4)) - (1 if hoisted.group(2) else 0)


def closure_field(name: str, has_value: Callable[[str], bool]) -> tuple[FieldRole, str]:
    """What a closure's field holds, and the variable's name.

    `has_value`: of the variable of a pattern in a `switch`, see `symbols.pattern_variables`.
    """
    hoisted = _HOISTED.match(name)
    if hoisted and hoisted.group(1):
        return (FieldRole.VARIABLE, hoisted.group(1)) if has_value(name) else (FieldRole.NOTHING, "")
    if _THIS_FIELD.match(name):
        return FieldRole.THIS, "this"
    if _CLOSURE_FIELD.match(name):
        return FieldRole.CLOSURE, ""
    captured = _VB_VARIABLE.match(name)
    if captured:
        return FieldRole.VARIABLE, captured.group(1)
    is_compilers = name.startswith(("<", "$")) or name.endswith("@")  # F#'s `builder@`
    return (FieldRole.NOTHING, "") if is_compilers else (FieldRole.VARIABLE, name)


def written_types(metadata: Metadata, method: int) -> Iterator[TypeDefToken]:
    """The type that the user wrote around a method, then the types around that; compiler-made ones are left out."""
    token: int | None = metadata.method(method).declaring_type
    while token is not None:
        if not metadata.type_def(token).name.startswith(GENERATED_TYPES):
            yield TypeDefToken(token)
        token = metadata.enclosing_type(token)
