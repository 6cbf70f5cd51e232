"""Static members of a type and its bases: fields, constants, then computed properties."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from typing_extensions import override

from dap_dotnet.errors import DapDotnetError, EvaluationError
from dap_dotnet.runtime.model import NOT_LOADED, ElementType, TypeId, Value
from dap_dotnet.symbols.types import FieldInfo, PropertyInfo
from dap_dotnet.values.children import Child, Segment, SegmentedContainer
from dap_dotnet.values.context import FrameContext, Program
from dap_dotnet.values.debugger_attributes import Browsable, browsable_of
from dap_dotnet.values.lazy_containers import LazyContainer
from dap_dotnet.values.lineage import lineage
from dap_dotnet.values.live_values import LiveValue
from dap_dotnet.values.member_paths import is_nameable, member_path
from dap_dotnet.values.members import (
    DeclaredField,
    DeclaredProperty,
    automatic_property,
    constant_fields,
    read_statics,
    static_fields,
    static_properties,
)
from dap_dotnet.values.rendering import render
from dap_dotnet.values.tuple_names import Names, of_declared
from dap_dotnet.values.typenames import shown_type_name, type_name
from dap_dotnet.values.ways import INTERPRETED

Declared = DeclaredField | DeclaredProperty
_BEFORE_FIELD_INIT = 0x0010_0000
"""TypeAttributes.BeforeFieldInit (ECMA-335 II.23.1.15)."""
_NOT_YET = "<its class may not be initialised yet: expand it to run its initialiser>"

_NOT_LOADED = "<its type is not loaded yet: open it to have it loaded>"


class StaticsContainer(SegmentedContainer):
    """The static members of a value's type, read when opened. Those that derived classes hide have their class beside.

    Of a class whose initialiser may not have run nothing is shown as a value: its fields are zero, which no C#
    expression would see. Such a field is asked for by itself, as a property whose getter has to run.
    """

    def __init__(self, context: FrameContext, source: LiveValue, *, raw: bool = False) -> None:
        """`raw`: whatever attributes say, all of them."""
        super().__init__(context)
        program, kind = context.program, source.get().type
        fields = [one for one in static_fields(program, kind) if not one.field.is_nameless]
        hides = not (raw or program.display.hidden)
        shown: list[Declared] = [*fields, *constant_fields(program, kind), *static_properties(program, kind)]
        wanted = [one for one in shown if not (hides and _is_hidden(program, one))]
        self._fields = [one for one in wanted if isinstance(one, DeclaredField) and not one.field.is_constant]
        self._constants = [one for one in wanted if isinstance(one, DeclaredField) and one.field.is_constant]
        self._properties = [one for one in wanted if isinstance(one, DeclaredProperty)]
        self._names = _names(program, kind, wanted)
        self._source = source
        self._initialised: dict[TypeId, bool] = {}

    @override
    def _all_segments(self) -> list[Segment]:
        fields, constants, properties = self._fields, self._constants, self._properties
        return [
            Segment(len(fields), lambda start, count: self._read_fields(fields[start : start + count])),
            Segment(
                len(constants), lambda start, count: [self._constant(one) for one in constants[start : start + count]]
            ),
            Segment(
                len(properties), lambda start, count: [self._property(one) for one in properties[start : start + count]]
            ),
        ]

    @override
    def field_of(self, name: str) -> tuple[DeclaredField, Value | None] | None:
        found = next((declared for declared in self._fields if self._names[declared] == name), None)
        return (found, None) if found is not None else None

    def _read_fields(self, wanted: list[DeclaredField]) -> list[Child]:
        return [self._field(declared, value) for declared, value in self._read(wanted)]

    def _field(self, declared: DeclaredField, value: Value) -> Child:
        automatic = automatic_property(self.context.program, declared)
        visibility = automatic.visibility if automatic is not None else declared.field.visibility
        kind = "property" if automatic is not None else "data"
        is_read_only = declared.field.is_init_only if automatic is None else automatic.is_read_only
        if _may_have_none(value) and not self._is_initialised(declared.type):
            return self._lazy(declared, visibility, kind, is_read_only=is_read_only, text=_NOT_YET)
        if value.error == NOT_LOADED:
            return self._lazy(declared, visibility, kind, is_read_only=is_read_only, text=_NOT_LOADED)
        return Child(
            self._names[declared],
            value,
            self._path(declared),
            lambda: self._read([declared])[0][1],
            visibility=visibility,
            kind=kind,
            is_read_only=is_read_only,
            is_static=True,
            names=self._names_of(declared)(value),
        )

    def _constant(self, declared: DeclaredField) -> Child:
        read = partial(self._evaluated, declared)
        try:
            value = read()
        except DapDotnetError as error:
            value = Value(None, None, ElementType.END, error=error.message)
        return Child(
            self._names[declared],
            value,
            self._path(declared),
            read,
            visibility=declared.field.visibility,
            kind="data",
            is_read_only=True,
            is_constant=True,
            is_static=True,
        )

    def _property(self, declared: DeclaredProperty) -> Child:
        visibility, is_read_only = declared.property.visibility, declared.property.is_read_only
        read = partial(self._evaluated, declared)
        try:
            value = read()
            if value.parts is not None and render(self.context.program, value).needs_call:
                raise EvaluationError("Its text needs code of the program to run")
        except DapDotnetError:
            return self._lazy(declared, visibility, "property", is_read_only=is_read_only)
        return Child(
            self._names[declared],
            value,
            self._path(declared),
            read,
            visibility=visibility,
            kind="property",
            is_read_only=is_read_only,
            is_static=True,
            names=self._names_of(declared)(value),
            run=read if value.parts is not None else None,
            way=INTERPRETED,
        )

    def _lazy(self, declared: Declared, visibility: str, kind: str, *, is_read_only: bool, text: str = "") -> Child:
        name, path = self._names[declared], self._path(declared)
        return Child(
            name,
            None,
            path,
            container=LazyContainer(
                self.context, name, path, partial(self._evaluated, declared), self._names_of(declared)
            ),
            visibility=visibility,
            kind=kind,
            is_read_only=is_read_only,
            is_static=True,
            text=text,
        )

    def _names_of(self, declared: Declared) -> Callable[[Value], Names]:
        return partial(of_declared, self.context.program, declared.type, _member(declared).token)

    def _evaluated(self, declared: Declared, call_timeout_s: float | None = None) -> Value:
        program = self.context.program
        if program.expressions is None:
            raise EvaluationError(f"{self._names[declared]} cannot be read here.")
        return program.expressions.static_member(
            program, declared.type, _member(declared), call_timeout_s=call_timeout_s
        )

    def _path(self, declared: Declared) -> str | None:
        owner = type_name(self.context.program, declared.type)
        return member_path(owner, _member_name(declared)) if is_nameable(owner) else None

    def _read(self, wanted: list[DeclaredField]) -> list[tuple[DeclaredField, Value]]:
        return read_statics(self.context.program, wanted, self.context.thread, self.context.frame.index)

    def _is_initialised(self, declaring: TypeId) -> bool:
        """Asked once for each class: its first object runs the initialiser, but where it is marked otherwise."""
        found = self._initialised.get(declaring)
        if found is None:
            program, value = self.context.program, self._source.get()
            is_object = value.is_reference and not value.is_null
            found = program.expressions is None or (is_object and not _is_late(program, declaring))
            found = found or (
                program.expressions is not None and program.expressions.is_initialised(program, declaring)
            )
            self._initialised[declaring] = found
        return found


def _member(declared: Declared) -> FieldInfo | PropertyInfo:
    return declared.field if isinstance(declared, DeclaredField) else declared.property


def _member_name(declared: Declared) -> str:
    return declared.field.shown_name if isinstance(declared, DeclaredField) else declared.property.name


def _names(program: Program, type_id: TypeId | None, wanted: list[Declared]) -> dict[Declared, str]:
    """What each is shown as: those that derived classes hide, with their class."""
    depths = {declaring: depth for depth, (declaring, _) in enumerate(lineage(program, type_id))}
    names: dict[Declared, str] = {}
    seen: set[str] = set()
    for declared in sorted(wanted, key=lambda one: depths.get(one.type, 0)):
        name = _member_name(declared)
        names[declared] = f"{name} ({shown_type_name(program, declared.type)})" if name in seen else name
        seen.add(name)
    return names


def _may_have_none(value: Value) -> bool:
    """Whether a field may not have its value yet: it cannot be read, or is zero as far as that is known."""
    return value.error is not None or not (any(value.raw) or (value.is_reference and not value.is_null))


def _is_late(program: Program, declaring: TypeId) -> bool:
    """Whether the initialiser of a class runs only before its first static field is used, not for its first object."""
    info = program.debuggee.type_info(declaring)
    module = program.modules.get(info.module)
    if module is None or module.metadata is None or info.token is None:
        return True
    return bool(module.metadata.type_def(info.token).flags & _BEFORE_FIELD_INIT)


def _is_hidden(program: Program, declared: Declared) -> bool:
    """Whether DebuggerBrowsable hides it; of the framework's fields it does not, as in objects."""
    module = program.modules.get(program.debuggee.type_info(declared.type).module)
    if module is None:
        return False
    automatic = automatic_property(program, declared) if isinstance(declared, DeclaredField) else None
    if isinstance(declared, DeclaredField) and not module.is_user_code:
        return False
    return browsable_of(module, (automatic or _member(declared)).token) is Browsable.NEVER
