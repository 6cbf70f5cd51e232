"""Objects of System.Type: which type they stand for, by the handle that the runtime's class keeps."""

from __future__ import annotations

from dap_dotnet.errors import DapDotnetError
from dap_dotnet.runtime.model import ElementType, TypeId, Value
from dap_dotnet.values.context import Program
from dap_dotnet.values.layouts import definition_name, integer, read_known
from dap_dotnet.values.typenames import KEYWORDS, KEYWORDS_BY_NAME

CLASS = "System.RuntimeType"
_NAMES_BY_KEYWORD = {keyword: name for name, keyword in KEYWORDS_BY_NAME.items()}
_MOST_ARGUMENTS = 16
_DEEPEST = 8


def type_meant(program: Program, value: Value) -> TypeId | None:
    """The exact type that a RuntimeType stands for.

    None where only the program knows: generic definitions and parameters, by-ref and pointer types, and arrays on .NET
    Core 3.1, whose handles are no method tables of objects.
    """
    handle = read_known(program, value, ("m_handle",))
    if handle is None or not handle[0].address or not integer(handle[0]):
        return None
    try:
        return program.debuggee.type_at(handle[0].address)
    except DapDotnetError:
        return None


def reflection_text(program: Program, type_id: TypeId, depth: int = 0) -> str | None:
    """`Type.ToString()`: metadata names, with type arguments in brackets. None where that is not known."""
    info = program.debuggee.type_info(type_id)
    if depth > _DEEPEST or len(info.arguments) > _MOST_ARGUMENTS:
        return None
    arguments = [reflection_text(program, one, depth + 1) for one in info.arguments]
    known = [one for one in arguments if one is not None]
    if len(known) != len(arguments):
        return None
    if info.element_type in (ElementType.SZARRAY, ElementType.ARRAY):
        is_vector = info.element_type is ElementType.SZARRAY
        return f"{known[0]}[{',' * (info.rank - 1)}]" if known and (is_vector or info.rank > 1) else None
    stem = definition_name(program, info) or _NAMES_BY_KEYWORD.get(KEYWORDS.get(info.element_type, ""))
    if not stem:
        return None
    return f"{stem}[{','.join(known)}]" if known else stem
