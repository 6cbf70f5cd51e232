"""Objects as their DebuggerTypeProxy shows them: the members of a proxy that is made when one is opened."""

from __future__ import annotations

from collections.abc import Callable

from typing_extensions import override

from dap_dotnet.errors import DeadlineError, EvaluationError, StaleHandleError
from dap_dotnet.runtime.model import ElementType, Value
from dap_dotnet.symbols.modules import CacheSlot
from dap_dotnet.symbols.reflection_names import ReflectionName
from dap_dotnet.values.children import Child, Container, Segment, SegmentedContainer
from dap_dotnet.values.context import FrameContext, Program, WrappedMember, WrappedObject
from dap_dotnet.values.debugger_attributes import Browsable, browsable_of
from dap_dotnet.values.live_values import LiveValue
from dap_dotnet.values.member_paths import is_nameable, member_path
from dap_dotnet.values.members import DeclaredField, DeclaredProperty
from dap_dotnet.values.object_containers import CALL_TIMEOUT_S, ObjectContainer, Opener, opened_in_place
from dap_dotnet.values.type_proxies import TypeProxy
from dap_dotnet.values.typenames import type_name
from dap_dotnet.values.ways import INTERPRETED

_UNENDED: CacheSlot[set[ReflectionName]] = CacheSlot("proxies that did not end", lambda _: set())


def _unended(program: Program, proxy: TypeProxy) -> set[ReflectionName]:
    """The proxies that are not run again: what a client has opened it opens at each stop again."""
    module = program.modules.get(program.debuggee.type_info(proxy.shown_for).module)
    return module.cached(_UNENDED) if module is not None else set()


class ProxyContainer(Container):
    """What the proxy of an object's type shows of it, then "Raw View".

    A proxy that only reads is followed by the debugger. For others code of the program runs when this is opened, not
    before: the constructor of the proxy, then its getters. A proxy
    that cannot be made, or whose getters do not end, is said to be so, above the object's own members.
    """

    def __init__(
        self, context: FrameContext, source: LiveValue, proxy: TypeProxy, path: str | None, opener: Opener
    ) -> None:
        """`path` is the C# expression for the object, None when there is none."""
        super().__init__(context)
        self._source = source
        self._proxy = proxy
        self._path = path
        self._opener = opener
        self._opened: Container | None = None
        self._failure: list[Child] = []

    @property
    @override
    def named(self) -> int:
        """Not known before it is opened."""
        return len(self._failure) + self._opened.named + (not self._failure) if self._opened is not None else 0

    @override
    def read_named(self, start: int, count: int) -> list[Child]:
        members = self._members()
        children = self._failure[start : start + count]
        start = max(start - len(self._failure), 0)
        children += members.read_named(start, count - len(children))
        if not self._failure and len(children) < count and start <= members.named:
            children.append(self._raw_view())
        return children

    @override
    def in_place(self) -> Segment | None:
        try:
            followed = self._followed()
        except EvaluationError:
            return None
        return Segment(followed.named, followed.read_named) if followed is not None else None

    def _raw_view(self) -> Child:
        raw = ObjectContainer(self.context, self._source, self._path, self._opener, raw=True)
        return Child("Raw View", None, None, container=raw, kind="class")

    def _members(self) -> Container:
        if self._opened is None:
            known = _unended(self.context.program, self._proxy)
            try:
                if self._proxy.name in known:
                    raise EvaluationError("It did not finish once, and is not run again")
                self._opened = self._followed() or self._made()
            except EvaluationError as error:
                if error.code == DeadlineError.code:
                    known.add(self._proxy.name)
                failed = Value(None, None, ElementType.END, error=error.message)
                self._failure.append(Child("DebuggerTypeProxy", failed, None, lambda: failed, kind="virtual"))
                self._opened = self._own_members(error)
        return self._opened

    def _own_members(self, error: EvaluationError) -> Container:
        try:
            return ObjectContainer(self.context, self._source, self._path, self._opener)
        except StaleHandleError:  # the program stands in the middle of the call now
            raise error from None

    def _followed(self) -> Container | None:
        """The members where the proxy only reads: nothing runs for them. None where it does more."""
        found = self._read()
        if found is None:
            return None
        return _FollowedMembers(self.context, found, self._path_of(found.type_name), self._read, self._opener)

    def _read(self) -> WrappedObject | None:
        program, proxy = self.context.program, self._proxy
        if program.expressions is None or program.display.hidden:  # what is followed is public
            return None
        source = self._source.get()
        return program.expressions.wrapped_members(program, source, proxy.name, proxy.shown_for)

    def _path_of(self, name: str) -> str | None:
        """The proxy's constructor takes the object's own type, which may not be what its expression is declared as."""
        own = type_name(self.context.program, self._source.get().type)
        if self._path is None or not is_nameable(name) or not is_nameable(own):
            return None
        return f"new {name}(({own}){self._path})"

    def _made(self) -> Container:
        program, proxy = self.context.program, self._proxy
        if program.expressions is None or program.keeper is None or not program.display.may_run:
            raise EvaluationError("It would run the program's code, which is switched off")
        made = program.expressions.wrapped(
            program,
            self._source.get(),
            proxy.name,
            proxy.shown_for,
            call_timeout_s=CALL_TIMEOUT_S,
        )
        source = LiveValue(program, made, program.keeper.keep_value(program, made))
        members = _MadeMembers(self.context, source, self._path_of(type_name(program, made.type)), self._opener)
        error = members.run()
        if error is not None:
            raise error
        return members


class _FollowedMembers(SegmentedContainer):
    """The public members of a proxy that only the debugger has."""

    def __init__(
        self,
        context: FrameContext,
        found: WrappedObject,
        path: str | None,
        read: Callable[[], WrappedObject | None],
        opener: Opener,
    ) -> None:
        super().__init__(context)
        self._path = path
        self._read = read
        self._opener = opener
        self._generation = context.program.clock.generation
        self._members = found.members
        self._segments: list[Segment] | None = None

    @override
    def _all_segments(self) -> list[Segment]:
        generation = self.context.program.clock.generation
        if self._segments is None or self._generation != generation:
            if self._generation != generation:
                found = self._read()
                self._members = found.members if found is not None else []
                self._generation = generation
            self._segments = [self._segment(member) for member in self._members]
        return self._segments

    def _segment(self, member: WrappedMember) -> Segment:
        child, module = self._child(member), self.context.program.modules.get(member.module)
        is_hidden = module is not None and browsable_of(module, member.token) is Browsable.ROOT_HIDDEN
        return opened_in_place(self.context, child, self._opener) if is_hidden else Segment(1, lambda *_: [child])

    def _child(self, member: WrappedMember) -> Child:
        return Child(
            member.name,
            member.value,
            member_path(self._path, member.name),
            lambda: self._again(member.name),
            visibility="public",
            kind="property" if member.is_property else "data",
            is_read_only=member.is_read_only,
            way=INTERPRETED,
        )

    def _again(self, name: str) -> Value | None:
        found = self._read()
        return next((one.value for one in found.members if one.name == name), None) if found is not None else None


class _MadeMembers(ObjectContainer):
    """The public members of a proxy. All its getters have run before the first member is given."""

    def __init__(self, context: FrameContext, source: LiveValue, path: str | None, opener: Opener) -> None:
        super().__init__(context, source, path, opener)
        (fields, properties), (more_fields, more_properties) = self._shape.shown, self._shape.hidden_away
        self._fields = [one for one in fields + more_fields if self._is_shown(one, self._shape.visibility[one])]
        self._properties = [one for one in properties + more_properties if self._is_shown(one, one.property.visibility)]
        self._count = None

    @override
    def _groups(self) -> list[tuple[str, Callable[[], Container]]]:
        return []

    def _is_shown(self, member: DeclaredField | DeclaredProperty, visibility: str) -> bool:
        """What is public; and what a proxy has only for its children to stand in its place, as that of a JsonObject."""
        if self.context.program.display.hidden:
            return True
        return visibility == "public" or self._shape.browsable[member] is Browsable.ROOT_HIDDEN

    def run(self) -> EvaluationError | None:
        """Let the getters run that cannot be read. Returns the error of one that did not end: the others are left."""
        for one in self._properties:
            error = self._run(one) if self._has_to_run(one) else None
            if error is not None and error.code == DeadlineError.code:
                return error
        return None
