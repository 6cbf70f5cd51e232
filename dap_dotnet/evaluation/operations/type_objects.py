"""`typeof(T)` and `GetType()`: what System.Type says of a type, and the Type object itself.

Names are had from metadata; every other member needs the object, which the program gives for the name.
"""

from __future__ import annotations

import hashlib

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.diagnostics import calls_forbidden
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import ExactMethod, Kind, Operand, Type
from dap_dotnet.evaluation.types.declared_methods import candidates
from dap_dotnet.evaluation.types.universe import Universe
from dap_dotnet.runtime.model import ElementType, MethodToken
from dap_dotnet.symbols.modules import LoadedModule

_ASSEMBLY = 0x20


def name(wanted: Type) -> str:
    """`Type.Name`: without namespace, outer types and type arguments."""
    if wanted.kind in (Kind.ARRAY, Kind.POINTER):
        return name(wanted.element) + _suffix(wanted)
    return _definition_name(wanted).rpartition("+")[2].rpartition(".")[2]


def namespace(wanted: Type) -> str | None:
    """`Type.Namespace`; None in the global one."""
    while wanted.kind in (Kind.ARRAY, Kind.POINTER):
        wanted = wanted.element
    return _definition_name(wanted).partition("+")[0].rpartition(".")[0] or None


def full_name(universe: Universe, wanted: Type) -> str:
    """`Type.FullName`: type arguments with their assemblies. Raises `EvaluationError` where one has no metadata."""
    if wanted.kind in (Kind.ARRAY, Kind.POINTER):
        return full_name(universe, wanted.element) + _suffix(wanted)
    stem = _definition_name(wanted)
    if not wanted.arguments:
        return stem
    return f"{stem}[{','.join(f'[{qualified_name(universe, entry)}]' for entry in wanted.arguments)}]"


def text(wanted: Type) -> str:
    """`Type.ToString()`: type arguments without their assemblies."""
    if wanted.kind in (Kind.ARRAY, Kind.POINTER):
        return text(wanted.element) + _suffix(wanted)
    arguments = f"[{','.join(map(text, wanted.arguments))}]" if wanted.arguments else ""
    return _definition_name(wanted) + arguments


def qualified_name(universe: Universe, wanted: Type) -> str:
    """`Type.AssemblyQualifiedName`. Raises `EvaluationError` for a type without metadata."""
    inner = wanted
    while inner.kind in (Kind.ARRAY, Kind.POINTER):
        inner = inner.element
    module = universe.module_of(inner)
    if module is None:
        raise EvaluationError(f"The assembly of '{wanted.name}' is not known: its module has no metadata")
    return f"{full_name(universe, wanted)}, {_assembly_name(module)}"


def type_object(env: Environment, wanted: Type) -> Operand:
    """The System.Type object, by an object's GetType, else `Type.GetType(name)`, in the program.

    A name does not tell assemblies apart that are loaded twice, and finds none that the program makes as it runs.
    Raises `EvaluationError`.
    """
    own = env.universe.named("System.Type")
    if env.caller is None:
        raise calls_forbidden(f"The object of typeof({wanted.name})")
    witness = env.witnesses.get(wanted)
    if witness is not None:
        return _asked(env, witness, "System.Object", "GetType")
    for candidate in candidates(env.universe, own) if own is not None else []:
        if candidate.method.name == "GetType" and candidate.parameter_types(env.universe) == [types.STRING]:
            method = ExactMethod(candidate.owner, MethodToken(candidate.method.token))
            wanted_name = Operand(types.STRING, qualified_name(env.universe, wanted))
            found = env.runner.run(env, method, None, [wanted_name])
            return found if found.data is not None else _by_value(env, wanted)
    raise EvaluationError(f"The program gives no Type object for '{wanted.name}'")


def _by_value(env: Environment, wanted: Type) -> Operand:
    """The Type object by a value that is made for it: of a structure, or an array of no elements of anything else."""
    if wanted.kind in (Kind.STRUCT, Kind.ENUM):
        return _asked(env, env.runner.construct(env, wanted, None, []), "System.Object", "GetType")
    if wanted.kind is Kind.ARRAY and wanted.rank <= 1:
        return _asked(env, env.runner.new_array(env, wanted.element, 0), "System.Object", "GetType")
    if not wanted.is_reference:
        raise EvaluationError(f"The program gives no Type object for '{wanted.name}'")
    array = _asked(env, env.runner.new_array(env, wanted, 0), "System.Object", "GetType")
    return _asked(env, array, "System.Type", "GetElementType")


def _asked(env: Environment, target: Operand, owner: str, method: str) -> Operand:
    """What a method of the framework without parameters gives of an object: a Type object."""
    kind = env.universe.named(owner)
    found = [one for one in candidates(env.universe, kind) if one.method.name == method] if kind is not None else []
    if not found:
        raise EvaluationError(f"The program's framework has no {owner}.{method}")
    env.wants_type_object = True
    try:
        exact = ExactMethod(found[0].owner, MethodToken(found[0].method.token))
        return env.runner.run(env, exact, target, [])
    finally:
        env.wants_type_object = False


def types_equal(env: Environment, left: Operand, right: Operand, *, wanted: bool) -> Operand:
    """`left == right` (`wanted`), else `!=`, of a `typeof` and a Type object."""
    known, other = (left, right) if left.type is types.TYPE else (right, left)
    if other.data is None:
        return types.boolean(not wanted)
    if isinstance(other.data, Type):
        return types.boolean((known.data is other.data) is wanted)
    made = type_object(env, known.data)
    first, second = made.program_value, other.program_value
    same = first is not None and second is not None and first.address == second.address
    return types.boolean(same is wanted)


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
