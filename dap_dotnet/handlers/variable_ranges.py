"""`dap-dotnet/variableRanges`, a request of our own: where the names of a frame's variables mean them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from dap_dotnet.breakpoints.lines.stretches import Stretch, stretch_at, without
from dap_dotnet.protocol.messages.variable_ranges import (
    SourceRange,
    VariableRanges,
    VariableRangesArguments,
    VariableRangesResponseBody,
)
from dap_dotnet.runtime.model import Frame, MethodToken, TypeDefToken
from dap_dotnet.session.span_bodies import span_body
from dap_dotnet.symbols.damage import if_damaged
from dap_dotnet.symbols.frames import describe_frame
from dap_dotnet.symbols.modules import CacheSlot
from dap_dotnet.symbols.spans import Span
from dap_dotnet.symbols.types import members
from dap_dotnet.values.frame_variables import Variable, frame_variables
from dap_dotnet.values.generated_names import runs_in_state_machine, state_machine_field, state_machine_scope

if TYPE_CHECKING:
    from dap_dotnet.session.session import Session
    from dap_dotnet.symbols.modules import LoadedModule


def variable_ranges(session: Session, arguments: VariableRangesArguments) -> VariableRangesResponseBody:
    """Where the names of a frame's variables mean these variables, for values that are shown in the source.

    A local's name means it in its own block, and not in a lambda or local function that has another of that name.
    """
    session.need_stopped()
    context = session.stop_state.frames.get(arguments.frame_id)
    place = stretch_of(session, context.frame)
    if place is None or not session.stop_state.has_variables(arguments.frame_id):
        return VariableRangesResponseBody(variables=[])
    module, stretch = place
    path = describe_frame(session.modules, context.frame).path
    found = frame_variables(context)
    inner = [(span, _declared_names(module, method)) for method, span in stretch.inner().items()]
    shown = []
    for variable in (*found.arguments, *found.locals):
        span = _span(module, context.frame, stretch, variable)
        if span is not None:
            parts = without(span, [hole for hole, names in inner if variable.name in names])
            shown.append(VariableRanges(name=variable.name, ranges=_ranges(session, path, parts)))
    return VariableRangesResponseBody(variables=shown)


def stretch_of(session: Session, frame: Frame) -> tuple[LoadedModule, Stretch] | None:
    """A frame's module, and where its method stands in the source; None without source."""
    module = session.modules.get(frame.module)
    if module is None or frame.method is None or frame.il_offset is None:
        return None
    stretch = stretch_at(session.breakpoints.resolver.lines, module, frame.method, frame.il_offset)
    return (module, stretch) if stretch is not None else None


_SPANS: CacheSlot[dict[tuple[MethodToken | None, int | None], Span | None]] = CacheSlot(
    "spans of scopes by IL offset", lambda _: {}
)


def scope_span(session: Session, frame: Frame) -> Span | None:
    """Where a frame's method stands in its source, without its header; None without source. Kept: each stop asks."""
    module = session.modules.get(frame.module)
    if module is None:
        return None
    known, place = module.cached(_SPANS), (frame.method, frame.il_offset)
    if place not in known:
        stretch = stretch_of(session, frame)
        known[place] = stretch[1].span if stretch is not None else None
    return known[place]


def _ranges(session: Session, path: str | None, spans: Iterable[Span]) -> list[SourceRange]:
    lines = session.breakpoints.resolver.lines
    now = (piece for span in spans for piece in (lines.pieces_now(path, span) if path is not None else [span]))
    return [SourceRange(**span_body(span, session.view)) for span in now]


@if_damaged(None)
def _span(module: LoadedModule, frame: Frame, stretch: Stretch, variable: Variable) -> Span | None:
    """Where a variable is in scope; None for those whose value the source has, and where symbols are damaged."""
    assert module.pdb is not None
    assert frame.method is not None
    assert frame.il_offset is not None
    if variable.is_constant:
        return None
    if variable.slot is not None:
        for scope in reversed(module.pdb.scopes(frame.method)):
            if scope.covers(frame.il_offset) and any(local.slot == variable.slot for local in scope.variables):
                return stretch.of_offsets(scope.start_offset, scope.end_offset)
    elif variable.captured is not None and runs_in_state_machine(module, frame.method):
        number = state_machine_scope(variable.captured.field.field.name)
        hoisted = module.pdb.hoisted_scopes(frame.method)
        if number is not None and number < len(hoisted):
            start, length = hoisted[number]
            return stretch.of_offsets(start, start + length)
    return stretch.span_with_header


@if_damaged(frozenset[str]())
def _declared_names(module: LoadedModule, method: MethodToken) -> frozenset[str]:
    """The parameters and locals that a lambda or local function has itself."""
    if module.pdb is None or module.metadata is None:
        return frozenset()
    declared = module.metadata.method(method)
    names = set(declared.parameters.values())
    names.update(local.name for scope in module.pdb.scopes(method) for local in scope.variables)
    if runs_in_state_machine(module, method):
        fields = members(module, TypeDefToken(declared.declaring_type)).fields
        names.update(state_machine_field(field.name, (), 0)[1] for field in fields)
    return frozenset(names)
