"""Objects as containers: fields, properties, static members; each reads its children when they are asked for."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from typing_extensions import override

from dap_dotnet.errors import DapDotnetError, EvaluationError
from dap_dotnet.runtime.model import ElementType, TypeId, Value
from dap_dotnet.symbols.modules import LoadedModule
from dap_dotnet.symbols.types import PropertyInfo, members
from dap_dotnet.values.children import Child, Container
from dap_dotnet.values.context import FrameContext
from dap_dotnet.values.debugger_attributes import Browsable, browsable_of
from dap_dotnet.values.live_values import LiveValue
from dap_dotnet.values.members import (
    DeclaredField,
    DeclaredProperty,
    computed_properties,
    instance_fields,
    read_fields,
    read_statics,
    static_fields,
)
from dap_dotnet.values.typenames import shown_type_name, type_name


class ObjectContainer(Container):
    """Members of an object or value type: fields, then computed properties; at last groups.

    The groups have its static fields, and for types that are not the user's what is not public.
    """

    def __init__(self, context: FrameContext, source: LiveValue, path: str | None, *, non_public: bool = False) -> None:
        """`path` is the C# expression for the object, None when there is none. `non_public`: only what is not."""
        super().__init__(context)
        self._source = source
        self._path = path
        program = context.program
        self._type = source.get().type
        all_fields = [one for one in instance_fields(program, self._type) if not self._is_never_shown(one)]
        properties = [one for one in computed_properties(program, self._type) if not self._is_never(one)]
        self._fields = [one for one in all_fields if self._is_grouped(one.type, self._visibility(one)) is non_public]
        self._properties = [
            one for one in properties if self._is_grouped(one.type, one.property.visibility) is non_public
        ]
        self._groups: list[tuple[str, Callable[[], Container]]] = []
        if not non_public and len(self._fields) + len(self._properties) < len(all_fields) + len(properties):
            group = partial(ObjectContainer, context, source, path, non_public=True)
            self._groups.append(("Non-Public members", group))
        if not non_public and static_fields(program, self._type):
            self._groups.append(("Static members", partial(StaticsContainer, context, source)))

    @property
    @override
    def named(self) -> int:
        return len(self._fields) + len(self._properties) + len(self._groups)

    @override
    def read_named(self, start: int, count: int) -> list[Child]:
        program = self.context.program
        end = start + count
        seen: set[str] = {field.field.shown_name for field in self._fields[:start]}
        children = []
        for declared, value in read_fields(program, self._source.get(), self._fields[start:end]):
            children.append(self._child(declared, value, hidden=declared.field.shown_name in seen))
            seen.add(declared.field.shown_name)
        first = len(self._fields)
        for declared_property in self._properties[max(start - first, 0) : max(end - first, 0)]:
            children.append(self._property(declared_property))
        first += len(self._properties)
        for name, group in self._groups[max(start - first, 0) : max(end - first, 0)]:
            children.append(Child(name, None, None, container=group(), kind="class"))
        return children

    @override
    def field_of(self, name: str) -> tuple[DeclaredField, Value | None] | None:
        owner, _, declaring = name.removesuffix(")").partition(" (")
        for declared in self._fields:
            if declared.field.shown_name == owner and (
                not declaring or shown_type_name(self.context.program, declared.type) == declaring
            ):
                return declared, self._source.get()
        return None

    def _module_of(self, declaring: TypeId) -> LoadedModule | None:
        program = self.context.program
        return program.modules.get(program.debuggee.type_info(declaring).module)

    def _is_grouped(self, declaring: TypeId, visibility: str) -> bool:
        """Whether a member is shown under "Non-Public members": those of the user's types are not."""
        module = self._module_of(declaring)
        return visibility != "public" and module is not None and not module.is_user_code

    def _property_of(self, declared: DeclaredField) -> PropertyInfo | None:
        """The automatic property whose backing field it is."""
        if not declared.field.is_backing_field:
            return None
        info = self.context.program.debuggee.type_info(declared.type)
        found = members(self._module_of(declared.type), info.token).properties
        return next((one for one in found if one.name == declared.field.shown_name), None)

    def _visibility(self, declared: DeclaredField) -> str:
        automatic = self._property_of(declared)
        if automatic is not None:
            return automatic.visibility
        return "public" if declared.field.is_backing_field else declared.field.visibility

    def _is_never_shown(self, declared: DeclaredField) -> bool:
        module, automatic = self._module_of(declared.type), self._property_of(declared)
        if module is None or not module.is_user_code:
            return False  # the attribute hides the framework's fields where its own views show something instead
        token = automatic.token if automatic is not None else declared.field.token
        return browsable_of(module, token) is Browsable.NEVER

    def _is_never(self, declared: DeclaredProperty) -> bool:
        module = self._module_of(declared.type)
        return module is not None and browsable_of(module, declared.property.token) is Browsable.NEVER

    def _child(self, declared: DeclaredField, value: Value, *, hidden: bool) -> Child:
        """A field that a derived class hides is shown with its class, and needs a cast in an expression."""
        name = declared.field.shown_name
        path = self._path
        shown = name
        if hidden:
            owner = type_name(self.context.program, declared.type)
            path = f"(({owner}){path})" if path else None
            shown = f"{name} ({shown_type_name(self.context.program, declared.type)})"
        return Child(
            shown,
            value,
            f"{path}.{name}" if path else None,
            lambda: read_fields(self.context.program, self._source.get(), [declared])[0][1],
            visibility=self._visibility(declared),
            kind="property" if declared.field.is_backing_field else "data",
        )

    def _property(self, declared: DeclaredProperty) -> Child:
        """A property with its value where its getter only reads; else one that the client asks for by itself."""
        name = declared.property.name
        path = f"{self._path}.{name}" if self._path else None
        read = partial(self._read_property, name)
        try:
            value = read()
        except DapDotnetError:
            lazy = LazyContainer(self.context, self._source, name, path)
            return Child(name, None, path, container=lazy, visibility=declared.property.visibility, kind="property")
        return Child(name, value, path, read, visibility=declared.property.visibility, kind="property")

    def _read_property(self, name: str) -> Value:
        program = self.context.program
        if program.expressions is None:
            raise EvaluationError(f"The property {name} cannot be read here.")
        return program.expressions.value(program, self._source.get(), f"this.{name}")


class LazyContainer(Container):
    """The value of a property whose getter must run in the program: it runs when this is opened, each time."""

    def __init__(self, context: FrameContext, source: LiveValue, name: str, path: str | None) -> None:
        super().__init__(context)
        self._source = source
        self._name = name
        self._path = path

    @property
    @override
    def named(self) -> int:
        return 1

    @override
    def read_named(self, start: int, count: int) -> list[Child]:
        if start or count < 1:
            return []
        program = self.context.program
        if program.expressions is None:
            return []
        try:
            value = program.expressions.value(program, self._source.get(), f"this.{self._name}", may_run=True)
        except EvaluationError as error:
            value = Value(None, None, ElementType.END, error=error.message)
        return [Child(self._name, value, self._path, kind="property")]


class StaticsContainer(Container):
    """Static fields of a type and its bases, read when opened."""

    def __init__(self, context: FrameContext, source: LiveValue) -> None:
        super().__init__(context)
        self._fields = static_fields(context.program, source.get().type)

    @property
    @override
    def named(self) -> int:
        return len(self._fields)

    @override
    def read_named(self, start: int, count: int) -> list[Child]:
        wanted = self._fields[start : start + count]
        program = self.context.program
        return [
            Child(
                declared.field.shown_name,
                value,
                f"{type_name(program, declared.type)}.{declared.field.shown_name}",
                partial(self._read_one, declared),
            )
            for declared, value in self._read(wanted)
        ]

    @override
    def field_of(self, name: str) -> tuple[DeclaredField, Value | None] | None:
        found = next((declared for declared in self._fields if declared.field.shown_name == name), None)
        return (found, None) if found is not None else None

    def _read_one(self, declared: DeclaredField) -> Value:
        return self._read([declared])[0][1]

    def _read(self, wanted: list[DeclaredField]) -> list[tuple[DeclaredField, Value]]:
        return read_statics(self.context.program, wanted, self.context.thread, self.context.frame.index)
