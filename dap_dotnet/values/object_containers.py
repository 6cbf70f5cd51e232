"""Objects as containers: fields, properties, static members; each reads its children when they are asked for."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeVar

from msgspec import structs
from typing_extensions import override

from dap_dotnet.errors import DapDotnetError, DeadlineError, EvaluationError
from dap_dotnet.runtime.model import ElementType, TypeId, Value
from dap_dotnet.symbols.modules import CacheSlot
from dap_dotnet.symbols.types import PropertyInfo
from dap_dotnet.values.children import Child, Container, Declaration, Segment, SegmentedContainer
from dap_dotnet.values.context import FrameContext
from dap_dotnet.values.debugger_attributes import Browsable
from dap_dotnet.values.dynamic_view import DYNAMIC_HINT, DYNAMIC_VIEW, DynamicContainer
from dap_dotnet.values.frame_variables import frame_variables
from dap_dotnet.values.lazy_containers import LazyContainer
from dap_dotnet.values.live_values import LiveValue, Reread
from dap_dotnet.values.member_paths import identifier, member_path
from dap_dotnet.values.members import (
    DeclaredField,
    DeclaredProperty,
    read_fields,
)
from dap_dotnet.values.object_shapes import module_of, shape_of
from dap_dotnet.values.rendering import Rendered, render
from dap_dotnet.values.results_view import HINT, RESULTS_VIEW, ResultsContainer
from dap_dotnet.values.static_containers import StaticsContainer
from dap_dotnet.values.tuple_names import Names, of_declared
from dap_dotnet.values.typenames import shown_type_name, type_name
from dap_dotnet.values.ways import CALLED, INTERPRETED

T = TypeVar("T")

Opener = Callable[[FrameContext, LiveValue, Rendered, "str | None"], "Container | None"]
"""Makes what opens a value that is shown so; see `containers.container_for`."""


_DEEPEST_IN_PLACE = 4
CALL_TIMEOUT_S = 2.0
"""How long a getter may take that has to run for what the client opens."""
_UNENDED: CacheSlot[set[int]] = CacheSlot("RootHidden properties whose getters did not end", lambda _: set())
"""They are not run again unasked: what a client has opened it opens at each stop again."""
STATIC_MEMBERS, NON_PUBLIC_MEMBERS = "Static members", "Non-Public members"


def opened_in_place(context: FrameContext, child: Child, opener: Opener) -> Segment:
    """The children of a RootHidden member in its place; nothing where it has none, itself where it is not known.

    Itself, too, where members that are RootHidden lead to others for long: maybe for ever, as in a ring.
    """
    program, value = context.program, child.value
    if value is None or value.error is not None:
        return Segment(1, lambda start, count: [child])
    source = LiveValue(program, value, child.reread, child.run)
    opened: Segment | None = None
    if context.depth_in_place < _DEEPEST_IN_PLACE:
        inside = structs.replace(context, depth_in_place=context.depth_in_place + 1)
        container = opener(inside, source, render(program, value, names=child.names), child.evaluate_name)
        opened = container.in_place() if container is not None else Segment(0, lambda start, count: [])
    return opened or Segment(1, lambda start, count: [structs.replace(child, value=source.get())])


class ObjectContainer(SegmentedContainer):
    """Members of an object or value type: fields, then computed properties; at last groups.

    The groups have its static fields, and for types that are not the user's what is not public. A member that is marked
    as RootHidden is replaced by its own children.
    """

    def __init__(
        self,
        context: FrameContext,
        source: LiveValue,
        path: str | None,
        opener: Opener,
        *,
        raw: bool = False,
        non_public: bool = False,
    ) -> None:
        """`path` is the C# expression for the object, None when there is none.

        `raw`: whatever attributes say, all members as they are. `non_public`: only what is not public.
        """
        super().__init__(context)
        self._source = source
        self._path = path
        self._opener = opener
        self._raw = raw
        self._non_public = non_public
        self._type = source.get().type
        self._shape = shape = shape_of(context.program, self._type, raw=raw)
        self._fields, self._properties = shape.hidden_away if non_public else shape.shown
        self._count = shape.count if not non_public else None
        """Known by the type for most: a page of a list asks each of its objects."""
        self._segments: list[Segment] | None = None
        self._ran: dict[DeclaredProperty, Reread] = {}
        """What getters have given that had to run before the first member is shown."""

    @property
    @override
    def named(self) -> int:
        """Not known before it is opened where getters of RootHidden properties have to run for it."""
        if self._count is not None:
            return self._count
        return super().named if not self._to_run() else 0

    @override
    def read_named(self, start: int, count: int) -> list[Child]:
        if self._count is None:
            self._run_hidden()
        return super().read_named(start, count)

    @override
    def in_place(self) -> Segment | None:
        return super().in_place() if self._count is not None or not self._to_run() else None

    def _to_run(self) -> list[DeclaredProperty]:
        """The RootHidden properties whose items only their getters know, where those may run."""
        program, shape = self.context.program, self._shape
        if self._segments is not None or not program.display.may_run or program.keeper is None:
            return []
        hidden = [one for one in self._properties if shape.browsable[one] is Browsable.ROOT_HIDDEN]
        return [one for one in hidden if one not in self._ran and not self._is_unended(one) and self._has_to_run(one)]

    def _run_hidden(self) -> None:
        """Handles of values die with each call: all getters run before the first member is read."""
        wanted = self._to_run()
        if wanted:
            assert self.context.program.expressions is not None
            with self.context.program.expressions.with_others_staying():
                for one in wanted:
                    self._run(one)

    def _has_to_run(self, declared: DeclaredProperty) -> bool:
        """Whether only running the program tells a property, or the text of what it gives."""
        try:
            value = self._read_property(declared)
        except DapDotnetError:
            return True
        return value.parts is not None and render(self.context.program, value).needs_call

    def _run(self, declared: DeclaredProperty) -> EvaluationError | None:
        """Run a getter, and keep what it gives for as long as the program stands. Returns the error, if any."""
        program = self.context.program
        assert program.keeper is not None
        try:
            value = self._read_property(declared, CALL_TIMEOUT_S)
        except EvaluationError as error:
            if error.code == DeadlineError.code:
                self._unended_in(declared).add(declared.property.token)
            failed = Value(None, None, ElementType.END, error=error.message)
            self._ran[declared] = lambda: failed
            return error
        self._ran[declared] = program.keeper.keep_value(program, value)
        return None

    def _unended_in(self, declared: DeclaredProperty) -> set[int]:
        module = module_of(self.context.program, declared.type)
        return module.cached(_UNENDED) if module is not None else set()

    def _is_unended(self, declared: DeclaredProperty) -> bool:
        return declared.property.token in self._unended_in(declared)

    @property
    def is_counted_by_type(self) -> bool:
        """Whether all objects of the type have as many members: none of them has to be read to know."""
        return self._count is not None

    def _groups(self) -> list[tuple[str, Callable[[], Container]]]:
        context, source, path, shape, raw = self.context, self._source, self._path, self._shape, self._raw
        if self._non_public:
            return []
        groups: list[tuple[str, Callable[[], Container]]] = []
        if any(shape.hidden_away):
            group = partial(ObjectContainer, context, source, path, self._opener, raw=raw, non_public=True)
            groups.append((NON_PUBLIC_MEMBERS, group))
        if shape.has_statics:
            groups.append((STATIC_MEMBERS, partial(StaticsContainer, context, source, raw=raw)))
        if shape.is_enumerable:
            groups.append((RESULTS_VIEW, partial(ResultsContainer, context, source, path)))
        if shape.is_dynamic:
            groups.append((DYNAMIC_VIEW, partial(DynamicContainer, context, source, path)))
        return groups

    @override
    def _all_segments(self) -> list[Segment]:
        """Made when first asked for: a RootHidden member has to be read to know how many children it has."""
        if self._segments is None:
            self._segments = segments = []
            plain: list[DeclaredField] = []
            for field in self._fields:
                if self._shape.browsable[field] is Browsable.ROOT_HIDDEN:
                    segments += [self._segment(self._read_fields, plain), self._opened(self._read_fields([field])[0])]
                    plain = []
                else:
                    plain.append(field)
            segments.append(self._segment(self._read_fields, plain))
            for one in self._properties:
                is_hidden = self._shape.browsable[one] is Browsable.ROOT_HIDDEN
                segments.append(
                    self._opened(self._property(one)) if is_hidden else self._segment(self._read_properties, [one])
                )
            segments.append(self._segment(_opened_groups, self._groups()))
        return self._segments

    @staticmethod
    def _segment(read: Callable[[list[T]], list[Child]], members: list[T]) -> Segment:
        return Segment(len(members), lambda start, count: read(members[start : start + count]))

    def _opened(self, child: Child) -> Segment:
        return opened_in_place(self.context, child, self._opener)

    @override
    def field_of(self, name: str) -> tuple[DeclaredField, Value | None] | None:
        if self._source.get().parts is not None:  # it has no place of its own
            return None
        owner, _, declaring = name.removesuffix(")").partition(" (")
        for declared in self._fields:
            if declared.field.shown_name == owner and (
                not declaring or shown_type_name(self.context.program, declared.type) == declaring
            ):
                return declared, self._source.get()
        return None

    def _read_fields(self, wanted: list[DeclaredField]) -> list[Child]:
        program = self.context.program
        return [self._field(declared, value) for declared, value in read_fields(program, self._source.get(), wanted)]

    def _field(self, declared: DeclaredField, value: Value) -> Child:
        """A field that a derived class hides is shown with its class; both of the name need a cast in an expression."""
        program, shape = self.context.program, self._shape
        explicit = shape.explicit.get(declared)
        name = explicit.shown_name if explicit is not None else declared.field.shown_name
        classes = shape.ambiguous.get(declared.field.shown_name)
        is_hidden = classes is not None and declared.type != classes[0]
        if explicit is None:
            path = self._field_path(declared, type_name(program, declared.type) if classes else None)
        else:
            path = explicit.path(self._path) if not is_hidden else None
        return Child(
            f"{name} ({shown_type_name(program, declared.type)})" if is_hidden else name,
            value,
            path,
            lambda: read_fields(program, self._source.get(), [declared])[0][1],
            visibility=shape.visibility[declared],
            kind="property" if declared.field.is_backing_field else "data",
            is_read_only=declared in shape.read_only,
            names=of_declared(program, declared.type, declared.field.token, value),
            declared_at=self._declared_at(declared.type, shape.automatic.get(declared)),
            display=shape.displays.get(declared),
            run=partial(self._field_in_program, declared) if value.parts is not None else None,
        )

    def _field_in_program(self, declared: DeclaredField, call_timeout_s: float) -> Value:
        return read_fields(self.context.program, self._source.in_program(call_timeout_s), [declared])[0][1]

    def _field_path(self, declared: DeclaredField, seen_as: str | None) -> str | None:
        name = declared.field.shown_name
        if declared.field.is_parameter:
            captured = frame_variables(self.context).captured(name) if self._path == "this" else None
            return identifier(name) if captured is not None and captured.field == declared else None
        return member_path(self._path, name, seen_as=seen_as) if not declared.field.is_nameless else None

    def _read_properties(self, wanted: list[DeclaredProperty]) -> list[Child]:
        return [self._property(one) for one in wanted]

    def _property(self, declared: DeclaredProperty) -> Child:
        """A property with its value where its getter only reads; else one that the client asks for by itself."""
        name, visibility = declared.property.name, declared.property.visibility
        explicit = self._shape.explicit.get(declared)
        if explicit is not None:
            name, path = explicit.shown_name, explicit.path(self._path)
        else:
            classes = self._shape.ambiguous.get(name)
            path = member_path(
                self._path, name, seen_as=type_name(self.context.program, declared.type) if classes else None
            )
        ran = self._ran.get(declared)
        read = ran or partial(self._read_property, declared)
        read_only = declared.property.is_read_only
        try:
            value = read()
            if value is None or (value.parts is not None and render(self.context.program, value).needs_call):
                raise EvaluationError("Its value or its text needs code of the program to run")
        except DapDotnetError:
            run = partial(self._read_property, declared)
            lazy = LazyContainer(self.context, name, path, run, self._names_of(declared))
            return Child(
                name,
                None,
                path,
                container=lazy,
                visibility=visibility,
                kind="property",
                is_read_only=read_only,
                declared_at=self._declared_at(declared.type, declared.property),
            )
        names = self._names_of(declared)(value)
        return Child(
            name,
            value,
            path,
            read,
            visibility=visibility,
            kind="property",
            is_read_only=read_only,
            names=names,
            declared_at=self._declared_at(declared.type, declared.property),
            display=self._shape.displays.get(declared),
            run=partial(self._read_property, declared) if value.parts is not None else None,
            way=CALLED if ran is not None else INTERPRETED,
        )

    def _declared_at(self, declaring: TypeId, declared: PropertyInfo | None) -> Declaration | None:
        module = module_of(self.context.program, declaring) if declared is not None else None
        has_lines = module is not None and module.is_user_code and module.pdb is not None
        return Declaration(module.id, declared.getter) if module and declared and has_lines else None

    def _names_of(self, declared: DeclaredProperty) -> Callable[[Value], Names]:
        return partial(of_declared, self.context.program, declared.type, declared.property.token)

    def _expression_of(self, declared: DeclaredProperty) -> str:
        """The property where the object is `this`."""
        explicit, name = self._shape.explicit.get(declared), declared.property.name
        path = explicit.path("this") if explicit is not None else None
        return path or f"this.{identifier(name) or name}"

    def _read_property(self, declared: DeclaredProperty, call_timeout_s: float | None = None) -> Value:
        program = self.context.program
        if program.expressions is None:
            raise EvaluationError(f"The property {declared.property.name} cannot be read here.")
        source = self._source
        target = source.get() if call_timeout_s is None else source.in_program(call_timeout_s)
        expression = self._expression_of(declared)
        return program.expressions.value(program, target, expression, place=source.get, call_timeout_s=call_timeout_s)


_HINTS = {RESULTS_VIEW: HINT, DYNAMIC_VIEW: DYNAMIC_HINT}


def _opened_groups(wanted: list[tuple[str, Callable[[], Container]]]) -> list[Child]:
    return [
        Child(name, None, None, container=group(), kind="class", text=_HINTS.get(name, "")) for name, group in wanted
    ]
