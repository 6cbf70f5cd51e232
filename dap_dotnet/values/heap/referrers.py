"""Who refers to an object, in the words of the source: fields, elements, static fields, local variables."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from msgspec import Struct

from dap_dotnet.errors import DapDotnetError, EvaluationError
from dap_dotnet.runtime.heap import HeapReference, ReferenceKind
from dap_dotnet.runtime.model import ElementType, Frame, FrameKind, ThreadId, TypeDefToken, Value
from dap_dotnet.symbols.frames import describe_frame
from dap_dotnet.values.context import FrameContext, Program
from dap_dotnet.values.frame_variables import frame_variables
from dap_dotnet.values.members import DeclaredField, has_members, instance_fields, read_fields, read_statics
from dap_dotnet.values.members import static_fields as declared_statics
from dap_dotnet.values.typenames import type_name

MOST = 200
"""Referring objects that are described."""
_MOST_FRAMES = 500
_MOST_TYPES = 10_000
_MOST_NESTED = 4
_OBJECT_HEADER = 16
"""Of an array of one dimension: its method table and its length."""
_WORD = 8
_TYPE_DEF = 0x02
_REFERENCES = frozenset({ElementType.CLASS, ElementType.OBJECT, ElementType.STRING, ElementType.SZARRAY,
                         ElementType.ARRAY})  # fmt: skip
_ROOTS = {
    ReferenceKind.HANDLE: "a GC handle",
    ReferenceKind.PINNED_HANDLE: "a pinned GC handle",
    ReferenceKind.FINALIZER: "the queue of objects to be finalized",
}


Kind = Literal["field", "element", "object", "static", "local", "stack", "handle", "finalizer", "dependentHandle"]


class Referrer(Struct, frozen=True):
    """One reference. `object` is the object that refers, None for all but the first three and the last."""

    kind: Kind
    text: str
    object: Value | None = None


class Referrers(Struct, frozen=True):
    """References to an object, roots first. `left_out` counts the objects that are not described."""

    found: list[Referrer]
    left_out: int


def referrers(program: Program, target: Value, thread: ThreadId) -> Referrers:
    """What refers to an object. `thread` is whose thread-static fields are looked at.

    Raises `EvaluationError` for what is no object, `RuntimeCallError` where the runtime gives no heap.
    """
    if target.handle is None or target.is_null or not target.address:
        raise EvaluationError("Only objects on the heap can be referred to: this is a value or null")
    references, total = program.debuggee.references_to(target.handle, MOST)
    found = list(_static_fields(program, target, thread))
    kinds = dict.fromkeys(reference.kind for reference in references)
    variables = list(_locals(program, target))
    found += variables
    if ReferenceKind.STACK in kinds and not variables:
        found.append(Referrer("stack", "the stack of a thread"))
    found += [Referrer("finalizer" if kind is ReferenceKind.FINALIZER else "handle", _ROOTS[kind])
              for kind in kinds if kind in _ROOTS]  # fmt: skip
    for reference in references:
        if reference.kind in (ReferenceKind.OBJECT, ReferenceKind.DEPENDENT_HANDLE):
            found.append(_of_object(program, target, reference))
    return Referrers(found, total - len(references))


def _of_object(program: Program, target: Value, reference: HeapReference) -> Referrer:
    value = program.debuggee.heap_object(reference.address)
    owner = type_name(program, value.type)
    if reference.kind is ReferenceKind.DEPENDENT_HANDLE:
        return Referrer("dependentHandle", f"a ConditionalWeakTable, for its key of type {owner}", value)
    if value.element_type is ElementType.SZARRAY:
        index = _index(program, value, reference.offset)
        return Referrer("element", f"{f'element [{index}]' if index is not None else 'an element'} of {owner}", value)
    if value.element_type is ElementType.ARRAY:
        return Referrer("element", f"an element of {owner}", value)
    path = _path(program, value, target.address)
    if path is None:
        return Referrer("object", f"an object of type {owner}", value)
    return Referrer("field", f"field {path} of {owner}", value)


def _index(program: Program, array: Value, offset: int) -> int | None:
    """The index of the element that a reference at an offset of an array belongs to."""
    element = program.debuggee.type_info(array.type).arguments[0] if array.type is not None else None
    if element is None or offset < _OBJECT_HEADER:
        return None
    size = _WORD
    if program.debuggee.type_info(element).element_type not in _REFERENCES:
        if array.handle is None or array.length < 2:
            return 0
        first, second = program.debuggee.elements(array.handle, 0, 2, text_limit=0)
        size = second.address - first.address
    return (offset - _OBJECT_HEADER) // size if size > 0 else None


def _path(program: Program, value: Value, address: int, depth: int = 0) -> str | None:
    """The field of an object, or of a structure in it, that holds a reference to an address."""
    if not has_members(value) or depth > _MOST_NESTED:
        return None
    inner: list[tuple[DeclaredField, Value]] = []
    for field, held in read_fields(program, value, instance_fields(program, value.type), text_limit=0):
        if held.is_reference and not held.is_null and held.address == address:
            return field.field.shown_name
        if not held.is_reference and has_members(held):
            inner.append((field, held))
    for field, held in inner:
        found = _path(program, held, address, depth + 1)
        if found is not None:
            return f"{field.field.shown_name}.{found}"
    return None


def _static_fields(program: Program, target: Value, thread: ThreadId) -> Iterator[Referrer]:
    """Static fields of the user's classes; generic ones are not looked at."""
    left = _MOST_TYPES
    for module in program.modules:
        if module.metadata is None or not module.is_user_code:
            continue
        for row_id in range(1, module.metadata.image.table(_TYPE_DEF).row_count + 1):
            left -= 1
            if left < 0:
                return
            token = TypeDefToken(_TYPE_DEF << 24 | row_id)
            if not any(field.is_static and not field.is_literal for field in module.metadata.fields_of(token)):
                continue
            try:
                type_id = program.debuggee.make_type(module.id, token)
                own = [one for one in declared_statics(program, type_id) if one.type == type_id]
                values = read_statics(program, own, thread, 0)
            except DapDotnetError:
                continue  # generic, or not loaded
            for field, held in values:
                if held.is_reference and not held.is_null and held.address == target.address:
                    yield Referrer("static", f"static field {type_name(program, type_id)}.{field.field.shown_name}")


def _locals(program: Program, target: Value) -> Iterator[Referrer]:
    """Variables of all threads' frames; captured ones are fields of objects."""
    left = _MOST_FRAMES
    for info in program.debuggee.threads():
        try:
            frames = program.debuggee.stack(info.thread, 0, max(left, 0)).frames
        except DapDotnetError:
            continue
        left -= len(frames)
        for frame in frames:
            if frame.kind is FrameKind.IL:
                yield from _locals_of(program, info.thread, frame, target.address)


def _locals_of(program: Program, thread: ThreadId, frame: Frame, address: int) -> Iterator[Referrer]:
    try:
        variables = frame_variables(FrameContext(program, thread, frame))
    except DapDotnetError:
        return
    this = [("this", variables.this)] if variables.this is not None else []
    plain = [(one.name, one.value) for one in (*variables.arguments, *variables.locals) if one.captured is None]
    for name, value in [*this, *plain]:
        if value.is_reference and not value.is_null and value.address == address:
            where = describe_frame(program.modules, frame).name
            yield Referrer("local", f"variable {name} of {where}, thread {thread}")
