"""The variables of a frame under the names that the user wrote.

The C# compiler moves variables: captured ones into closure objects (`<>c__DisplayClass`), those of async methods and
iterators into fields of a state machine. They are brought back here: `this`, parameters, locals and captured variables
look as in the source.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from msgspec import Struct, field, structs

from dap_dotnet.errors import DapDotnetError
from dap_dotnet.runtime.model import FieldRef, MethodToken, ModuleId, TypeDefToken, Value
from dap_dotnet.symbols import pattern_variables
from dap_dotnet.symbols.local_names import locals_at
from dap_dotnet.symbols.modules import LoadedModule
from dap_dotnet.symbols.primary_constructors import moved_parameters
from dap_dotnet.symbols.static_locals import static_locals
from dap_dotnet.symbols.types import FieldInfo
from dap_dotnet.values import tuple_names
from dap_dotnet.values.constants import local_constants
from dap_dotnet.values.context import FrameContext, Program
from dap_dotnet.values.frame_slots import frame_arguments, frame_locals
from dap_dotnet.values.generated_names import (
    FieldRole,
    closure_field,
    is_closure,
    is_closure_local,
    is_compilers_local,
    runs_in_state_machine,
    state_machine_field,
    written_types,
)
from dap_dotnet.values.members import DeclaredField, has_members, instance_fields, read_fields

_MAX_NESTED_CLOSURES = 16


class Variable(Struct, frozen=True):
    """A variable of a frame with its current value."""

    name: str
    value: Value
    captured: Captured | None = None
    """Where it is kept, when the compiler made a field of it."""
    names: tuple_names.Names = ()
    """Of the tuple elements in its declared type."""
    is_constant: bool = False
    type_name: str = ""
    """Of what it is declared as, where the value has no type: a null constant."""
    slot: int | None = None
    """Of the local that holds it, or the closure that it is in; None for others."""


class Captured(NamedTuple):
    """The field of a closure or state machine that holds a variable."""

    owner: Value
    field: DeclaredField


class FrameVariables(Struct):
    """All variables of a frame. A name occurs once: the innermost one wins."""

    this: Value | None = None
    arguments: list[Variable] = field(default_factory=list)
    locals: list[Variable] = field(default_factory=list)

    def captured(self, name: str) -> Captured | None:
        """Where the compiler keeps the variable that `name` means; None for those that are not fields."""
        for variable in (*reversed(self.locals), *self.arguments):
            if variable.name == name:
                return variable.captured
        return None

    def names(self, name: str) -> tuple_names.Names:
        """Of the tuple elements in the declared type of the variable that `name` means."""
        found = (one.names for one in (*reversed(self.locals), *self.arguments) if one.name == name)
        return next(found, ())

    def find(self, name: str) -> Value | None:
        """The value that `name` means in the frame's source; None when there is no such variable."""
        if name == "this":
            return self.this
        for variable in (*reversed(self.locals), *self.arguments):
            if variable.name == name:
                return variable.value
        return None


def frame_variables(context: FrameContext) -> FrameVariables:
    """Read the variables of a frame: two bulk calls, and one for each closure or state machine.

    A method that awaits has its hoisted variables; one that is gone, of the trace of an exception, has none.
    """
    found = FrameVariables()
    frame = context.frame
    module = context.program.modules.get(frame.module)
    if frame.method is None or frame.il_offset is None:
        return found
    if not frame.is_on_stack:
        if context.machine is not None and module is not None:
            _read_state_machine(context, module, context.machine(), found)
            _keep_innermost(found)
        return found
    _read_arguments(context, module, found)
    _read_locals(context, module, found)
    found.locals.extend(
        Variable(constant.name, constant.value, is_constant=True, type_name=constant.type_name)
        for constant in local_constants(context, module)
    )
    if module is not None and (fields := static_locals(module, frame.method)):
        found.locals.extend(_static_locals(context, module, fields, found.this))
    if found.this is not None:
        known = {variable.name for variable in (*found.arguments, *found.locals)}
        captured = _captured_parameters(context.program, module, frame.method, found.this)
        found.arguments.extend(variable for variable in captured if variable.name not in known)
    _keep_innermost(found)
    return found


def _read_arguments(context: FrameContext, module: LoadedModule | None, found: FrameVariables) -> None:
    program, frame = context.program, context.frame
    values = frame_arguments(context)
    assert frame.method is not None
    method = module.metadata.method(frame.method) if module is not None and module.metadata is not None else None
    if method is None:
        found.arguments = [Variable(f"arg{index}", value) for index, value in enumerate(values)]
        return
    if not method.is_static and values:
        _take_this(context, module, values[0], found)
        values = values[1:]
    assert frame.il_offset is not None
    moved = moved_parameters(module, frame.method, frame.il_offset) if module is not None else ()
    for index, value in enumerate(values):
        if index + 1 in moved:  # what it was given is of no use any more
            continue
        name = method.parameters.get(index + 1) or f"arg{index}"
        if is_closure(program, value):  # a local function's closure, passed by reference
            found.locals.extend(_closure_variables(context, value, found))
        else:
            has_names = module is not None and tuple_names.count(program, value.type)
            names = tuple_names.of_parameter(module, frame.method, index + 1) if module and has_names else ()
            found.arguments.append(Variable(name, value, names=names))


def _take_this(context: FrameContext, module: LoadedModule | None, this: Value, found: FrameVariables) -> None:
    """`this` of the method as compiled: the user's own, a closure, or a state machine."""
    frame = context.frame
    if module is not None and runs_in_state_machine(module, frame.method):
        _read_state_machine(context, module, this, found)
        return
    if is_closure(context.program, this):
        found.locals.extend(_closure_variables(context, this, found))
        return
    found.this = this


def _read_state_machine(context: FrameContext, module: LoadedModule, this: Value, found: FrameVariables) -> None:
    """Fields of an async or iterator state machine: parameters, hoisted locals in scope, closures and `this`."""
    program, frame = context.program, context.frame
    assert module.pdb is not None
    assert frame.method is not None
    assert frame.il_offset is not None
    scopes = module.pdb.hoisted_scopes(frame.method)
    for declared, value in read_fields(program, this, instance_fields(program, this.type)):
        role, shown = state_machine_field(declared.field.name, scopes, frame.il_offset)
        if role is FieldRole.VARIABLE:
            found.locals.append(_captured(program, shown, value, Captured(this, declared)))
        elif role is FieldRole.THIS and is_closure(program, value):  # of a lambda or local function
            found.locals.extend(_closure_variables(context, value, found))
        elif role is FieldRole.THIS:
            found.this = value
        elif role is FieldRole.CLOSURE:
            found.locals.extend(_closure_variables(context, value, found))
        elif role is FieldRole.PARAMETER:
            found.arguments.append(_captured(program, shown, value, Captured(this, declared)))


def _closure_variables(
    context: FrameContext, closure: Value, found: FrameVariables, depth: int = 0
) -> Iterator[Variable]:
    """Captured variables of a closure object, outer closures included; its captured `this` becomes the frame's."""
    program, frame = context.program, context.frame
    module = program.modules.get(frame.module)

    def has_value(field_name: str) -> bool:
        if module is None or frame.method is None or frame.il_offset is None:
            return False
        return pattern_variables.has_value(module, frame.method, frame.il_offset, field_name)

    if not has_members(closure) or depth > _MAX_NESTED_CLOSURES:
        return
    for declared, value in read_fields(program, closure, instance_fields(program, closure.type)):
        role, shown = closure_field(declared.field.name, has_value)
        if role is FieldRole.THIS:
            found.this = found.this or value
        elif role is FieldRole.CLOSURE:
            yield from _closure_variables(context, value, found, depth + 1)
        elif role is FieldRole.VARIABLE:
            yield _captured(program, shown, value, Captured(closure, declared))


def _captured(program: Program, name: str, value: Value, captured: Captured) -> Variable:
    field = captured.field
    return Variable(name, value, captured, tuple_names.of_declared(program, field.type, field.field.token, value))


def _captured_parameters(
    program: Program, module: LoadedModule | None, method: MethodToken, this: Value
) -> list[Variable]:
    """The parameters of the primary constructor that members use, of the type that the user wrote around the method."""
    if module is None or module.metadata is None or not has_members(this):
        return []
    own = next(written_types(module.metadata, method), None)
    fields = [one for one in instance_fields(program, this.type) if one.field.is_parameter]
    fields = [one for one in fields if _definition(program, one) == (module.id, own)]
    return [
        _captured(program, declared.field.shown_name, value, Captured(this, declared))
        for declared, value in read_fields(program, this, fields)
    ]


def _static_locals(
    context: FrameContext, module: LoadedModule, fields: dict[str, FieldInfo], this: Value | None
) -> Iterator[Variable]:
    """Visual Basic's `Static` locals; those that cannot be read without running the program are left out."""
    program, frame = context.program, context.frame
    assert frame.method is not None
    assert module.metadata is not None
    own = TypeDefToken(module.metadata.method(frame.method).declaring_type)
    of_object = [one for one in instance_fields(program, this.type) if one.field in fields.values()] if this else []
    names = {one.token: name for name, one in fields.items()}
    if this is not None:
        for declared, value in read_fields(program, this, of_object):
            yield _captured(program, names[declared.field.token], value, Captured(this, declared))
    shared = [one for one in fields.values() if one.is_static]
    if not shared:
        return
    try:
        kind = program.debuggee.make_type(module.id, own)
        values = program.debuggee.static_fields(
            [FieldRef(kind, one.token) for one in shared], context.thread, frame.index
        )
    except DapDotnetError:  # of a generic class, or not loaded
        return
    for one, value in zip(shared, values, strict=True):
        yield Variable(names[one.token], value, names=tuple_names.of_declared(program, kind, one.token, value))


def _definition(program: Program, declared: DeclaredField) -> tuple[ModuleId | None, TypeDefToken | None]:
    info = program.debuggee.type_info(declared.type)
    return info.module, info.token


def _read_locals(context: FrameContext, module: LoadedModule | None, found: FrameVariables) -> None:
    frame = context.frame
    if module is None or module.pdb is None:
        values = frame_locals(context)
        found.locals.extend(Variable(f"local{slot}", value) for slot, value in enumerate(values))
        return
    assert frame.method is not None
    assert frame.il_offset is not None
    names = locals_at(module, frame.method, frame.il_offset)
    if not names:
        return
    values = frame_locals(context)
    for local in names:
        if local.slot >= len(values):
            continue
        value = values[local.slot]
        if is_closure_local(local.name):
            captured = _closure_variables(context, value, found)
            found.locals.extend(structs.replace(variable, slot=local.slot) for variable in captured)
        elif not local.is_debugger_hidden and not is_compilers_local(local.name):
            names_of_elements = _names_of_local(context, module, local.slot, value)
            found.locals.append(Variable(local.name, value, names=names_of_elements, slot=local.slot))


def _names_of_local(context: FrameContext, module: LoadedModule | None, slot: int, value: Value) -> tuple_names.Names:
    frame = context.frame
    if module is None or frame.method is None or frame.il_offset is None:
        return ()
    if not tuple_names.count(context.program, value.type):
        return ()
    return tuple_names.of_local(module, frame.method, frame.il_offset, slot)


def _keep_innermost(found: FrameVariables) -> None:
    """Of several variables with one name, keep the innermost; captured parameters win over their stale copies."""
    last = {variable.name: index for index, variable in enumerate(found.locals)}
    found.locals = [variable for index, variable in enumerate(found.locals) if last[variable.name] == index]
    found.arguments = [variable for variable in found.arguments if variable.name not in last]
