"""Implicit conversions, and casts that always fail (C# specification 10.2 to 10.5): from metadata alone.

Those of the language, those that the program defines, those of interpolated strings to handlers, which take one piece
by piece (12.8.3), and to FormattableString; and what the compiler says where there is none.
"""

from __future__ import annotations

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation import numeric
from dap_dotnet.evaluation.diagnostics import Diagnostic
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types import declarations
from dap_dotnet.evaluation.types.csharp_types import ExactMethod, Kind, Operand, Type, WrittenText
from dap_dotnet.evaluation.types.declarations import methods_named
from dap_dotnet.evaluation.types.universe import Universe
from dap_dotnet.runtime.model import ElementType

_HANDLER = "System.Runtime.CompilerServices.InterpolatedStringHandlerAttribute"
FORMATTABLE = frozenset({"System.FormattableString", "System.IFormattable"})
"""What an interpolated string converts to, besides string."""
BOX_BASES = frozenset({"System.ValueType", "System.Object"})
"""The classes that every boxed value is an instance of."""


def implicitly_converts(universe: Universe, source: Type, target: Type, constant: Operand | None = None) -> bool:
    """Whether there is an implicit conversion, user-defined ones left out."""
    if source is target:
        return True
    if source.kind is Kind.DEFAULT:
        return target.is_value_type or target.is_reference or target.kind is Kind.PARAMETER
    if source.kind is Kind.NULL:
        return target.is_reference or target.kind in (Kind.NULLABLE, Kind.POINTER)
    if target.kind is Kind.NULLABLE:
        inner = source.stripped
        return implicitly_converts(universe, inner, target.element, constant)
    if source.kind is Kind.NUMBER and target.kind is Kind.NUMBER:
        if constant is not None:
            return numeric.constant_widens(source.code, constant.data, target.code)
        return numeric.widens(source.code, target.code)
    if target.kind is Kind.ENUM:
        return constant is not None and constant.data == 0 and source.kind is Kind.NUMBER
    if source.kind is Kind.NULLABLE and target.is_reference:
        source = source.element  # a box holds what the nullable does
    if target.is_reference and declarations.is_stack_only(universe, source):
        return False  # no box holds one
    if source.kind is Kind.ENUM and target.full_name == "System.Enum":
        return True
    if Kind.POINTER in (source.kind, target.kind):
        return source.kind is target.kind and target.element is types.VOID
    if source.is_value_type and target.full_name in BOX_BASES:
        return True
    if target.is_value_type:
        return False
    return declarations.is_subtype(universe, source, target)


def converts_to_span(universe: Universe, source: Type, target: Type) -> bool:
    """Whether there is an implicit span conversion (C# 14), which an operator of the framework carries out."""
    if target.full_name not in types.SPANS:
        return False
    element = target.arguments[0]
    if source.kind is Kind.STRING:
        return target.full_name == types.READ_ONLY_SPAN and element is types.CHAR
    if source.kind is not Kind.ARRAY and source.full_name not in types.SPANS:
        return False
    if source.kind is Kind.ARRAY and source.rank > 1:
        return False
    own = source.arguments[0]
    if target.full_name == types.SPAN:
        return source.kind is Kind.ARRAY and own is element
    return own is element or (own.is_reference and declarations.is_subtype(universe, own, element))


_EXACT = frozenset({Kind.BOOL, Kind.NUMBER, Kind.ENUM, Kind.STRUCT, Kind.ARRAY})
"""Of these a value is of no other class than those above its type."""


def is_never(universe: Universe, source: Type, target: Type) -> bool:
    """Whether no value of one type, boxed or not, can be of a class (C# specification 10.3.5, 10.3.7)."""
    if source.parameter is not None or target.parameter is not None:
        return False
    if source.kind is Kind.ARRAY and target.kind is Kind.ARRAY:
        is_alike = source.rank == target.rank and source.code is target.code
        return not is_alike or _is_never_element(universe, source.element, target.element)
    if target.kind not in (Kind.CLASS, Kind.STRING, Kind.ARRAY):
        return False
    if declarations.is_interface(universe, target):
        return _is_never_interface(universe, source, target)
    if declarations.is_delegate(universe, source) and source.definition == target.definition:
        return False  # variance
    if source.kind in _EXACT:
        return not implicitly_converts(universe, source, target)
    if source.kind not in (Kind.CLASS, Kind.STRING) or declarations.is_interface(universe, source):
        return False
    return not (declarations.is_subtype(universe, source, target) or declarations.is_subtype(universe, target, source))


def _is_never_interface(universe: Universe, source: Type, target: Type) -> bool:
    """Of what is sealed the interfaces are known; arrays have those of lists of what their elements convert to."""
    if source.kind is Kind.ARRAY:
        if declarations.is_subtype(universe, source, target):
            return False
        is_list = source.rank == 1 and target.full_name in declarations.ARRAY_INTERFACES
        return not is_list or _is_never_element(universe, source.element, target.element)
    return declarations.is_sealed(universe, source) and not declarations.is_subtype(universe, source, target)


def _is_never_element(universe: Universe, source: Type, target: Type) -> bool:
    """Elements that are values convert to no others; those that are references as what the arrays hold."""
    if source is target:
        return False
    return source.is_value_type or target.is_value_type or is_never(universe, source, target)


def is_handler(universe: Universe, kind: Type) -> bool:
    """Whether a type is a handler of interpolated strings."""
    return universe.has_attribute(kind, _HANDLER)


def takes_handler(universe: Universe, operand: Operand, target: Type) -> bool:
    """Whether an operand is an interpolated string in code that is to become a handler."""
    return isinstance(operand.data, WrittenText) and is_handler(universe, target)


def prefers_handler(universe: Universe, given: Operand, one: Type | None, other: Type | None) -> int:
    """Below 0 when an interpolated string converts better to `one` (12.6.4.5), above 0: to `other`; else 0.

    A handler of the framework does what string.Format does, which takes less.
    """
    if not isinstance(given.data, WrittenText) or not given.data.has_holes:
        return 0
    first, second = (
        kind is not None and is_handler(universe, kind) and not kind.full_name.startswith("System.")
        for kind in (one, other)
    )
    return int(second) - int(first)


def takes_formattable(operand: Operand, target: Type) -> bool:
    """Whether an operand is an interpolated string that is to become a FormattableString."""
    return isinstance(operand.data, WrittenText) and target.full_name in FORMATTABLE


_DECLARING = frozenset({Kind.STRUCT, Kind.CLASS, Kind.PARAMETER, Kind.STRING})
"""Kinds of types that declare conversions; string has that to a span."""


def converts(universe: Universe, source: Type, target: Type) -> bool:
    """Whether there is an implicit conversion, which the program may define."""
    return implicitly_converts(universe, source, target) or implicit_operator(universe, source, target) is not None


def implicit_operator(
    universe: Universe, source: Type, target: Type, *, constant: Operand | None = None
) -> tuple[ExactMethod, Type] | None:
    """The operator of an implicit conversion (C# specification 10.5.4), and its result, which converts to `target`.

    None where there is none, or no best one.
    """
    return _operator(universe, source, target, ("op_Implicit",), constant)


def cast_operator(
    universe: Universe, source: Type, target: Type, *, checked: bool = False
) -> tuple[ExactMethod, Type] | None:
    """The operator that a cast takes (C# specification 10.5.5), and its result, which may be to convert once more.

    None where there is none, or no best one. `checked`: in a checked context, where others may be declared.
    """
    names = ("op_CheckedExplicit", "op_Explicit", "op_Implicit") if checked else ("op_Explicit", "op_Implicit")
    return _operator(universe, source, target, names)


def _operator(
    universe: Universe, source: Type, target: Type, names: tuple[str, ...], constant: Operand | None = None
) -> tuple[ExactMethod, Type] | None:
    if target.kind is Kind.NULLABLE:
        target = target.element
    is_implicit = names == ("op_Implicit",)
    found = list[tuple[ExactMethod, Type, Type]]()
    starts = [start for start in dict.fromkeys((source, target)) if start.kind in _DECLARING]
    for candidate in (one for start in starts for name in names for one in methods_named(universe, start, name)):
        result, parameters = candidate.return_type(universe), candidate.parameter_types(universe)
        parameter = parameters[0] if len(parameters) == 1 else None
        if result is None or parameter is None or any(one[1:] == (parameter, result) for one in found):
            continue
        if is_implicit:
            is_fit = _converts_as_standard(universe, source, parameter, constant)
            is_fit = is_fit and _encompasses(universe, target, result)
        else:
            is_fit = _is_near(universe, source, parameter) and _is_near(universe, result, target)
        if is_fit:
            found.append((candidate.exact, parameter, result))
    wanted = _nearest(universe, source, [parameter for _, parameter, _ in found], outwards=True)
    given = _nearest(universe, target, [result for _, _, result in found], outwards=False)
    return next(((one, result) for one, parameter, result in found if parameter is wanted and result is given), None)


def _is_near(universe: Universe, one: Type, other: Type) -> bool:
    return _encompasses(universe, one, other) or _encompasses(universe, other, one)


def _encompasses(universe: Universe, outer: Type, inner: Type) -> bool:
    """Whether there is a standard implicit conversion from the inner type, and none of the two is an interface."""
    if declarations.is_interface(universe, outer) or declarations.is_interface(universe, inner):
        return inner is outer
    return _converts_as_standard(universe, inner, outer)


def _converts_as_standard(universe: Universe, source: Type, target: Type, constant: Operand | None = None) -> bool:
    """Whether there is a standard implicit conversion; of tuples element by element."""
    if types.is_tuple(source) and types.is_tuple(target) and types.tuple_length(source) == types.tuple_length(target):
        pairs = zip(types.tuple_elements(source), types.tuple_elements(target), strict=True)
        return all(_converts_as_standard(universe, *pair) for pair in pairs)
    return implicitly_converts(universe, source, target, constant)


def _nearest(universe: Universe, one: Type, kinds: list[Type], *, outwards: bool) -> Type | None:
    """The most specific source type (`outwards`), or target type, of operators for one of the types it may have."""
    if one in kinds:
        return one
    outer = [kind for kind in kinds if _encompasses(universe, kind, one)]
    inner = [kind for kind in kinds if _encompasses(universe, one, kind)]
    preferred, others = (outer, inner) if outwards else (inner, outer)
    rest, is_innermost = preferred or others, bool(preferred) is outwards
    for kind in rest:
        if all(_encompasses(universe, *((other, kind) if is_innermost else (kind, other))) for other in rest):
            return kind
    return None


# what is refused


def not_assignable(source: Type, target: Type, constant: object = None) -> Diagnostic:
    """CS0031, CS0037, CS0266 and CS0029: an assignment of another type."""
    if source.kind is Kind.NULL:
        return Diagnostic("CS0037", target.name)
    numbers = Kind.NUMBER in (source.kind, target.kind) and {source.kind, target.kind} <= {Kind.NUMBER, Kind.ENUM}
    is_char = target.code is ElementType.CHAR
    if numbers and source.name == "int" and isinstance(constant, int) and target.kind is Kind.NUMBER and not is_char:
        return Diagnostic("CS0031", constant, target.name)
    is_object = source.is_reference and source.name == "object"
    if numbers or is_object or _is_lifted(source, target) or _is_pointers(source, target):
        return Diagnostic("CS0266", source.name, target.name)
    return Diagnostic("CS0029", source.name, target.name)


def _is_pointers(source: Type, target: Type) -> bool:
    """Whether a cast leads from one to the other, for one is a pointer and the other one, too, or an integer."""
    kinds = {source.kind, target.kind}
    codes = {kind.code for kind in (source, target) if kind.kind is Kind.NUMBER}
    return Kind.POINTER in kinds and kinds <= {Kind.POINTER, Kind.NUMBER} and codes <= numeric.BITS.keys()


def _is_lifted(source: Type, target: Type) -> bool:
    """Whether one of two numbers is nullable: a cast leads from each to the other."""
    inner = [kind.stripped for kind in (source, target)]
    return inner != [source, target] and all(kind.kind is Kind.NUMBER for kind in inner)


def without_getter(universe: Universe, owner: Type, name: str) -> EvaluationError | None:
    """CS0154 where the type or one of its bases has a property of the name that can only be set."""
    setters = methods_named(universe, owner, f"set_{name}")
    setter = next((one for one in setters if len(one.method.signature.parameters) == 1), None)
    return Diagnostic("CS0154", setter.owner.name, name) if setter is not None else None
