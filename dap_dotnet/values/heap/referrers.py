"""Who refers to an object, in the words of the source: fields, elements, static fields, local variables."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from msgspec import Struct, structs

from dap_dotnet.errors import DapDotnetError, EvaluationError, RuntimeCallError
from dap_dotnet.runtime.heap import HeapReference, ReferenceKind
from dap_dotnet.runtime.model import ElementType, Frame, FrameKind, ThreadId, TypeDefToken, TypeId, Value
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
    """One reference. `object` is the object that refers; only the first three and the last have one."""

    kind: Kind
    text: str
    object: Value | None = None
    address: int = 0
    """Of that object, also where it cannot be opened; 0 for roots."""


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
    return referrers_of(program, target.address, thread)


def referrers_of(program: Program, address: int, thread: ThreadId) -> Referrers:
    """What refers to the object at an address. As `referrers`."""
    references, total = program.debuggee.references_to(address, MOST)
    found = list(_static_fields(program, address, thread))
    kinds = dict.fromkeys(reference.kind for reference in references)
    variables = list(_locals(program, address))
    found += variables
    if ReferenceKind.STACK in kinds and not variables:
        found.append(Referrer("stack", "the stack of a thread"))
    found += [Referrer("finalizer" if kind is ReferenceKind.FINALIZER else "handle", _ROOTS[kind])
              for kind in kinds if kind in _ROOTS]  # fmt: skip
    for reference in references:
        if reference.kind in (ReferenceKind.OBJECT, ReferenceKind.DEPENDENT_HANDLE):
            found.append(_of_object(program, address, reference))
    return Referrers(found, total - len(references))


def _of_object(program: Program, address: int, reference: HeapReference) -> Referrer:
    value = _opened(program, reference.address)
    owner = type_name(program, value.type if value is not None else reference.type)
    referrer = Referrer("object", f"an object of type {owner}", value, reference.address)
    if reference.kind is ReferenceKind.DEPENDENT_HANDLE:
        text = f"a ConditionalWeakTable, for its key of type {owner}"
        return structs.replace(referrer, kind="dependentHandle", text=text)
    element_type = _element_type(program, value, reference)
    if element_type is ElementType.SZARRAY:
        index = _index(program, value, reference)
        place = f"element [{index}]" if index is not None else "an element"
        return structs.replace(referrer, kind="element", text=f"{place} of {owner}")
    if element_type is ElementType.ARRAY:
        return structs.replace(referrer, kind="element", text=f"an element of {owner}")
    path = _path(program, value, address) if value is not None else None
    if path is None:
        return referrer
    return structs.replace(referrer, kind="field", text=f"field {path} of {owner}")


def _opened(program: Program, address: int) -> Value | None:
    """The object; None for an array where memory stands still: the runtime opens none by its address there."""
    try:
        return program.debuggee.heap_object(address)
    except RuntimeCallError:
        if program.debuggee.is_frozen:
            return None
        raise


def _element_type(program: Program, value: Value | None, reference: HeapReference) -> ElementType | None:
    if value is not None:
        return value.element_type
    return program.debuggee.type_info(reference.type).element_type if reference.type is not None else None


def _index(program: Program, array: Value | None, reference: HeapReference) -> int | None:
    """The index of the element of an array that a reference belongs to."""
    array_type = array.type if array is not None else reference.type
    offset = reference.offset
    element = program.debuggee.type_info(array_type).arguments[0] if array_type is not None else None
    if element is None or array_type is None or offset < _OBJECT_HEADER:
        return None
    size: int | None = _WORD
    if program.debuggee.type_info(element).element_type not in _REFERENCES:
        if array is None:
            size = _element_size(program, array_type)
        elif array.handle is None or array.length < 2:
            return 0
        else:
            first, second = program.debuggee.elements(array.handle, 0, 2, text_limit=0)
            size = second.address - first.address
    return (offset - _OBJECT_HEADER) // size if size is not None and size > 0 else None


def _element_size(program: Program, array_type: TypeId) -> int | None:
    """None where the runtime does not tell, as that of .NET 8 of structures of generic ones."""
    try:
        return program.debuggee.type_layout(array_type).element_size
    except RuntimeCallError:
        return None


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


def _static_fields(program: Program, address: int, thread: ThreadId) -> Iterator[Referrer]:
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
                if held.is_reference and not held.is_null and held.address == address:
                    yield Referrer("static", f"static field {type_name(program, type_id)}.{field.field.shown_name}")


def _locals(program: Program, address: int) -> Iterator[Referrer]:
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
                yield from _locals_of(program, info.thread, frame, address)


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
