"""Methods of the framework that operations need themselves, and what System.Type says of a type: `typeof`, `GetType()`.

Methods are named with their signatures, no overload is chosen. Names of types are had from metadata; every other member
needs the Type object, which the program gives for the name.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.diagnostics import calls_forbidden
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import ExactMethod, Kind, Operand, Type
from dap_dotnet.evaluation.types.declarations import candidates
from dap_dotnet.evaluation.types.universe import Universe
from dap_dotnet.runtime.model import ElementType, MethodToken
from dap_dotnet.symbols.modules import LoadedModule
from dap_dotnet.values.type_objects import CLASS, type_meant


def framework_type(env: Environment, name: str, arguments: tuple[Type, ...] = ()) -> Type:
    """A type of the framework. Raises `EvaluationError` where the program has none of the name."""
    kind = env.universe.named(name, arguments)
    if kind is None:
        raise EvaluationError(f"The program's framework has no {name}")
    return kind


def framework_method(
    env: Environment,
    owner: Type | str,
    name: str,
    count: int,
    parameters: Sequence[Type | None] | None = None,
    *,
    type_arguments: tuple[Type, ...] = (),
) -> ExactMethod:
    """A method that a type itself declares, by its name and the number of its parameters; their types tell overloads
    apart. `type_arguments`: the method's own, where they are needed. Raises `EvaluationError`.
    """
    kind = framework_type(env, owner) if isinstance(owner, str) else owner
    for candidate in candidates(env.universe, kind):
        if candidate.method.name != name or len(candidate.method.signature.parameters) != count:
            continue
        if type_arguments and candidate.method.signature.generic_count != len(type_arguments):
            continue
        if parameters is None or candidate.parameter_types(env.universe, type_arguments) == list(parameters):
            return ExactMethod(kind, MethodToken(candidate.method.token), type_arguments)
    raise EvaluationError(f"The program's framework has no {kind.full_name or kind.name}.{name}")


def call_framework(
    env: Environment,
    target: Operand | None,
    owner: Type | str,
    name: str,
    arguments: Sequence[Operand] = (),
    *,
    parameters: Sequence[Type | None] | None = None,
) -> Operand:
    """The result of such a method, of `target` or (None) a static one; virtual ones are dispatched.

    The arguments fit the parameters. Raises `EvaluationError`, and as `MethodRunner.run`.
    """
    method = framework_method(env, owner, name, len(arguments), parameters)
    return env.runner.run(env, method, target, arguments)


_ASSEMBLY = 0x20


def type_name(wanted: Type) -> str:
    """`Type.Name`: without namespace, outer types and type arguments."""
    if wanted.kind in (Kind.ARRAY, Kind.POINTER):
        return type_name(wanted.element) + _suffix(wanted)
    return _definition_name(wanted).rpartition("+")[2].rpartition(".")[2]


def type_namespace(wanted: Type) -> str | None:
    """`Type.Namespace`; None in the global one."""
    while wanted.kind in (Kind.ARRAY, Kind.POINTER):
        wanted = wanted.element
    return _definition_name(wanted).partition("+")[0].rpartition(".")[0] or None


def type_full_name(universe: Universe, wanted: Type) -> str:
    """`Type.FullName`: type arguments with their assemblies. Raises `EvaluationError` where one has no metadata."""
    if wanted.kind in (Kind.ARRAY, Kind.POINTER):
        return type_full_name(universe, wanted.element) + _suffix(wanted)
    stem = _definition_name(wanted)
    if not wanted.arguments:
        return stem
    return f"{stem}[{','.join(f'[{qualified_name(universe, entry)}]' for entry in wanted.arguments)}]"


def type_text(wanted: Type) -> str:
    """`Type.ToString()`: type arguments without their assemblies."""
    if wanted.kind in (Kind.ARRAY, Kind.POINTER):
        return type_text(wanted.element) + _suffix(wanted)
    arguments = f"[{','.join(map(type_text, wanted.arguments))}]" if wanted.arguments else ""
    return _definition_name(wanted) + arguments


def qualified_name(universe: Universe, wanted: Type) -> str:
    """`Type.AssemblyQualifiedName`. Raises `EvaluationError` for a type without metadata."""
    inner = wanted
    while inner.kind in (Kind.ARRAY, Kind.POINTER):
        inner = inner.element
    module = universe.module_of(inner)
    if module is None:
        raise EvaluationError(f"The assembly of '{wanted.name}' is not known: its module has no metadata")
    return f"{type_full_name(universe, wanted)}, {_assembly_name(module)}"


def type_object(env: Environment, wanted: Type) -> Operand:
    """The System.Type object, by an object's GetType, else `Type.GetType(name)`, in the program.

    A name does not tell assemblies apart that are loaded twice, and finds none that the program makes as it runs.
    Raises `EvaluationError`.
    """
    if env.caller is None:
        raise calls_forbidden(f"The object of typeof({wanted.name})")
    witness = env.witnesses.get(wanted)
    if witness is not None:
        return _asked(env, witness, "System.Object", "GetType")
    wanted_name = Operand(types.STRING, qualified_name(env.universe, wanted))
    found = call_framework(env, None, "System.Type", "GetType", [wanted_name], parameters=[types.STRING])
    return found if found.data is not None else _by_value(env, wanted)


def _by_value(env: Environment, wanted: Type) -> Operand:
    """The Type object by a value that is made for it: of a structure, or an array of no elements of anything else."""
    if wanted.kind is Kind.NULLABLE or (wanted.kind is Kind.ARRAY and wanted.rank > 1):
        raise EvaluationError(f"The program gives no Type object for '{wanted.name}'")
    if wanted.kind in (Kind.STRUCT, Kind.ENUM):
        return _asked(env, env.runner.construct(env, wanted, None, []), "System.Object", "GetType")
    element = wanted.element if wanted.kind is Kind.ARRAY else wanted
    array = _asked(env, env.runner.new_array(env, element, 0), "System.Object", "GetType")
    return array if wanted.kind is Kind.ARRAY else _asked(env, array, "System.Type", "GetElementType")


def _asked(env: Environment, target: Operand, owner: str, method: str) -> Operand:
    """What a method of the framework without parameters gives of an object: a Type object."""
    env.wants_type_object = True
    try:
        return call_framework(env, target, owner, method)
    finally:
        env.wants_type_object = False


def is_object_of(env: Environment, kind: Type, other: Operand) -> bool:
    """Whether an object of the program is the Type object of a type. Raises `EvaluationError`."""
    value = other.program_value
    if value is None or env.own_type(other).full_name != CLASS:
        return False
    meant = type_meant(env.program, value)
    if meant is not None:
        return env.type_of(meant) is kind
    made = type_object(env, kind)
    first, second = made.program_value, other.program_value
    return first is not None and second is not None and first.address == second.address


def _definition_name(wanted: Type) -> str:
    return types.SYSTEM_NAME_OF.get(wanted) or wanted.full_name or wanted.name


def _suffix(wanted: Type) -> str:
    if wanted.kind is Kind.POINTER:
        return "*"
    is_vector = wanted.code is ElementType.SZARRAY
    return "[]" if is_vector else "[*]" if wanted.rank == 1 else f"[{',' * (wanted.rank - 1)}]"


def _assembly_name(module: LoadedModule) -> str:
    metadata = module.metadata
    assert metadata is not None
    row = metadata.image.table(_ASSEMBLY).row(1)
    strings = metadata.image.strings
    version = f"{row.major_version}.{row.minor_version}.{row.build_number}.{row.revision_number}"
    key = metadata.blob(row.public_key).rest()
    token = hashlib.sha1(key, usedforsecurity=False).digest()[:-9:-1].hex() if key else "null"
    return (
        f"{strings[row.name]}, Version={version}, Culture={strings[row.culture] or 'neutral'}, PublicKeyToken={token}"
    )
