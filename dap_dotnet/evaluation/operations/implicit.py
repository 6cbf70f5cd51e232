"""What an assignment, an argument and an initialiser do with a value of another type (C# specification 10.2)."""

from __future__ import annotations

from functools import partial

from dap_dotnet.evaluation.diagnostics import Diagnostic
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.anonymous_objects import in_program, is_anonymous, natural_type, prepare_types
from dap_dotnet.evaluation.operations.casts import cast, converted_items, taken_apart
from dap_dotnet.evaluation.operations.formattable import make_formattable
from dap_dotnet.evaluation.operations.type_objects import type_object
from dap_dotnet.evaluation.rules.conversions import conversion_operator, not_assignable
from dap_dotnet.evaluation.rules.inference import natural_tuple
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types import tuple_names
from dap_dotnet.evaluation.types.csharp_types import Kind, Operand, Type
from dap_dotnet.evaluation.types.implicit_conversions import implicitly_converts
from dap_dotnet.evaluation.types.string_handlers import takes_formattable


def convert_implicitly(env: Environment, operand: Operand, target: Type, constant: Operand | None = None) -> Operand:
    """The operand as a value of type `target`; `constant` where it is one, for constants convert more freely.

    Raises `EvaluationError` in the compiler's words: CS0029, CS0031, CS0037, CS0266.
    """
    source = operand.type
    if source is target:
        return operand
    if source.kind is Kind.VOID:
        raise Diagnostic("CS0029", source.name, target.name)
    if source.kind is Kind.DEFAULT:
        return cast(env, operand, target)
    if source.kind is Kind.TYPE and target.is_reference and operand.data is not None:
        return convert_implicitly(env, type_object(env, operand.data), target)
    if takes_formattable(operand, target):
        return make_formattable(env, operand, target)
    if source.kind is Kind.LAMBDA:
        delegate: Operand = operand.data.in_program(env)
        return delegate
    if source is types.ANONYMOUS:
        return _anonymous(env, operand, target)
    if source.kind is Kind.TUPLE:
        return _tuple(env, operand, target)
    if implicitly_converts(env.universe, source, target, constant):
        return cast(env, operand, target)
    apart = taken_apart(env, operand, target)
    if apart is not None:
        return _tuple(env, apart, target)
    converter = conversion_operator(env.universe, source, target, constant=constant)
    if converter is None:
        raise not_assignable(source, target, constant.data if constant is not None else None)
    made = env.runner.run(env, converter, None, [operand])
    return made if made.type is target else cast(env, made, target)


def _by_operator(env: Environment, operand: Operand, natural: Type | None, target: Type) -> Operand | None:
    """A tuple of the expression as the program's own conversion operator makes a value of it; None: there is none."""
    converter = conversion_operator(env.universe, natural, target) if natural is not None else None
    if natural is None or converter is None:
        return None
    given = _tuple(env, operand, natural)
    env.runner.put_on_heap(env, given)
    made = env.runner.run(env, converter, None, [given])
    return made if made.type is target else cast(env, made, target)


def _anonymous(env: Environment, operand: Operand, target: Type) -> Operand:
    """An object of the program, where that has such a type; one of another type is not made first."""
    prepare_types(env, operand)
    natural = natural_type(env, operand)
    if natural is None and target.is_reference and not is_anonymous(target):
        return _tuple(env, operand, target)
    if natural is None or not implicitly_converts(env.universe, natural, target):
        raise not_assignable(natural or operand.type, target)
    return cast(env, in_program(env, operand), target)


def _tuple(env: Environment, operand: Operand, target: Type) -> Operand:
    """A tuple that the expression made, element by element. Its data stays a tuple of operands."""
    items: tuple[Operand, ...] = operand.data
    if target.kind is Kind.NULLABLE and tuple_names.is_tuple(target.element):
        return Operand(target, _tuple(env, operand, target.element).data)
    if not tuple_names.is_tuple(target) or len(target.arguments) != len(items):
        natural = natural_tuple(env.universe, operand)
        if natural is not None and implicitly_converts(env.universe, natural, target):
            return cast(env, operand, target)
        made = _by_operator(env, operand, natural, target)
        if made is not None:
            return made
        raise Diagnostic("CS0029 tuple", target.name)
    return Operand(target, converted_items(env, items, target.arguments, partial(convert_implicitly, env)))
