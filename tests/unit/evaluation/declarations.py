"""Reads declarations of types and members, as `framework.py` has them, into fake metadata.

A type begins its line: `class`, `struct`, `interface` or `delegate`, its full name, and what it derives from. Its
members follow, indented: methods, `new(…)`, fields (`field`, `const`), properties with `{ get set }`, indexers with the
name that metadata has for them (`char this[int] Chars { get }`). Types are named by their last names, those of
namespace System.Collections by their full ones. `extension` is a static method whose first parameter is `this`.
`for N in a, b` makes the declaration once with `a` in place of `N`, and once with `b`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from portablepdb import signatures as sig
from tests.support.fake_debuggee.types import KEYWORDS
from tests.unit.evaluation.fake_metadata import (
    INTERFACE,
    Attribute,
    FakeConstant,
    FakeField,
    FakeMetadata,
    FakeMethod,
    FakeParameter,
    FakeProperty,
    FakeType,
)

_TOKEN = re.compile(r"<[\w>]+>k__\w+|-?\d+|[\w.]+|\[,*\]|[^\s\w]")
_BASES = {"struct": "System.ValueType", "delegate": "System.MulticastDelegate", "interface": None}
_PUBLIC, _VIRTUAL, _ABSTRACT, _SPECIAL = 0x06, 0x1C0, 0x5C0, 0x1800
_OUT, _OPTIONAL = 0x02, 0x10
_OF_PARAMETERS = ("out", "in", "struct")
_EXTENSION = "System.Runtime.CompilerServices.ExtensionAttribute"
_PARAMS = "System.ParamArrayAttribute"
_ELEMENT_NAMES = "System.Runtime.CompilerServices.TupleElementNamesAttribute"
_DEFAULT_MEMBER = "System.Reflection.DefaultMemberAttribute"


def declare(metadata: FakeMetadata, text: str) -> None:
    """Add the types that a text declares."""
    entries = [_Entry(metadata, lines) for lines in _by_type(text)]
    names = {entry.short_name: entry.type for entry in entries}
    for entry in entries:
        entry.declare_members(names)


def _by_type(text: str) -> Iterator[list[str]]:
    lines: list[str] = []
    for line in text.replace("\\\n", "").splitlines():
        if not line.startswith(" ") and lines:
            yield lines
            lines = []
        lines += _each(line) if line.strip() else []
    yield lines


def _each(line: str) -> list[str]:
    declaration, _, names = line.partition(" for N in ")
    return [re.sub(r"\bN\b", name.strip(), declaration) for name in names.split(",")] if names else [line]


@dataclass
class _Reader:
    """The words of one line."""

    words: list[str]
    place: int = 0

    @property
    def next(self) -> str:
        return self.words[self.place] if self.place < len(self.words) else ""

    def take(self, *words: str) -> str:
        """The next word where it is one of `words`, or any where none are given; else nothing."""
        word = self.next
        if words and word not in words:
            return ""
        self.place += 1
        return word


@dataclass
class _Entry:
    """A type, and the lines of its members."""

    metadata: FakeMetadata
    lines: list[str]
    type: FakeType = field(init=False)
    _names: dict[str, FakeType] = field(init=False)
    _of_method: tuple[str, ...] = ()
    _elements: list[str | None] = field(default_factory=list)
    """The names of tuples' elements in the type that was read last."""

    def __post_init__(self) -> None:
        self._head = head = _Reader(_TOKEN.findall(self.lines[0]))
        self._word = head.take()
        self._result_at = head.place
        if self._word == "delegate":
            head.take()
        name = head.take()
        self._result_end = head.place - 1
        generics = self._generics(head)
        full_name = f"{name}`{len(generics)}" if generics else name
        self.type = FakeType(0, full_name, None, INTERFACE if self._word == "interface" else 0, [], tuple(generics))
        self.metadata.add(self.type)
        base = _BASES.get(self._word, "System.Object")
        self.type.base = self.metadata.find_type(base) if base and full_name != "System.Object" else None

    @property
    def short_name(self) -> str:
        """As other declarations name it."""
        name = self.type.full_name
        is_plain_collection = name.startswith("System.Collections.") and not name.startswith("System.Collections.G")
        return name if is_plain_collection else name.rpartition(".")[2]

    def _generics(self, reader: _Reader) -> list[str]:
        names = []
        if reader.take("<"):
            while not reader.take(">"):
                variance = reader.take(*_OF_PARAMETERS)
                names.append(f"{variance} {reader.take()}".strip())
                reader.take(",")
        return names

    def declare_members(self, names: dict[str, FakeType]) -> None:
        self._names = names
        head = self._head
        if self._word == "delegate":
            self._method(".ctor", sig.PrimitiveType(0x01), _Reader(_TOKEN.findall("(object, nint)")), _SPECIAL)
            result = self._type(_Reader(head.words[self._result_at : self._result_end]))
            self._method("Invoke", result, head, _VIRTUAL)
        elif head.take(":"):
            while head.next:
                self._derive(self._type(head))
                head.take(",")
        for line in self.lines[1:]:
            self._member(_Reader(_TOKEN.findall(line)))

    def _derive(self, above: sig.TypeSignature) -> None:
        token = self.metadata.add_spec(above) if isinstance(above, sig.GenericInstance) else above.token  # type: ignore[union-attr]
        generic = above.generic if isinstance(above, sig.GenericInstance) else above
        if self.metadata.type_def(generic.token).is_interface:  # type: ignore[union-attr]
            self.type.interfaces.append(token)
        else:
            self.type.base = token

    def _member(self, line: _Reader) -> None:
        words = set[str]()
        while word := line.take("static", "extension", "virtual", "abstract", "field", "const"):
            words.add(word)
        flags = _ABSTRACT if "abstract" in words else _VIRTUAL if "virtual" in words else 0
        is_static = bool(words & {"static", "extension"})
        self._of_method = tuple(self._names_of_method(line))
        if line.next == "new" and line.take():
            self._method(".ctor", sig.PrimitiveType(0x01), line, _SPECIAL)
            return
        self._elements = []
        of, elements = self._type(line), self._elements
        name = line.take()
        if words & {"field", "const"}:
            made = FakeField(0x04000001 + len(self.metadata.all_fields), name, of, is_static or "const" in words)
            made.constant_value = int(line.words[-1]) if "const" in words else None
            self.type.fields.append(made)
            self.metadata.all_fields[made.token] = made
        elif name == "this" or line.next == "{":
            self._property(name, of, line, flags, is_static=is_static)
        else:
            self._generics(line)
            method = self._method(name, of, line, flags, is_static=is_static)
            if "extension" in words:
                self.metadata.mark(method.token, Attribute(_EXTENSION))
            if any(elements):
                row = FakeParameter(0, "", token=self.metadata.new_parameter())
                self.metadata.mark(row.token, Attribute(_ELEMENT_NAMES, [FakeConstant(one) for one in elements]))
                assert method.rows is not None
                method.rows.append(row)

    @staticmethod
    def _names_of_method(line: _Reader) -> list[str]:
        """The type parameters of a method, whose names stand after its result."""
        text = " ".join(line.words)
        match = re.search(r" \w+ < ([\w ,]+) > \(", text)
        return match.group(1).split(" , ") if match else []

    def _property(self, name: str, of: sig.TypeSignature, line: _Reader, flags: int, *, is_static: bool) -> None:
        index: list[str] = []
        if name == "this":
            index = line.words[line.place + 1 : line.words.index("]")]
            line.place += len(index) + 2
            name = line.take()
            if name != "Item":
                self.metadata.mark(self.type.token, Attribute(_DEFAULT_MEMBER, name))
        accessors = line.words[line.place :]
        parameters = ["(", *index, ")"]
        getter = self._method(f"get_{name}", of, _Reader(parameters), flags, is_static=is_static)
        made = FakeProperty(name, getter.token)
        if "set" in accessors:
            self._of_method = ()
            signature = getter.signature
            setter = self._method(f"set_{name}", sig.PrimitiveType(0x01), _Reader(parameters), flags)
            setter.signature = sig.MethodSignature(
                0x20, 0, sig.PrimitiveType(0x01), (*signature.parameters, of), len(signature.parameters) + 1
            )
            setter.parameters[len(setter.parameters) + 1] = "value"
            made.setter = setter.token
        self.type.properties.append(made)

    def _method(
        self, name: str, result: sig.TypeSignature, line: _Reader, flags: int, *, is_static: bool = False
    ) -> FakeMethod:
        parameters, rows = self._parameters(line)
        signature = sig.MethodSignature(
            0 if is_static else 0x20, len(self._of_method), result, tuple(parameters), len(parameters)
        )
        made = FakeMethod(
            0x06000001 + len(self.metadata.all_methods),
            name,
            signature,
            self.type.token,
            {row.sequence: row.name for row in rows},
            None,
            _PUBLIC | flags,
            generic_names=self._of_method,
            rows=rows,
        )
        self.type.methods.append(made)
        self.metadata.all_methods[made.token] = made
        return made

    def _parameters(self, line: _Reader) -> tuple[list[sig.TypeSignature], list[FakeParameter]]:
        self._elements = []
        parameters: list[sig.TypeSignature] = []
        rows: list[FakeParameter] = []
        line.take("(")
        while line.next and not line.take(")"):
            word = line.take("params", "out", "ref")
            of = self._type(line)
            parameters.append(sig.ByRefType(of) if word in ("out", "ref") else of)
            number = len(parameters)
            name = line.take() if line.next not in (",", ")") else f"arg{number}"
            row = FakeParameter(number, name, _OUT if word == "out" else 0, token=self.metadata.new_parameter())
            if line.take("="):
                row.flags |= _OPTIONAL
                row.constant = FakeConstant({"false": False, "null": None}[line.take()])
            if word == "params":
                self.metadata.mark(row.token, Attribute(_PARAMS))
            rows.append(row)
            line.take(",")
        return parameters, rows

    # types

    def _type(self, line: _Reader) -> sig.TypeSignature:
        if line.take("("):
            items = []
            while not line.take(")"):
                items.append(self._type(line))
                self._elements.append(line.take() if line.next not in (",", ")") else None)
                line.take(",")
            of = self._named("ValueTuple", items)
        else:
            name, items = line.take(), []
            if line.take("<"):
                while not line.take(">"):
                    items.append(self._type(line))
                    line.take(",")
            of = self._named(name, items)
        while suffix := line.take("?", "[]"):
            of = sig.SzArrayType(of) if suffix == "[]" else self._named("Nullable", [of])
        return of

    def _named(self, name: str, items: list[sig.TypeSignature]) -> sig.TypeSignature:
        if name in self._of_method:
            return sig.MethodParameter(self._of_method.index(name))
        own = [generic.split()[-1] for generic in self.type.generics]
        if name in own:
            return sig.TypeParameter(own.index(name))
        if name in KEYWORDS:
            return sig.PrimitiveType(KEYWORDS[name])
        entry = self._names["Decimal" if name == "decimal" else f"{name}`{len(items)}" if items else name]
        is_value = entry.base is not None and self.metadata.type_name(entry.base) == "System.ValueType"
        of = sig.NamedType(entry.token, is_value)  # type: ignore[arg-type]
        return sig.GenericInstance(of, tuple(items)) if items else of
