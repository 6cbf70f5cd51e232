"""A program without .NET: types, objects and IL made in the test, behind the seam and the metadata reader's interface.

Everything is in one module, the System types that the engine knows by name included. Signatures are portablepdb's own
trees; IL is assembled by `il.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from dap_dotnet.evaluation.evaluator import Evaluated, evaluate
from dap_dotnet.runtime.model import (
    ElementType,
    Frame,
    FrameKind,
    MethodToken,
    ModuleId,
    ModuleInfo,
    ThreadId,
    TypeDefToken,
    TypeId,
    TypeInfo,
    Value,
)
from dap_dotnet.symbols.modules import LoadedModule, ModuleCatalog
from dap_dotnet.values.context import FrameContext, Program
from portablepdb import signatures as sig
from portablepdb.il import MethodBody
from portablepdb.scopes import LocalVariable
from tests.unit.evaluation.fake_debuggee import FORMATS, Array, Box, FakeDebuggee, Object, Scalar, Text
from tests.unit.evaluation.fake_metadata import (
    INTERFACE,
    FakeField,
    FakeMetadata,
    FakeMethod,
    FakePdb,
    FakeProperty,
    FakeType,
)

MODULE = ModuleId(1)
THREAD = ThreadId(7)
_KEYWORDS = {
    "void": 0x01, "bool": 0x02, "char": 0x03, "sbyte": 0x04, "byte": 0x05, "short": 0x06, "ushort": 0x07, "int": 0x08,
    "uint": 0x09, "long": 0x0A, "ulong": 0x0B, "float": 0x0C, "double": 0x0D, "string": 0x0E, "nint": 0x18,
    "nuint": 0x19, "object": 0x1C,
}  # fmt: skip
_SYSTEM = {
    "Boolean": 0x02, "Char": 0x03, "SByte": 0x04, "Byte": 0x05, "Int16": 0x06, "UInt16": 0x07, "Int32": 0x08,
    "UInt32": 0x09, "Int64": 0x0A, "UInt64": 0x0B, "Single": 0x0C, "Double": 0x0D, "IntPtr": 0x18, "UIntPtr": 0x19,
}  # fmt: skip


class World:
    """The program: its types, what its frame holds, and the debuggee in front of it."""

    def __init__(self) -> None:
        self.metadata = FakeMetadata()
        self.pdb = FakePdb()
        self.debuggee = FakeDebuggee(self)
        self._next_address = 0x1000
        self._ids: dict[tuple[Any, ...], int] = {}
        self.infos: dict[int, TypeInfo] = {}
        self.arguments: list[Any] = []
        self.locals: list[Any] = []
        self.frame_types: tuple[int, ...] = ()
        self.statics: dict[tuple[int, int], Any] = {}
        self.catalog = ModuleCatalog()
        info = ModuleInfo(MODULE, "/nowhere/app.dll", 0, 0, False, False, False)
        self.module: LoadedModule = self.catalog.add(info, lambda address, size: b"")
        self.module.__dict__.update(metadata=self.metadata, _symbols=(self.pdb, None))
        for name in ("Object", "ValueType", "Enum", "String", "Array", *_SYSTEM, "Decimal"):
            base = {"Object": None, "ValueType": "System.Object", "Enum": "System.ValueType"}.get(
                name, "System.ValueType" if name in (*_SYSTEM, "Decimal") else "System.Object"
            )
            self.type(f"System.{name}", base)
        nullable = self.type("System.Nullable`1", "System.ValueType", generics=("T",))
        self.field(nullable, "hasValue", "bool")
        self.field(nullable, "value", sig.TypeParameter(0))
        number = next(entry for entry in self.metadata.types.values() if entry.full_name == "System.Int32")
        self.field(number, "MaxValue", "int", static=True).constant_value = (1 << 31) - 1
        self.program_type = self.type("App.Program")
        self.method_token = self.method(self.program_type, "Main", "void", static=True).token

    # types

    def type(
        self, name: str, base: str | None = "System.Object", *, generics: Sequence[str] = (), interface: bool = False
    ) -> FakeType:
        token = 0x02000001 + len(self.metadata.types)
        made = FakeType(
            token, name, self.token(base) if base else None, INTERFACE if interface else 0, [], tuple(generics)
        )
        self.metadata.types[token] = made
        self.module.__dict__.pop("_types_by_name", None)
        self.module.__dict__.pop("_namespaces", None)
        return made

    def token(self, name: str) -> int:
        return next(entry.token for entry in self.metadata.types.values() if entry.full_name == name)

    def enum(self, name: str, underlying: str = "int", **members: int) -> FakeType:
        made = self.type(name, "System.Enum")
        self.field(made, "value__", underlying)
        for member, value in members.items():
            entry = self.field(made, member, sig.NamedType(made.token, True), static=True)  # type: ignore[arg-type]
            entry.constant_value = value
        return made

    def signature(self, of: Any) -> Any:
        """`int`, `App.Point`, `int[]`, a FakeType, or a signature."""
        if isinstance(of, FakeType):
            return sig.NamedType(of.token, self._is_value_type(of))  # type: ignore[arg-type]
        if not isinstance(of, str):
            return of
        if of.endswith("[]"):
            return sig.SzArrayType(self.signature(of[:-2]))
        if of.endswith("?"):
            nullable = sig.NamedType(self.token("System.Nullable`1"), True)  # type: ignore[arg-type]
            return sig.GenericInstance(nullable, (self.signature(of[:-1]),))
        if of == "decimal":
            return self.signature("System.Decimal")
        if of in _KEYWORDS:
            return sig.PrimitiveType(_KEYWORDS[of])
        return self.signature(self.metadata.types[self.token(of)])

    def _is_value_type(self, of: FakeType) -> bool:
        return of.base is not None and self.metadata.type_name(of.base) in ("System.ValueType", "System.Enum")

    def field(self, owner: FakeType, name: str, of: Any, *, static: bool = False) -> FakeField:
        made = FakeField(0x04000001 + len(self.metadata.all_fields), name, self.signature(of), static)
        owner.fields.append(made)
        self.metadata.all_fields[made.token] = made
        self.module.__dict__.pop("_members", None)
        return made

    def method(
        self,
        owner: FakeType,
        name: str,
        returns: Any,
        parameters: Sequence[tuple[str, Any]] = (),
        *,
        static: bool = False,
        il: bytes | None = None,
        flags: int = 6,
        locals_: Sequence[Any] = (),
        generics: Sequence[str] = (),
    ) -> FakeMethod:
        signature = sig.MethodSignature(
            0 if static else 0x20,
            len(generics),
            self.signature(returns),
            tuple(self.signature(of) for _, of in parameters),
            len(parameters),
        )
        names = {number: parameter for number, (parameter, _) in enumerate(parameters, 1)}
        body = MethodBody(il, 8, True, None, (), "fake", 0) if il is not None else None
        made = FakeMethod(0x06000001 + len(self.metadata.all_methods), name, signature, owner.token, names, body, flags)
        made.generic_names = tuple(generics)
        owner.methods.append(made)
        self.metadata.all_methods[made.token] = made
        self.module.__dict__.pop("_method_candidates", None)
        return made

    def getter(self, owner: FakeType, name: str, of: Any, il: bytes | None, **options: Any) -> FakeMethod:
        getter = self.method(owner, f"get_{name}", of, il=il, **options)
        owner.properties.append(FakeProperty(name, getter.token))
        self.module.__dict__.pop("_members", None)
        return getter

    # runtime types

    def type_id(self, of: Any) -> int:
        """The exact type of a signature or of its short form."""
        return self._exact(self.signature(of))

    def _exact(self, signature: Any, given: tuple[int, ...] = ()) -> int:
        if isinstance(signature, sig.PrimitiveType):
            return self._info(ElementType(signature.code), None, (), None)
        if isinstance(signature, sig.TypeParameter):
            return given[signature.number]
        if isinstance(signature, sig.SzArrayType):
            element = self._exact(signature.element, given)
            return self._info(ElementType.SZARRAY, None, (element,), self._exact(self.signature("System.Array")), 1)
        if isinstance(signature, sig.ArrayType):
            element = self._exact(signature.element, given)
            base = self._exact(self.signature("System.Array"))
            return self._info(ElementType.ARRAY, None, (element,), base, signature.rank)
        arguments: tuple[int, ...] = ()
        if isinstance(signature, sig.GenericInstance):
            arguments = tuple(self._exact(argument, given) for argument in signature.arguments)
            signature = signature.generic
        return self.definition_id(signature.token, arguments)

    def definition_id(self, token: int, arguments: tuple[int, ...] = ()) -> int:
        made = self.metadata.types[token]
        system = _SYSTEM.get(made.name) if made.namespace == "System" else None
        if made.full_name == "System.String":
            system = 0x0E
        if made.full_name == "System.Object":
            system = 0x1C
        code = (
            ElementType(system) if system else ElementType.VALUETYPE if self._is_value_type(made) else ElementType.CLASS
        )
        base = None
        if made.base is not None:
            spec = self.metadata.specs.get(made.base & 0xFFFFFF) if made.base >> 24 == 0x1B else None
            base = self._exact(spec, arguments) if spec is not None else self.definition_id(made.base)
        return self._info(code, token, arguments, base)

    def _info(
        self, code: ElementType, token: int | None, arguments: tuple[int, ...], base: int | None, rank: int = 0
    ) -> int:
        if token is None and code not in (ElementType.SZARRAY, ElementType.ARRAY, ElementType.VOID):
            name = {0x0E: "String", 0x1C: "Object"}.get(code) or next(n for n, c in _SYSTEM.items() if c == code)
            return self.definition_id(self.token(f"System.{name}"))
        key = (code, token, arguments, rank)
        found = self._ids.get(key)
        if found is None:
            found = self._ids[key] = len(self._ids) + 1
            self.infos[found] = TypeInfo(
                TypeId(found),
                code,
                MODULE if token is not None else None,
                TypeDefToken(token) if token is not None else None,
                tuple(TypeId(argument) for argument in arguments),
                TypeId(base) if base is not None else None,
                rank,
            )
        return found

    # values

    def address(self) -> int:
        self._next_address += 0x20
        return self._next_address

    def new(self, of: Any, **fields: Any) -> Object:
        """An object, or a structure where the type is one."""
        type_id = self.type_id(of)
        is_structure = self.infos[type_id].element_type is ElementType.VALUETYPE
        return Object(type_id, dict(fields), is_structure, 0 if is_structure else self.address())

    def scalar(self, of: Any, value: Any) -> Scalar:
        return Scalar(self.type_id(of), value)

    def text(self, text: str) -> Text:
        return Text(text, self.address())

    def array(
        self, element: Any, items: list[Any], lengths: tuple[int, ...] = (), bounds: tuple[int, ...] = ()
    ) -> Array:
        signature = self.signature(element)
        kind = sig.ArrayType(signature, len(lengths), (), ()) if lengths else sig.SzArrayType(signature)
        return Array(
            self._exact(kind), items, lengths or (len(items),), bounds or (0,) * max(len(lengths), 1), self.address()
        )

    def box(self, inner: Scalar | Object) -> Box:
        return Box(inner, self.address())

    def nullable(self, of: str, value: Any) -> Object:
        made = self.new(of + "?", hasValue=self.scalar("bool", value is not None))
        made.fields["value"] = value if value is not None else self.default(of)
        return made

    def default(self, of: Any) -> Any:
        type_id = self.type_id(of)
        info = self.infos[type_id]
        if info.element_type in FORMATS:
            return Scalar(type_id, 0)
        return Object(type_id, {}, True) if info.element_type is ElementType.VALUETYPE else None

    # the frame

    def local(self, name: str, value: Any) -> None:
        self.pdb.variables.append(LocalVariable(len(self.locals), name, False))
        self.locals.append(value)

    @property
    def context(self) -> FrameContext:
        frame = Frame(0, FrameKind.IL, MODULE, MethodToken(self.method_token), 0, 1, 0, 1)
        return FrameContext(Program(self.debuggee, self.catalog), THREAD, frame)  # type: ignore[arg-type]

    def evaluate(self, expression: str, caller: Any = None) -> Evaluated:
        return evaluate(expression, self.context, caller)

    def show(self, expression: str, caller: Any = None) -> str:
        """The value as the debugger shows it."""
        from dap_dotnet.values.rendering import render

        context = self.context
        return render(context.program, evaluate(expression, context, caller).value).text


class FakeCaller:
    """Runs the program: `methods` maps a name to a function over what the arguments are in the world."""

    def __init__(self, world: World, **methods: Callable[..., Any]) -> None:
        self._world = world
        self._methods = methods
        self.made: list[str] = []

    def call(
        self, module: ModuleId, method: MethodToken, type_arguments: Sequence[TypeId], arguments: Sequence[Value]
    ) -> Value:
        debuggee = self._world.debuggee
        items = [debuggee.argument_of(value.handle) if value.handle is not None else value for value in arguments]
        name = self._world.metadata.method(method).name
        self.made.append(name)
        debuggee.program_ran()
        result = self._methods[name](*items)
        return debuggee.value(result) if result is not None else Value(None, None, ElementType.VOID)

    def new_string(self, text: str) -> Value:
        self._world.debuggee.program_ran()
        self.made.append(f'"{text}"')
        return self._world.debuggee.value(self._world.text(text))
