"""A program without .NET: types, objects and IL made in the test, behind the seam and the metadata reader's interface.

Everything is in one module, the System types that the engine knows by name included. Signatures are portablepdb's own
trees; IL is assembled by `il.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
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
    TypeId,
    Value,
)
from dap_dotnet.symbols.modules import LoadedModule, ModuleCatalog
from dap_dotnet.values.context import FrameContext, Program
from portablepdb import signatures as sig
from portablepdb.il import MethodBody
from portablepdb.imports import Import, ImportKind
from portablepdb.scopes import LocalVariable
from tests.support.fake_debuggee.debuggee import FakeDebuggee
from tests.support.fake_debuggee.frames import SlotFrame
from tests.support.fake_debuggee.types import ExactTypes
from tests.support.fake_debuggee.values import Array, Box, Object, Scalar, Text
from tests.unit.evaluation.declarations import declare
from tests.unit.evaluation.fake_metadata import (
    INTERFACE,
    NOT_KNOWN,
    FakeField,
    FakeMetadata,
    FakeMethod,
    FakePdb,
    FakeProperty,
    FakeType,
)
from tests.unit.evaluation.framework import FRAMEWORK

CULTURE_STATICS = (
    "s_currentThreadCulture", "s_DefaultThreadCurrentCulture", "s_userDefaultCulture", "s_InvariantCultureInfo",
)  # fmt: skip
NUMBER_FORMAT_FIELDS = {
    **dict.fromkeys(("_positiveSign", "_negativeSign", "_nanSymbol", "_positiveInfinitySymbol"), "string"),
    **dict.fromkeys(("_negativeInfinitySymbol", "_currencySymbol", "_percentSymbol"), "string"),
    **dict.fromkeys(("_currencyPositivePattern", "_percentPositivePattern"), "int"),
    **{
        f"_{part}{name}": of
        for part in ("number", "currency", "percent")
        for name, of in (("GroupSizes", "int[]"), ("GroupSeparator", "string"), ("DecimalSeparator", "string"),
                         ("DecimalDigits", "int"), ("NegativePattern", "int"))
    },
}  # fmt: skip
USINGS = ("System", "System.Collections.Generic", "System.Linq")
SEALED = 0x100
MODULE = ModuleId(1)
THREAD = ThreadId(7)


@cache
def framework_metadata() -> FakeMetadata:
    """What each program begins with, read once."""
    made = FakeMetadata()
    declare(made, FRAMEWORK)
    return made


class World:
    """The program: its types, what its frame holds, and the debuggee in front of it."""

    def __init__(self) -> None:
        self.metadata = framework_metadata().copy()
        self.pdb = FakePdb()
        self.pdb.imports = [Import(ImportKind.NAMESPACE, None, None, name, None) for name in USINGS]
        self.types = ExactTypes(MODULE, self.metadata)
        self.types.specs = self.metadata.specs
        self.frame = SlotFrame(module=MODULE)
        self.debuggee = FakeDebuggee(self.types, process_id=THREAD)
        self.debuggee.frames = [self.frame]
        self.debuggee.stand()
        self.catalog = ModuleCatalog()
        info = ModuleInfo(MODULE, "/nowhere/app.dll", 0, 0, False, False, False)
        self.module: LoadedModule = self.catalog.add(info, lambda address, size: b"")
        self.module.__dict__.update(metadata=self.metadata, _symbols=(self.pdb, None))
        self._cultures()
        self.program_type = self.type("App.Program")
        self.method_token = self.method(self.program_type, "Main", "void", static=True).token

    def _cultures(self) -> None:
        """The invariant culture is the user's; as the framework has it, with what it makes when it is asked."""
        self.number_format_type = self.type("System.Globalization.NumberFormatInfo")
        for name, of in NUMBER_FORMAT_FIELDS.items():
            self.field(self.number_format_type, name, of)
        self.culture_type = self.type("System.Globalization.CultureInfo")
        self.field(self.culture_type, "_name", "string")
        self.field(self.culture_type, "_numInfo", self.number_format_type)
        for name in CULTURE_STATICS:
            self.field(self.culture_type, name, self.culture_type, static=True)
        self.invariant_culture = self.new(self.culture_type, _name=self.text(""), _numInfo=None)
        for name in ("s_userDefaultCulture", "s_InvariantCultureInfo"):
            self.set_static(self.culture_type, name, self.invariant_culture)

    def set_static(self, owner: FakeType, name: str, value: Any) -> None:
        """Give a static field a value."""
        (token,) = (field.token for field in owner.fields if field.name == name)
        self.statics[self.type_id(owner), token] = value

    # types

    def type(
        self, name: str, base: str | None = "System.Object", *, generics: Sequence[str] = (), interface: bool = False
    ) -> FakeType:
        made = FakeType(0, name, self.token(base) if base else None, INTERFACE if interface else 0, [], tuple(generics))
        self.metadata.add(made)
        self.module._cache.clear()
        return made

    def token(self, name: str) -> int:
        token = self.metadata.find_type(name)
        assert token is not None, f"the fake program has no {name}"
        return token

    def enum(self, name: str, underlying: str = "int", **members: int) -> FakeType:
        made = self.type(name, "System.Enum")
        self.field(made, "value__", underlying)
        for member, value in members.items():
            entry = self.field(made, member, sig.NamedType(made.token, True), static=True)  # type: ignore[arg-type]
            entry.constant_value = value
        return made

    def anonymous(self, *names: str) -> FakeType:
        """The type that the compiler made for anonymous objects of these members."""
        count = sum(name.startswith("<>f__") for name in self.metadata.names())
        made = self.type(f"<>f__AnonymousType{count}`{len(names)}", generics=[f"<{name}>j__TPar" for name in names])
        made.flags |= SEALED
        for number, name in enumerate(names):
            self.field(made, f"<{name}>i__Field", sig.TypeParameter(number))
            self.getter(made, name, sig.TypeParameter(number), None)
        self.method(made, ".ctor", "void", [(name, sig.TypeParameter(number)) for number, name in enumerate(names)])
        return made

    def signature(self, of: Any) -> Any:
        """`int`, `App.Point`, `int[]`, a FakeType, or a signature."""
        if isinstance(of, FakeType):
            return sig.NamedType(of.token, self.types.is_value_type(of.token))  # type: ignore[arg-type]
        return self.types.signature(of)

    def field(self, owner: FakeType, name: str, of: Any, *, static: bool = False) -> FakeField:
        made = FakeField(0x04000001 + len(self.metadata.all_fields), name, self.signature(of), static)
        owner.fields.append(made)
        self.metadata.all_fields[made.token] = made
        self.module._cache.clear()
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
        owner.methods[:] = [
            one for one in owner.methods if (one.name, one.signature.parameters) != (name, signature.parameters)
        ]
        owner.methods.append(made)
        self.metadata.all_methods[made.token] = made
        self.module._cache.clear()
        return made

    def getter(self, owner: FakeType, name: str, of: Any, il: bytes | None, **options: Any) -> FakeMethod:
        getter = self.method(owner, f"get_{name}", of, il=il, **options)
        owner.properties.append(FakeProperty(name, getter.token))
        self.module._cache.clear()
        return getter

    # runtime types

    def type_id(self, of: Any) -> int:
        """The exact type of a signature or of its short form."""
        return self.types.exact(self.signature(of))

    def definition_id(self, token: int, arguments: tuple[int, ...] = ()) -> int:
        return self.types.definition(token, arguments)

    # values

    def new(self, of: Any, **fields: Any) -> Object:
        """An object, or a structure where the type is one."""
        type_id = self.type_id(of)
        is_structure = self.types.infos[type_id].element_type is ElementType.VALUETYPE
        return Object(type_id, dict(fields), is_structure, 0 if is_structure else self.debuggee.heap.new_address())

    def scalar(self, of: Any, value: Any) -> Scalar:
        return Scalar(self.type_id(of), value)

    def text(self, text: str) -> Text:
        return Text(text, self.debuggee.heap.new_address())

    def array(
        self, element: Any, items: list[Any], lengths: tuple[int, ...] = (), bounds: tuple[int, ...] = ()
    ) -> Array:
        signature = self.signature(element)
        kind = sig.ArrayType(signature, len(lengths), (), ()) if lengths else sig.SzArrayType(signature)
        return Array(
            self.types.exact(kind),
            items,
            lengths or (len(items),),
            bounds or (0,) * max(len(lengths), 1),
            self.debuggee.heap.new_address(),
        )

    def box(self, inner: Scalar | Object) -> Box:
        return Box(inner, self.debuggee.heap.new_address())

    def nullable(self, of: str, value: Any) -> Object:
        made = self.new(of + "?", hasValue=self.scalar("bool", value is not None))
        made.fields["value"] = value if value is not None else self.default(of)
        return made

    def store_in_fields(self, made: Object | Box, *given: Any) -> None:
        """What a constructor does that stores what it gets, each in its field."""
        target = made.inner if isinstance(made, Box) else made
        assert isinstance(target, Object)
        fields = self.metadata.types[int(self.types.infos[target.type].token or 0)].fields
        for field, value in zip(fields, given, strict=False):
            target.fields[field.name] = value.inner if isinstance(value, Box) else self.content(value)

    def content(self, given: Any) -> Any:
        """What a call got as an argument: a number as it is kept in the program, too."""
        if not isinstance(given, Value):
            return given
        assert given.type is not None or given.element_type is ElementType.I4
        return Scalar(given.type or self.type_id("int"), int.from_bytes(given.raw, "little"))

    def default(self, of: Any) -> Any:
        return self.debuggee.heap.default(self.signature(of))

    # the frame

    @property
    def arguments(self) -> list[Any]:
        return self.frame.arguments

    @arguments.setter
    def arguments(self, contents: list[Any]) -> None:
        self.frame.arguments = contents

    @property
    def locals(self) -> list[Any]:
        return self.frame.locals

    @property
    def statics(self) -> dict[tuple[int, int], Any]:
        return self.debuggee.heap.statics

    def local(self, name: str, value: Any, *, of: Any = None) -> None:
        """`of`: its declared type; None: it is not known, as in code whose signatures are lost."""
        slot = len(self.locals)
        method = self.metadata.method(self.method_token)
        method.local_types = (*method.local_types, self.signature(of) if of is not None else NOT_KNOWN)
        self.pdb.variables.append(LocalVariable(slot, name, False))
        self.locals.append(value)
        self.module._cache.clear()

    @property
    def context(self) -> FrameContext:
        frame = Frame(0, FrameKind.IL, MODULE, MethodToken(self.method_token), 0, 1, 0, 1)
        return FrameContext(Program(self.debuggee, self.catalog), THREAD, frame)

    def evaluate(self, expression: str, caller: Any = None) -> Evaluated:
        result = evaluate(expression, self.context, caller)
        assert self.debuggee.violations == []
        return result

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
        heap = self._world.debuggee.heap
        items = [heap.argument(value.handle) if value.handle is not None else value for value in arguments]
        name = self._world.metadata.method(method).name
        self.made.append(name)
        heap.new_generation()
        result = self._methods[name](*items)
        return heap.value(result) if result is not None else Value(None, None, ElementType.VOID)

    def new_string(self, text: str) -> Value:
        self._world.debuggee.heap.new_generation()
        self.made.append(f'"{text}"')
        return self._world.debuggee.heap.value(self._world.text(text))

    def new_object(self, type_id: TypeId, constructor: MethodToken | None, arguments: Sequence[Value]) -> Value:
        heap = self._world.debuggee.heap
        items = [heap.argument(value.handle) if value.handle is not None else value for value in arguments]
        heap.new_generation()
        made = heap.new_object(type_id)
        if constructor is not None and ".ctor" in self._methods:
            self._methods[".ctor"](made, *items)
        self.made.append("new")
        return heap.value(made)

    def new_array(self, element: TypeId, length: int) -> Value:
        heap = self._world.debuggee.heap
        heap.new_generation()
        self.made.append(f"new[{length}]")
        return heap.value(heap.new_array(element, length))
