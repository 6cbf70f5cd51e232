"""Names in C# notation, as the user wrote the code (Roslyn's naming of what it generates is undone).

``N.P.Main(string[] args)``; a generic method ``N.G<T>.M<U>(T x)``; a lambda ``N.P.Main.lambda(int x)``; a local
function ``N.P.Main.Local(int x)``; the MoveNext of an async method or iterator is that method; a constructor
``N.P.P()``; accessors ``N.P.Name.get``, ``N.P.this[int i].set``; operators ``N.P.operator +(N.P a, N.P b)``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from . import signatures as sig
from .errors import NoSuchEntryError, PortablePdbError
from .extension_blocks import special_extension_member
from .handles import TableNumber, Token, row_of, table_of
from .manifest import ExportedType
from .members import Method, generic_parameters_of, methods_of, type_def
from .members import method as method_of
from .parameter_style import ParameterStyle
from .references import PInvokeImport
from .type_display import (
    TypeTexts,
    plain_name,
    type_def_display,
    type_display,
    type_signature_display,
)

if TYPE_CHECKING:
    from .metadata_index import MetadataIndex
    from .parameters import Parameter

T = TableNumber
ALL_PARAMETERS = ParameterStyle()

_OPERATORS = {
    "op_Addition": "+",
    "op_UnaryPlus": "+",
    "op_Subtraction": "-",
    "op_UnaryNegation": "-",
    "op_Multiply": "*",
    "op_Division": "/",
    "op_Modulus": "%",
    "op_BitwiseAnd": "&",
    "op_BitwiseOr": "|",
    "op_ExclusiveOr": "^",
    "op_OnesComplement": "~",
    "op_LogicalNot": "!",
    "op_LeftShift": "<<",
    "op_RightShift": ">>",
    "op_UnsignedRightShift": ">>>",
    "op_Equality": "==",
    "op_Inequality": "!=",
    "op_LessThan": "<",
    "op_GreaterThan": ">",
    "op_LessThanOrEqual": "<=",
    "op_GreaterThanOrEqual": ">=",
    "op_Increment": "++",
    "op_Decrement": "--",
    "op_True": "true",
    "op_False": "false",
}
_CONVERSIONS = {"op_Implicit": "implicit", "op_Explicit": "explicit"}
_SPECIAL_NAME = 0x800
_NAMED = frozenset(
    (T.ASSEMBLY_REF, T.MODULE_REF, T.PARAM, T.GENERIC_PARAM, T.MANIFEST_RESOURCE, T.MODULE, T.ASSEMBLY, T.FILE)
)
_IN, _OUT = 0x1, 0x2
_GETTER, _SETTER = 0x2, 0x1
_MAX_OUTER = 16
_USER_STRING = 0x70
_LONGEST_TEXT = 1 << 20

# Roslyn: <Outer>b__1_0 lambda, <Outer>g__Local|1_0 local function, <Outer>d__1 state machine, <>c closures. Visual
# Basic has _Lambda$__1-0, VB$StateMachine_1_Outer, VB$StateMachine___Lambda$__1-0 and _Closure$__1-0.
_LAMBDA = re.compile(r"<(.*)>b__[\d_#`]*\Z")
_LOCAL_FUNCTION = re.compile(r"<(.*)>g__(.+)\|[\d_#`]*\Z")
_STATE_MACHINE = re.compile(r"(?:<(?P<outer>.*)>d(?:__[\d#]*)?|VB\$StateMachine_\d*_(?P<vb_outer>.+?))(?:`\d+)?\Z")
_CLOSURE = re.compile(
    r"(?:<>c(?:__DisplayClass[\d_#]*)?(?:<.*>)?|<>c__[\d_#]*|_Closure\$__(?:R?\d+(?:-\d+)?)?)(?:`\d+)?\Z"
)
_VB_LAMBDA = re.compile(r"_Lambda\$__[\w-]*\Z")
_TOP_LEVEL = "<Main>$"
# The finally blocks of an iterator are methods of its state machine.
_ITERATOR_FINALLY = re.compile(r"<>m__Finally\d+\Z")


def display_method(
    metadata: MetadataIndex, token: int, arguments: Sequence[str] = (), style: ParameterStyle = ALL_PARAMETERS
) -> str:
    """A MethodDef in C# notation. Raises PortablePdbError for a token that is none, or damaged names.

    ``arguments``: what to write for the generic parameters of its type, then of itself; without them, their own names.
    """
    method = method_of(metadata, token)
    owner = method_of(metadata, _user_method(metadata, method))
    return _written(metadata, owner, arguments, style)


def display(metadata: MetadataIndex, token: int) -> str:
    """A token in C#'s words: ``Ns.Type``, ``Ns.Type.Method(int x)``, ``Ns.Type.field``, ``"text"`` of a user string.

    A P/Invoke import is ``library!function``.

    NoSuchEntryError for a table whose rows have no name, PortablePdbError for damaged names.
    """
    table = table_of(token)
    if table == _USER_STRING:
        return '"' + metadata.image.user_strings.text(row_of(token)).replace("\\", "\\\\").replace('"', '\\"') + '"'
    if table == T.METHOD_DEF:
        return display_method(metadata, token)
    if table in (T.TYPE_DEF, T.TYPE_REF):
        return type_display(metadata, token)
    if table == T.TYPE_SPEC:
        row = metadata.row(token, T.TYPE_SPEC)
        return type_signature_display(metadata, sig.decode_type(metadata.signature_blob(row.signature)))
    if table == T.METHOD_SPEC:
        row = metadata.row(token, T.METHOD_SPEC)
        arguments = sig.decode_method_spec(metadata.signature_blob(row.instantiation))
        shown = [type_signature_display(metadata, argument) for argument in arguments]
        if table_of(row.method) == T.MEMBER_REF:
            return _display_member_ref(metadata, row.method, shown)
        signature = metadata.row(row.method, T.METHOD_DEF).signature
        of_type = generic_parameters_of(metadata, metadata.declaring_type_token(row.method))
        shown = _short_enough(shown, metadata.blob(signature).remaining) or [f"!!{n}" for n in range(len(shown))]
        return display_method(metadata, row.method, [*(parameter.name for parameter in of_type), *shown])
    if table == T.MEMBER_REF:
        return _display_member_ref(metadata, token, [])
    if table == T.FIELD:
        owner = metadata.declaring_type_token(token)
        return f"{type_display(metadata, owner)}.{metadata.image.strings[metadata.row(token, T.FIELD).name]}"
    if table in (T.PROPERTY, T.EVENT):
        if table == T.PROPERTY and (indexer := _display_indexer(metadata, token)):
            return indexer
        name = metadata.image.strings[metadata.row(token, T(table)).name]
        accessors = metadata.accessor_tokens(token, 0xFFFF)
        owner_name = type_display(metadata, metadata.declaring_type_token(accessors[0])) + "." if accessors else ""
        return owner_name + name
    if table == T.EXPORTED_TYPE:
        return plain_name(ExportedType(metadata, token, metadata.row(token, T.EXPORTED_TYPE)).full_name)
    if table == T.IMPL_MAP:
        native = PInvokeImport(metadata, token, metadata.row(token, T.IMPL_MAP))
        return f"{native.library.name}!{native.name}"
    if table in _NAMED:
        return metadata.image.strings[metadata.row(token, T(table)).name]
    raise NoSuchEntryError(f"0x{token:08x} has no name", file=metadata.file)


def _display_indexer(metadata: MetadataIndex, token: int) -> str | None:
    """A property with parameters as its accessors are written, ``Ns.Type.this[int i]``; None for other properties."""
    if not sig.decode_method(metadata.signature_blob(metadata.row(token, T.PROPERTY).type)).parameters:
        return None
    for semantics in (_GETTER, _SETTER):
        accessor = metadata.accessor_token(token, semantics)
        if accessor is None:
            continue
        text, _, verb = display_method(metadata, accessor).rpartition(".")
        if verb in ("get", "set") and text.endswith("]"):
            return text
    return None


def _display_member_ref(metadata: MetadataIndex, token: int, arguments: list[str]) -> str:
    """A MemberRef; a generic method with ``arguments``, if it has some."""
    row = metadata.row(token, T.MEMBER_REF)
    name = metadata.image.strings[row.name]
    owner = display(metadata, row.class_)
    reader = metadata.signature_blob(row.signature)
    if reader.peek() & sig.KIND_MASK == sig.KIND_FIELD:
        return f"{owner}.{name}"
    of_type: list[str] = []
    type_token: Token = row.class_
    if table_of(type_token) == T.TYPE_SPEC:
        spec = sig.decode_type(metadata.signature_blob(metadata.row(type_token, T.TYPE_SPEC).signature))
        if isinstance(spec, sig.GenericInstance):
            of_type = [type_signature_display(metadata, argument) for argument in spec.arguments]
            type_token = spec.generic.token if isinstance(spec.generic, sig.NamedType) else type_token
    of_type, of_method = _short_enough(of_type, reader.remaining), _short_enough(arguments, reader.remaining)
    signature = sig.decode_method(reader)
    parameters = [type_signature_display(metadata, one, of_type, of_method) for one in signature.parameters]
    types = ", ".join(parameters)
    if name.startswith("op_"):
        special = _special(name, signature, TypeTexts(metadata, of_type, of_method), parameters)
        if special is not None:
            return f"{owner}.{special}"
    if name == ".ctor" and table_of(type_token) in (T.TYPE_DEF, T.TYPE_REF):
        name = plain_name(metadata.image.strings[metadata.row(type_token, T(table_of(type_token))).name])
    generics = f"<{', '.join(arguments)}>" if arguments else ""
    return f"{owner}.{name}{generics}({types})"


def _short_enough(arguments: list[str], signature_size: int) -> list[str]:
    """The type arguments to write in a signature of so many bytes; none where that could make a huge text."""
    return arguments if signature_size * max(map(len, arguments), default=0) <= _LONGEST_TEXT else []


def kickoff_by_name(metadata: MetadataIndex, token: int) -> Token | None:
    """The method that a MoveNext was made from, by Roslyn's names; None for other methods.

    PortablePdb.kickoff_method answers the same with certainty where there is a PDB.
    """
    method = method_of(metadata, token)
    if _ITERATOR_FINALLY.match(method.name):
        return None
    found = _user_method(metadata, method)
    return found if found != method.token else None


def _user_method(metadata: MetadataIndex, method: Method) -> Token:
    """The method itself, or of a state machine's MoveNext or finally block the method that starts it."""
    is_body = method.name == "MoveNext" or method.name.endswith(".MoveNext")
    if not is_body and not _ITERATOR_FINALLY.match(method.name):
        return method.token
    type_token = metadata.declaring_type_token(method)
    machine = _STATE_MACHINE.match(type_def(metadata, type_token).name)
    outer = metadata.enclosing_type_token(type_token)
    if machine is None or outer is None:
        return method.token
    outer_name = machine["outer"] if machine["outer"] is not None else machine["vb_outer"]
    candidates = metadata.method_tokens_named(outer, outer_name)
    if len(candidates) == 1:
        return candidates[0]
    if not candidates:
        return method.token
    return _kickoffs(metadata, outer).get(metadata.type_name(type_token), candidates[0])


def _kickoffs(metadata: MetadataIndex, outer: Token) -> dict[str, Token]:
    """The methods of a type whose StateMachineAttribute names their state machine, by the name of that."""
    known = metadata.kickoffs.get(outer)
    if known is None:
        known = metadata.kickoffs[outer] = {}
        for candidate in methods_of(metadata, outer):
            for attribute in candidate.attributes:
                if attribute.type_name.endswith("StateMachineAttribute"):
                    try:
                        values = [argument.value for argument in attribute.fixed_arguments]
                    except PortablePdbError:
                        continue
                    if values:
                        known.setdefault(str(values[0]).split(",")[0], candidate.token)
    return known


def _written(metadata: MetadataIndex, method: Method, arguments: Sequence[str], style: ParameterStyle) -> str:
    container, is_generated = _container(metadata, metadata.declaring_type_token(method), arguments)
    names = [p.name for p in generic_parameters_of(metadata, metadata.declaring_type_token(method))]
    count = len(names)
    names += [p.name for p in method.generic_parameters]
    names[: len(arguments)] = arguments[: len(names)]
    type_names, method_names = names[:count], names[count:]
    types = TypeTexts(metadata, type_names, method_names)
    signature = method.signature
    name = method.name
    shown_generics = f"<{', '.join(method_names)}>" if method_names else ""
    local = _LOCAL_FUNCTION.match(name)
    lambda_ = _LAMBDA.match(name)
    parameter_list = _parameters(method, signature, types, style, hide_closures=local is not None)
    parameters = ", ".join(parameter_list)
    if local is not None:
        return f"{_outer(container, local.group(1))}.{local.group(2)}{shown_generics}({parameters})"
    if lambda_ is not None:
        return f"{_outer(container, lambda_.group(1))}.lambda{shown_generics}({parameters})"
    if _VB_LAMBDA.match(name):  # Visual Basic does not write of which method it is
        return f"{container}.lambda{shown_generics}({parameters})"
    if is_generated and name == "MoveNext":
        return container
    if is_generated:  # something else of a closure or state machine: it has no name in the source
        container = type_def_display(metadata, metadata.declaring_type_token(method), arguments)
    simple = plain_name(type_def(metadata, metadata.declaring_type_token(method)).name)
    if name == ".ctor":
        return f"{container}.{simple}({parameters})"
    if name == ".cctor":
        return f"static {container}.{simple}()"
    member = special_extension_member(metadata, method)
    if member is not None:  # without what it is a member of
        parameter_list = parameter_list[len(signature.parameters) - len(member.signature.parameters) :]
    if method.row.flags & _SPECIAL_NAME or "." in name or member is not None:
        special = _special(name, signature, types, parameter_list)
        if special is not None:
            return f"{container}.{special}"
    if name == "Finalize" and not parameters and not method.is_static:
        return f"{container}.~{simple}()"
    if name == _TOP_LEVEL:
        return f"{container}.Main({parameters})"
    return f"{container}.{name}{shown_generics}({parameters})"


def _special(name: str, signature: sig.MethodSignature, types: TypeTexts, parameters: list[str]) -> str | None:
    interface, _, last = name.rpartition(".")
    prefix = interface + "." if interface else ""
    for accessor in ("get", "set", "add", "remove"):
        if last.startswith(accessor + "_"):
            member = last[len(accessor) + 1 :]
            indices = parameters[:-1] if accessor == "set" else parameters  # the last one of a setter is the value
            if accessor in ("get", "set") and indices:
                return f"{prefix}this[{', '.join(indices)}].{accessor}"
            return f"{prefix}{member}.{accessor}"
    joined = ", ".join(parameters)
    checked = last.startswith("op_Checked")
    plain = last.replace("op_Checked", "op_", 1)
    if plain in _CONVERSIONS:
        word = "checked " if checked else ""
        return f"{prefix}{_CONVERSIONS[plain]} operator {word}{types.text(signature.return_type)}({joined})"
    if plain in _OPERATORS:
        return f"{prefix}operator {'checked ' if checked else ''}{_OPERATORS[plain]}({joined})"
    return None


def _parameters(
    method: Method, signature: sig.MethodSignature, types: TypeTexts, style: ParameterStyle, hide_closures: bool
) -> list[str]:
    rows = {row.sequence: row for row in method.parameter_rows}
    shown = []
    for number, type_ in enumerate(signature.parameters, 1):
        row = rows.get(number)
        text = types.text(type_)
        if hide_closures and re.search(r"<>c__DisplayClass", text):
            continue
        if row is not None and text.startswith("ref "):
            referred = text[len("ref ") :].removeprefix("readonly ")
            if row.row.flags & 3 == _OUT:
                text = f"out {referred}"
            elif row.row.flags & 3 == _IN:
                text = f"{'ref readonly' if _requires_location(row) else 'in'} {referred}"
        name = row.name if row is not None else ""
        shown.append(style.written(text, name))
    if signature.convention == "vararg":
        shown.append("__arglist")
    return shown


def _requires_location(parameter: Parameter) -> bool:
    """Whether a parameter that is only read is `ref readonly`, not `in`."""
    return any(
        attribute.type_name == "System.Runtime.CompilerServices.RequiresLocationAttribute"
        for attribute in parameter.attributes
    )


def _outer(container: str, outer_name: str) -> str:
    """The method that a lambda or local function stands in. Nested ones name the outermost method only."""
    shown = {".ctor": "ctor", ".cctor": "cctor", _TOP_LEVEL: "Main"}.get(outer_name, outer_name)
    return f"{container}.{shown}"


def _container(metadata: MetadataIndex, type_token: Token, arguments: Sequence[str]) -> tuple[str, bool]:
    """The user's type around a method, closures taken off; and whether any were."""
    token = type_token
    is_generated = False
    for _ in range(_MAX_OUTER):
        name = type_def(metadata, token).name
        if not (_CLOSURE.match(name) or _STATE_MACHINE.match(name)):
            break
        outer = metadata.enclosing_type_token(token)
        if outer is None or not row_of(outer):
            break
        token = outer
        is_generated = True
    return type_def_display(metadata, token, arguments), is_generated
