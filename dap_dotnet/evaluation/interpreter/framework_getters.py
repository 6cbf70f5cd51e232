"""Getters of the framework whose code does more than read, and whose results follow from what the object keeps.

Each is answered only where that is certain: None leaves it to the program. A test compares all with what the program
gets.
"""

from __future__ import annotations

from collections.abc import Callable

from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations import type_objects
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Kind, Operand, Type
from dap_dotnet.runtime.model import Value
from dap_dotnet.values import exceptions, uris
from dap_dotnet.values.layouts import read_known
from dap_dotnet.values.type_objects import CLASS
from dap_dotnet.values.type_objects import type_meant as meant_by
from dap_dotnet.values.uris import Address

_Answer = Callable[[Environment, Value], "Operand | str | None"]
_USER_ESCAPED = 0x0008_0000


def framework_getter(env: Environment, name: str, operands: list[Operand], owner: str) -> Operand | None:
    """The result of a method of a framework's class by its full name; None where it is not known."""
    answer = _GETTERS.get((owner, name))
    target = operands[0].program_value if len(operands) == 1 else None
    if answer is None or target is None or target.is_null or target.handle is None:
        return None
    found = answer(env, target)
    if found is None or isinstance(found, Operand):
        return found
    return Operand(types.STRING, found)


def _of_type(answer: Callable[[Environment, Type], Operand]) -> _Answer:
    """A member of a System.Type, where its handle says which type it stands for."""

    def run(env: Environment, value: Value) -> Operand | None:
        meant = meant_by(env.program, value)
        kind = env.type_of(meant) if meant is not None else None
        return answer(env, kind) if kind is not None else None

    return run


def _type_text(text: Callable[[Environment, Type], str | None]) -> _Answer:
    return _of_type(lambda env, kind: Operand(types.STRING, text(env, kind)))


def _type_test(test: Callable[[Type], bool]) -> _Answer:
    return _of_type(lambda _, kind: types.boolean(test(kind)))


def _texts(env: Environment, value: Value, *names: str) -> list[str | None]:
    """String fields of an object; None for null, or where there is no such."""
    read = [read_known(env.program, value, (name,)) for name in names]
    return [env.text(env.operand(one[0])) if one is not None and not one[0].is_null else None for one in read]


def _aggregate_message(env: Environment, value: Value) -> str | None:
    found = exceptions.describe(env.program, value, with_inner=False)
    is_whole = found.is_message_known and found.inner_count <= exceptions.MAX_INNER and "…" not in found.message
    return found.message if is_whole and "(<" not in found.message else None


def _file_name(env: Environment, value: Value) -> str | None:
    """Path.GetFileName of the path as it was given, which FileInfo keeps once it was asked."""
    name, path = _texts(env, value, "_name", "OriginalPath")
    return name if name is not None else path.rpartition("/")[2] if path is not None else None


def _directory_name(env: Environment, value: Value) -> str | None:
    name, path = _texts(env, value, "_name", "FullPath")
    if name is not None or not path:
        return name
    trimmed = path[:-1] if len(path) > 1 and path.endswith("/") else path
    return path if path == "/" else trimmed.rpartition("/")[2]


def _extension(env: Environment, value: Value) -> str | None:
    """From the last dot of the last part of the path on, also where it ends the path."""
    (path,) = _texts(env, value, "FullPath")
    if path is None:
        return None
    _, dot, extension = path.rpartition("/")[2].rpartition(".")
    return f"{dot}{extension}" if dot else ""


def _parent_name(env: Environment, value: Value) -> str | None:
    (path,) = _texts(env, value, "FullPath")
    if not path or "//" in path or path == "/" or path.endswith("/"):
        return None
    return path.rpartition("/")[0] or "/"


def _of_uri(part: Callable[[Address], str]) -> Callable[[Environment, Value], str | None]:
    def answer(env: Environment, value: Value) -> str | None:
        (text,) = _texts(env, value, "_string|m_String")
        read = read_known(env.program, value, ("_syntax|m_Syntax", "_flags|m_Flags"))
        if text is None or read is None or read[0].is_null or not read[1].raw:
            return None
        is_escaped = int.from_bytes(read[1].raw, "little") & _USER_ESCAPED
        found = uris.plain(text) if not is_escaped else None
        return part(found) if found is not None else None

    return answer


_FILE, _DIRECTORY = "System.IO.FileInfo", "System.IO.DirectoryInfo"
_TYPE = "System.Type"
_GETTERS: dict[tuple[str, str], _Answer] = {
    (CLASS, "get_Name"): _type_text(lambda _, kind: type_objects.name(kind)),
    (CLASS, "get_Namespace"): _type_text(lambda _, kind: type_objects.namespace(kind)),
    (CLASS, "get_FullName"): _type_text(lambda env, kind: type_objects.full_name(env.universe, kind)),
    (CLASS, "ToString"): _type_text(lambda _, kind: type_objects.text(kind)),
    (CLASS, "get_IsEnum"): _type_test(lambda kind: kind.kind is Kind.ENUM),
    (CLASS, "get_IsGenericType"): _type_test(lambda kind: bool(kind.arguments) and kind.kind is not Kind.ARRAY),
    (_TYPE, "get_IsArray"): _type_test(lambda kind: kind.kind is Kind.ARRAY),
    (_TYPE, "get_IsValueType"): _type_test(lambda kind: kind.is_value_type or kind is types.VOID),
    ("System.AggregateException", "get_Message"): _aggregate_message,
    (_FILE, "get_Name"): _file_name,
    (_FILE, "get_DirectoryName"): _parent_name,
    (_DIRECTORY, "get_Name"): _directory_name,
    ("System.IO.FileSystemInfo", "get_Extension"): _extension,
    ("System.Uri", "get_Host"): _of_uri(lambda uri: uri.host),
    ("System.Uri", "get_DnsSafeHost"): _of_uri(lambda uri: uri.host),
    ("System.Uri", "get_IdnHost"): _of_uri(lambda uri: uri.host),
    ("System.Uri", "get_Authority"): _of_uri(lambda uri: uri.authority),
    ("System.Uri", "get_AbsolutePath"): _of_uri(lambda uri: uri.path),
    ("System.Uri", "get_LocalPath"): _of_uri(lambda uri: uri.path),
    ("System.Uri", "get_Query"): _of_uri(lambda uri: uri.query),
    ("System.Uri", "get_Fragment"): _of_uri(lambda uri: uri.fragment),
    ("System.Uri", "get_PathAndQuery"): _of_uri(lambda uri: uri.path + uri.query),
    ("System.Uri", "get_AbsoluteUri"): _of_uri(lambda uri: uri.whole),
}
OWNERS = frozenset(owner for owner, _ in _GETTERS)
