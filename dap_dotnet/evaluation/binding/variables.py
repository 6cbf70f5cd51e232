"""Variables of a site as nodes of bound code: where each is kept is found once, and read at each evaluation.

What the compiler moved into closures and state machines is reached through their fields (`values.frame_variables`
shows the same variables all at once).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from msgspec import Struct

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.binding.type_lookup import Site, TypeLookup
from dap_dotnet.evaluation.bound_tree import Captured, Code, FieldOf, Stored
from dap_dotnet.evaluation.diagnostics import null_reference
from dap_dotnet.evaluation.environment import MOST_TEXT, Environment
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.declarations import is_stack_only
from dap_dotnet.runtime.model import ElementType, TypeId, Value
from dap_dotnet.symbols.local_names import constants_at, locals_at
from dap_dotnet.symbols.modules import LoadedModule, ModuleMemo
from dap_dotnet.symbols.pattern_variables import has_value
from dap_dotnet.symbols.primary_constructors import moved_parameters
from dap_dotnet.symbols.reference_locals import is_read_only_local
from dap_dotnet.values import generated_names
from dap_dotnet.values.dynamic_types import is_dynamic_local, is_dynamic_member
from dap_dotnet.values.members import DeclaredField, instance_fields
from dap_dotnet.values.tuple_names import Names, of_local, of_member
from portablepdb.signatures import ByRefType

if TYPE_CHECKING:
    from portablepdb import LocalConstant
    from portablepdb.signatures import TypeSignature

_MAX_CLOSURES = 16
_READ_ONLY = tuple(f"System.Runtime.CompilerServices.{name}Attribute" for name in ("IsReadOnly", "RequiresLocation"))
Read = Callable[[Environment], types.Operand]


class Storage(Struct, frozen=True):
    """Where a variable is kept: an argument or a local slot, then fields of closures or of the state machine."""

    is_argument: bool
    index: int
    fields: tuple[str, ...] = ()
    signature: TypeSignature | None = None
    """The declared type, where the variable is an argument or a local itself."""
    field: DeclaredField | None = None
    """The last of the fields."""


class Variables:
    """The variables at one site. Closures are explored in the live frame that is there when a name is first asked."""

    def __init__(self, site: Site, lookup: TypeLookup) -> None:
        self._site = site
        self._lookup = lookup
        self._known: dict[str, Storage] | None = None
        self._closures: list[tuple[Storage, TypeId]] = []

    def bind(self, env: Environment, name: str) -> Captured | Stored | None:
        """The variable or the constant of a name (`this` included); None when there is none here."""
        storage = self._storage(env, name)
        if storage is None:
            return self._constant(env, name)
        declared, names = self._declared(env, storage), self.element_names(env, name)
        read, locate = self._reader(env, storage, declared, names), storage_reader(storage)
        kind = self._open_type(env, storage) or declared
        is_typed_by_value = kind is None
        if kind is None:
            kind = read(env).type
        return Stored(
            kind, name, read, locate, lambda env: self._captured(env, storage, read),
            is_read_only=self._is_read_only(env, storage, name), is_typed_by_value=is_typed_by_value,
        )  # fmt: skip

    def _reader(self, env: Environment, storage: Storage, declared: types.Type | None, names: Names) -> Read:
        """What reads the variable; values that no handle keeps for long can be read again when the program has run.

        Those are `ref struct`s, and long strings: the runtime's interface copies all of one into our memory to pin it.
        """
        locate, is_text = storage_reader(storage), declared is types.STRING
        is_placed = is_text or (declared is not None and is_stack_only(env.universe, declared))

        def read(env: Environment) -> types.Operand:
            operand = env.operand(locate(env), declared)
            operand.names = names
            value = operand.program_value if is_placed else None
            if value is not None and (not is_text or value.length > MOST_TEXT):
                operand.place = partial(_same_string, locate, value) if is_text else locate
                env.roots.note_place(value, partial(operand.place, env))
            return operand

        return read

    def _captured(self, env: Environment, storage: Storage, read: Read) -> Code:
        """What a delegate of the program has of a variable: the closure's field, else the value that it has now."""
        if storage.field is not None and storage.fields:
            closure = storage_reader(Storage(storage.is_argument, storage.index, storage.fields[:-1]))(env)
            is_object = closure.is_reference and not closure.is_null and closure.handle is not None
            owner, kind = env.type_of(storage.field.type), self._open_type(env, storage) or self._declared(env, storage)
            if is_object and owner is not None and kind is not None:
                target = Captured(owner, env.operand(closure, owner))
                return FieldOf(kind, owner, storage.field.field.token, target)
        return captured_value(read(env), self._declared(env, storage))

    def is_there(self, env: Environment, name: str) -> bool:
        """Whether there is a variable of a name, which is no constant."""
        return self._storage(env, name) is not None

    def _is_read_only(self, env: Environment, storage: Storage, name: str) -> bool:
        """Whether the source has a variable as `in` or `ref readonly`."""
        module = self._site.module
        if module is not None and isinstance(storage.signature, ByRefType) and not storage.is_argument:
            return is_read_only_local(env.program.modules, module, self._site.location.method, name)
        if module is None or module.metadata is None or not storage.is_argument or storage.fields:
            return False
        row = self._parameter(module, storage)
        attributes = module.metadata.attributes_of(row) if row is not None else ()
        return any(one.type_name in _READ_ONLY for one in attributes)

    def signature(self, env: Environment, name: str) -> tuple[LoadedModule, TypeSignature] | None:
        """The declared type of a variable as its module writes it; None where there is none here or it is unknown."""
        storage = self._storage(env, name)
        return self._signature(env, storage) if storage is not None else None

    def _signature(self, env: Environment, storage: Storage) -> tuple[LoadedModule, TypeSignature] | None:
        module = self._site.module
        if storage.field is None:
            return (module, storage.signature) if module is not None and storage.signature is not None else None
        owner = env.program.modules.get(env.debuggee.type_info(storage.field.type).module)
        if owner is None or owner.metadata is None:
            return None
        return owner, owner.metadata.field(storage.field.field.token).signature

    def _open_type(self, env: Environment, storage: Storage) -> types.Type | None:
        """The declared type with the type parameters in it; None where there are none in force, or it is not known.

        The classes that the compiler keeps variables in have type parameters of the same names.
        """
        lookup, universe = self._lookup, env.universe
        in_force = lookup.in_force(env) if lookup.is_open else ()
        written = self._signature(env, storage) if in_force else None
        if written is None:
            return None
        module, signature = written
        closure = env.type_of(storage.field.type) if storage.field is not None else None
        if closure is None:
            return universe.of_signature(module, signature, *lookup.split(in_force))
        assert module.metadata is not None
        assert closure.definition is not None
        known = {kind.name: kind for kind in in_force}
        rows = module.metadata.generic_parameters_of(closure.definition[1])
        given = tuple(known.get(row.name, kind) for row, kind in zip(rows, closure.arguments, strict=True))
        return universe.of_signature(module, signature, given)

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

    def _declared(self, env: Environment, storage: Storage) -> types.Type | None:
        """The declared type, its type parameters as what they stand for in the frame."""
        if storage.field is not None:
            return env.universe.field_type(env.program, storage.field.type, storage.field.field.token)
        module = self._site.module
        if storage.signature is None or module is None:
            return None
        given = self._lookup.split(self._lookup.stood_for(env))
        return env.universe.of_signature(module, storage.signature, *given)

    def is_dynamic(self, env: Environment, name: str) -> bool:
        """Whether the source declares a variable as `dynamic`."""
        module, location, storage = self._site.module, self._site.location, self._storage(env, name)
        if module is None or storage is None:
            return False
        if storage.field is None and not storage.is_argument:
            return is_dynamic_local(module, location.method, location.il_offset, storage.index)
        token = self._token(module, storage)
        return token is not None and is_dynamic_member(module, token)

    def _token(self, module: LoadedModule, storage: Storage) -> int | None:
        """What declares a variable that is a field or an argument."""
        return storage.field.field.token if storage.field is not None else self._parameter(module, storage)

    def _parameter(self, module: LoadedModule, storage: Storage) -> int | None:
        """The token of an argument's Param row."""
        assert module.metadata is not None
        method = module.metadata.method(self._site.location.method)
        sequence = storage.index + (1 if method.is_static else 0)
        return next((row.token for row in method.parameter_rows if row.sequence == sequence), None)

    def element_names(self, env: Environment, name: str) -> Names:
        """The names of the elements of a variable that is a tuple, or has some in its type; () for none."""
        module, location, storage = self._site.module, self._site.location, self._storage(env, name)
        declared = self._declared(env, storage) if storage is not None else None
        if storage is None or declared is None or module is None or not types.count_names(declared):
            return ()
        if storage.field is None and not storage.is_argument:
            return of_local(module, location.method, location.il_offset, storage.index)
        token = self._token(module, storage)
        return of_member(module, token) if token is not None else ()

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
        signatures = _SIGNATURES(module, location.method)
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

    def _constant(self, env: Environment, name: str) -> Captured | None:
        module, location = self._site.module, self._site.location
        if module is None or module.pdb is None:
            return None
        for candidate in constants_at(module, location.method, location.il_offset):
            if candidate.name == name:
                operand = _constant_operand(env, module, candidate)
                return Captured(operand.type, operand, is_constant=True)
        return None


def captured_value(operand: types.Operand, declared: types.Type | None = None) -> Captured:
    """A value of the frame, as it is now."""
    kind = declared if declared is not None and operand.type.kind is types.Kind.NULL else operand.type
    return Captured(kind, operand)


def _constant_operand(env: Environment, module: LoadedModule, found: LocalConstant) -> types.Operand:
    decoded = found.decoded
    kind = env.universe.of_token(module, decoded.type_token) if decoded.type_token is not None else None
    value = decoded.value
    own = (
        types.STRING
        if decoded.type_code == ElementType.STRING
        else types.PRIMITIVES.get(ElementType(decoded.type_code), types.OBJECT)
    )
    if kind is not None:
        own = kind
    if value is None:
        return types.Operand(own, None)
    if own.code is ElementType.CHAR and isinstance(value, str):
        value = ord(value)
    return types.Operand(own, types.InternedText(value) if isinstance(value, str) else value)


_MOST_METHODS = 1_000


def _signatures(module: LoadedModule, method: int) -> tuple[TypeSignature, ...]:
    return module.metadata.method(method).local_types if module.metadata is not None else ()


_SIGNATURES = ModuleMemo("types of local slots", _signatures, _MOST_METHODS)


def _declared_parameters(module: LoadedModule, method: int) -> tuple[bool, dict[int, str], Sequence[TypeSignature]]:
    """Whether a method is static; the names of its parameters by sequence, and their types in order."""
    assert module.metadata is not None
    found = module.metadata.method(method)
    return found.is_static, found.parameters, found.signature.parameters


_PARAMETERS = ModuleMemo("parameters by method", _declared_parameters, _MOST_METHODS)


def storage_reader(storage: Storage) -> Callable[[Environment], Value]:
    """What reads the value of a variable as it is kept."""
    index, names = storage.index, storage.fields
    read = Environment.argument if storage.is_argument else Environment.local

    def follow(env: Environment) -> Value:
        value = read(env, index)
        for name in names:
            if value.is_null:
                raise null_reference("the closure that holds the variable")
            if value.handle is None:
                raise EvaluationError(f"The value cannot be read: {value.error or 'it is no longer available'}")
            value = env.read_named(value, name)
        return value

    return follow if names else lambda env: read(env, index)


def _same_string(place: Callable[[Environment], Value], was: Value, env: Environment) -> Value:
    """What is in the variable now, where that is the same string."""
    now = place(env)
    if (now.element_type, now.length, now.text) == (was.element_type, was.length, was.text):
        return now
    return Value(None, was.type, was.element_type, error="the variable was changed while the expression ran")
