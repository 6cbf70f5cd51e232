"""Type arguments of a generic method from its arguments (C# specification 12.6.3).

First from the types of all arguments that have one; then, one after the other, from what a lambda gives once the types
of its parameters are known. Also which delegates a lambda or a group of methods converts to (10.7, 10.8), and what type
arguments have to meet (15.2.5).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dap_dotnet.evaluation.bound_tree import FunctionSource, source_of
from dap_dotnet.evaluation.diagnostics import Diagnostic
from dap_dotnet.evaluation.rules.conversions import converts, implicitly_converts
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types import declarations
from dap_dotnet.evaluation.types.csharp_types import Kind, Operand, Type
from dap_dotnet.evaluation.types.declarations import CLASS, NEW, STRUCT, Candidate, constraints_of, delegate_signature
from dap_dotnet.evaluation.types.universe import Universe
from dap_dotnet.symbols.metadata_names import resolve
from portablepdb import signatures as sig

if TYPE_CHECKING:
    from portablepdb.members import Method

Bounds = dict[int, "list[Type]"]
"""Type parameters by number -> the types that arguments have in their places."""
EXPRESSION = "System.Linq.Expressions.Expression`1"


def infer(
    universe: Universe,
    candidate: Candidate,
    arguments: Sequence[Operand | None],
    parameters: Sequence[sig.TypeSignature] | None = None,
) -> tuple[Type, ...] | None:
    """Type arguments from the arguments' types; None where they do not follow (12.6.3).

    `parameters`: the declared types, where they are not those of the candidate's parameters.
    """
    signature = candidate.method.signature
    declared = parameters if parameters is not None else signature.parameters
    found = Bounds()
    functions: list[tuple[sig.TypeSignature, FunctionSource]] = []
    for parameter, argument in zip(declared, arguments, strict=True):
        source = source_of(argument) if argument is not None else None
        if source is not None:
            functions.append((parameter, source))
        elif argument is not None:
            unify_argument(universe, candidate, parameter, argument, found)
    count = 0
    while len(functions) != count:  # each when the types of its parameters are known, which another one may have told
        count = len(functions)
        functions = [one for one in functions if not _from_function(universe, candidate, *one, found)]
    return fixed_types(universe, found, signature.generic_count)


def _from_function(
    universe: Universe, candidate: Candidate, parameter: sig.TypeSignature, source: FunctionSource, found: Bounds
) -> bool:
    """Whether the types of a lambda's parameters are known already; then what it gives is, too."""
    signature = _delegate(universe, candidate, parameter)
    if signature is None:
        return False
    generic, invoke = signature
    places = [
        generic.arguments[entry.number] if isinstance(entry, sig.TypeParameter) else entry
        for entry in invoke.signature.parameters
    ]
    if not source.takes(len(places)):
        return False
    for place, written in zip(places, source.written_types() or (None,) * len(places), strict=True):
        if written is not None:
            unify(universe, candidate, place, written, found)
    count = candidate.method.signature.generic_count
    known = [best_common(universe, found.get(number, ())) for number in range(count)]
    of_type = candidate.owner.arguments
    given = [universe.of_signature(candidate.module, place, of_type, known) for place in places]
    kinds = [kind for kind in given if kind is not None]
    if len(kinds) != len(given):
        return False
    fixed = _method_parameters(places)  # what a lambda takes is fixed before it says what it gives
    result, returned = source.result_type(kinds), invoke.signature.return_type
    if result is not None and result is not types.VOID and isinstance(returned, sig.TypeParameter):
        place = generic.arguments[returned.number]
        if source.is_async and isinstance(place, sig.GenericInstance) and result.arguments:  # of any type of tasks
            place, result = place.arguments[0], result.arguments[0]
        told = Bounds()
        unify(universe, candidate, place, result, told)
        for number, bounds in told.items():
            if number not in fixed:
                found.setdefault(number, []).extend(bounds)
    return True


def _method_parameters(signatures: Sequence[sig.TypeSignature]) -> set[int]:
    """The type parameters of the method that signatures have, by their numbers."""
    numbers, pending = set[int](), list(signatures)
    while pending:
        signature = pending.pop()
        if isinstance(signature, sig.MethodParameter):
            numbers.add(signature.number)
        elif isinstance(signature, sig.SzArrayType):
            pending.append(signature.element)
        elif isinstance(signature, sig.GenericInstance):
            pending.extend(signature.arguments)
    return numbers


def _delegate(
    universe: Universe, candidate: Candidate, parameter: sig.TypeSignature
) -> tuple[sig.GenericInstance, Method] | None:
    """The generic type of delegates that a parameter has, or has the expression tree of, and its Invoke."""
    if not isinstance(parameter, sig.GenericInstance) or not isinstance(parameter.generic, sig.NamedType):
        return None
    definition = resolve(universe.modules, candidate.module, parameter.generic.token)
    declaring = universe.modules.get(definition[0]) if definition is not None else None
    if definition is None or declaring is None or declaring.metadata is None:
        return None
    if declaring.metadata.type_name(definition[1]) == EXPRESSION:
        return _delegate(universe, candidate, parameter.arguments[0])
    invoke = next((one for one in declaring.metadata.methods_of(definition[1]) if one.name == "Invoke"), None)
    return (parameter, invoke) if invoke is not None else None


def best_common(universe: Universe, kinds: Sequence[Type]) -> Type | None:
    """The one of several types to which all the others convert implicitly; None when there is none, or more."""
    distinct = list(dict.fromkeys(kinds))
    fitting = [kind for kind in distinct if all(converts(universe, other, kind) for other in distinct)]
    return fitting[0] if len(fitting) == 1 else None


def fixed_types(universe: Universe, found: Bounds, count: int) -> tuple[Type, ...] | None:
    """The type arguments; None where one has no bound, or its bounds have no type in common."""
    fixed = [best_common(universe, found.get(number, ())) for number in range(count)]
    return None if None in fixed else tuple(kind for kind in fixed if kind is not None)


def unify_argument(
    universe: Universe, candidate: Candidate, signature: sig.TypeSignature, argument: Operand, found: Bounds
) -> None:
    """As `unify`, of an argument: the elements of an untyped tuple or collection tell what its own type does not."""
    items: Sequence[Operand] = argument.data if argument.type in (types.TUPLE, types.COLLECTION) else ()
    entries: Sequence[sig.TypeSignature] = ()
    if argument.type is types.TUPLE:
        entries = signature.arguments if isinstance(signature, sig.GenericInstance) else ()
    elif argument.type is not types.COLLECTION:
        unify(universe, candidate, signature, argument.type, found)
    elif isinstance(signature, sig.SzArrayType):
        entries = (signature.element,) * len(items)
    elif isinstance(signature, sig.GenericInstance) and len(signature.arguments) == 1:
        entries = signature.arguments * len(items)
    for entry, item in zip(entries, items, strict=False):
        unify_argument(universe, candidate, entry, item, found)


def unify(universe: Universe, candidate: Candidate, signature: sig.TypeSignature, given: Type, found: Bounds) -> None:
    """Add what an argument of a type says of the type parameters in its parameter's signature."""
    if isinstance(signature, sig.MethodParameter):
        if given.kind not in (Kind.NULL, Kind.DEFAULT, Kind.LAMBDA, Kind.COLLECTION):
            found.setdefault(signature.number, []).append(given)
    elif isinstance(signature, sig.ByRefType):
        unify(universe, candidate, signature.element, given, found)
    elif (isinstance(signature, sig.SzArrayType) and given.kind is Kind.ARRAY) or (
        isinstance(signature, sig.PointerType) and given.kind is Kind.POINTER
    ):
        unify(universe, candidate, signature.element, given.element, found)
    elif isinstance(signature, sig.GenericInstance) and isinstance(signature.generic, sig.NamedType):
        if given.kind is Kind.ARRAY and len(signature.arguments) == 1:
            unify(universe, candidate, signature.arguments[0], given.element, found)
            return
        wanted = resolve(universe.modules, candidate.module, signature.generic.token)
        above = declarations.instance_of(universe, given, wanted)
        for entry, argument in zip(signature.arguments, above.arguments if above is not None else (), strict=False):
            unify(universe, candidate, entry, argument, found)


# conversions of lambdas and groups of methods

_FUNC, _ACTION = "System.Func", "System.Action"
_TAKERS = frozenset({"System.Delegate", "System.MulticastDelegate", "System.Object", "System.ICloneable"})
"""What such a delegate converts to."""


def delegate_of(kind: Type) -> Type:
    """The type of delegates that a parameter stands for, which may take the expression tree of one."""
    return kind.arguments[0] if kind.full_name == EXPRESSION else kind


def fits_function(universe: Universe, source: FunctionSource, parameter: Type) -> bool:
    """Whether a delegate of the parameter's type can be made of a lambda."""
    if takes_delegates(parameter):
        return natural_delegate(universe, source) is not None
    signature = delegate_signature(universe, delegate_of(parameter))
    return signature is not None and source.takes(len(signature.parameters)) and source.fits(signature)


def compare_functions(universe: Universe, source: FunctionSource, one: Type, other: Type) -> int:
    """Below 0 when a lambda converts better to `one` (C# specification 12.6.4.5), above 0: to `other`; else 0."""
    first, second = delegate_signature(universe, delegate_of(one)), delegate_signature(universe, delegate_of(other))
    if (first is None) is not (second is None):
        return 1 if first is None else -1
    if first is None or second is None or first.parameters != second.parameters or first.result is second.result:
        return 0
    if types.VOID in (first.result, second.result):
        return 1 if first.result is types.VOID else -1
    kinds = [kind for kind in first.parameters if kind is not None]
    given = source.result_type(kinds) if len(kinds) == len(first.parameters) else None
    if given is None or first.result is None or second.result is None:
        return 0
    if given in (first.result, second.result):
        return -1 if given is first.result else 1
    down = implicitly_converts(universe, first.result, second.result)
    up = implicitly_converts(universe, second.result, first.result)
    return 0 if down is up else -1 if down else 1


def natural_delegate(universe: Universe, source: FunctionSource) -> Type | None:
    """None where parameters have no types, the result has none, or the program has loaded no such delegates."""
    found = source.natural()
    if found is None:
        return None
    kinds, result = found
    if result in (types.NULL, types.LAMBDA, types.TUPLE, types.COLLECTION):
        return None
    return _named(universe, _ACTION, kinds) if result is types.VOID else _named(universe, _FUNC, [*kinds, result])


def _named(universe: Universe, stem: str, arguments: Sequence[Type]) -> Type | None:
    return universe.named(f"{stem}`{len(arguments)}" if arguments else stem, tuple(arguments))


def takes_delegates(parameter: Type) -> bool:
    """Whether a parameter takes a lambda as a delegate of its natural type."""
    return parameter.full_name in _TAKERS or parameter is types.OBJECT


# what type arguments have to meet (C# specification 15.2.5): the runtime does not ask for it

_ABSTRACT = 0x80
_ACCESS, _PUBLIC = 0x07, 0x06
_VALUES = frozenset({Kind.NULLABLE, Kind.BOOL, Kind.NUMBER, Kind.ENUM, Kind.STRUCT, Kind.PARAMETER})
_OBJECTS = frozenset({Kind.CLASS, Kind.STRING, Kind.ARRAY})
_CREATED = _OBJECTS | {Kind.PARAMETER}


def broken_constraint(
    universe: Universe, candidate: Candidate, given: tuple[Type, ...], method: str = ""
) -> Diagnostic | None:
    """CS0452, CS0453, CS0310, CS0311, CS0313, CS0315: the first constraint that the type arguments do not meet.

    `method` is what the error calls the candidate.
    """
    for parameter, kind in zip(candidate.method.generic_parameters, given, strict=False):
        flags = parameter.row.flags
        place = f"parameter '{parameter.name}' in the generic type or method '{method}'"
        if flags & STRUCT and (not kind.is_value_type or kind.kind is Kind.NULLABLE):
            return Diagnostic("CS0453", kind.name, place)
        if flags & CLASS and not kind.is_reference:
            return Diagnostic("CS0452", kind.name, place)
        if flags & NEW and not flags & STRUCT and kind.kind in _CREATED and not _is_made(universe, kind):
            return Diagnostic("CS0310", kind.name, place)
        for wanted in constraints_of(universe, candidate.module, parameter, candidate.owner.arguments, given):
            if kind.kind in _VALUES | _OBJECTS and not implicitly_converts(universe, kind, wanted):
                code = "CS0313" if kind.kind is Kind.NULLABLE else "CS0315" if kind.is_value_type else "CS0311"
                return Diagnostic(code, kind.name, place, wanted.name)
    return None


def _is_made(universe: Universe, kind: Type) -> bool:
    """Whether `new T()` can make one."""
    if kind.parameter is not None:
        return bool(kind.parameter.flags & (NEW | STRUCT))
    declared = universe.declaration(kind)
    if declared is None:
        return kind.kind is Kind.CLASS
    if declared[1].type_def(declared[2]).flags & _ABSTRACT:
        return False
    return any(
        not one.method.signature.parameters and one.method.flags & _ACCESS == _PUBLIC
        for one in declarations.constructors(universe, kind)
    )
