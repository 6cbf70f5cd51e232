"""Variables of a site: where each name's value is kept, found once, read at each evaluation.

What the compiler moved into closures and state machines is reached through their fields (`values.frame_variables`
shows the same variables all at once).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from msgspec import Struct

from dap_dotnet.evaluation.binding.bound import Bound, Run, constant
from dap_dotnet.evaluation.binding.closure_fields import FieldReader
from dap_dotnet.evaluation.environment import MOST_TEXT, Environment
from dap_dotnet.evaluation.types import tuple_names
from dap_dotnet.evaluation.types.csharp_types import OBJECT, PRIMITIVES, STRING, Operand, Type
from dap_dotnet.evaluation.types.stack_only import is_stack_only
from dap_dotnet.runtime.model import BreakpointLocation, ElementType, TypeId, Value
from dap_dotnet.symbols.local_names import constants_at, locals_at
from dap_dotnet.symbols.modules import LoadedModule, ModuleMemo
from dap_dotnet.symbols.pattern_variables import has_value
from dap_dotnet.symbols.primary_constructors import moved_parameters
from dap_dotnet.values import generated_names
from dap_dotnet.values.dynamic_types import is_dynamic_local, is_dynamic_member
from dap_dotnet.values.members import DeclaredField, instance_fields

if TYPE_CHECKING:
    from portablepdb import LocalConstant
    from portablepdb.signatures import TypeSignature

_MAX_CLOSURES = 16
_READ_ONLY = tuple(f"System.Runtime.CompilerServices.{name}Attribute" for name in ("IsReadOnly", "RequiresLocation"))


class Site(Struct, frozen=True):
    """A place in the code where an expression is bound, with its module's symbols."""

    location: BreakpointLocation
    module: LoadedModule | None


class Storage(Struct, frozen=True):
    """Where a variable is kept: an argument or a local slot, then fields of closures or of the state machine."""

    is_argument: bool
    index: int
    fields: tuple[str, ...] = ()
    signature: TypeSignature | None = None
    """The declared type, where the variable is an argument or a local itself."""
    field: DeclaredField | None = None
    """The last of the fields."""


def site_of(env: Environment) -> Site | None:
    """The site of the environment's frame; None for frames without IL."""
    frame = env.context.frame
    if frame.module is None or frame.method is None or frame.il_offset is None:
        return None
    location = BreakpointLocation(frame.module, frame.method, frame.il_offset)
    return Site(location, env.program.modules.get(frame.module))


class Variables:
    """The variables at one site. Closures are explored in the live frame that is there when a name is first asked."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._known: dict[str, Storage] | None = None
        self._closures: list[tuple[Storage, TypeId]] = []

    def bind(self, env: Environment, name: str) -> Bound | None:
        """The variable of a name (`this` included) as an expression; None when there is none here."""
        storage = self._storage(env, name)
        if storage is not None:
            declared = self._declared(env, storage)
            if declared is OBJECT and self._is_dynamic(storage):
                read = reader(storage, declared)
                return Bound(lambda env: env.as_dynamic(read(env)), is_dynamic=True)
            run = self._named(reader(storage, declared), storage, declared)
            if declared is not None and is_stack_only(env.universe, declared):
                run = _placed(run, storage_reader(storage))
            elif declared is STRING:
                run = _placed_if_long(run, storage_reader(storage))
            return Bound(run, declared)
        return self._constant(env, name)

    def stored(self, env: Environment, name: str) -> tuple[Callable[[Environment], Value], Type | None] | None:
        """What reads a variable's storage, to store in it, and its declared type; None when there is none here."""
        storage = self._storage(env, name)
        return (storage_reader(storage), self._declared(env, storage)) if storage is not None else None

    def is_read_only(self, env: Environment, name: str) -> bool:
        """Whether a variable is a parameter that the source passes by `in` or `ref readonly`."""
        module, storage = self._site.module, self._storage(env, name)
        if module is None or module.metadata is None or storage is None or not storage.is_argument or storage.fields:
            return False
        row = self._parameter(module, storage)
        attributes = module.metadata.attributes_of(row) if row is not None else ()
        return any(one.type_name in _READ_ONLY for one in attributes)

    def in_closure(self, env: Environment, name: str) -> tuple[Value, DeclaredField] | None:
        """The object that the compiler has moved a captured variable into, and its field; None for others."""
        storage = self._storage(env, name)
        if storage is None or storage.field is None or not storage.fields:
            return None
        outer = Storage(storage.is_argument, storage.index, storage.fields[:-1])
        closure = storage_reader(outer)(env)
        is_object = closure.is_reference and not closure.is_null and closure.handle is not None
        return (closure, storage.field) if is_object else None

    def declared(self, env: Environment, name: str) -> Type | None:
        """The declared type of a variable; None where there is none here, or its type is not known."""
        storage = self._storage(env, name)
        return self._declared(env, storage) if storage is not None else None

    def signature(self, env: Environment, name: str) -> tuple[LoadedModule, TypeSignature] | None:
        """The declared type of a variable as its module writes it; None where there is none here or it is unknown."""
        storage, module = self._storage(env, name), self._site.module
        if storage is None or storage.field is None:
            return (module, storage.signature) if module and storage is not None and storage.signature else None
        owner = env.program.modules.get(env.debuggee.type_info(storage.field.type).module)
        if owner is None or owner.metadata is None:
            return None
        return owner, owner.metadata.field(storage.field.field.token).signature

    def keeper(self, env: Environment, name: str) -> TypeId | None:
        """The exact type of the compiler's that a captured variable is a field of; None for others."""
        storage = self._storage(env, name)
        return storage.field.type if storage is not None and storage.field is not None else None

    def names(self, env: Environment) -> list[str]:
        """All names at the site, innermost first."""
        found = [name for name, _ in self._explore(env)]
        module, location = self._site.module, self._site.location
        if module is not None and module.pdb is not None:
            found += [constant.name for constant in constants_at(module, location.method, location.il_offset)]
        return found

    def _storage(self, env: Environment, name: str) -> Storage | None:
        if self._known is None or name not in self._known:
            self._known = dict(reversed(list(self._explore(env))))
        return self._known.get(name)

    def _declared(self, env: Environment, storage: Storage) -> Type | None:
        module = self._site.module
        if storage.field is not None:
            return env.universe.field_type(env.program, storage.field.type, storage.field.field.token)
        if storage.signature is None or module is None:
            return None
        return declared_type(env, module, storage.signature)

    def _is_dynamic(self, storage: Storage) -> bool:
        """Whether the source declares a variable as `dynamic`."""
        module, location = self._site.module, self._site.location
        if module is None:
            return False
        if storage.field is not None:
            return is_dynamic_member(module, storage.field.field.token)
        if storage.is_argument:
            row = self._parameter(module, storage)
            return row is not None and is_dynamic_member(module, row)
        return is_dynamic_local(module, location.method, location.il_offset, storage.index)

    def _parameter(self, module: LoadedModule, storage: Storage) -> int | None:
        """The token of an argument's Param row."""
        assert module.metadata is not None
        method = module.metadata.method(self._site.location.method)
        sequence = storage.index + (1 if method.is_static else 0)
        return next((row.token for row in method.parameter_rows if row.sequence == sequence), None)

    def _named(self, run: Run, storage: Storage, declared: Type | None) -> Run:
        """The reader of a variable; of a tuple's, with the names of the elements."""
        module, location = self._site.module, self._site.location
        if declared is None or module is None or not tuple_names.count(declared):
            return run
        if storage.field is not None:
            names = tuple_names.of_member(module, storage.field.field.token)
        elif storage.is_argument:
            row = self._parameter(module, storage)
            names = tuple_names.of_member(module, row) if row is not None else ()
        else:
            names = tuple_names.of_local(module, location.method, location.il_offset, storage.index)

        def named(env: Environment) -> Operand:
            operand = run(env)
            operand.names = names
            return operand

        return named if names else run

    def closures(self, env: Environment) -> list[tuple[Callable[[Environment], Value], TypeId]]:
        """What reads the compiler's closures that the frame has, and their exact types, innermost first."""
        self._closures.clear()
        for _ in self._explore(env):
            pass
        return [(storage_reader(storage), kind) for storage, kind in self._closures]

    # exploring, innermost first

    def _explore(self, env: Environment) -> Iterator[tuple[str, Storage]]:
        yield from self._locals(env)
        yield from self._arguments(env)

    def _locals(self, env: Environment) -> Iterator[tuple[str, Storage]]:
        module, location = self._site.module, self._site.location
        if module is None or module.pdb is None:
            for slot in range(env.local_count()):
                yield f"local{slot}", Storage(False, slot)
            return
        signatures = local_signatures(module, location)
        for local in reversed(locals_at(module, location.method, location.il_offset)):
            if generated_names.is_closure_local(local.name):
                yield from self._closure(env, Storage(False, local.slot), env.local(local.slot))
            elif not local.is_debugger_hidden and not generated_names.is_compilers_local(local.name):
                signature = signatures[local.slot] if local.slot < len(signatures) else None
                yield local.name, Storage(False, local.slot, (), signature)

    def _arguments(self, env: Environment) -> Iterator[tuple[str, Storage]]:
        module, location = self._site.module, self._site.location
        if module is None or module.metadata is None:
            return
        is_static, names, parameters = _PARAMETERS(module, location.method)
        first = 0 if is_static else 1
        plain: list[tuple[str, Storage]] = []
        if first:
            yield from self._this(env, module)
        moved = moved_parameters(module, location.method, location.il_offset)
        for index, parameter in enumerate(parameters):
            if index + 1 in moved:
                continue
            value = env.argument(index + first)
            if generated_names.is_closure(env.program, value):
                yield from self._closure(env, Storage(True, index + first), value)
            else:
                plain.append((names.get(index + 1) or f"arg{index}", Storage(True, index + first, (), parameter)))
        yield from reversed(plain)

    def _this(self, env: Environment, module: LoadedModule) -> Iterator[tuple[str, Storage]]:
        this, storage, location = env.argument(0), Storage(True, 0), self._site.location
        if generated_names.runs_in_state_machine(module, location.method):
            yield from self._state_machine(env, module, this)
        elif generated_names.is_closure(env.program, this):
            yield from self._closure(env, storage, this)
        else:
            yield "this", storage

    def _state_machine(self, env: Environment, module: LoadedModule, this: Value) -> Iterator[tuple[str, Storage]]:
        assert module.pdb is not None
        location = self._site.location
        scopes = module.pdb.hoisted_scopes(location.method)
        parameters: list[tuple[str, Storage]] = []
        for declared in instance_fields(env.program, this.type):
            name = declared.field.name
            storage = Storage(True, 0, (name,), None, declared)
            role, shown = generated_names.state_machine_field(name, scopes, location.il_offset)
            if role is generated_names.FieldRole.VARIABLE:
                yield shown, storage
            elif role is generated_names.FieldRole.THIS:
                yield "this", storage
            elif role is generated_names.FieldRole.CLOSURE:
                yield from self._closure(env, storage, env.read_named(this, name))
            elif role is generated_names.FieldRole.PARAMETER:
                parameters.append((shown, storage))
        yield from parameters

    def _closure(
        self, env: Environment, storage: Storage, closure: Value, depth: int = 0
    ) -> Iterator[tuple[str, Storage]]:
        if closure.handle is None or closure.is_null or closure.error is not None or depth > _MAX_CLOSURES:
            return
        if closure.type is not None:
            self._closures.append((storage, closure.type))
        outer = []
        for declared in reversed(instance_fields(env.program, closure.type)):
            name = declared.field.name
            inner = Storage(storage.is_argument, storage.index, (*storage.fields, name), None, declared)
            role, shown = generated_names.closure_field(name, self._has_value)
            if role is generated_names.FieldRole.THIS:
                yield "this", inner
            elif role is generated_names.FieldRole.CLOSURE:
                outer.append((inner, name))
            elif role is generated_names.FieldRole.VARIABLE:
                yield shown, inner
        for inner, name in outer:
            yield from self._closure(env, inner, env.read_named(closure, name), depth + 1)

    def _has_value(self, field_name: str) -> bool:
        module, location = self._site.module, self._site.location
        return module is not None and has_value(module, location.method, location.il_offset, field_name)

    # constants

    def _constant(self, env: Environment, name: str) -> Bound | None:
        module, location = self._site.module, self._site.location
        if module is None or module.pdb is None:
            return None
        for candidate in constants_at(module, location.method, location.il_offset):
            if candidate.name == name:
                return constant(_constant_operand(env, module, candidate))
        return None


def _constant_operand(env: Environment, module: LoadedModule, found: LocalConstant) -> Operand:
    decoded = found.decoded
    kind = env.universe.of_token(module, decoded.type_token) if decoded.type_token is not None else None
    value = decoded.value
    own = STRING if decoded.type_code == ElementType.STRING else PRIMITIVES.get(ElementType(decoded.type_code), OBJECT)
    if kind is not None:
        own = kind
    if value is None:
        return Operand(own, None)
    if own.code is ElementType.CHAR and isinstance(value, str):
        value = ord(value)
    return Operand(own, value)


def declared_type(env: Environment, module: LoadedModule, signature: TypeSignature) -> Type | None:
    """The type that a signature means in the environment's frame, its generic arguments filled in."""
    universe = env.universe
    made = universe.of_signature(module, signature)
    if made is not None:
        return made
    frame = env.context.frame
    given = tuple(
        env.type_of(argument) or OBJECT
        for argument in env.debuggee.frame_type_arguments(env.context.thread, frame.index)
    )
    if not given or frame.method is None or module.metadata is None:
        return None
    owner = module.metadata.method(frame.method).declaring_type
    count = len(module.metadata.generic_parameters_of(owner))
    return universe.of_signature(module, signature, given[:count], given[count:])


_MOST_METHODS = 1_000


def local_signatures(module: LoadedModule | None, location: BreakpointLocation) -> tuple[TypeSignature, ...]:
    """The declared types of a method's local slots."""
    if module is None:
        return ()
    return _SIGNATURES(module, location.method)


def _signatures(module: LoadedModule, method: int) -> tuple[TypeSignature, ...]:
    from portablepdb.signatures import decode_locals

    metadata = module.metadata
    body = metadata.method_body(method) if metadata is not None else None
    if metadata is None or body is None or body.local_signature is None:
        return ()
    row = metadata.image.table(0x11).row(body.local_signature & 0xFFFFFF)
    return decode_locals(metadata.blob(row.signature))


_SIGNATURES = ModuleMemo("types of local slots", _signatures, _MOST_METHODS)


def _declared_parameters(module: LoadedModule, method: int) -> tuple[bool, dict[int, str], Sequence[TypeSignature]]:
    """Whether a method is static; the names of its parameters by sequence, and their types in order."""
    assert module.metadata is not None
    found = module.metadata.method(method)
    return found.is_static, found.parameters, found.signature.parameters


_PARAMETERS = ModuleMemo("parameters by method", _declared_parameters, _MOST_METHODS)


def reader(storage: Storage, declared: Type | None = None) -> Callable[[Environment], Operand]:
    """What reads a variable; `declared` is the type of one that the compiler moved into a field."""
    read = storage_reader(storage)
    if storage.signature is None:
        return lambda env: env.operand(read(env), declared)
    typed = _Declared(storage.signature)
    return lambda env: typed.operand(env, read(env))


def storage_reader(storage: Storage) -> Callable[[Environment], Value]:
    """What reads the value of a variable as it is kept."""
    index, readers = storage.index, [FieldReader(name) for name in storage.fields]
    read = Environment.argument if storage.is_argument else Environment.local
    if not readers:
        return lambda env: read(env, index)

    def follow(env: Environment) -> Value:
        value = read(env, index)
        for step in readers:
            value = step.read(env, value)
        return value

    return follow


def _placed(run: Run, place: Callable[[Environment], Value]) -> Run:
    """What reads a variable of a `ref struct`, and can do so again when the program has run."""

    def read(env: Environment) -> Operand:
        operand = run(env)
        operand.place = place
        if operand.program_value is not None:
            env.roots.note_place(operand.program_value, partial(place, env))
        return operand

    return read


def _placed_if_long(run: Run, place: Callable[[Environment], Value]) -> Run:
    """As `_placed`, of a long string: the runtime's interface copies all of it into our memory to pin it."""

    def read(env: Environment) -> Operand:
        operand = run(env)
        value = operand.program_value
        if value is not None and value.length > MOST_TEXT:
            operand.place = partial(_same_string, place, value)
            env.roots.note_place(value, partial(operand.place, env))
        return operand

    return read


def _same_string(place: Callable[[Environment], Value], was: Value, env: Environment) -> Value:
    """What is in the variable now, where that is the same string."""
    now = place(env)
    if (now.element_type, now.length, now.text) == (was.element_type, was.length, was.text):
        return now
    return Value(None, was.type, was.element_type, error="the variable was changed while the expression ran")


class _Declared:
    """Gives reference variables their declared type: looked up once, and again where the frame's generics matter."""

    def __init__(self, signature: TypeSignature) -> None:
        from portablepdb import signatures as sig

        self._signature = signature
        self._is_plain = isinstance(signature, sig.PrimitiveType) and signature.code != ElementType.OBJECT

    def operand(self, env: Environment, value: Value) -> Operand:
        if self._is_plain and not value.is_null and not value.is_boxed:
            return env.operand(value)
        if not value.is_reference and not value.is_null:
            return env.operand(value)
        module = env.program.modules.get(env.context.frame.module)
        declared = declared_type(env, module, self._signature) if module is not None else None
        return env.operand(value, declared)
