"""From what a client points at, a child of a view or an expression, to the field that holds it."""

from __future__ import annotations

import re

from dap_dotnet.breakpoints.data.field_names import FORM, parse_field_name
from dap_dotnet.breakpoints.model import FieldPlace
from dap_dotnet.errors import DapDotnetError, EvaluationError, UserError
from dap_dotnet.runtime.model import Value
from dap_dotnet.session.session import Session
from dap_dotnet.values.containers import ScopeContainer
from dap_dotnet.values.context import FrameContext, Program
from dap_dotnet.values.members import DeclaredField, find_field

_MEMBER = re.compile(r"(?s)(?P<owner>.+)\.\s*(?P<field>@?[^\W\d]\w*)\s*")
_NAME = re.compile(r"\s*@?(?P<name>[^\W\d]\w*)\s*")

Watchable = tuple[FieldPlace, str]
"""A field, and of what it is watched, in words."""


def place_of_child(session: Session, reference: int, name: str) -> Watchable:
    """The field behind a child of a container. Raises `UserError` when it is none."""
    session.need_stopped()
    container = session.stop_state.variables.get(reference)
    found = container.field_of(container.own_name(name))
    if found is None:
        raise UserError(
            f"'{name}' is not a field: locals, arguments and elements of arrays and collections cannot be watched, "
            "only fields and variables that a lambda, an iterator or an async method has captured."
        )
    return _place(session, container.context.program, *found)


def place_of_expression(session: Session, expression: str, frame_id: int | None) -> Watchable:
    """The field that an expression names: in a frame, or by its full name. Raises `UserError` when it is none."""
    member = _MEMBER.fullmatch(expression)
    if frame_id is None:
        return _by_name(session, expression)
    session.need_stopped()
    context = session.stop_state.frame_on_stack(frame_id)
    if member is None:
        return _by_simple_name(session, context, expression)
    try:
        return _of_value(session, context, member["owner"], member["field"].removeprefix("@"))
    except EvaluationError as error:
        try:
            return _by_name(session, expression, must_exist=True)
        except UserError:
            raise UserError(f"{member['owner']}: {error.message}") from None


def _of_value(session: Session, context: FrameContext, owner: str, field: str) -> Watchable:
    from dap_dotnet.evaluation.evaluator import evaluate

    value = evaluate(owner, context, None).value
    return _place(session, context.program, *_field_of(context.program, value, field, owner))


def _field_of(program: Program, value: Value, field: str, owner: str) -> tuple[DeclaredField, Value]:
    if value.is_null:
        raise UserError(f"{owner} is null: there is no object to watch.")
    found = find_field(program, value.type, field)
    if found is None:
        raise UserError(f"{owner} has no field {field}. Of properties, only automatic ones can be watched.")
    return found, value


def _by_simple_name(session: Session, context: FrameContext, expression: str) -> Watchable:
    """A captured variable, a field of `this`, or a static field of the type around the frame."""
    match = _NAME.fullmatch(expression)
    if match is None:
        raise UserError(f"'{expression[:200]}' is not a field: name a variable, or {FORM}.")
    name = match["name"]
    scope = ScopeContainer(context)
    captured = scope.field_of(name)
    if captured is not None:
        return _place(session, context.program, *captured)
    variables = {child.name: child.value for child in scope.read_named(0, scope.named)}
    if name in variables:
        raise UserError(f"{name} is a local variable or an argument: only fields can be watched.")
    this = variables.get("this")
    found = find_field(context.program, this.type, name) if this is not None else None
    if found is not None:
        return _place(session, context.program, found, this)
    loaded = context.program.modules.get(context.frame.module)
    if loaded is not None and loaded.metadata is not None and context.frame.method is not None:
        token: int | None = loaded.metadata.declaring_type(context.frame.method)
        while token is not None:
            full_name = f"{loaded.metadata.type_name(token)}.{name}".replace("+", ".")
            try:
                return _by_name(session, full_name, must_exist=True)
            except UserError:
                token = loaded.metadata.enclosing_type(token)
    raise UserError(f"There is no field {name} here: name a variable, or {FORM}.")


def _by_name(session: Session, name: str, *, must_exist: bool = False) -> Watchable:
    """A field by the name of its type: of all objects, or static."""
    place = parse_field_name(name)
    found = session.breakpoints.resolver.fields.definitions(place)
    if not found:
        if must_exist:
            raise UserError(f"No loaded module has a field {place.text}.")
        return place, "of all objects, as soon as a module that has it is loaded"
    if len(found) > 1:
        return place, f"of all objects, {len(found)} fields of that name"
    loaded, field, token = found[0]
    assert loaded.metadata is not None
    declared = loaded.metadata.field(token)
    if declared.is_literal:
        raise UserError(f"{place.text} is a constant: it never changes.")
    exact = FieldPlace(field.type_name, field.name, loaded.name, is_exact=True)
    return exact, "(static)" if declared.is_static else "of all objects"


def _place(session: Session, program: Program, declared: DeclaredField, owner: Value | None) -> Watchable:
    """The place of a field of one object, or of all objects where this one cannot be identified."""
    info = program.debuggee.type_info(declared.type)
    loaded = program.modules.get(info.module)
    if loaded is None or loaded.metadata is None or info.token is None:
        raise UserError("The metadata of the field's type cannot be read: it cannot be watched.")
    if loaded.info.is_dynamic:
        raise UserError(f"The type of {declared.field.name} was created by Reflection.Emit: it cannot be watched.")
    if declared.field.is_literal:
        raise UserError(f"{declared.field.name} is a constant: it never changes.")
    exact = (loaded.metadata.type_name(info.token), declared.field.name, loaded.name, True)
    instances = session.breakpoints.data.instances
    if declared.field.is_static:
        if info.arguments:
            return FieldPlace(*exact, instances.of_type(program, declared.type)), "(static) of this generic type"
        return FieldPlace(*exact), "(static)"
    number = None
    if owner is not None:
        try:
            number = instances.of_object(program, owner)
        except DapDotnetError:
            number = None
    if number is None:
        return FieldPlace(*exact), "of all values: a struct has no identity"
    return FieldPlace(*exact, number), "of this object"
