"""What type arguments that are written say of a query's arguments: `list.Select<int, double>(x => x)` gives doubles."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.element_names import GivenNames, names_in_signature, renamed
from dap_dotnet.evaluation.operations.implicit import convert_implicitly
from dap_dotnet.evaluation.operations.lambdas import Lambda, Signature
from dap_dotnet.evaluation.rules.diagnostics import Diagnostic
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Kind, Operand, Type, TypeArguments
from dap_dotnet.evaluation.types.declared_methods import Candidate, candidates, methods_named
from dap_dotnet.evaluation.types.delegate_types import DelegateSignature, delegate_signature
from dap_dotnet.evaluation.types.implicit_conversions import implicitly_converts
from dap_dotnet.evaluation.types.tuple_names import Names, count, of_argument

_ENUMERABLE = "System.Linq.Enumerable"
_OPEN = frozenset({Kind.LAMBDA, Kind.SEQUENCE, Kind.COLLECTION, Kind.DEFAULT, Kind.NULL, Kind.PAIR})


def typed_arguments(
    env: Environment, target: Operand | Type, name: str, arguments: Sequence[Operand], given: Sequence[Type]
) -> list[Operand]:
    """The arguments as the method takes them that has such type arguments; `target`: a value, or the class of it.

    Raises `EvaluationError`: CS1061 where no method of the name has so many, CS1929 where it is for other sequences.
    """
    found = [one for one in _declared(env, target, name) if one.method.signature.generic_count == len(given)]
    passed: list[Operand | None] = list(arguments)
    closed = []
    for one in found:
        is_extension = isinstance(target, Operand) and one.method.is_static
        operands = [None, *passed] if is_extension else passed
        kinds = one.parameter_types(env.universe, tuple(given))
        if len(kinds) == len(operands) and _takes(env, kinds, operands):
            closed.append((one, kinds, operands))
    if not closed:
        of = target if isinstance(target, Type) else target.type
        raise Diagnostic("CS1061", of.name, name)
    _check_receiver(env, target, name, closed[0])
    one, kinds, operands = closed[0]
    is_sure = len(closed) == 1
    names = _names(env, one, given)
    made = [
        _typed(env, operand, kind, names_of, is_sure=is_sure)
        for operand, kind, names_of in zip(operands, kinds, names, strict=True)
        if operand is not None and kind is not None
    ]
    return made if len(made) == len(arguments) else list(arguments)


def _declared(env: Environment, target: Operand | Type, name: str) -> Iterable[Candidate]:
    universe = env.universe
    if isinstance(target, Type):
        return methods_named(universe, target, name)
    own = methods_named(universe, env.own_type(target), name) if target.type.kind is not Kind.SEQUENCE else []
    linq = universe.named(_ENUMERABLE)
    if linq is None and not own:
        raise EvaluationError(f"The type arguments of '{name}' mean nothing before the program has loaded System.Linq")
    return own or [one for one in candidates(universe, linq) if one.method.name == name] if linq is not None else own


def _takes(env: Environment, kinds: Sequence[Type | None], operands: Sequence[Operand | None]) -> bool:
    """Whether lambdas meet delegates of as many parameters, and other values none."""
    for kind, operand in zip(kinds, operands, strict=True):
        signature = _delegate(env, kind)
        function = operand.data if operand is not None and isinstance(operand.data, Lambda) else None
        if function is not None and (signature is None or len(signature.parameters) != function.count):
            return False
    return True


def _delegate(env: Environment, kind: Type | None) -> DelegateSignature | None:
    return delegate_signature(env.universe, kind) if kind is not None else None


Closed = tuple[Candidate, "list[Type | None]", "list[Operand | None]"]


def _check_receiver(env: Environment, target: Operand | Type, name: str, found: Closed) -> None:
    one, kinds, operands = found
    if isinstance(target, Type) or target.type.kind is Kind.SEQUENCE or operands[:1] != [None] or kinds[0] is None:
        return
    if not implicitly_converts(env.universe, env.own_type(target), kinds[0]):
        shown = ", ".join(kind.name if kind is not None else "?" for kind in kinds)
        raise Diagnostic("CS1929", target.type.name, name, f"{one.owner.name}.{name}({shown})", kinds[0].name)


def _names(env: Environment, one: Candidate, given: Sequence[Type]) -> list[Names]:
    """Of each parameter those of tuples' elements in it."""
    written = given.names if isinstance(given, TypeArguments) else ()
    parameters = one.method.signature.parameters
    if one.module is None or not any(written):
        return [()] * len(parameters)
    filled = [names or (None,) * count(kind) for names, kind in zip(written, given, strict=True)]
    return [names_in_signature(env, one.module, part, GivenNames((), (), filled)) for part in parameters]


def _typed(env: Environment, operand: Operand, kind: Type, names: Names, *, is_sure: bool) -> Operand:
    signature = _delegate(env, kind)
    if isinstance(operand.data, Lambda) and signature is not None:
        result = signature.result if is_sure else None
        numbers = range(len(kind.arguments)) if any(names) else ()
        of_arguments = tuple(of_argument(kind, names, number) for number in numbers)
        made = Signature(signature.parameters, result, of_arguments[: len(signature.parameters)], of_arguments[-1:])
        return Operand(types.LAMBDA, operand.data.typed(made))
    if operand.type.kind in _OPEN or not is_sure or (kind.is_reference and not operand.type.is_value_type):
        return operand
    return renamed(convert_implicitly(env, operand, kind), kind, names)
