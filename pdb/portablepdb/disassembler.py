"""IL as text, in the notation of ilasm (ECMA-335 II, III)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from . import signatures as sig
from .errors import LimitError, NoSuchEntryError, PortablePdbError
from .handles import TableNumber, row_of, table_of
from .il import CATCH, FAULT, FILTER, FINALLY, ExceptionClause, MethodBody
from .ilasm_keywords import KEYWORDS
from .instructions import Instruction
from .opcodes import OPCODES, Operand

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .limits import Budget
    from .members import Method
    from .metadata import Metadata

T = TableNumber

_PRIMITIVES = {**sig.PRIMITIVES, 0x18: "native int", 0x19: "native uint"}
_CONVENTIONS = {
    "cdecl": "unmanaged cdecl ",
    "stdcall": "unmanaged stdcall ",
    "thiscall": "unmanaged thiscall ",
    "fastcall": "unmanaged fastcall ",
    "vararg": "vararg ",
    "unmanaged": "unmanaged ",
    "": "",
}
_ACCESS = ("privatescope", "private", "famandassem", "assembly", "family", "famorassem", "public")
_METHOD_FLAGS = (
    (0x0020, "final"),
    (0x0080, "hidebysig"),
    (0x0100, "newslot"),
    (0x0200, "strict"),
    (0x0400, "abstract"),
    (0x0800, "specialname"),
    (0x1000, "rtspecialname"),
    (0x0040, "virtual"),
    (0x0010, "static"),
)


def _codes(*kinds: Operand) -> frozenset[int]:
    return frozenset(op.value for op in OPCODES.values() if op.operand in kinds)


# Sets of opcodes and not of kinds of operand: the hash of an enum's member is slow.
_BRANCHING = _codes(Operand.TARGET8, Operand.TARGET32)
_NAMING = _codes(Operand.METHOD, Operand.FIELD, Operand.TYPE)
_WITH_TOKEN = _NAMING | _codes(Operand.TOKEN, Operand.SIGNATURE, Operand.STRING)
_MOST_KEPT_NAMES = 100_000
_AROUND_LINE = 3  # characters of the indentation and the line's end, which are paid for, too
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\0": "\\0"}
_TO_ESCAPE = re.compile(r"[^ !#-\[\]-~]")  # all but printable ASCII, and of that quotation mark and backslash


class Disassembler:
    """Prints instructions and methods of one Metadata. Names are looked up as they are met."""

    def __init__(self, metadata: Metadata) -> None:
        if not hasattr(metadata, "image"):
            raise TypeError(f"a Metadata is wanted, as Assembly.metadata, not {type(metadata).__name__}")
        self.metadata = metadata
        self._names: dict[int, str] = {}
        self._types: dict[int, str] = {}
        self._signature_budget = metadata.image.budgets.begin("signature_bytes")

    def method(self, token: int, local_names: Mapping[int, str] | None = None) -> Iterator[str]:
        """The lines of a method: head, directives, instructions, exception clauses.

        ``local_names`` gives names of locals by slot, as a PDB has them. LimitError when names make the text longer
        than that of a method may be.
        """
        budget = self.metadata.image.budgets.begin("output")
        with self.metadata.metered(self._signature_budget):
            yield from self._method(token, local_names or {}, budget)

    def _method(self, token: int, local_names: Mapping[int, str], budget: Budget) -> Iterator[str]:
        method = self.metadata.method(token)
        body = method.body
        for text in self._directives(method, body, local_names):
            budget.spend(len(text))
            yield text
        if body is not None:
            left = budget.left
            for instruction in body.instructions():
                text = self.instruction(instruction)
                left -= len(text) + _AROUND_LINE
                if left < 0:
                    raise budget.spent()
                yield "  " + text
            budget.left = left
            for clause in body.exception_clauses:
                text = self._clause(clause)
                budget.spend(len(text))
                yield "  " + text
        yield "}"

    def _directives(self, method: Method, body: MethodBody | None, local_names: Mapping[int, str]) -> Iterator[str]:
        yield f".method {self._head(method)}"
        yield "{"
        if method.token == self.metadata.entry_point:
            yield "  .entrypoint"
        if body is not None:
            yield f"  // code size {len(body.il)} (0x{len(body.il):x})"
            yield f"  .maxstack {body.max_stack}"
            yield from self._locals(body, local_names)

    def instruction(self, instruction: Instruction) -> str:
        """One instruction, as ``IL_0001: call void [System.Console]System.Console::WriteLine(string)``."""
        offset, opcode, value, _ = instruction
        if value is None:
            return f"IL_{offset:04x}: {opcode[1]}"
        code = opcode[0]
        if code in _NAMING:
            known = self._names.get(value)  # type: ignore[arg-type]  # a token is an int
            if known is not None:
                return f"IL_{offset:04x}: {opcode[1]} {known}"
        operand = self.operand(instruction)
        return f"IL_{offset:04x}: {opcode[1]} {operand}" if operand else f"IL_{offset:04x}: {opcode[1]}"

    def operand(self, instruction: Instruction) -> str:
        """The operand with its names resolved; a token that cannot be resolved is printed as a comment."""
        _, (code, _, kind), value, _ = instruction
        if value is None:
            return ""
        if code in _BRANCHING:
            return f"IL_{value:04x}"
        if isinstance(value, tuple):
            return "(" + ", ".join([f"IL_{target:04x}" for target in value]) + ")"
        if code in _WITH_TOKEN:
            assert isinstance(value, int)
            try:
                return self._resolve(kind, value)
            except PortablePdbError as error:
                if isinstance(error, LimitError) and error.budget is not None:
                    raise
                return f"/* 0x{value:08x} */"
        if isinstance(value, float):
            return repr(value)
        return str(value)

    def token(self, token: int) -> str:
        """A type, field, method or signature token as an operand names it. Raises NoSuchEntryError."""
        name = self._names.get(token)
        if name is None:
            name = self._names[token] = self._name(token)
        return name

    def type_text(self, type_: sig.TypeSignature) -> str:
        """A type of a signature in ilasm's notation."""
        if isinstance(type_, sig.PrimitiveType):
            return _PRIMITIVES[type_.code]
        if isinstance(type_, sig.NamedType):
            return ("valuetype " if type_.is_value_type else "class ") + self._type(type_.token)
        if isinstance(type_, sig.GenericInstance):
            return f"{self.type_text(type_.generic)}<{','.join(self.type_text(a) for a in type_.arguments)}>"
        if isinstance(type_, sig.SzArrayType):
            return self.type_text(type_.element) + "[]"
        if isinstance(type_, sig.ArrayType):
            return self.type_text(type_.element) + _bounds(type_)
        if isinstance(type_, sig.ByRefType):
            return self.type_text(type_.element) + "&"
        if isinstance(type_, sig.PointerType):
            return self.type_text(type_.element) + "*"
        if isinstance(type_, sig.PinnedType):
            return self.type_text(type_.element) + " pinned"
        if isinstance(type_, sig.ModifiedType):
            word = "modreq" if type_.is_required else "modopt"
            return f"{self.type_text(type_.element)} {word}({self._type(type_.modifier)})"
        if isinstance(type_, sig.TypeParameter):
            return f"!{type_.number}"
        if isinstance(type_, sig.MethodParameter):
            return f"!!{type_.number}"
        return f"method {self._signature(type_.signature, '*')}"

    def _resolve(self, kind: Operand, token: int) -> str:
        if kind is Operand.STRING:
            return quoted(self.metadata.image.user_strings.text(token & 0xFFFFFF))
        if kind is Operand.SIGNATURE:
            row = self.metadata.image.table(T.STAND_ALONE_SIG).row(row_of(token))
            return self._signature(sig.decode_method(self.metadata.signature_blob(row.signature)), "")
        name = self.token(token)
        if kind is Operand.TOKEN:
            table = table_of(token)
            if table == T.FIELD or (table == T.MEMBER_REF and self._is_field(token)):
                return "field " + name
            if table in (T.METHOD_DEF, T.MEMBER_REF, T.METHOD_SPEC):
                return "method " + name
        return name

    def _is_field(self, token: int) -> bool:
        row = self.metadata.image.table(T.MEMBER_REF).row(row_of(token))
        return self.metadata.signature_blob(row.signature).peek() & sig.KIND_MASK == sig.KIND_FIELD

    def _name(self, token: int) -> str:
        metadata = self.metadata
        table = table_of(token)
        if table in (T.TYPE_DEF, T.TYPE_REF, T.TYPE_SPEC):
            return self._type(token)
        if table == T.FIELD:
            field = metadata.field(token)
            owner = self._type(metadata.declaring_type_token(field))
            return f"{self.type_text(field.signature)} {owner}::{identifier(field.name)}"
        if table == T.MEMBER_REF and self._is_field(token):
            row = metadata.image.table(T.MEMBER_REF).row(row_of(token))
            name = identifier(metadata.image.strings[row.name])
            type_ = sig.decode_field(metadata.signature_blob(row.signature))
            return f"{self.type_text(type_)} {self._member_owner(row.class_)}::{name}"
        if table == T.METHOD_SPEC:
            row = metadata.image.table(T.METHOD_SPEC).row(row_of(token))
            arguments = sig.decode_method_spec(metadata.signature_blob(row.instantiation))
            return self._method_name(row.method, f"<{','.join(self.type_text(a) for a in arguments)}>")
        return self._method_name(token, "")

    def _method_name(self, token: int, arguments: str) -> str:
        metadata = self.metadata
        if table_of(token) == T.METHOD_DEF:
            method = metadata.method(token)
            name = f"{self._type(self.metadata.declaring_type_token(method))}::{identifier(method.name)}{arguments}"
            return self._signature(method.signature, name)
        if table_of(token) != T.MEMBER_REF:
            raise NoSuchEntryError(f"0x{token:08x} is not a method", file=metadata.file)
        row = metadata.image.table(T.MEMBER_REF).row(row_of(token))
        name = f"{self._member_owner(row.class_)}::{identifier(metadata.image.strings[row.name])}{arguments}"
        return self._signature(sig.decode_method(metadata.signature_blob(row.signature)), name)

    def _member_owner(self, token: int) -> str:
        if table_of(token) == T.MODULE_REF:
            row = self.metadata.image.table(T.MODULE_REF).row(row_of(token))
            return f"[.module {identifier(self.metadata.image.strings[row.name])}]"
        if table_of(token) == T.METHOD_DEF:
            return self._type(self.metadata.declaring_type_token(token))
        return self._type(token)

    def _type(self, token: int) -> str:
        name = self._types.get(token)
        if name is None:
            if table_of(token) == T.TYPE_SPEC:
                row = self.metadata.image.table(T.TYPE_SPEC).row(row_of(token))
                name = self.type_text(sig.decode_type(self.metadata.signature_blob(row.signature)))
            else:
                parts = self.metadata.type_name(token).split("+")
                name = self._scope(token) + "/".join([dotted(part) for part in parts])
            if len(self._types) < _MOST_KEPT_NAMES:
                self._types[token] = name
        return name

    def _scope(self, token: int) -> str:
        if table_of(token) != T.TYPE_REF:
            return ""
        image = self.metadata.image
        scope = image.table(T.TYPE_REF).row(row_of(token)).resolution_scope
        if table_of(scope) == T.TYPE_REF and row_of(scope):
            return self._scope(scope)
        if table_of(scope) == T.ASSEMBLY_REF:
            return f"[{dotted(image.strings[image.table(T.ASSEMBLY_REF).row(row_of(scope)).name])}]"
        if table_of(scope) == T.MODULE_REF:
            return f"[.module {dotted(image.strings[image.table(T.MODULE_REF).row(row_of(scope)).name])}]"
        return ""

    def _signature(self, signature: sig.MethodSignature, name: str) -> str:
        words = "instance " if signature.has_this else ""
        words += "explicit " if signature.has_explicit_this else ""
        parameters = [self.type_text(parameter) for parameter in signature.parameters]
        if signature.required_count < len(parameters):
            parameters.insert(signature.required_count, "...")
        head = f"{words}{_CONVENTIONS[signature.convention]}{self.type_text(signature.return_type)}"
        return f"{head} {name}({','.join(parameters)})" if name else f"{head}({','.join(parameters)})"

    def _head(self, method: Method) -> str:
        access = _ACCESS[min(method.row.flags & 7, len(_ACCESS) - 1)]
        words = [access, *(word for bit, word in _METHOD_FLAGS if method.row.flags & bit)]
        signature = method.signature
        if signature.has_this:
            words.append("instance")
        names = method.parameters
        parameters = [
            f"{self.type_text(type_)} {identifier(names[number])}" if names.get(number) else self.type_text(type_)
            for number, type_ in enumerate(signature.parameters, 1)
        ]
        generics = [identifier(parameter.name) for parameter in method.generic_parameters]
        name = identifier(method.name) + (f"<{', '.join(generics)}>" if generics else "")
        owner = self._type(self.metadata.declaring_type_token(method))
        return (
            f"{' '.join(words)} {self.type_text(signature.return_type)} {owner}::{name}({', '.join(parameters)})"
            f" cil managed // 0x{method.token:08x}"
        )

    def _locals(self, body: MethodBody, names: Mapping[int, str]) -> Iterator[str]:
        if body.local_signature is None:
            return
        row = self.metadata.image.table(T.STAND_ALONE_SIG).row(row_of(body.local_signature))
        types = sig.decode_locals(self.metadata.signature_blob(row.signature))
        init = "init " if body.init_locals else ""
        shown = [
            f"[{slot}] {self.type_text(type_)}" + (f" {identifier(names[slot])}" if slot in names else "")
            for slot, type_ in enumerate(types)
        ]
        yield f"  .locals {init}({', '.join(shown)})"

    def _clause(self, clause: ExceptionClause) -> str:
        text = f".try IL_{clause.try_offset:04x} to IL_{clause.try_offset + clause.try_length:04x} "
        if clause.kind == CATCH:
            try:
                caught = self._type(clause.catch_type) if clause.catch_type is not None else "/* nil */"
            except PortablePdbError:
                caught = f"/* 0x{clause.catch_type:08x} */"
            text += f"catch {caught}"
        elif clause.kind == FILTER:
            text += f"filter IL_{clause.filter_offset:04x}"
        else:
            text += {FINALLY: "finally", FAULT: "fault"}.get(clause.kind, f"/* {clause.kind} */")
        end = clause.handler_offset + clause.handler_length
        return f"{text} handler IL_{clause.handler_offset:04x} to IL_{end:04x}"


def quoted(text: str) -> str:
    """A string literal; what is not printable ASCII is escaped, lone surrogates included."""
    return '"' + _TO_ESCAPE.sub(_escaped, text) + '"'


def _escaped(found: re.Match[str]) -> str:
    """The escape of a character, as UTF-16 has it."""
    known = _ESCAPES.get(found[0])
    if known is not None:
        return known
    code = ord(found[0])
    if code > 0xFFFF:
        code -= 0x10000
        return f"\\u{0xD800 | code >> 10:04x}\\u{0xDC00 | code & 0x3FF:04x}"
    return f"\\u{code:04x}"


@lru_cache(maxsize=16384)
def identifier(name: str) -> str:
    """An ilasm identifier, in single quotes where it needs them: odd characters and keywords (II.5.3, VI.C.1)."""
    if name in (".ctor", ".cctor"):
        return name
    plain = all(c.isalnum() or c in "_$@`?" for c in name) and name[:1] not in "0123456789"
    if plain and name and name.isascii() and name not in KEYWORDS:
        return name
    return "'" + name.replace("\\", "\\\\").replace("'", "\\'") + "'"


@lru_cache(maxsize=16384)
def dotted(name: str) -> str:
    """A dotted name with each part an identifier."""
    if name.startswith("<"):  # <Module>, <>c: no dots that separate
        return identifier(name) if "." not in name else ".".join(identifier(part) for part in name.split("."))
    return ".".join(identifier(part) for part in name.split("."))


def _bounds(type_: sig.ArrayType) -> str:
    dimensions = []
    for number in range(min(type_.rank, 64)):
        low = type_.lower_bounds[number] if number < len(type_.lower_bounds) else None
        size = type_.sizes[number] if number < len(type_.sizes) else None
        if size is not None:
            dimensions.append(f"{low or 0}...{(low or 0) + size - 1}")
        else:
            dimensions.append(f"{low}..." if low is not None else "")
    return f"[{','.join(dimensions)}]"
