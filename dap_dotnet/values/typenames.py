"""Names of types in C# notation, and what kind of type it is. From metadata, without asking the program."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache, partial

from dap_dotnet.runtime.model import ElementType, TypeId, TypeInfo
from dap_dotnet.symbols.ambiguous_names import AmbiguousNames, ambiguous_names
from dap_dotnet.symbols.metadata_names import FILE_LOCAL_PREFIX
from dap_dotnet.symbols.types import members
from dap_dotnet.values.context import Program

KEYWORDS = {
    ElementType.VOID: "void",
    ElementType.BOOLEAN: "bool",
    ElementType.CHAR: "char",
    ElementType.I1: "sbyte",
    ElementType.U1: "byte",
    ElementType.I2: "short",
    ElementType.U2: "ushort",
    ElementType.I4: "int",
    ElementType.U4: "uint",
    ElementType.I8: "long",
    ElementType.U8: "ulong",
    ElementType.R4: "float",
    ElementType.R8: "double",
    ElementType.STRING: "string",
    ElementType.I: "nint",
    ElementType.U: "nuint",
    ElementType.OBJECT: "object",
    ElementType.TYPEDBYREF: "System.TypedReference",
    ElementType.FNPTR: "delegate*",
}
KEYWORDS_BY_NAME = {
    "System.Void": "void",
    "System.Boolean": "bool",
    "System.Char": "char",
    "System.SByte": "sbyte",
    "System.Byte": "byte",
    "System.Int16": "short",
    "System.UInt16": "ushort",
    "System.Int32": "int",
    "System.UInt32": "uint",
    "System.Int64": "long",
    "System.UInt64": "ulong",
    "System.Single": "float",
    "System.Double": "double",
    "System.Decimal": "decimal",
    "System.String": "string",
    "System.Object": "object",
    "System.IntPtr": "nint",
    "System.UIntPtr": "nuint",
}
"""Types that C# has words for, by full name."""
_MAX_DEPTH = 32
_TUPLE_REST = 8
_TUPLE = "System.ValueTuple`"
_NO_NAMES: Iterator[str | None] = iter(())
_ANONYMOUS = "<>f__AnonymousType"


def full_name(program: Program, info: TypeInfo) -> str:
    """Reflection-like name without generic arguments, `Ns.Outer+Inner`1`; empty when there is no metadata."""
    module = program.modules.get(info.module)
    if module is None or module.metadata is None or info.token is None:
        return ""
    return module.metadata.type_name(info.token)


Named = Callable[[str, tuple[str, ...]], str]
"""A type's metadata name and the names of its generic arguments -> C# notation."""


def type_name(program: Program, type_id: TypeId | None) -> str:
    """C# notation with generic arguments: `System.Collections.Generic.List<int>`, `int[,]`, `int?`, `(int, string)`."""
    return _name(program, type_id, csharp_name, 0)


def _name(
    program: Program, type_id: TypeId | None, named: Named, depth: int, names: Iterator[str | None] = _NO_NAMES
) -> str:
    if type_id is None:
        return "object"
    if depth > _MAX_DEPTH:
        return "…"
    info = program.debuggee.type_info(type_id)
    element_type = info.element_type
    if element_type in KEYWORDS:
        return KEYWORDS[element_type]
    if element_type in (ElementType.ARRAY, ElementType.SZARRAY):
        return _array_name(program, info, named, depth, names)
    if element_type in (ElementType.PTR, ElementType.BYREF):
        inner = _name(program, info.arguments[0], named, depth + 1, names) if info.arguments else "void"
        return inner + ("*" if element_type is ElementType.PTR else "")
    name = full_name(program, info)
    if not name:
        return "<unknown type>"
    if name.startswith(_TUPLE) and len(info.arguments) > 1:
        return f"({', '.join(_tuple_elements(program, info, named, depth, names))})"
    arguments = [_name(program, argument, named, depth + 1, names) for argument in info.arguments]
    if name == "System.Nullable`1" and len(arguments) == 1:
        return arguments[0] + "?"
    if name.startswith(_ANONYMOUS):
        return _anonymous_name(program, info, arguments)
    return named(name, tuple(arguments))


def tuple_rest(program: Program, info: TypeInfo) -> TypeInfo | None:
    """The tuple that holds the elements of another one from the eighth on; None where there are no more."""
    if len(info.arguments) != _TUPLE_REST:
        return None
    rest = program.debuggee.type_info(info.arguments[-1])
    return rest if rest.arguments and full_name(program, rest).startswith(_TUPLE) else None


def tuple_length(program: Program, info: TypeInfo) -> int:
    """How many elements a tuple has, those from the eighth on too."""
    rest = tuple_rest(program, info)
    return len(info.arguments) if rest is None else _TUPLE_REST - 1 + tuple_length(program, rest)


def _tuple_elements(
    program: Program, info: TypeInfo, named: Named, depth: int, names: Iterator[str | None]
) -> list[str]:
    """`int`, or `int Number`; the names of a tuple come before those inside of its elements."""
    own = [next(names, None) for _ in range(tuple_length(program, info))]
    rest = tuple_rest(program, info)
    plain = info.arguments if rest is None else info.arguments[:-1]
    types = [_name(program, one, named, depth + 1, names) for one in plain]
    if rest is not None:
        types += _tuple_elements(program, rest, named, depth + 1, names)
    return [kind if name is None else f"{kind} {name}" for kind, name in zip(types, own, strict=True)]


def _anonymous_name(program: Program, info: TypeInfo, arguments: list[str]) -> str:
    """As editors write it; the compiler gives one generic parameter to each property, in order."""
    fields = [one for one in members(program.modules.get(info.module), info.token).fields if one.is_backing_field]
    if len(fields) != len(arguments):
        return "<anonymous type>"
    listed = ", ".join(f"{argument} {one.shown_name}" for argument, one in zip(arguments, fields, strict=True))
    return f"<anonymous type: {listed}>"


def shown_type_name(program: Program, type_id: TypeId | None, element_names: Sequence[str | None] = ()) -> str:
    """As `type_name`, without namespaces, as values are shown: `List<int>`, `Outer.Inner`, `(int, string)`.

    Names that are ambiguous keep their namespaces: see `ambiguous_names`. `element_names` are those of the tuples in
    the type, as `tuple_names` has them: `(int Number, string Name)`.
    """
    keyword = KEYWORDS.get(program.debuggee.type_info(type_id).element_type) if type_id is not None else "object"
    return keyword or _name(program, type_id, shown_names(program), 0, iter(element_names))


def shown_names(program: Program) -> Named:
    """Names without namespaces, but for those that are ambiguous."""
    return partial(_shown_name, ambiguous_names(program.modules))


def _shown_name(ambiguous: AmbiguousNames, name: str, arguments: tuple[str, ...]) -> str:
    return csharp_name(name, arguments) if ambiguous.has(name) else short_name(name, arguments)


def short_type_name(program: Program, type_id: TypeId) -> str:
    """As `shown_type_name`, without namespaces in any case."""
    return _name(program, type_id, short_name, 0)


def shown_array(program: Program, type_id: TypeId, lengths: Sequence[int]) -> str:
    """As `shown_type_name`, of an array with the lengths of its dimensions: `int[2, 3]`, `List<int[]>[4][]`."""
    info = program.debuggee.type_info(type_id)
    return _array_name(program, info, shown_names(program), 0, _NO_NAMES, lengths=", ".join(map(str, lengths)))


def _array_name(
    program: Program, info: TypeInfo, named: Named, depth: int, names: Iterator[str | None], *, lengths: str = ""
) -> str:
    """Jagged arrays read outside in: int[2][,] is an array of int[,]."""
    suffix = ""
    while info.element_type in (ElementType.ARRAY, ElementType.SZARRAY) and info.arguments:
        suffix += f"[{lengths or ',' * (max(info.rank, 1) - 1)}]"
        lengths = ""
        element = info.arguments[0]
        info = program.debuggee.type_info(element)
    return _name(program, info.type, named, depth + 1, names) + suffix


@lru_cache(maxsize=4096)
def csharp_name(name: str, arguments: tuple[str, ...]) -> str:
    """`Ns.Outer`1+Inner`1` and ("int", "string") -> `Ns.Outer<int>.Inner<string>`; keywords for the built-in types."""
    if not arguments and name in KEYWORDS_BY_NAME:
        return KEYWORDS_BY_NAME[name]
    parts = []
    taken = 0
    for part in FILE_LOCAL_PREFIX.sub("", name).split("+"):
        stem, _, arity = part.partition("`")
        count = int(arity) if arity.isdigit() else 0
        own = arguments[taken : taken + count]
        taken += count
        parts.append(stem + (f"<{', '.join(own)}>" if own else ""))
    return ".".join(parts)


@lru_cache(maxsize=4096)
def short_name(name: str, arguments: tuple[str, ...]) -> str:
    """As `csharp_name`, without the namespace."""
    if not arguments and name in KEYWORDS_BY_NAME:
        return KEYWORDS_BY_NAME[name]
    outermost, plus, nested = FILE_LOCAL_PREFIX.sub("", name).partition("+")
    return csharp_name(outermost.rpartition(".")[2] + plus + nested, arguments)
