"""Conversions in code (C# specification 10.2, 10.3), and the methods that operators and conversions are."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from dap_dotnet.errors import EvaluationError, Thrown
from dap_dotnet.evaluation import bound_tree as bound
from dap_dotnet.evaluation import numeric
from dap_dotnet.evaluation.binding.scope import Scope, constant_of, stand_in, unsupported
from dap_dotnet.evaluation.bound_tree import Code
from dap_dotnet.evaluation.diagnostics import Diagnostic
from dap_dotnet.evaluation.operations.member_access import implementation, method_of, parameter_types
from dap_dotnet.evaluation.operations.operand_values import cast
from dap_dotnet.evaluation.rules import conversions as rules
from dap_dotnet.evaluation.rules.applicable import Chosen, converts_to
from dap_dotnet.evaluation.syntax.tree import NOWHERE, Node
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types import tuple_names
from dap_dotnet.evaluation.types.csharp_types import (
    TUPLE_REST,
    ExactMethod,
    Kind,
    Operand,
    Type,
    is_tuple,
    tuple_element,
    tuple_elements,
    tuple_length,
)
from dap_dotnet.evaluation.types.declarations import (
    ancestors_of,
    constructors,
    declared_members,
    is_interface,
    is_open,
    is_subtype,
)
from dap_dotnet.values.number_formats import INVARIANT, number_text

THROW = "Throw"
OPERATOR_NAMES = {
    "+": "Add", "-": "Subtract", "*": "Multiply", "/": "Divide", "%": "Modulo", "&": "And", "|": "Or",
    "^": "ExclusiveOr", "<<": "LeftShift", ">>": "RightShift", "==": "Equal", "!=": "NotEqual", "<": "LessThan",
    "<=": "LessThanOrEqual", ">": "GreaterThan", ">=": "GreaterThanOrEqual",
    ">>>": "UnsignedRightShift",
}  # fmt: skip
_STATIC, _VIRTUAL = 0x10, 0x40
_PLAIN = frozenset({Kind.NUMBER, Kind.ENUM})


def implicit(scope: Scope, code: Code, target: Type) -> Code:
    """The code as a value of a type. CS0029, CS0031, CS0037, CS0266."""
    source, constant = code.type, constant_of(code)
    if isinstance(code, bound.TypedOperation) and code.name == THROW:
        return bound.TypedOperation(target, THROW, code.operand, target)
    if source is target:
        return code
    if bound.is_late(code):
        return scope.late((code,), lambda inner, given: implicit(inner, given[0], target), target)
    if isinstance(code, bound.TupleLiteral):
        return tuple_converted(scope, code, target, implicit)
    if source.kind is Kind.VOID:
        raise _refused(scope, code, target)
    if rules.implicitly_converts(scope.universe, source, target, constant):
        if source.kind in (Kind.NULL, Kind.DEFAULT):
            return bound.Zero(target)
        return convert(scope, code, target)
    converter = rules.implicit_operator(scope.universe, source, target, constant=constant)
    if converter is None and is_tuple_conversion(source, target):
        return tuple_converted(scope, code, target, implicit)
    if converter is not None:
        return _by_operator(scope, *converter, code, target)
    if Kind.NULLABLE in (source.kind, target.kind) and source.kind is target.kind:
        converter = rules.implicit_operator(scope.universe, source.element, target)
        if converter is not None:
            return lifted(scope, code, target, lambda value: _by_operator(scope, *converter, value, target))
    raise _refused(scope, code, target)


def tuple_targets(target: Type, count: int) -> Sequence[Type] | None:
    """The types of the elements of a tuple, which may be nullable; None for other types, and tuples of other counts."""
    plain = target.stripped
    return tuple_elements(plain) if is_tuple(plain) and tuple_length(plain) == count else None


def _refused(scope: Scope, code: Code, target: Type) -> Diagnostic:
    """Why there is no implicit conversion, told where the code is written."""
    constant = constant_of(code)
    is_literal = isinstance(code, bound.Captured) and code.is_literal
    if is_literal and code.type is types.R8 and target in (types.R4, types.DECIMAL):
        error = Diagnostic("CS0664", target.name, "F" if target is types.R4 else "M")
    else:
        error = rules.not_assignable(code.type, target, constant.data if constant is not None else None)
    error.trail.append(scope.places.get(code, NOWHERE))
    return error


def lifted(
    scope: Scope, code: Code, target: Type, convert_value: Callable[[Code], Code], otherwise: Code | None = None
) -> Code:
    """A conversion of what a nullable holds; of null it is null (C# specification 10.6.2), or `otherwise`."""
    kept = scope.declare(code.type)
    value = convert_value(bound.held(kept))
    chosen = bound.Operation(target, "Condition", (is_there(kept), value, otherwise or bound.Zero(target)))
    return bound.in_steps((bound.assigned(kept, code),), chosen)


def is_tuple_conversion(source: Type, target: Type) -> bool:
    """Whether a tuple is converted element by element to a tuple of other types, or to a nullable one."""
    return is_tuple(source) and tuple_targets(target, tuple_length(source)) is not None


def tuple_converted(scope: Scope, code: Code, target: Type, change: Callable[[Scope, Code, Type], Code]) -> Code:
    """A tuple with each of its elements converted, by `change` where it has a type. CS0029."""
    items: Sequence[Code | bound.FunctionSource] | None = written_items(code)
    kinds, before = tuple_targets(target, tuple_length(code.type) if items is None else len(items)), list[Code]()
    if kinds is None:
        raise _refused(scope, code, target)
    if items is None:
        kept = scope.kept_value(code, before)
        items = [item_of(scope, kept, number) for number in range(1, len(kinds) + 1)]
    made = (
        change(scope, item, kind) if isinstance(item, Code) else scope.function(item, kind)
        for item, kind in zip(items, kinds, strict=True)
    )
    return bound.in_steps(before, convert(scope, tuple_of(scope, target.stripped, tuple(made)), target))


def written_items(code: Code) -> tuple[Code | bound.FunctionSource, ...] | None:
    """The elements of a tuple that the code makes, or of a literal; None of other tuples, and of other values."""
    if isinstance(code, bound.TupleLiteral):
        return code.items
    if not isinstance(code, bound.Made) or not is_tuple(code.type) or len(code.arguments) != tuple_length(code.type):
        return None
    return code.arguments


def tuple_type(scope: Scope, kinds: Sequence[Type]) -> Type:
    """The type of a tuple of elements of such types."""
    kind = tuple_names.tuple_type(scope.universe, kinds)
    if kind is None:
        raise unsupported("A tuple of these elements")
    return kind


def tuple_of(scope: Scope, kind: Type, items: tuple[Code, ...]) -> Code:
    """A new tuple of a type."""
    if len(items) >= len(kind.arguments) > TUPLE_REST:
        items = (*items[:TUPLE_REST], tuple_of(scope, kind.arguments[TUPLE_REST], items[TUPLE_REST:]))
    for constructor in constructors(scope.universe, kind):
        if len(constructor.method.signature.parameters) == len(items):
            return bound.Made(kind, constructor.exact, items)
    raise unsupported("A tuple of these elements")


def item_of(scope: Scope, code: Code, number: int) -> Code:
    """An element of a tuple, counted from 1."""
    kind, name = code.type, f"Item{number}" if number <= TUPLE_REST else "Rest"
    field = declared_members(scope.universe, kind).field(name)
    if field is None:
        raise unsupported("A tuple of so many elements")
    if number > TUPLE_REST:
        item = item_of(scope, bound.FieldOf(kind.arguments[TUPLE_REST], kind, field.token, code), number - TUPLE_REST)
    else:
        item = bound.FieldOf(kind.arguments[number - 1], kind, field.token, code)
    known = tuple_element(kind, scope.names_of(code), f"Item{number}")
    return scope.named(item, known[1]) if known is not None else item


def thrown(scope: Scope, value: Code, kind: Type) -> Code:
    """`throw value` in place of a value of a type. CS0029."""
    return bound.TypedOperation(kind, THROW, implicit(scope, value, scope.framework_type("System.Exception")), kind)


def converts(scope: Scope, code: Code, target: Type) -> bool:
    """Whether there is an implicit conversion."""
    is_thrown = isinstance(code, bound.TypedOperation) and code.name == THROW
    if code.type is target or is_thrown:
        return True
    return converts_to(scope.universe, stand_in(code), target, constant_of(code))


def convert(scope: Scope, code: Code, target: Type) -> Code:
    """A conversion that there is; of constants already done."""
    constant = constant_of(code)
    if code.type is target:
        return code
    if constant is not None and constant.type.kind in _PLAIN:
        inner = target.stripped
        if inner.kind in _PLAIN:
            made = bound.Captured(inner, cast(scope.env, constant, inner, checked=True), is_constant=True)
            return made if inner is target else bound.converted(made, target)
    return bound.TypedOperation(target, "ConvertChecked" if scope.checked else "Convert", code, target)


def explicit(scope: Scope, code: Code, target: Type) -> Code:
    """`(target)code`. CS0030."""
    source, constant = code.type, constant_of(code)
    if source is target:
        return code
    if bound.is_late(code):
        return scope.late((code,), lambda inner, given: explicit(inner, given[0], target), target)
    if constant is not None and source.kind in _PLAIN and target.kind in _PLAIN:
        return bound.Captured(target, _constant_cast(scope, constant, target), is_constant=True)
    is_untyped = source.kind in (Kind.NULL, Kind.DEFAULT, Kind.TUPLE)
    if is_untyped or rules.implicitly_converts(scope.universe, source, target, constant):
        return implicit(scope, code, target)
    if source.kind is Kind.NULLABLE and source.element is target:
        return bound.converted(code, target)
    is_object = source.full_name in rules.BOX_BASES or source is types.OBJECT or is_interface(scope.universe, source)
    is_number = {source, target} <= {*types.PRIMITIVES.values(), types.DECIMAL}
    found = rules.cast_operator(scope.universe, source, target, checked=scope.checked) if not is_object else None
    if found is not None and not is_number:
        return _by_operator(scope, *found, code, target)
    if is_tuple_conversion(source, target):
        return tuple_converted(scope, code, target, explicit)
    if source.kind is Kind.NULLABLE and not casts(scope, source, target):
        value = bound.converted(code, source.element)
        if target.kind is not Kind.NULLABLE:
            return explicit(scope, value, target)
        if rules.cast_operator(scope.universe, source.element, target, checked=scope.checked) is not None:
            return lifted(scope, code, target, lambda value: explicit(scope, value, target))
    if not casts(scope, source, target):
        raise Diagnostic("CS0030", source.name, target.name)
    return bound.TypedOperation(target, "ConvertChecked" if scope.checked else "Convert", code, target)


def _constant_cast(scope: Scope, constant: Operand, target: Type) -> Operand:
    """CS0031, CS0221."""
    number = target.underlying or target
    folds = constant.type in (types.R4, types.R8) and number.code in numeric.BITS and number not in (types.I, types.U)
    try:
        return cast(scope.env, constant, target, checked=folds or not scope.unchecked)
    except Thrown:  # it overflows: nothing else is thrown for numbers
        if folds and scope.unchecked:
            return Operand(target, 0)  # whatever the program does with a variable of that value
        shown = number_text(constant.type.code, constant.data, "", lambda: INVARIANT)
        if target is types.DECIMAL:
            raise Diagnostic("CS0031", shown, "decimal") from None
        raise Diagnostic("CS0221", shown, target.name) from None


def casts(scope: Scope, source: Type, target: Type) -> bool:
    """Whether one type may be cast to another (C# specification 10.3), user-defined conversions left out."""
    first = source.stripped
    second = target.stripped
    if first.parameter is not None or second.parameter is not None:
        other = source if second.parameter is not None else target
        return first is second or is_subtype(scope.universe, second, source) or is_interface(scope.universe, other)
    if first.kind in _PLAIN and second.kind in _PLAIN:
        return True
    if first is second:
        return True
    if Kind.POINTER in (source.kind, target.kind):
        return {source.kind, target.kind} == {Kind.POINTER} or _is_integer(source) or _is_integer(target)
    if source.is_reference and target.is_reference:
        return not rules.is_never(scope.universe, source, target)
    if source.is_reference and target.is_value_type:
        return (
            source is types.OBJECT or source.full_name in rules.BOX_BASES or is_subtype(scope.universe, second, source)
        )
    return False


def may_be(scope: Scope, source: Type, target: Type) -> bool:
    """Whether a value of one type may be of another, which is no nullable (C# specification 12.12.12, 12.12.13)."""
    universe, held = scope.universe, source.stripped
    if held.is_value_type and target.is_value_type:
        return held is target or Kind.TUPLE in (held.kind, target.kind)
    if held.is_value_type:
        return rules.implicitly_converts(universe, held, target)
    if target.is_value_type:
        return rules.implicitly_converts(universe, target, held) or is_interface(universe, held)
    return not rules.is_never(universe, held, target)


def _is_integer(kind: Type) -> bool:
    return kind.kind is Kind.NUMBER and kind.code in numeric.BITS


def _by_operator(scope: Scope, converter: ExactMethod, result: Type, code: Code, target: Type) -> Code:
    (parameter,) = parameter_types(scope.env, converter)
    assert parameter is not None
    exact = reached(scope, converter, code.type, target)
    return explicit(scope, bound.Invoked(result, exact, None, (explicit(scope, code, parameter),)), target)


def typed(scope: Scope, node: Node, kind: Type) -> Code:
    """A value for a target of a type, which may be a lambda."""
    return as_type(scope, scope.code_or_source(node, kind), kind)


def as_type(scope: Scope, value: Code | bound.FunctionSource, kind: Type) -> Code:
    """A value, or what a delegate is made of, as a value of a type."""
    return implicit(scope, value, kind) if isinstance(value, Code) else scope.function(value, kind)


def common(scope: Scope, codes: Sequence[Code]) -> Type | None:
    """The type of one of several that the others convert to; None where there is none."""
    universe = scope.universe
    literals = [code for code in codes if isinstance(code, bound.TupleLiteral)]
    if literals and len(literals) < len(codes):
        kind = common(scope, [code for code in codes if not isinstance(code, bound.TupleLiteral)])
        return kind if kind is not None and all(converts(scope, code, kind) for code in literals) else None
    codes = [code for code in codes if not (isinstance(code, bound.TypedOperation) and code.name == THROW)]
    if len(codes) == 1:
        return codes[0].type
    found = _common_type(scope, codes)
    if found is None and any(code.type.kind is Kind.NULL for code in codes):
        others = [code for code in codes if code.type.kind is not Kind.NULL]
        inner = common(scope, others) if others else None
        return universe.nullable(inner) if inner is not None else None
    if found is None:
        kinds = dict.fromkeys(code.type for code in codes)
        return next((kind for kind in kinds if _is_converted_to(scope, codes, kind)), None)
    return None if found.kind is Kind.NULL else found


def _common_type(scope: Scope, codes: Sequence[Code]) -> Type | None:
    """The type of one of several that all others convert to by a standard conversion, better not as constants."""
    for takes_constants in (False, True):
        for kind in dict.fromkeys(code.type for code in codes):
            constants = [constant_of(code) if takes_constants else None for code in codes]
            if all(
                rules.implicitly_converts(scope.universe, code.type, kind, constant)
                for code, constant in zip(codes, constants, strict=True)
            ):
                return kind
    return None


def _is_converted_to(scope: Scope, codes: Sequence[Code], kind: Type) -> bool:
    """Whether all others convert to a type, which does not convert to theirs (C# specification 12.18)."""
    others = [code for code in codes if code.type is not kind]
    return all(converts(scope, code, kind) for code in others) and not any(
        converts(scope, bound.Variable(kind, ""), code.type) for code in others
    )


def reached(scope: Scope, method: ExactMethod, *kinds: Type) -> ExactMethod:
    """What a static member of an interface is for the type parameter, among some types, that it is reached through."""
    declared = method_of(scope.env, method)
    if not declared.flags & _STATIC or not declared.flags & _VIRTUAL or not is_interface(scope.universe, method.owner):
        return method
    for kind in (one.stripped for one in kinds):
        if kind.parameter is not None and method.owner in ancestors_of(scope.universe, kind):
            return implementation(scope.env, scope.closed(method), scope.closed(kind))
    return method


def by_method(scope: Scope, chosen: Chosen, *operands: Code) -> bound.Invoked:
    """A call of a chosen static method, such as a user-defined operator."""
    parameters = chosen.candidate.parameter_types(scope.universe, chosen.type_arguments)
    passed = [implicit(scope, code, kind) for code, kind in zip(operands, parameters, strict=True) if kind is not None]
    exact = reached(scope, chosen.exact, *(code.type for code in operands))
    return bound.Invoked(result_of(scope, chosen), exact, None, tuple(passed))


def result_of(scope: Scope, chosen: Chosen) -> Type:
    """What the chosen method gives. Raises `EvaluationError` where its type is not loaded."""
    kind = chosen.candidate.return_type(scope.universe, chosen.type_arguments)
    if kind is None:
        raise EvaluationError(f"The type of what '{chosen.candidate.method.name}' gives is not loaded")
    return kind


# null


def is_there(code: Code) -> Code:
    """Whether a value is not null, which no operator of the program decides."""
    if code.type.kind is Kind.NULLABLE:
        return bound.Operation(types.BOOL, "NotEqual", (code, bound.Zero(code.type)))
    return same("!=", code, bound.Zero(types.NULL))


def same(operator: str, left: Code, right: Code) -> Code:
    """Whether two references are the same."""
    operands = (bound.Zero(types.OBJECT) if one.type.kind is Kind.NULL else as_object(one) for one in (left, right))
    return bound.Operation(types.BOOL, f"Reference{OPERATOR_NAMES[operator]}", tuple(operands))


def as_object(code: Code) -> Code:
    """A value whose type has type parameters as an object, for it may be of any type; other values as they are."""
    return bound.converted(code, types.OBJECT) if is_open(code.type) else code


def equal_if_there(operator: str, are_there: Sequence[Code], equal: Code) -> Code:
    """`==` or `!=` of nullables, by what their values say: two without a value are equal, one without is not."""
    otherwise: Code = bound.boolean(operator == "!=")
    if len(are_there) > 1:
        otherwise = bound.Operation(types.BOOL, OPERATOR_NAMES[operator], tuple(are_there))
    return bound.Operation(types.BOOL, "Condition", (bound.all_of(*are_there), equal, otherwise))
