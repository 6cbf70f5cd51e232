"""LINQ's methods that give one value of a sequence: they ask for no more elements than C# does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from collections.abc import Sequence as Many
from decimal import Decimal

from dap_dotnet.errors import EvaluationError, Thrown
from dap_dotnet.evaluation.diagnostics import Diagnostic
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.numbers import decimals
from dap_dotnet.evaluation.operations.casts import cast
from dap_dotnet.evaluation.operations.default_values import default_of
from dap_dotnet.evaluation.operations.element_names import renamed
from dap_dotnet.evaluation.operations.implicit import convert_implicitly
from dap_dotnet.evaluation.operations.lambdas import Lambda
from dap_dotnet.evaluation.operations.operators import Flags, binary_operation
from dap_dotnet.evaluation.operations.ordering import Comparer, key_of
from dap_dotnet.evaluation.operations.sequences import Sequence, given_by
from dap_dotnet.evaluation.rules.user_operators import no_operator
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Kind, Operand, Type, boolean

Arguments = Many[Operand]
Method = Callable[[Environment, Sequence, Arguments], "Operand | None"]
_SMALL = frozenset({types.I1, types.U1, types.I2, types.U2, types.CHAR})
_EMPTY = "System.InvalidOperationException: Sequence contains no elements"
_NO_MATCH = "System.InvalidOperationException: Sequence contains no matching element"
_MANY_MATCH = "System.InvalidOperationException: Sequence contains more than one matching element"
_MANY = "System.InvalidOperationException: Sequence contains more than one element"


def _lambda(arguments: Arguments) -> Lambda | None:
    found = arguments[0].data if len(arguments) == 1 else None
    return found if isinstance(found, Lambda) and found.count == 1 else None


def _matching(env: Environment, source: Sequence, arguments: Arguments) -> Iterator[Operand] | None:
    """The elements, those that a lambda is true for; None where the arguments are others."""
    test = _lambda(arguments)
    if arguments and test is None:
        return None
    elements = source.elements(env)
    return elements if test is None else (item for item in elements if test.test(env, item))


def _projected(env: Environment, source: Sequence, arguments: Arguments) -> Iterator[Operand] | None:
    """The elements, or what a lambda makes of them."""
    project = _lambda(arguments)
    if arguments and project is None:
        return None
    elements = source.elements(env)
    return elements if project is None else (project.invoke(env, item) for item in elements)


# positions


def _first(*, or_default: bool, last: bool = False, single: bool = False) -> Method:
    def first(env: Environment, source: Sequence, arguments: Arguments) -> Operand | None:
        default: Operand | None = None
        if or_default and len(arguments) == 2:
            arguments, default = arguments[:1], arguments[1]
            env.kept.append(default)
        found = _matching(env, source, arguments)
        if found is None:
            return None
        result: Operand | None = None
        for item in found:
            if result is not None and single:
                raise EvaluationError(_MANY_MATCH if arguments else _MANY)
            result = item
            env.kept.append(item)
            if not last and not single:
                return item
        if result is not None:
            return result
        if default is not None:
            kind = source.shown_element()
            return default if kind is None else convert_implicitly(env, default, kind)
        if or_default:
            return _default(env, source)
        raise EvaluationError(_NO_MATCH if arguments else _EMPTY)

    return first


def _default(env: Environment, source: Sequence) -> Operand:
    element = source.shown_element()
    if element is None:
        raise EvaluationError("The query gives no elements, so that the type of its default value is not known")
    return renamed(default_of(env, element), element, source.names)


def _element_at(env: Environment, source: Sequence, arguments: Arguments) -> Operand | None:
    if len(arguments) != 1 or arguments[0].type is not types.I4:
        return None
    for number, item in enumerate(source.elements(env)):
        if number == arguments[0].data:
            return item
    raise Thrown("System.ArgumentOutOfRangeException", "Index was out of range.")


def _find_index(*, last: bool) -> Method:
    def find(env: Environment, source: Sequence, arguments: Arguments) -> Operand | None:
        """`FindIndex(match)`, and from a position on; the others of the overloads have a count, too."""
        test, start = _lambda(arguments[-1:]), 0
        if test is None or len(arguments) > 2 or (last and len(arguments) == 2):
            return None
        if len(arguments) == 2:
            if arguments[0].type is not types.I4:
                return None
            start = arguments[0].data
        found = -1
        for number, item in enumerate(source.elements(env)):
            if number >= start and test.test(env, item):
                found = number
                if not last:
                    break
        return Operand(types.I4, found)

    return find


def _find(*, last: bool) -> Method:
    find = _first(or_default=True, last=last)
    return lambda env, source, arguments: find(env, source, arguments) if _lambda(arguments) is not None else None


# truth and number


def _any(env: Environment, source: Sequence, arguments: Arguments) -> Operand | None:
    found = _matching(env, source, arguments)
    return boolean(next(found, None) is not None) if found is not None else None


def _all(env: Environment, source: Sequence, arguments: Arguments) -> Operand | None:
    test = _lambda(arguments)
    return boolean(all(test.test(env, item) for item in source.elements(env))) if test is not None else None


def _contains(env: Environment, source: Sequence, arguments: Arguments) -> Operand | None:
    if len(arguments) != 1 or isinstance(arguments[0].data, Lambda):
        return None
    wanted = key_of(env, arguments[0])
    return boolean(any(key_of(env, item) == wanted for item in source.elements(env)))


def _count(kind: Type) -> Method:
    def count(env: Environment, source: Sequence, arguments: Arguments) -> Operand | None:
        found = _matching(env, source, arguments)
        return Operand(kind, sum(1 for _ in found)) if found is not None else None

    return count


# sums and extremes


def _sum(env: Environment, source: Sequence, arguments: Arguments) -> Operand | None:
    """As C#'s overloads: of int, long, float, double, decimal, and nullable ones, whose nulls are left out; checked."""
    found = _projected(env, source, arguments)
    if found is None:
        return None
    total: Operand | None = None
    is_nullable = is_single = False
    for item in found:
        kind, nullable = _summed(item)
        is_nullable, is_single = is_nullable or nullable, kind is types.R4
        if item.data is None:
            continue
        number = cast(env, Operand(_plain(item.type), item.data), types.R8 if kind is types.R4 else kind)
        total = number if total is None else _add(env, total, number)
    if total is not None and is_single:
        total = cast(env, total, types.R4)
    return _total(env, given_by(source, _lambda(arguments)), total, is_nullable=is_nullable)


def _total(env: Environment, kind: Type | None, total: Operand | None, *, is_nullable: bool) -> Operand:
    if total is None:
        if kind is None or _plain(kind).kind is not Kind.NUMBER:
            raise EvaluationError("The query gives no elements, so that the type of their sum is not known")
        is_nullable = is_nullable or kind.kind is Kind.NULLABLE
        total = cast(env, Operand(types.I4, 0), _number_type(_plain(kind)))
    return Operand(env.universe.nullable(total.type), total.data) if is_nullable else total


def _plain(kind: Type) -> Type:
    return kind.element if kind.kind is Kind.NULLABLE else kind


def _number_type(kind: Type) -> Type:
    return types.I4 if kind in _SMALL else types.I8 if kind is types.U4 else kind


def _summed(item: Operand) -> tuple[Type, bool]:
    """(the type that the elements are summed in, whether they are nullable)."""
    plain = _plain(item.type)
    if plain.kind is not Kind.NUMBER or plain in (types.U8, types.I, types.U):
        raise Diagnostic("CS1929 sum", item.type.name)
    return _number_type(plain), item.type.kind is Kind.NULLABLE


def _add(env: Environment, left: Operand, right: Operand) -> Operand:
    operation = binary_operation(env.universe, "+", left.type, right.type, Flags(checked=True))
    if operation is None:
        raise no_operator("+", left.type, right.type)
    return operation.apply(env, left, right)


def _average(env: Environment, source: Sequence, arguments: Arguments) -> Operand | None:
    found = _projected(env, source, arguments)
    if found is None:
        return None
    total, count, result, is_nullable = Operand(types.I8, 0), 0, types.R8, False
    for item in found:
        kind, nullable = _summed(item)
        is_nullable = is_nullable or nullable
        if item.data is None:
            continue
        wide = types.DECIMAL if kind is types.DECIMAL else types.R8 if kind in (types.R4, types.R8) else types.I8
        result = types.DECIMAL if wide is types.DECIMAL else types.R4 if kind is types.R4 else types.R8
        number = cast(env, Operand(_plain(item.type), item.data), wide)
        total = number if not count else _add(env, total, number)
        count += 1
    if not count:
        given = given_by(source, _lambda(arguments))
        if given is not None and given.kind is Kind.NULLABLE and not is_nullable:
            plain = _number_type(_plain(given))
            return Operand(env.universe.nullable(plain if plain in (types.DECIMAL, types.R4) else types.R8), None)
        if is_nullable:
            return Operand(env.universe.nullable(types.R8), None)
        raise EvaluationError(_EMPTY)
    if isinstance(total.data, Decimal):
        exact: float | Decimal = decimals.divide(total.data, Decimal(count))
    else:
        exact = float(total.data) / count
    average = cast(env, Operand(types.DECIMAL if result is types.DECIMAL else types.R8, exact), result)
    return Operand(env.universe.nullable(result), average.data) if is_nullable else average


def _nothing(kind: Type | None) -> Operand:
    """The greatest of no elements: null where they may be null, else an exception."""
    if kind is None:
        raise EvaluationError("The query gives no elements, so that the type of the greatest is not known")
    if kind.is_value_type and kind.kind is not Kind.NULLABLE:
        raise EvaluationError(_EMPTY)
    return Operand(kind, None)


def _extreme(sign: int, *, by: bool = False) -> Method:
    def extreme(env: Environment, source: Sequence, arguments: Arguments) -> Operand | None:
        project = _lambda(arguments)
        if (arguments and project is None) or (by and project is None):
            return None
        comparer, best, best_key, saw_null = Comparer(env), None, None, None
        for item in source.elements(env):
            key = project.invoke(env, item) if project is not None else item
            if key.data is None:
                saw_null = key
                continue
            env.kept += [item, key]
            if best_key is None or comparer.compare(key, best_key) * sign > 0:
                best, best_key = item, key
        if best_key is None:
            if saw_null is not None and not by:
                return saw_null
            return _nothing(source.shown_element() if by else given_by(source, project))
        return best if by else best_key

    return extreme


def _aggregate(env: Environment, source: Sequence, arguments: Arguments) -> Operand | None:
    function = arguments[-1].data if arguments else None
    select: Lambda | None = None
    if len(arguments) == 3 and isinstance(function, Lambda) and function.count == 1:
        select, function = function, arguments[1].data
    if not isinstance(function, Lambda) or function.count != 2 or len(arguments) > (2 if select is None else 3):
        return None
    result: Operand | None = arguments[0] if len(arguments) > 1 else None
    for item in source.elements(env):
        made = item if result is None else function.invoke(env, result, item)
        if result is not None and made.type is not result.type and result.type.kind in (Kind.NUMBER, Kind.CLASS):
            made = convert_implicitly(env, made, result.type)
        if result is not None and made.type is types.TUPLE:
            made = Operand(made.type, made.data, None, result.names)  # its type is that of the seed
        result = made
        env.kept.append(result)
    if result is None:
        raise EvaluationError(_EMPTY)
    return select.invoke(env, result) if select is not None else result


AGGREGATES: dict[str, Method] = {
    "First": _first(or_default=False),
    "FirstOrDefault": _first(or_default=True),
    "Last": _first(or_default=False, last=True),
    "LastOrDefault": _first(or_default=True, last=True),
    "Single": _first(or_default=False, single=True),
    "SingleOrDefault": _first(or_default=True, single=True),
    "ElementAt": _element_at,
    "Find": _find(last=False),
    "FindLast": _find(last=True),
    "FindIndex": _find_index(last=False),
    "FindLastIndex": _find_index(last=True),
    "Any": _any,
    "Exists": _any,
    "All": _all,
    "TrueForAll": _all,
    "Contains": _contains,
    "Count": _count(types.I4),
    "LongCount": _count(types.I8),
    "Sum": _sum,
    "Average": _average,
    "Min": _extreme(-1),
    "Max": _extreme(1),
    "MinBy": _extreme(-1, by=True),
    "MaxBy": _extreme(1, by=True),
    "Aggregate": _aggregate,
}
