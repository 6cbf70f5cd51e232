"""Overload resolution: which of the methods that apply is the best one, and its call (C# specification 12.6.4.3).

Operators that the program defines are such methods.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation import numeric
from dap_dotnet.evaluation.bound_tree import source_of
from dap_dotnet.evaluation.diagnostics import Diagnostic
from dap_dotnet.evaluation.rules.applicable import Chosen, Given, fit, fit_expanded, placed_arguments
from dap_dotnet.evaluation.rules.conversions import converts, converts_to_span, prefers_handler
from dap_dotnet.evaluation.rules.inference import compare_functions
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import READ_ONLY_SPAN, Kind, Operand, Type, element_of
from dap_dotnet.evaluation.types.declarations import Candidate, is_subtype, methods_named
from dap_dotnet.evaluation.types.universe import Universe, attribute_of
from dap_dotnet.runtime.model import ElementType
from dap_dotnet.symbols.language_version import FIRST_PRIORITIES, FIRST_SPANS
from portablepdb import signatures as sig

if TYPE_CHECKING:
    from portablepdb.members import Method

_ACCESS, _PUBLIC, _VIRTUAL, _NEW_SLOT = 0x7, 0x6, 0x40, 0x100
"""MethodAttributes (ECMA-335 II.23.1.10)."""
_PRIORITY = "System.Runtime.CompilerServices.OverloadResolutionPriorityAttribute"


def choose(universe: Universe, found: Sequence[Candidate], given: Given, *, name: str = "") -> Chosen | None:
    """The best candidate for the arguments. None: no fit.

    `name`: CS0121 is raised where none is the best; else, as among those of different types, the first is taken, which
    is the most derived type's.
    """
    fitting = [
        chosen
        for one in found
        if (chosen := fit(universe, one, given) or fit_expanded(universe, one, given)) is not None
    ]
    if len(fitting) > 1:
        fitting = _most_derived(universe, fitting)
    if len(fitting) > 1 and given.language_version >= FIRST_PRIORITIES:
        fitting = _of_priority(fitting)
    return _best(universe, given, fitting, name) if fitting else None


def _most_derived(universe: Universe, fitting: Sequence[Chosen]) -> list[Chosen]:
    """Without the methods of types from which others that fit derive (12.6.6.2): those of derived types go first.

    An override belongs to the type that first declares the method.
    """
    if all(one.candidate.owner is fitting[0].candidate.owner for one in fitting):
        return list(fitting)
    declared = list[tuple[Chosen, Type]]()
    for number, one in enumerate(fitting):
        kinds, owner, flags = _types(universe, one), one.candidate.owner, one.candidate.method.flags
        if any(other.candidate.method.flags & _VIRTUAL and _types(universe, other) == kinds for other, _ in declared):
            continue  # what is overridden
        if flags & _VIRTUAL and not flags & _NEW_SLOT:
            same = (other for other in fitting[number + 1 :] if _types(universe, other) == kinds)
            owner = next((other.candidate.owner for other in same if other.candidate.method.flags & _NEW_SLOT), owner)
        declared.append((one, owner))
    owners = dict.fromkeys(owner for _, owner in declared)
    hidden = {
        base for base in owners if any(other is not base and is_subtype(universe, other, base) for other in owners)
    }
    return [one for one, owner in declared if owner not in hidden]


def _of_priority(fitting: Sequence[Chosen]) -> list[Chosen]:
    """Of the methods of each type those with the highest priority that they have by an attribute."""
    ranked = [(one, one.candidate.owner, _priority(one.candidate)) for one in fitting]
    highest = dict[Type, int]()
    for _, owner, priority in ranked:
        highest[owner] = max(priority, highest.get(owner, priority))
    return [one for one, owner, priority in ranked if priority == highest[owner]]


def _priority(candidate: Candidate) -> int:
    metadata, token = candidate.metadata, int(candidate.method.token)
    if candidate.is_indexer:  # its property has it
        declared = metadata.properties_of(metadata.declaring_type(token))
        token = next((one.token for one in declared if one.getter == token), token)
    attribute = attribute_of(candidate.module, token, _PRIORITY)
    return int(attribute.fixed_arguments[0].value) if attribute is not None and attribute.fixed_arguments else 0


def _best(universe: Universe, given: Given, fitting: Sequence[Chosen], name: str) -> Chosen:
    best = fitting[0]
    if len(fitting) == 1:
        return best
    for one in fitting[1:]:
        if _compared(universe, given, one, best) < 0:
            best = one
    for one in fitting if name else ():
        is_rival = one is not best and one.candidate.owner is best.candidate.owner
        if is_rival and _types(universe, one) != _types(universe, best) and not _compared(universe, given, best, one):
            pair = sorted((best, one), key=fitting.index)
            shown = [[kind.name if kind is not None else "?" for kind in _types(universe, chosen)] for chosen in pair]
            raise Diagnostic("CS0121", *(f"{name}({', '.join(kinds)})" for kinds in shown))
    return best


def _compared(universe: Universe, given: Given, one: Chosen, other: Chosen) -> int:
    """Below 0 when the one is better, above 0 when the other is; 0 when neither is (12.6.4.3)."""
    kinds = [_types_of_arguments(universe, given, chosen) for chosen in (one, other)]
    to_spans = given.language_version >= FIRST_SPANS
    found = compare_parameters(universe, given.operands, *kinds, to_spans=to_spans)
    if found:
        return found
    if _types(universe, one) == _types(universe, other) and bool(one.type_arguments) is not bool(other.type_arguments):
        return 1 if one.type_arguments else -1
    more = _more_specific(one.candidate.method, other.candidate.method)
    if more and kinds[0] == kinds[1]:
        return more
    ranks = [_rank(given, chosen) for chosen in (one, other)]
    return -1 if ranks[0] < ranks[1] else 1 if ranks[0] > ranks[1] else 0


def _rank(given: Given, chosen: Chosen) -> tuple[bool, int, int, bool, int]:
    """What decides between methods that are equally good for the arguments: `params`, defaults taken, `in` parameters.

    Then whether it is public: nobody outside of the framework is to choose between a public method and a hidden one.
    Of `params` spans are better than arrays; the framework's own methods do the same with an array, which is simpler.
    """
    parameters = chosen.candidate.method.signature.parameters
    is_expanded = chosen.expanded is not None
    omitted = -len(parameters) if is_expanded else len(parameters) - len(given.operands)
    is_hidden = chosen.candidate.method.row.flags & _ACCESS != _PUBLIC
    by_reference = sum(isinstance(one, sig.ByRefType) for one in parameters)
    is_array = is_expanded and isinstance(parameters[-1], sig.SzArrayType)
    rank = 0 if not is_expanded or is_array is not chosen.candidate.module.is_user_code else 1
    return is_expanded, omitted, by_reference, is_hidden, rank


def _types(universe: Universe, chosen: Chosen) -> list[Type | None]:
    return chosen.candidate.parameter_types(universe, chosen.type_arguments)


def _types_of_arguments(universe: Universe, given: Given, chosen: Chosen) -> list[Type | None]:
    """The types of the parameters that the arguments go to, in the order of the arguments."""
    parameters = _types(universe, chosen)
    if chosen.expanded is not None:
        last = len(parameters) - 1
        return [parameters[number] if number < last else chosen.expanded for number in range(len(given.operands))]
    placed = placed_arguments(chosen.candidate, given)
    assert placed is not None
    return [parameters[placed.index(number)] for number in range(len(given.operands))]


# which parameters are the better ones (C# specification 12.6.4.3 to 12.6.4.7)


def compare_parameters(
    universe: Universe,
    arguments: Sequence[Operand],
    one: Sequence[Type | None],
    other: Sequence[Type | None],
    *,
    to_spans: bool = True,
) -> int:
    """Below 0 when the parameter types `one`, in the order of the arguments, are better; above 0: `other`; else 0.

    `to_spans`: whether the language converts to spans itself.
    """
    found = {_compare_for(universe, *each, to_spans=to_spans) for each in zip(arguments, one, other, strict=True)}
    return _verdict(found)


def _verdict(ways: set[int]) -> int:
    """Of comparisons one by one: none is better where each is in some."""
    return (1 in ways) - (-1 in ways)


def _compare_for(
    universe: Universe, given: Operand, one: Type | None, other: Type | None, *, to_spans: bool = True
) -> int:
    source = source_of(given)
    if given.type is types.COLLECTION and one is not None and other is not None and one is not other:
        return _compare_collections(universe, given, one, other)
    if source is not None and one is not None and other is not None and one is not other:
        return compare_functions(universe, source, one, other)
    preferred = prefers_handler(universe, given, one, other)
    return preferred or _compare(universe, given.type, one, other, to_spans=to_spans)


def _compare_collections(universe: Universe, given: Operand, one: Type, other: Type) -> int:
    """The better conversion of a collection expression (C# 13): by its elements, then spans, then as other types."""
    first, second = element_of(one), element_of(other)
    if first is None or second is None:
        return 0
    found = {_compare_for(universe, item, first, second) for item in given.data}
    if {-1, 1} & found:
        return _verdict(found)
    ranks = [_SPAN_RANKS.get(kind.full_name, 2) for kind in (one, other)]
    if ranks[0] != ranks[1]:
        return -1 if ranks[0] < ranks[1] else 1
    return _compare(universe, given.type, one, other)


_SPAN_RANKS = {"System.ReadOnlySpan`1": 0, "System.Span`1": 1}


def _compare(universe: Universe, given: Type, one: Type | None, other: Type | None, *, to_spans: bool = True) -> int:
    """The better conversion (12.6.4.5) and the better target (12.6.4.7) for an argument of a type."""
    if one is other or one is None or other is None:
        return 0
    if given is one or given is other:
        return -1 if given is one else 1
    spans = [to_spans and converts_to_span(universe, given, kind) for kind in (one, other)]
    if spans[0] is not spans[1]:
        return -1 if spans[0] else 1
    if all(spans) and one.full_name != other.full_name:
        return -1 if one.full_name == READ_ONLY_SPAN else 1
    if all(spans):
        one, other = one.arguments[0], other.arguments[0]
    down, up = converts(universe, one, other), converts(universe, other, one)
    if down is not up:
        return -1 if down else 1
    return _by_sign(one, other)


def _by_sign(one: Type, other: Type) -> int:
    """Of an integral type with a sign and one without, the one with."""
    one, other = one.stripped, other.stripped
    if not all(kind.kind is Kind.NUMBER and kind.code in numeric.BITS for kind in (one, other)):
        return 0
    signs = one.code in numeric.SIGNED, other.code in numeric.SIGNED
    return 0 if signs[0] is signs[1] else -1 if signs[0] else 1


def _more_specific(one: Method, other: Method) -> int:
    """Below 0 when the declared types of the parameters of `one` are the more specific ones (12.6.4.3); above 0; 0."""

    def compared(first: object, second: object) -> set[int]:
        parameters = (sig.TypeParameter, sig.MethodParameter)
        if isinstance(first, parameters) or isinstance(second, parameters):
            if isinstance(first, parameters) and isinstance(second, parameters):
                return set()
            return {1} if isinstance(first, parameters) else {-1}
        if isinstance(first, sig.GenericInstance) and isinstance(second, sig.GenericInstance):
            pairs = zip(first.arguments, second.arguments, strict=False)
            return {found for pair in pairs for found in compared(*pair)}
        if isinstance(first, sig.SzArrayType) and isinstance(second, sig.SzArrayType):
            return compared(first.element, second.element)
        return set()

    pairs = zip(one.signature.parameters, other.signature.parameters, strict=False)
    found = {way for pair in pairs for way in compared(*pair)}
    return _verdict(found)


# operators that the program defines (C# specification 12.4.5), and what the compiler says where there is none

DECLARING_OPERATORS = frozenset({Kind.STRUCT, Kind.CLASS, Kind.PARAMETER})
"""Kinds of types that declare operators."""

_OPERATORS = {
    "+": "op_Addition", "-": "op_Subtraction", "*": "op_Multiply", "/": "op_Division", "%": "op_Modulus",
    "&": "op_BitwiseAnd", "|": "op_BitwiseOr", "^": "op_ExclusiveOr", "<<": "op_LeftShift", ">>": "op_RightShift",
    ">>>": "op_UnsignedRightShift", "==": "op_Equality", "!=": "op_Inequality", "<": "op_LessThan",
    "<=": "op_LessThanOrEqual", ">": "op_GreaterThan", ">=": "op_GreaterThanOrEqual",
}  # fmt: skip
_UNARY_OPERATORS = {"+": "op_UnaryPlus", "-": "op_UnaryNegation", "!": "op_LogicalNot", "~": "op_OnesComplement",
                    "++": "op_Increment", "--": "op_Decrement", "true": "op_True", "false": "op_False"}  # fmt: skip


def metadata_name(operator: str, *, is_unary: bool = False) -> str:
    """The name of the method that an operator is: `op_Addition`."""
    return (_UNARY_OPERATORS if is_unary else _OPERATORS)[operator]


_ASSIGNING = {"*": "op_MultiplicationAssignment", "++": "op_IncrementAssignment", "--": "op_DecrementAssignment"}


def assigning_name(operator: str) -> str | None:
    """The name of the method that `x operator= y`, or `x++`, calls on x (C# 14); None where there is none such."""
    plain = _OPERATORS.get(operator)
    is_order = operator in ("==", "!=", "<", "<=", ">", ">=")
    return _ASSIGNING.get(operator) or (f"{plain}Assignment" if plain is not None and not is_order else None)


Constants = Sequence["Operand | None"]


def assigning_operator(
    universe: Universe,
    operator: str,
    target: Type,
    operands: list[Operand],
    constants: Constants = (),
    *,
    checked: bool,
) -> Chosen | None:
    """The operator of C# 14 that changes a variable of a type itself: `+=` with its right side, `++` without."""
    name = assigning_name(operator)
    found = _declared(universe, name, [target], checked=checked, is_static=False) if name is not None else ()
    return choose(universe, found, Given(operands, constants=constants))


def chosen_operator(
    universe: Universe,
    operator: str,
    kinds: list[Type],
    constants: Constants = (),
    *,
    checked: bool = False,
    is_lifted: bool = False,
) -> Chosen | None:
    """The user-defined operator for operands of the types, or, lifted, for what nullables of them hold.

    None: no such one; lifted also where none of the types is a nullable.
    """
    names = _OPERATORS if len(kinds) == 2 else _UNARY_OPERATORS
    found = _declared(universe, names.get(operator, ""), kinds, checked=checked)
    if is_lifted:
        if not found or not any(kind.kind in (Kind.NULLABLE, Kind.NULL) for kind in kinds):
            return None
        other = next(kind.stripped for kind in kinds if kind.kind is not Kind.NULL)
        kinds = [other if kind.kind is Kind.NULL else kind.stripped for kind in kinds]
        every = ((one, one.parameter_types(universe)) for one in found)
        found = [one for one, taken in every if all(kind is not None and kind.is_value_type for kind in taken)]
    return choose(universe, found, Given([Operand(kind, None) for kind in kinds], constants=constants))


def _declared(
    universe: Universe, name: str, kinds: list[Type], *, checked: bool, is_static: bool = True
) -> list[Candidate]:
    """The operators of a name that the operands' types declare; in a checked context, the checked ones for these."""
    starts = [start for start in dict.fromkeys(kind.stripped for kind in kinds) if start.kind in DECLARING_OPERATORS]
    names = [name.replace("op_", "op_Checked", 1), name] if checked else [name]
    found = dict[tuple[Type | None, ...], Candidate]()
    for one in (one for word in names for start in starts for one in methods_named(universe, start, word)):
        if one.method.is_static is is_static:
            found.setdefault(tuple(one.parameter_types(universe)), one)
    return list(found.values())


def no_operator(operator: str, left: Type, right: Type | None = None) -> EvaluationError:
    """CS0019, CS0023, CS0034 and CS8310."""
    if left.kind is Kind.DEFAULT and (right is None or right.kind is Kind.DEFAULT):
        if operator in ("==", "!="):
            return Diagnostic("CS8315", operator)
        return Diagnostic("CS8310", operator, "default")
    if right is not None and Kind.DEFAULT in (left.kind, right.kind):
        return Diagnostic("CS8310", operator, "default")
    if right is None and left.kind is Kind.NULL:
        return Diagnostic("CS8310", operator, "<null>")
    if right is None:
        return Diagnostic("CS0023", operator, left.name)
    both_null = left.kind is right.kind is Kind.NULL and operator in ("+", "&", "|", "^")
    if both_null or (operator not in ("&", "|", "^", "<<", ">>", ">>>") and _is_ambiguous(left, right)):
        return Diagnostic("CS0034", operator, left.name, right.name)
    return Diagnostic("CS0019", operator, left.name, right.name)


def _is_ambiguous(left: Type, right: Type) -> bool:
    """Whether a number that no signed integer type takes meets a signed one."""
    kinds = [left.stripped, right.stripped]
    if any(kind.kind is not Kind.NUMBER for kind in kinds):
        return False
    codes = {kind.code for kind in kinds}
    return bool(codes & _WIDEST) and bool(codes & numeric.SIGNED)


_WIDEST = {ElementType.U8, ElementType.U}
