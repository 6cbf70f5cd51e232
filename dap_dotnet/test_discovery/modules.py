"""A test assembly and the assemblies beside it: what their attributes mean, and which class derives from which."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack
from types import TracebackType
from typing import TYPE_CHECKING, Any

from dap_dotnet.test_discovery.frameworks import KNOWN, XUNIT_V3_ASSEMBLY, Framework, Role

if TYPE_CHECKING:
    from portablepdb import Assembly, CustomAttribute, PortablePdb, Token

_TYPE_DEF, _TYPE_REF, _TYPE_SPEC = 0x02, 0x01, 0x1B
_DEEPEST = 50
"""Of a chain of base types: damaged metadata may have a ring."""


class Marked:
    """What one attribute says."""

    __slots__ = ("attribute", "framework", "role")

    def __init__(self, role: Role, framework: Framework, attribute: CustomAttribute) -> None:
        self.role = role
        self.framework = framework
        self.attribute = attribute

    def named(self, name: str) -> str | None:
        """A text that the attribute sets by name; None where it does not."""
        for argument in self.attribute.named_arguments:
            if argument.name == name and isinstance(argument.argument.value, str):
                return argument.argument.value
        return None

    def first_text(self) -> str | None:
        """The first text among the constructor's arguments; None where there is none."""
        values = [argument.value for argument in self.attribute.fixed_arguments]
        return next((value for value in values if isinstance(value, str)), None)


class Module:
    """An assembly with the attributes that say something of tests."""

    def __init__(self, assembly: Assembly, others: Modules) -> None:
        self.assembly = assembly
        self.metadata: Any = assembly.metadata
        self._others = others
        self._marks: dict[int, list[Marked]] | None = None
        self._pdb: PortablePdb | None = None
        self._has_looked = False

    @property
    def pdb(self) -> PortablePdb | None:
        """Its symbols; None where it has none that can be read."""
        if not self._has_looked:
            self._has_looked = True
            self._pdb = self.assembly.find_pdb().pdb
            if self._pdb is not None:
                self._others.close_later(self._pdb)
        return self._pdb

    def marks(self, token: int) -> list[Marked]:
        """What the attributes of a type or a method say of tests."""
        if self._marks is None:
            self._marks = self._read_marks()
        return self._marks.get(token, [])

    def _read_marks(self) -> dict[int, list[Marked]]:
        from portablepdb import CustomAttribute, TableNumber

        table = self.metadata.image.table(TableNumber.CUSTOM_ATTRIBUTE)
        parents = table.column("parent")
        meanings: dict[int, tuple[Role, Framework] | None] = {}
        marks: dict[int, list[Marked]] = {}
        for row_id, constructor in enumerate(table.column("type"), 1):
            if constructor not in meanings:
                attribute = CustomAttribute(self.metadata, row_id, table.row(row_id))
                meanings[constructor] = self._meaning(attribute.type)
            meaning = meanings[constructor]
            if meaning is not None:
                attribute = CustomAttribute(self.metadata, row_id, table.row(row_id))
                marks.setdefault(parents[row_id - 1], []).append(Marked(*meaning, attribute))
        return marks

    def _meaning(self, type_: Token) -> tuple[Role, Framework] | None:
        for module, token in self.and_bases(type_):
            known = KNOWN.get(module.metadata.type_name(token))
            if known is not None:
                is_v3 = known[1] is Framework.XUNIT and module.owner_of(token) == XUNIT_V3_ASSEMBLY
                return (known[0], Framework.XUNIT_V3) if is_v3 else known
        return None

    def owner_of(self, token: int) -> str | None:
        """The simple name of the assembly that has a type."""
        if token >> 24 == _TYPE_REF:
            name: str | None = self.metadata.assembly_of(token)
            return name
        own: str | None = self.metadata.assembly_name
        return own

    def and_bases(self, type_: int) -> Iterator[tuple[Module, Token]]:
        """A type and those that it derives from, each in the module that defines it where that can be found."""
        module: Module = self
        current: Token | None = module.metadata.object_of(type_)
        for _ in range(_DEEPEST):
            if current is not None and current >> 24 == _TYPE_SPEC:
                current = getattr(current, "definition", None)
            if current is None:
                return
            if current >> 24 == _TYPE_REF:
                yield module, current
                definition = self._others.definition(module, current)
                if definition is None:
                    return
                module, current = definition
            yield module, current
            current = getattr(current, "base", None)


class Modules:
    """The assemblies of a folder, opened when they are asked for. A context manager."""

    def __init__(self, path: str) -> None:
        """`path` is the test assembly. Raises `PortablePdbError`."""
        self._folder = os.path.dirname(path)
        self._by_name: dict[str, Module | None] = {}
        self._stack = ExitStack()
        with self._stack as opening:
            self.tests = self._open(path)
            self._stack = opening.pop_all()

    def __enter__(self) -> Modules:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    def close_later(self, pdb: PortablePdb) -> None:
        """Close it with the assemblies."""
        self._stack.callback(pdb.close)

    def definition(self, module: Module, reference: Token) -> tuple[Module, Token] | None:
        """The type that a TypeRef of a module refers to; None where its assembly is not beside the tests."""
        owner = module.owner_of(reference)
        other = self._beside(owner) if owner is not None else None
        token = None if other is None else other.metadata.find_type_token(module.metadata.type_name(reference))
        return None if other is None or token is None else (other, other.metadata.type_def(token))

    def _beside(self, name: str) -> Module | None:
        from portablepdb import PortablePdbError

        if name not in self._by_name:
            try:
                self._by_name[name] = self._open(os.path.join(self._folder, f"{name}.dll"))
            except PortablePdbError:  # of the framework, or damaged: what derives from it is not known
                self._by_name[name] = None
        return self._by_name[name]

    def _open(self, path: str) -> Module:
        from portablepdb import Assembly

        assembly = self._stack.enter_context(Assembly.open(path))
        return Module(assembly, self)
