"""What can be opened in a variables view: scopes, arrays, collections, objects. Each pages its children."""

from __future__ import annotations

from functools import partial

from typing_extensions import override

from dap_dotnet.runtime.model import ElementType, Value
from dap_dotnet.values.children import Child, Container, Segment
from dap_dotnet.values.collections.items import Collection, Item
from dap_dotnet.values.collections.known import known_collection
from dap_dotnet.values.context import FrameContext, Program
from dap_dotnet.values.frame_variables import Variable, frame_variables
from dap_dotnet.values.known_objects import tuple_items
from dap_dotnet.values.live_values import LiveValue
from dap_dotnet.values.member_paths import identifier, member_path
from dap_dotnet.values.members import DeclaredField, has_members, read_field
from dap_dotnet.values.object_containers import ObjectContainer
from dap_dotnet.values.proxy_containers import ProxyContainer
from dap_dotnet.values.rendering import Rendered, is_type, render
from dap_dotnet.values.tuple_names import Names, completed, is_tuple, of_arguments, of_elements
from dap_dotnet.values.type_proxies import proxy_of

_EXCEPTION = "$exception"


class ScopeContainer(Container):
    """The variables of a frame, as one scope: `this`, parameters, then locals. Read when first asked."""

    def __init__(self, context: FrameContext, *, with_exception: bool = False) -> None:
        """`with_exception`: what the thread has thrown comes first, as `$exception`."""
        super().__init__(context)
        self._with_exception = with_exception
        self._read: dict[str, Variable] = {}
        self._generation = -1

    def _variables(self) -> dict[str, Variable]:
        generation = self.context.program.clock.generation
        if self._generation != generation:
            found = frame_variables(self.context)
            debuggee, thread = self.context.program.debuggee, self.context.thread
            thrown = debuggee.current_exception(thread) if self._with_exception else None
            self._read = {} if thrown is None or thrown.is_null else {_EXCEPTION: Variable(_EXCEPTION, thrown)}
            if found.this is not None:
                self._read["this"] = Variable("this", found.this)
            self._read |= {variable.name: variable for variable in (*found.arguments, *found.locals)}
            self._generation = generation
        return self._read

    def _value(self, name: str) -> Value | None:
        found = self._variables().get(name)
        return found.value if found is not None else None

    @property
    @override
    def named(self) -> int:
        return len(self._variables())

    @override
    def read_named(self, start: int, count: int) -> list[Child]:
        found = list(self._variables().values())[start : start + count]
        return [
            Child(
                one.name,
                one.value,
                self._path(one.name),
                partial(self._value, one.name),
                is_read_only=one.is_constant,
                is_constant=one.is_constant,
                type_name=one.type_name,
                names=one.names,
                keeps_name=True,
            )
            for one in found
        ]

    @staticmethod
    def _path(name: str) -> str | None:
        return name if name in ("this", _EXCEPTION) else identifier(name)

    @override
    def field_of(self, name: str) -> tuple[DeclaredField, Value | None] | None:
        captured = frame_variables(self.context).captured(name)
        return (captured.field, captured.owner) if captured is not None else None


class ArrayContainer(Container):
    """Elements of an array, by flat position; names are the indices, `[1, 2]` for several dimensions."""

    def __init__(self, context: FrameContext, source: LiveValue, path: str | None, names: Names = ()) -> None:
        super().__init__(context)
        self._source = source
        self._path = path
        self._names = names
        value = source.get()
        self._length = value.length
        if value.element_type is ElementType.SZARRAY or value.handle is None:
            self._lengths: tuple[int, ...] = (value.length,)
            self._bounds: tuple[int, ...] = (0,)
        else:
            shape = context.program.debuggee.array_shape(value.handle)
            self._lengths, self._bounds = shape.lengths, shape.lower_bounds

    @property
    @override
    def indexed(self) -> int:
        return self._length

    @override
    def read_indexed(self, start: int, count: int) -> list[Child]:
        count = min(count, self._length - start)
        if count <= 0 or start < 0:
            return []
        children = []
        is_plain = self._bounds == (0,)
        for position, value in enumerate(self._elements(start, count), start):
            index = f"[{position if is_plain else ', '.join(map(str, self._indices(position)))}]"
            path = f"{self._path}{index}" if self._path else None
            children.append(Child(index, value, path, partial(self._element, position), names=self._names))
        return children

    def _element(self, position: int) -> Value | None:
        return next(iter(self._elements(position, 1)), None)

    def _elements(self, start: int, count: int) -> list[Value]:
        handle = self._source.get().handle
        return [] if handle is None else self.context.program.debuggee.elements(handle, start, count)

    def _indices(self, position: int) -> list[int]:
        indices = []
        for length, bound in zip(reversed(self._lengths), reversed(self._bounds), strict=True):
            position, index = divmod(position, length)
            indices.append(index + bound)
        return indices[::-1]


class PointerContainer(Container):
    """What a pointer points to."""

    def __init__(self, context: FrameContext, source: LiveValue, path: str | None) -> None:
        super().__init__(context)
        self._source = source
        self._path = path

    @property
    @override
    def named(self) -> int:
        return 1

    @override
    def read_named(self, start: int, count: int) -> list[Child]:
        target = self._target() if not start and count > 0 else None
        path = f"(*{self._path})" if self._path is not None else None
        return [Child(f"*{self._path or ''}", target, path, self._target, keeps_name=True)] if target else []

    def _target(self) -> Value | None:
        handle = self._source.get().handle
        return self.context.program.debuggee.dereference(handle) if handle is not None else None


class TupleContainer(Container):
    """Elements of a tuple, by the names that the source gives them; one of a long tuple is like the others."""

    def __init__(self, context: FrameContext, source: LiveValue, path: str | None, names: Names) -> None:
        super().__init__(context)
        self._source = source
        self._path = path
        kind = source.get().type
        self._elements = of_elements(context.program, kind, names) if kind is not None else []

    @property
    @override
    def named(self) -> int:
        return len(self._elements)

    @override
    def read_named(self, start: int, count: int) -> list[Child]:
        items = tuple_items(self.context.program, self._source.get()) or []
        children = []
        for number, ((name, within), value) in enumerate(zip(self._elements, items, strict=False), 1):
            path = member_path(self._path, f"Item{number}")
            children.append(
                Child(
                    name or f"Item{number}", value, path, partial(self._item, number), visibility="public", names=within
                )
            )
        return children[start : start + count]

    def _item(self, number: int) -> Value | None:
        items = tuple_items(self.context.program, self._source.get())
        return items[number - 1] if items is not None and number <= len(items) else None


def _names_of_items(program: Program, collection: Value, names: Names) -> Names:
    """Of the items of a collection, or of the values of a dictionary."""
    found = of_arguments(program, collection.type, names) if names and collection.type is not None else []
    return found[-1] if found else ()


class CollectionContainer(Container):
    """Items of a collection, then "Raw View", which shows its fields."""

    def __init__(
        self, context: FrameContext, source: LiveValue, shown: Collection, path: str | None, names: Names = ()
    ) -> None:
        """`shown` was read in this generation of handles."""
        super().__init__(context)
        self._source = source
        self._count = shown.count
        self._path = path
        self._given = names
        self._names = _names_of_items(context.program, source.get(), names)
        self._read: tuple[int, Collection | None] = context.program.clock.generation, shown

    def _collection(self) -> Collection | None:
        generation = self.context.program.clock.generation
        if self._read[0] != generation:
            self._read = generation, known_collection(self.context.program, self._source.get())
        return self._read[1]

    @property
    @override
    def named(self) -> int:
        return 1

    @property
    @override
    def indexed(self) -> int:
        return self._count

    @override
    def read_named(self, start: int, count: int) -> list[Child]:
        if start or count < 1:
            return []
        # In C# the members of an ExpandoObject are those that were put into it, not its fields.
        is_dynamic = is_type(self.context.program, self._source.get().type, "System.Dynamic.ExpandoObject")
        path = None if is_dynamic else self._path
        raw = ObjectContainer(self.context, self._source, path, container_for, raw=True)
        return [Child("Raw View", None, None, container=raw, kind="class")]

    @override
    def read_indexed(self, start: int, count: int) -> list[Child]:
        collection = self._collection()
        items = collection.page(start, count) if collection is not None and start >= 0 else []
        return [self._child(number, item) for number, item in enumerate(items, start)]

    @override
    def read_all(self, start: int, count: int) -> list[Child]:
        children = self.read_indexed(start, count)
        if len(children) < count:
            children += self.read_named(max(start - self._count, 0), count - len(children))
        return children

    @override
    def in_place(self) -> Segment | None:
        return Segment(self._count, self.read_indexed)

    def _child(self, number: int, item: Item) -> Child:
        """A dictionary's values have their keys for names."""
        path = f"{self._path}{item.path}" if self._path and item.path is not None else None
        name, key = str(number), None
        if item.key is not None:
            program = self.context.program
            shown = render(program, item.key)
            name = shown.text
            if shown.needs_call:
                key = LiveValue(program, item.key, partial(self._key, number))
                key = key if shown.inner is None else content_of_nullable(program, key, shown.inner)
        return Child(
            f"[{name}]",
            item.value,
            path,
            partial(self._value, number),
            names=self._names_in(item),
            keeps_name=item.key is not None,
            key=key,
        )

    def _names_in(self, item: Item) -> Names:
        return completed(self.context.program, item.value.type, item.names, self._given) if item.names else self._names

    def _item(self, number: int) -> Item | None:
        collection = self._collection()
        items = collection.page(number, 1) if collection is not None else []
        return items[0] if items else None

    def _value(self, number: int) -> Value | None:
        item = self._item(number)
        return item.value if item is not None else None

    def _key(self, number: int) -> Value | None:
        item = self._item(number)
        return item.key if item is not None else None


def container_for(context: FrameContext, source: LiveValue, shown: Rendered, path: str | None) -> Container | None:
    """What opens a value that is shown as `shown`; None for values without children. `path`: its C# expression."""
    program = context.program
    if shown.is_plain:
        return ObjectContainer(context, source, path, container_for) if shown.has_named else None
    if shown.inner is not None:
        source = content_of_nullable(program, source, shown.inner)
        path = member_path(path, "Value")
    if program.display.raw:
        if shown.indexed and not shown.is_collection:
            return ArrayContainer(context, source, path, shown.names)
        return ObjectContainer(context, source, path, container_for, raw=True) if shown.has_named else None
    if source.get().element_type is ElementType.PTR:
        return PointerContainer(context, source, path) if shown.has_named else None
    value = source.get()
    proxy = proxy_of(program, value.type) if has_members(value) else None
    if shown.collection is not None and (proxy is None or proxy.is_frameworks):
        return CollectionContainer(context, source, shown.collection, path, shown.names)
    if shown.indexed and shown.collection is None:
        return ArrayContainer(context, source, path, shown.names)
    if is_tuple(program, value.type) and tuple_items(program, value) is not None:
        return TupleContainer(context, source, path, shown.names)
    if proxy is not None:
        return ProxyContainer(context, source, proxy, path, container_for)
    return ObjectContainer(context, source, path, container_for) if shown.has_named else None


def content_of_nullable(program: Program, source: LiveValue, inner: Value) -> LiveValue:
    """What a nullable holds, as `inner` was read from it."""
    return LiveValue(program, inner, lambda: read_field(program, source.get(), "value"))
