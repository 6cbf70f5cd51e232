"""Members by their metadata: what reads fields, and the method that a virtual call reaches (ECMA-335 II.12.2).

Static fields are never read of a class whose initialiser has not run yet: they are zero, which no C# expression would
see. Where code may run, the initialiser is run as the expression's own access would; elsewhere the value is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.diagnostics import not_initialised
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.framework import call_framework, type_object
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types import declarations
from dap_dotnet.evaluation.types.csharp_types import ExactMethod, Kind, Operand, Type
from dap_dotnet.evaluation.types.universe import Universe, decimal_constant
from dap_dotnet.runtime.model import NOT_LOADED, ElementType, FieldRef, MethodToken, TypeId, Value
from dap_dotnet.symbols.modules import LoadedModule
from dap_dotnet.symbols.types import FieldInfo, PropertyInfo
from dap_dotnet.values.members import instance_fields, read_fields

if TYPE_CHECKING:
    from portablepdb.members import Method
    from portablepdb.signatures import TypeSignature


_VIRTUAL, _FINAL, _NEW_SLOT = 0x40, 0x20, 0x100
_METHOD_DEF, _MEMBER_REF, _METHOD_IMPL = 0x06, 0x0A, 0x19


def method_of(env: Environment, method: ExactMethod) -> Method:
    """The metadata of a method."""
    return declarations.declared_method(env.universe, method).method


def backing_field(universe: Universe, getter: ExactMethod) -> FieldInfo | None:
    """The field that an automatic property of an instance keeps its value in; None for other methods."""
    name = declarations.declared_method(universe, getter).method.name
    is_getter, shown = name.startswith("get_"), name.removeprefix("get_")
    field = declarations.declared_members(universe, getter.owner).field(shown) if is_getter else None
    return field if field is not None and field.is_backing_field and not field.is_static else None


def is_by_reference(signature: TypeSignature) -> bool:
    """Whether a local, parameter, field or result is a variable's place (`ref`, `in`, `out`) and not its value."""
    from portablepdb.signatures import ByRefType, ModifiedType

    while isinstance(signature, ModifiedType):
        signature = signature.element
    return isinstance(signature, ByRefType)


def parameter_types(env: Environment, method: ExactMethod) -> list[Type | None]:
    """The types of a method's parameters, without `this`; None where they are not known."""
    return declarations.declared_method(env.universe, method).parameter_types(env.universe, method.type_arguments)


def dispatch(env: Environment, wanted: ExactMethod, target: Operand) -> ExactMethod:
    """The method that a virtual call on the target reaches. The method itself when it is not virtual."""
    method = method_of(env, wanted)
    if not method.flags & _VIRTUAL or method.flags & _FINAL or target.data is None:
        return wanted
    own = env.own_type(target)
    if own is wanted.owner:
        return wanted
    if declarations.is_interface(env.universe, wanted.owner):
        return implementation(env, wanted, own)
    return _override(env, wanted, method, own)


def _override(env: Environment, wanted: ExactMethod, method: Method, own: Type) -> ExactMethod:
    """The last override of a class's virtual method on the way down to the object's own class."""
    below = list[Type]()
    for declaring in declarations.bases_of(env.universe, own):
        if declaring is wanted.owner:
            break
        below.append(declaring)
    reached = wanted
    for declaring in reversed(below):
        for candidate in _alike(env, declaring, wanted, method):
            token = MethodToken(candidate.method.token)
            if candidate.method.flags & _NEW_SLOT and not any(
                (name, body) == (method.name, token) for _, name, body in _rows(env, declaring)
            ):
                return reached  # it hides the method, and what is below overrides that one; a row: of a more exact type
            reached = ExactMethod(declaring, token, wanted.type_arguments)
    return reached


def implementation(env: Environment, wanted: ExactMethod, own: Type) -> ExactMethod:
    """What implements an interface's method, which may be static, in a type; the method itself where nothing does.

    An explicit implementation goes first.
    """
    universe, method = env.universe, method_of(env, wanted)
    classes = declarations.bases_of(universe, own)
    for position, declaring in enumerate(classes):
        explicit = _by_row(env, declaring, wanted, method)
        if explicit is not None:
            return explicit
        if not any(declarations.is_subtype(universe, one, wanted.owner) for one in _interfaces(env, declaring)):
            continue
        for base in classes[position:]:
            for candidate in _alike(env, base, wanted, method):
                exact = ExactMethod(base, MethodToken(candidate.method.token), wanted.type_arguments)
                if candidate.method.flags & _FINAL:
                    return exact
                return _override(env, exact, candidate.method, own)
    for declaring in declarations.ancestors_of(universe, own):
        default = _by_row(env, declaring, wanted, method) if declarations.is_interface(universe, declaring) else None
        if default is not None:
            return default
    return wanted


def _alike(env: Environment, declaring: Type, wanted: ExactMethod, method: Method) -> Iterator[declarations.Candidate]:
    """The virtual methods of a class with the name and the parameters of a method."""
    taken = declarations.declared_method(env.universe, wanted).parameter_types(env.universe)
    for candidate in declarations.candidates(env.universe, declaring):
        is_virtual = candidate.method.name == method.name and candidate.method.flags & _VIRTUAL
        if is_virtual and candidate.parameter_types(env.universe) == taken:
            yield candidate


def _interfaces(env: Environment, declaring: Type) -> list[Type]:
    """The interfaces that a class itself says it implements."""
    declared = env.universe.declaration(declaring)
    if declared is None:
        return []
    module, metadata, row = declared
    kinds = (env.universe.of_token(module, token, declaring.arguments) for token in metadata.type_def(row).interfaces)
    return [kind for kind in kinds if kind is not None]


def _rows(env: Environment, declaring: Type) -> Iterator[tuple[Type | None, str, int]]:
    """The MethodImpl rows of a type: the type and the name of the method that is implemented, the token of the body."""
    declared = env.universe.declaration(declaring)
    if declared is None:
        return
    module, metadata, definition = declared
    table = metadata.image.table(_METHOD_IMPL)
    for row_id in table.rows_equal("class_", definition & 0xFFFFFF):
        body, token = table.row(row_id).body, table.row(row_id).declaration
        if body >> 24 != _METHOD_DEF:
            continue
        if token >> 24 == _MEMBER_REF:
            row = metadata.image.table(_MEMBER_REF).row(token & 0xFFFFFF)
            yield env.universe.of_token(module, row.class_, declaring.arguments), metadata.image.strings[row.name], body
        else:
            yield env.universe.of_token(module, metadata.declaring_type(token)), metadata.method(token).name, body


def _by_row(env: Environment, declaring: Type, wanted: ExactMethod, method: Method) -> ExactMethod | None:
    """The explicit implementation of an interface's method in a type.

    Rows are also of methods of a class, with a more exact result, and of other interfaces with the same name.
    """
    universe = env.universe
    taken = declarations.declared_method(universe, wanted).parameter_types(universe)
    for owner, name, body in _rows(env, declaring):
        if (
            name != method.name
            or owner is None
            or universe.definition_of(owner) != universe.definition_of(wanted.owner)
        ):
            continue
        if not declarations.is_subtype(universe, owner, wanted.owner):  # `in` and `out`
            continue
        exact = ExactMethod(declaring, MethodToken(body), wanted.type_arguments)
        if declarations.declared_method(universe, exact).parameter_types(universe) == taken:
            return exact
    return None


def shown_name(owner: Type, name: str) -> str:
    """A method's name as the user knows it: a getter is its property."""
    return f"{owner.name}.{name.removeprefix('get_')}"


_HELPERS = "System.Runtime.CompilerServices.RuntimeHelpers"
_MOST_FRAMES = 64


def read_static(env: Environment, owner: Type | None, ref: FieldRef, declared: Type | None, name: str) -> Operand:
    """A static field of `owner` (None: its initialisation is not looked at, and nothing is run for it).

    Raises `EvaluationError` while it has no value, `CalleeThrew` when the initialiser throws.
    """
    value = env.static(ref) if owner is None else _read(env, ref, declared)
    if owner is not None and _is_zero(env, value) and not has_begun(env, owner, ref.type):
        initialise(env, owner)
        value = _read(env, ref, declared)
    if value.error is not None:
        raise EvaluationError(f"The static field {name} cannot be read: {value.error}")
    return env.operand(value, declared)


def _read(env: Environment, ref: FieldRef, declared: Type | None) -> Value:
    """The value of a static field. Where code may run, its type is loaded for it, by an empty array of that."""
    value = env.static(ref)
    if value.error != NOT_LOADED or declared is None or env.caller is None:
        return value
    env.runner.new_array(env, declared, 0)
    return env.static(ref)


def has_begun(env: Environment, owner: Type, type_id: TypeId) -> bool:
    """Whether the initialiser of a class is known to have begun, or there is none. Runs nothing."""
    initialiser = _initialiser(env, owner)
    if initialiser is None or owner in env.universe.initialised:
        return True
    declared = declarations.declared_members(env.universe, owner)
    refs = [FieldRef(type_id, field.token) for field in declared.fields if field.is_static and not field.is_literal]
    values = env.debuggee.static_fields(refs, env.context.thread, env.context.frame.index)
    if any(not _is_zero(env, value) for value in values):
        env.universe.initialised.add(owner)
        return True
    return _is_running(env, initialiser)


def initialise(env: Environment, owner: Type) -> None:
    """Run the initialiser of a class, if it has not run. Raises `EvaluationError` where no code may run."""
    if env.caller is None:
        raise not_initialised(owner.name)
    handle = call_framework(env, type_object(env, owner), "System.Type", "get_TypeHandle")
    call_framework(env, None, _HELPERS, "RunClassConstructor", [handle], parameters=[handle.type])
    env.universe.initialised.add(owner)


def _initialiser(env: Environment, owner: Type) -> ExactMethod | None:
    for candidate in declarations.candidates(env.universe, owner):
        if candidate.method.name == ".cctor":
            return ExactMethod(owner, MethodToken(candidate.method.token))
    return None


def _is_zero(env: Environment, value: Value) -> bool:
    """Whether a value is, for all that can be read, what a field has before anything is stored there."""
    if value.is_null or (value.error is not None and not env.debuggee.is_frozen):  # what a dump lacks is no zero
        return True
    if value.raw:
        return not any(value.raw)
    if value.element_type is not ElementType.VALUETYPE or value.type is None or value.handle is None:
        return False
    fields = instance_fields(env.program, value.type)
    return all(_is_zero(env, part) for _, part in read_fields(env.program, value, fields, text_limit=0))


def _is_running(env: Environment, initialiser: ExactMethod) -> bool:
    """Whether a thread is in the initialiser: it has the values that its thread has given it so far."""
    module = env.universe.module_of(initialiser.owner)
    for info in env.debuggee.threads():
        for frame in env.debuggee.stack(info.thread, 0, _MOST_FRAMES).frames:
            if module is not None and (frame.module, frame.method) == (module.id, initialiser.token):
                return True
    return False


Reading = Callable[[Environment, Operand], Operand]


def declared_access(env: Environment, declaring: TypeId, member: FieldInfo | PropertyInfo) -> Reading:
    """What reads a member that an exact type declares; of a static one, whatever the target is."""
    if isinstance(member, FieldInfo):
        return field_access(env, declaring, member)
    owner = env.type_of(declaring)
    if owner is None:
        raise EvaluationError("The property's type has no metadata, so its getter cannot be found")
    getter = ExactMethod(owner, member.getter)
    return lambda env, target: env.runner.run(env, getter, None if member.is_static else target, [])


def field_access(env: Environment, declaring: TypeId, field: FieldInfo) -> Reading:
    """What reads a field, instance or static."""
    declared = env.universe.field_type(env.program, declaring, field.token)
    ref = FieldRef(declaring, field.token)
    known = constant_of(env.program.modules.get(env.debuggee.type_info(declaring).module), declared, field)
    if known is not None:
        return lambda env, target: known
    if field.is_static:
        owner = env.type_of(declaring)
        return lambda env, target: read_static(env, owner, ref, declared, field.shown_name)

    def read(env: Environment, target: Operand) -> Operand:
        value = target.program_value
        if value is not None and value.parts is not None and field.token in value.parts:
            return _part(env, value.parts[field.token], declared)
        if value is None or value.handle is None:
            raise EvaluationError(f"The fields of a computed value cannot be read: {field.shown_name}")
        return env.operand(env.fields(value, [ref])[0], declared)

    return read


def _part(env: Environment, value: Value, declared: Type | None) -> Operand:
    """A field of a structure that only the debugger has: a nullable's is what it holds."""
    operand = env.operand(value, declared)
    is_held = declared is not None and declared.kind is Kind.NULLABLE and operand.type is not declared
    return Operand(declared, operand.data) if is_held and declared is not None else operand


def constant_of(module: LoadedModule | None, declared: Type | None, field: FieldInfo) -> Operand | None:
    """The value of a `const` field of a module, of a declared type; None for other fields."""
    if field.is_literal:
        kind, constant = declared or types.OBJECT, field.constant
        return Operand(kind, ord(constant) if kind.kind is Kind.NUMBER and isinstance(constant, str) else constant)
    known = decimal_constant(module, field.token) if field.is_constant and module is not None else None
    return Operand(types.DECIMAL, known) if known is not None else None
