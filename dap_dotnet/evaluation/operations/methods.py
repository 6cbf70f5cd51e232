"""Methods: finding the one that is meant, dispatching virtual ones, and running it, by interpretation or by a call."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.calling.program_calls import call, result_operand
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.operand_values import boxed
from dap_dotnet.evaluation.operations.overloads import Candidate, Given, bases_of, candidates, choose
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types import diagnostics
from dap_dotnet.evaluation.types.csharp_types import ExactMethod, Kind, Operand, Type
from dap_dotnet.runtime.model import MethodToken

if TYPE_CHECKING:
    from portablepdb.members import Method

_VIRTUAL, _FINAL, _NEW_SLOT = 0x40, 0x20, 0x100
_OPERATORS = {
    "+": "op_Addition", "-": "op_Subtraction", "*": "op_Multiply", "/": "op_Division", "%": "op_Modulus",
    "&": "op_BitwiseAnd", "|": "op_BitwiseOr", "^": "op_ExclusiveOr", "<<": "op_LeftShift", ">>": "op_RightShift",
    ">>>": "op_UnsignedRightShift", "==": "op_Equality", "!=": "op_Inequality", "<": "op_LessThan",
    "<=": "op_LessThanOrEqual", ">": "op_GreaterThan", ">=": "op_GreaterThanOrEqual",
}  # fmt: skip
_UNARY_OPERATORS = {"+": "op_UnaryPlus", "-": "op_UnaryNegation", "!": "op_LogicalNot", "~": "op_OnesComplement"}


def invoke(env: Environment, method: ExactMethod, target: Operand | None, arguments: Sequence[Operand]) -> Operand:
    """Run a method. What only reads is interpreted, the rest is called in the program."""
    from dap_dotnet.evaluation.interpreter.machine import NotInterpretable, interpret

    if target is not None:
        method = dispatch(env, method, target)
    receiver = [target] if target is not None else []
    try:
        return interpret(env, method, [*receiver, *(_as_objects(env, method, arguments) if arguments else ())])
    except NotInterpretable:
        pass
    owner, own = method.owner, method_of(env, method)
    definition = env.universe.definition_of(owner)
    module = env.universe.modules.get(definition[0]) if definition is not None else None
    assert module is not None
    types_of = partial(env.universe.of_signature, module, types=owner.arguments, methods=method.type_arguments)
    passed = [(argument, types_of(entry)) for argument, entry in zip(arguments, own.signature.parameters, strict=True)]
    if target is not None:
        passed.insert(0, (target, None))
    value = call(env, method, passed, f"{owner.name}.{shown_name(own.name)}", has_this=target is not None)
    return result_operand(env, value, types_of(own.signature.return_type))


def _as_objects(env: Environment, method: ExactMethod, arguments: Sequence[Operand]) -> list[Operand]:
    """Arguments with value types boxed where the method takes objects: there they have their own type's methods."""
    definition = env.universe.definition_of(method.owner)
    module = env.universe.modules.get(definition[0]) if definition is not None else None
    kinds = Candidate(method.owner, method_of(env, method), module).parameter_types(env.universe, method.type_arguments)
    return [
        boxed(env, argument, kind)
        if kind is not None and kind.is_reference and argument.type.is_value_type
        else argument
        for argument, kind in zip(arguments, kinds, strict=True)
    ]


def shown_name(name: str) -> str:
    """A method's name as the user knows it."""
    return name.removeprefix("get_") if name.startswith("get_") else name


def method_of(env: Environment, method: ExactMethod) -> Method:
    """The metadata of a method."""
    definition = env.universe.definition_of(method.owner)
    module = env.universe.modules.get(definition[0]) if definition is not None else None
    if module is None or module.metadata is None:
        raise EvaluationError(f"The methods of '{method.owner.name}' cannot be found: its module has no metadata")
    return module.metadata.method(method.token)


def dispatch(env: Environment, wanted: ExactMethod, target: Operand) -> ExactMethod:
    """The method that a virtual call on the target reaches. The method itself when it is not virtual."""
    owner, method = wanted.owner, method_of(env, wanted)
    if not method.flags & _VIRTUAL or method.flags & _FINAL or target.data is None:
        return wanted
    own = env.own_type(target)
    if own is owner:
        return wanted
    is_interface = owner.kind is Kind.CLASS and _is_interface(env, owner)
    explicit = f"{owner.full_name.partition('`')[0]}"
    count = len(method.signature.parameters)
    for declaring in bases_of(env.universe, own):
        if declaring is owner:
            break
        for candidate in candidates(env.universe, declaring):
            other = candidate.method
            if len(other.signature.parameters) != count or not other.flags & _VIRTUAL:
                continue
            is_explicit = is_interface and other.name.startswith(explicit) and other.name.endswith("." + method.name)
            overrides = other.name == method.name and (is_interface or not other.flags & _NEW_SLOT)
            if is_explicit or (overrides and _same_parameters(env, candidate, Candidate(owner, method, None))):
                return ExactMethod(declaring, MethodToken(other.token), wanted.type_arguments)
    return wanted


def _is_interface(env: Environment, owner: Type) -> bool:
    definition = env.universe.definition_of(owner)
    module = env.universe.modules.get(definition[0]) if definition is not None else None
    return bool(
        definition is not None
        and module is not None
        and module.metadata is not None
        and module.metadata.type_def(definition[1]).is_interface
    )


def _same_parameters(env: Environment, left: Candidate, right: Candidate) -> bool:
    return left.parameter_types(env.universe) == right.parameter_types(env.universe)


# what expressions ask for


def call_method(env: Environment, target: Operand | None, owner: Type, name: str, given: Given) -> Operand | None:
    """Call a method by name: on `target`, or a static one of `owner`. None when there is no method of the name.

    Raises `EvaluationError`: CS1501 and CS1503 when no overload fits.
    """
    searched = [owner]
    if target is not None and isinstance(target.type, Type):
        own = env.own_type(target)
        if own is not owner:
            searched.append(own)
    for start in searched:
        found = [
            candidate
            for declaring in bases_of(env.universe, start)
            for candidate in candidates(env.universe, declaring)
            if candidate.method.name == name and (target is not None or candidate.method.is_static)
        ]
        if found:
            chosen = choose(env.universe, found, given)
            if chosen is None:
                shown = ", ".join(argument.type.name for argument in given.operands)
                raise EvaluationError(
                    f"error CS1503: No overload of '{start.name}.{name}' takes the arguments ({shown})"
                )
            receiver = None if chosen.candidate.method.is_static else target
            return invoke(env, chosen.exact, receiver, chosen.arguments)
    return None


def call_indexer(env: Environment, target: Operand, indices: Sequence[Operand]) -> Operand:
    """`target[indices]` by the getter of an indexer. CS0021 when there is none."""
    for start in dict.fromkeys((target.type, env.own_type(target))):
        for declaring in bases_of(env.universe, start):
            names = {candidate.method.name for candidate in candidates(env.universe, declaring)
                     if candidate.is_indexer}  # fmt: skip
            for name in sorted(names, key=lambda name: ("." in name, name)):
                result = call_method(env, target, declaring, name, Given(indices))
                if result is not None:
                    return result
    raise EvaluationError(f"error CS0021: Cannot apply indexing with [] to an expression of type '{target.type.name}'")


def user_operator(env: Environment, operator: str, left: Operand, right: Operand) -> Operand | None:
    """A user-defined binary operator; None when the operands' types define none that fits."""
    return _operator(env, _OPERATORS.get(operator, ""), [left, right])


def user_unary_operator(env: Environment, operator: str, operand: Operand) -> Operand | None:
    """A user-defined unary operator; None when there is none."""
    return _operator(env, _UNARY_OPERATORS.get(operator, ""), [operand])


def _operator(env: Environment, name: str, operands: list[Operand]) -> Operand | None:
    found = []
    for start in dict.fromkeys(operand.type for operand in operands):
        for declaring in bases_of(env.universe, start):
            found += [
                candidate
                for candidate in candidates(env.universe, declaring)
                if candidate.method.name == name and candidate.method.is_static
            ]
    chosen = choose(env.universe, found, Given(operands)) if found and name else None
    if chosen is None:
        return None
    return invoke(env, chosen.exact, None, chosen.arguments)


def user_conversion(env: Environment, operand: Operand, target: Type) -> Operand | None:
    """A user-defined conversion to exactly `target`, implicit or explicit; None when there is none."""
    for start in (operand.type, target):
        for declaring in bases_of(env.universe, start):
            for candidate in candidates(env.universe, declaring):
                if candidate.method.name not in ("op_Implicit", "op_Explicit"):
                    continue
                if candidate.return_type(env.universe) is not target:
                    continue
                chosen = choose(env.universe, [candidate], Given([operand]))
                if chosen is not None:
                    return invoke(env, chosen.exact, None, chosen.arguments)
    return None


def plain_values(env: Environment, operand: Operand) -> list[Operand]:
    """What the operand's user-defined implicit conversions make of it, where that is a number, a bool or a string."""
    found = []
    for declaring in bases_of(env.universe, operand.type) if operand.type.kind in (Kind.STRUCT, Kind.CLASS) else []:
        for candidate in candidates(env.universe, declaring):
            result = candidate.return_type(env.universe) if candidate.method.name == "op_Implicit" else None
            if result is None or result.kind not in (Kind.NUMBER, Kind.BOOL, Kind.STRING):
                continue
            chosen = choose(env.universe, [candidate], Given([operand]))
            if chosen is not None:
                found.append(invoke(env, chosen.exact, None, chosen.arguments))
    return found


def call_to_string(env: Environment, operand: Operand) -> str:
    """`operand.ToString()`, run in the program. Null gives an empty text."""
    if env.caller is None:
        raise diagnostics.calls_forbidden(f"The text of a value of type '{env.own_type(operand).name}'")
    result = call_method(env, operand, env.own_type(operand), "ToString", Given(()))
    if result is None:
        raise diagnostics.no_member(operand.type.name, "ToString")
    return env.text(result) or "" if result.type is types.STRING else ""
