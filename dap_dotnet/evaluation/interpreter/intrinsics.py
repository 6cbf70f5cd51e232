"""Methods that the IL machine knows without their IL: the runtime's own, of strings and numbers, and some getters."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from dap_dotnet.evaluation import numeric
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.interpreter.code import NotInterpretable
from dap_dotnet.evaluation.interpreter.stack_values import Address, default, typed
from dap_dotnet.evaluation.operations.known_members import char_at, known_method, known_property, known_static
from dap_dotnet.evaluation.operations.member_access import method_of
from dap_dotnet.evaluation.operations.text import strings_equal
from dap_dotnet.evaluation.rules.overloads import metadata_name
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import ExactMethod, Kind, Operand, Type, boolean
from dap_dotnet.runtime.model import Value
from dap_dotnet.values import exceptions, uris
from dap_dotnet.values.layouts import read_known
from dap_dotnet.values.type_objects import CLASS, type_meant

if TYPE_CHECKING:
    from portablepdb.members import Method

_Answer = Callable[[Environment, "Method", "list[Operand]"], "Operand | None"]
_USER_ESCAPED = 0x0008_0000
"""A flag of System.Uri."""
_DECIMAL_OPERATORS = {metadata_name(operator): operator for operator in ("+", "-", "*", "/", "%", *numeric.COMPARISONS)}
_MATH: dict[str, Callable[..., Any]] = {"Abs": abs, "Max": max, "Min": min}
_MATH_DOUBLE: dict[str, Callable[[float], float]] = {
    "Floor": math.floor, "Ceiling": math.ceil, "Truncate": math.trunc, "Sqrt": math.sqrt,
}  # fmt: skip


def intrinsic(env: Environment, method: ExactMethod, arguments: Sequence[Operand | Address]) -> Operand | None:
    """The result; None for methods that are not known."""
    owner = method.owner
    if owner.full_name in _ON_PLACES:
        return _ON_PLACES[owner.full_name](method_of(env, method).name, arguments)
    answer = _nullable if owner.kind is Kind.NULLABLE else _OF_TYPES.get(owner) or _OF_CLASSES.get(owner.full_name)
    operands = [argument for argument in arguments if isinstance(argument, Operand)]
    if answer is None or len(operands) != len(arguments):
        return None
    return answer(env, method_of(env, method), operands)


def _volatile(name: str, arguments: Sequence[Operand | Address]) -> Operand | None:
    place = arguments[0]
    return (place.target if isinstance(place, Address) else place) if name == "Read" else None


def _unsafe(_name: str, _arguments: Sequence[Operand | Address]) -> Operand | None:
    raise NotInterpretable("memory seen as another type")


def _handle(env: Environment, method: Method, operands: list[Operand]) -> Operand | None:
    """The object of a GCHandle: what is at the address that the handle is."""
    if method.name != "InternalGet" or len(operands) != 1 or type(operands[0].data) is not int:
        return None
    address = int.from_bytes(env.debuggee.read_memory(operands[0].data, 8), "little")
    return env.operand(env.debuggee.heap_object(address)) if address else Operand(types.OBJECT, None)


def _object(env: Environment, method: Method, operands: list[Operand]) -> Operand | None:
    if method.is_static:
        return known_static(env, types.OBJECT, method.name, operands)
    if method.name != "GetType" or env.wants_type_object:
        return None
    return known_method(env, operands[0], method.name, operands[1:])


def _array(env: Environment, method: Method, operands: list[Operand]) -> Operand | None:
    is_array = len(operands) == 1 and isinstance(operands[0].data, Value)
    return known_property(env, operands[0], method.name.removeprefix("get_")) if is_array else None


def _string(env: Environment, method: Method, operands: list[Operand]) -> Operand | None:
    name = method.name
    operands = [Operand(types.STRING, one.data, one.value) if _is_string(env, one) else one for one in operands]
    if name in ("op_Equality", "op_Inequality"):
        return boolean(strings_equal(env, operands[0], operands[1]) is (name == "op_Equality"))
    if method.is_static:
        return known_static(env, types.STRING, name, operands)
    data = operands[0].data
    if not isinstance(data, str | Value):
        raise NotInterpretable("a string that is none")
    if name == "get_Length":
        return known_property(env, operands[0], "Length")
    if name == "get_Chars":
        return char_at(env, operands[0], operands[1])
    if name == "Substring":
        return _substring(env, *operands)
    return known_method(env, operands[0], name, operands[1:])


def _substring(env: Environment, string: Operand, start: Operand, length: Operand | None = None) -> Operand | None:
    """None where the method throws."""
    units = (env.text(string) or "").encode("utf-16-le", "surrogatepass")
    end = start.data + length.data if length is not None else len(units) // 2
    if not 0 <= start.data <= end <= len(units) // 2:
        return None
    return Operand(types.STRING, units[2 * start.data : 2 * end].decode("utf-16-le", "surrogatepass"))


def _is_string(env: Environment, operand: Operand) -> bool:
    """Whether it is a string, be it seen as an object."""
    return operand.type is not types.STRING and operand.data is not None and env.own_type(operand) is types.STRING


def _nullable(_env: Environment, method: Method, operands: list[Operand]) -> Operand | None:
    if not operands or operands[0].type.kind is not Kind.NULLABLE:
        return None
    name, operand, *otherwise = method.name, *operands
    if name == "get_HasValue":
        return boolean(operand.data is not None)
    if name in ("get_Value", "GetValueOrDefault") and operand.data is not None:
        return Operand(operand.type.element, operand.data)
    if name == "GetValueOrDefault":
        return typed(operand.type.element, otherwise[0]) if otherwise else default(operand.type.element)
    return None


def _decimal(_env: Environment, method: Method, operands: list[Operand]) -> Operand | None:
    operator = _DECIMAL_OPERATORS.get(method.name)
    if operator is None or len(operands) != 2 or any(not isinstance(operand.data, Decimal) for operand in operands):
        return None
    left, right = operands
    if operator in numeric.COMPARISONS:
        return boolean(numeric.COMPARISONS[operator](left.data, right.data))
    function = numeric.binary(operator, numeric.DECIMAL)
    return Operand(left.type, function(left.data, right.data)) if function is not None else None


def _math(_env: Environment, method: Method, operands: list[Operand]) -> Operand | None:
    """Only what is exact: the transcendental functions may differ in their last bit from processor to processor."""
    name = method.name
    kinds = {operand.type for operand in operands}
    if len(kinds) != 1:
        return None
    kind = operands[0].type
    values = [operand.data for operand in operands]
    if kind.kind is not Kind.NUMBER or any(isinstance(value, Value) for value in values):
        return None
    if any(value != value for value in values):  # noqa: PLR0124 - NaN
        return None
    if name in _MATH and len(operands) == (1 if name == "Abs" else 2) and 0 not in values:
        result = _MATH[name](*values)
        fits = kind.code in numeric.FLOATS or kind.code is numeric.DECIMAL or numeric.fits(result, kind.code)
        return Operand(kind, result) if fits else None
    if name in _MATH_DOUBLE and kind is types.R8 and len(operands) == 1 and values[0] > 0 and math.isfinite(values[0]):
        return Operand(kind, float(_MATH_DOUBLE[name](values[0])))
    return None


_Read = Callable[[Environment, Value], "Operand | str | None"]


def _getters(reads: dict[str, _Read]) -> _Answer:
    """Getters of a class whose code does more than read: what they give follows from what the object keeps.

    Only where that is certain. A test compares all with what the program gets.
    """

    def answer(env: Environment, method: Method, operands: list[Operand]) -> Operand | None:
        read = reads.get(method.name)
        target = operands[0].program_value if len(operands) == 1 else None
        if read is None or target is None or target.is_null or target.handle is None:
            return None
        found = read(env, target)
        return Operand(types.STRING, found) if isinstance(found, str) else found

    return answer


def _of_type(read: Callable[[Environment, Operand], Operand | None]) -> _Read:
    """A member of a System.Type, where its handle says which type it stands for."""

    def run(env: Environment, value: Value) -> Operand | None:
        meant = type_meant(env.program, value)
        kind = env.type_of(meant) if meant is not None else None
        return read(env, Operand(types.TYPE, kind)) if kind is not None else None

    return run


def _type_property(name: str) -> _Read:
    return _of_type(lambda env, target: known_property(env, target, name))


def _type_test(test: Callable[[Type], bool]) -> _Read:
    return _of_type(lambda _, target: boolean(test(target.data)))


def _texts(env: Environment, value: Value, *names: str) -> list[str | None]:
    """String fields of an object; None for null, or where there is no such."""
    read = [read_known(env.program, value, (name,)) for name in names]
    return [env.text(env.operand(one[0])) if one is not None and not one[0].is_null else None for one in read]


def _argument_message(env: Environment, value: Value) -> Operand | None:
    """The words around the parameter's name are in resources, and so are others where the program gave no text."""
    message, parameter = (env.operand(env.read_named(value, field)) for field in ("_message", "_paramName"))
    text, name = env.text(message), env.text(parameter)
    if text is None:
        return None
    return Operand(types.STRING, f"{text} (Parameter '{name}')") if name else message


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


def _of_uri(part: Callable[[uris.Address], str]) -> Callable[[Environment, Value], str | None]:
    def read(env: Environment, value: Value) -> str | None:
        (text,) = _texts(env, value, "_string|m_String")
        kept = read_known(env.program, value, ("_syntax|m_Syntax", "_flags|m_Flags"))
        if text is None or kept is None or kept[0].is_null or not kept[1].raw:
            return None
        is_escaped = int.from_bytes(kept[1].raw, "little") & _USER_ESCAPED
        found = uris.plain(text) if not is_escaped else None
        return part(found) if found is not None else None

    return read


_GETTERS: dict[str, dict[str, _Read]] = {
    CLASS: {
        "get_Name": _type_property("Name"),
        "get_Namespace": _type_property("Namespace"),
        "get_FullName": _type_property("FullName"),
        "ToString": _of_type(lambda env, target: known_method(env, target, "ToString", ())),
        "get_IsEnum": _type_test(lambda kind: kind.kind is Kind.ENUM),
        "get_IsGenericType": _type_test(lambda kind: bool(kind.arguments) and kind.kind is not Kind.ARRAY),
    },
    "System.Type": {
        "get_IsArray": _type_test(lambda kind: kind.kind is Kind.ARRAY),
        "get_IsValueType": _type_test(lambda kind: kind.is_value_type or kind is types.VOID),
    },
    "System.AggregateException": {"get_Message": _aggregate_message},
    "System.IO.FileInfo": {"get_Name": _file_name, "get_DirectoryName": _parent_name},
    "System.IO.DirectoryInfo": {"get_Name": _directory_name},
    "System.IO.FileSystemInfo": {"get_Extension": _extension},
    "System.Uri": {
        **dict.fromkeys(("get_Host", "get_DnsSafeHost", "get_IdnHost"), _of_uri(lambda uri: uri.host)),
        "get_Authority": _of_uri(lambda uri: uri.authority),
        **dict.fromkeys(("get_AbsolutePath", "get_LocalPath"), _of_uri(lambda uri: uri.path)),
        "get_Query": _of_uri(lambda uri: uri.query),
        "get_Fragment": _of_uri(lambda uri: uri.fragment),
        "get_PathAndQuery": _of_uri(lambda uri: uri.path + uri.query),
        "get_AbsoluteUri": _of_uri(lambda uri: uri.whole),
    },
    "System.ArgumentException": {"get_Message": _argument_message},
}
_OF_TYPES: dict[Type, _Answer] = {types.STRING: _string, types.OBJECT: _object}
_OF_CLASSES: dict[str, _Answer] = {
    "System.Array": _array,
    "System.Decimal": _decimal,
    "System.Math": _math,
    "System.Runtime.InteropServices.GCHandle": _handle,
    **{owner: _getters(reads) for owner, reads in _GETTERS.items()},
}
"""By their full names."""
_ON_PLACES: dict[str, Callable[[str, Sequence[Operand | Address]], Operand | None]] = {
    "System.Threading.Volatile": _volatile,
    "System.Runtime.CompilerServices.Unsafe": _unsafe,
}
"""As `_OF_CLASSES`, of classes whose methods take places of variables."""
