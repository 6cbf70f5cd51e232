"""Whether a method applies to the arguments of a call, and with which type arguments (C# specification 12.6.4.2).

By number and implicit conversions of the arguments. Optional parameters take their defaults, those with a Caller…
attribute what the compiler passes: the text of another argument, and where the call is (23.5.6), which is where the
frame stands. Arguments with ref and out fit only byrefs of exactly their type.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from dap_dotnet.evaluation.bound_tree import Captured, Made, source_of
from dap_dotnet.evaluation.rules.conversions import (
    implicit_operator,
    implicitly_converts,
    takes_formattable,
    takes_handler,
)
from dap_dotnet.evaluation.rules.inference import broken_constraint, fits_function, infer
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Elements, ExactMethod, Operand, Type
from dap_dotnet.evaluation.types.declarations import Candidate
from dap_dotnet.evaluation.types.universe import Universe, decimal_constant
from dap_dotnet.runtime.model import MethodToken
from dap_dotnet.symbols.frames import compiled_place
from dap_dotnet.symbols.language_version import LATEST, language_version
from dap_dotnet.values.context import FrameContext
from portablepdb import signatures as sig

if TYPE_CHECKING:
    from portablepdb.custom_attributes import CustomAttribute


_PARAMS = frozenset({"System.ParamArrayAttribute", "System.Runtime.CompilerServices.ParamCollectionAttribute"})
_IN, _OUT = 0x1, 0x2
_OPTIONAL = 0x10
"""ParamAttributes (ECMA-335 II.23.1.13)."""


class Given(Struct, frozen=True):
    """What a call passes: its arguments, their names, its type arguments, and which arguments are constants."""

    operands: Sequence[Operand]
    names: Sequence[str | None] = ()
    types: tuple[Type, ...] = ()
    constants: Sequence[Operand | None] = ()
    by_reference: frozenset[int] = frozenset()
    """The arguments with ref or out; those of type NULL fit parameters of any type."""
    has_receiver: bool = False
    """Whether the first argument is what an extension method is called on: it is converted by reference or box only."""
    site: CallSite | None = None
    """Where the call is written; None for one that the source does not have."""

    def name(self, index: int) -> str | None:
        """The name that an argument is given by."""
        return self.names[index] if index < len(self.names) else None

    def constant(self, index: int) -> Operand | None:
        """The value of an argument, where it is a constant."""
        return self.constants[index] if index < len(self.constants) else None

    @property
    def language_version(self) -> int:
        """The major version of C# whose rules decide."""
        return self.site.language_version if self.site is not None else LATEST


class Chosen(Struct, frozen=True):
    """The best candidate, its arguments in the order of its parameters, and its inferred type arguments."""

    candidate: Candidate
    arguments: list[Operand]
    type_arguments: tuple[Type, ...]
    conversions: dict[int, ExactMethod]
    """User-defined implicit conversions of arguments, by their position."""
    expanded: Type | None = None
    """The element type of `params`: the arguments from the last parameter on are put into an array or collection."""

    @property
    def exact(self) -> ExactMethod:
        """The method to call."""
        return ExactMethod(self.candidate.owner, MethodToken(self.candidate.method.token), self.type_arguments)


def fit(universe: Universe, candidate: Candidate, given: Given) -> Chosen | None:
    """None when the candidate does not apply."""
    placed = placed_arguments(candidate, given)
    return _fit(universe, candidate, given, placed) if placed is not None else None


def fit_expanded(universe: Universe, candidate: Candidate, given: Given) -> Chosen | None:
    """As `fit`, with the arguments from the last parameter on as elements of its `params` array or collection."""
    last = len(candidate.method.signature.parameters) - 1
    if last < 0 or given.by_reference or not takes_params(candidate):
        return None
    placed: list[int | None] | None
    if len(given.operands) > last and not any(given.names):
        placed = list(range(len(given.operands)))
    else:
        placed = placed_arguments(candidate, given)
    if placed is not None and len(placed) == last + 1 and placed[last] is None:
        placed.pop()
    return _fit(universe, candidate, given, placed, last) if placed is not None else None


def _fit(
    universe: Universe, candidate: Candidate, given: Given, placed: list[int | None], elements: int | None = None
) -> Chosen | None:
    """`placed`: the argument of each parameter, by its number; those from number `elements` on are of `params`."""
    signature = candidate.method.signature
    declared = list(signature.parameters)
    if elements is not None:
        declared[elements:] = [_element(declared[elements])] * (len(placed) - elements)
    types_given = given.types
    if signature.generic_count and not types_given:
        operands = [given.operands[index] if index is not None else None for index in placed]
        inferred = infer(universe, candidate, operands, declared)
        if inferred is None:
            return None
        types_given = inferred
    if len(types_given) != signature.generic_count or broken_constraint(universe, candidate, types_given) is not None:
        return None
    parameters, element = candidate.parameter_types(universe, types_given), None
    if elements is not None:
        last = parameters[elements]
        element = types.element_of(last) if last is not None else None
        if element is None:
            return None
        parameters[elements:] = [element] * (len(placed) - elements)
    passed, conversions = list[Operand](), dict[int, ExactMethod]()
    for position, (index, parameter) in enumerate(zip(placed, parameters, strict=True)):
        operand = given.operands[index] if index is not None else None
        if operand is None:
            operand = _default(candidate, position, parameter, given.site, placed)
        if operand is None or parameter is None:
            return None
        passed.append(operand)
        if index is not None:
            conversion = _passed(universe, given, index, parameter, keyword_of(candidate, position))
            if conversion is False:
                return None
            if conversion is not True:
                conversions[position] = conversion
    return Chosen(candidate, passed, types_given, conversions, element)


def _element(parameter: sig.TypeSignature) -> sig.TypeSignature:
    """Of the declared type of `params`: what the elements are."""
    if isinstance(parameter, sig.SzArrayType):
        return parameter.element
    return parameter.arguments[0] if isinstance(parameter, sig.GenericInstance) else parameter


def _passed(universe: Universe, given: Given, index: int, parameter: Type, keyword: str) -> ExactMethod | bool:
    """How an argument becomes a parameter of a type: as `conversion_to`."""
    argument, is_receiver = given.operands[index], given.has_receiver and index == 0
    if index in given.by_reference:
        return keyword != "" and (argument.type is parameter or argument.type is types.NULL)
    if takes_handler(universe, argument, parameter):
        return True
    if keyword not in ("", "in") and not is_receiver:
        return False
    if takes_formattable(argument, parameter):
        return True
    if is_receiver and not receives(argument.type, parameter):
        return False
    return conversion_to(universe, argument, parameter, given.constant(index))


def keyword_of(candidate: Candidate, position: int) -> str:
    """How an argument is passed to a parameter: "ref", "out", "in", which needs no word, or "" for a value."""
    parameters = candidate.method.signature.parameters
    if not isinstance(parameters[min(position, len(parameters) - 1)], sig.ByRefType):
        return ""
    row = candidate.row(position)
    flags = row.flags if row is not None else 0
    return "out" if flags & _OUT and not flags & _IN else "in" if flags & _IN and not flags & _OUT else "ref"


def _fits_tuple(universe: Universe, argument: Operand, parameter: Type) -> bool:
    """Whether a tuple, of the expression or with a type of its own, converts to a type of tuples, by its elements."""
    kind, wanted = argument.type, parameter.stripped
    if kind is types.TUPLE:
        items, is_alike = argument.data, types.is_tuple(wanted) and len(wanted.arguments) == len(argument.data)
    else:
        items, is_alike = Elements(Operand(element, None) for element in kind.arguments), types.are_alike(kind, wanted)
        if isinstance(argument.data, Made) and len(argument.data.arguments) == len(items):
            items.constants = tuple(
                one.operand if isinstance(one, Captured) and one.is_constant else None
                for one in argument.data.arguments
            )
    return is_alike and _fit_items(universe, items, wanted.arguments)


def _fit_items(universe: Universe, items: Sequence[Operand], kinds: Sequence[Type]) -> bool:
    """Whether the elements of a tuple or a collection of the expression convert, each to its type."""
    constants = items.constants if isinstance(items, Elements) else ()
    return all(
        conversion_to(universe, item, kind, known) is not False
        for item, kind, known in zip(items, kinds, constants or (None,) * len(items), strict=True)
    )


def conversion_to(universe: Universe, item: Operand, wanted: Type, known: Operand | None) -> ExactMethod | bool:
    """The program's method that converts an argument or an element, True where none is needed, False: there is none."""
    source = source_of(item)
    if source is not None:
        return fits_function(universe, source, wanted)
    if item.type is types.COLLECTION:
        element = types.element_of(wanted)
        return element is not None and _fit_items(universe, item.data, (element,) * len(item.data))
    if _fits_tuple(universe, item, wanted):
        return True
    if item.type is types.TUPLE:
        return False
    if implicitly_converts(universe, item.type, wanted, known):
        return True
    operator = implicit_operator(universe, item.type, wanted, constant=known)
    return operator[0] if operator is not None else False


def receives(receiver: Type, parameter: Type) -> bool:
    """Whether what is called on may be converted to a parameter of an extension method (12.8.10.3)."""
    if receiver is parameter or parameter.full_name in types.SPANS:
        return True
    return not (receiver.is_value_type and parameter.is_value_type)


def in_order(universe: Universe, candidate: Candidate, given: Given, first: int) -> Given | None:
    """The arguments of the parameters before number `first`, in their order; None where they do not fit.

    What is left out has its default. The parameters from `first` on are closures.
    """
    placed = placed_arguments(candidate, given)
    if placed is None or any(index is not None for index in placed[first:]):
        return None
    parameters = candidate.parameter_types(universe, given.types)
    operands, constants = list[Operand](), list[Operand | None]()
    for position, index in enumerate(placed[:first]):
        operand = given.operands[index] if index is not None else None
        if operand is None:
            operand = _default(candidate, position, parameters[position], given.site, placed)
        if operand is None:
            return None
        operands.append(operand)
        constants.append(given.constant(index) if index is not None else None)
    return Given(operands, (), given.types, constants, has_receiver=given.has_receiver, site=given.site)


def takes_params(candidate: Candidate) -> bool:
    """Whether the last parameter is `params`."""
    row = candidate.row(len(candidate.method.signature.parameters) - 1)
    return row is not None and any(one.type_name in _PARAMS for one in candidate.metadata.attributes_of(row.token))


def placed_arguments(candidate: Candidate, given: Given) -> list[int | None] | None:
    """For each parameter the argument's index, None for an omitted one. None: the arguments do not fit in number."""
    parameters, count = candidate.method.parameters, len(candidate.method.signature.parameters)
    placed: list[int | None] = [None] * count
    for index in range(len(given.operands)):
        name, position = given.name(index), index
        if name is not None:
            position = next((number for number in range(count) if parameters.get(number + 1) == name), count)
        if position >= count or placed[position] is not None:
            return None
        placed[position] = index
    return placed


def has_default(candidate: Candidate, position: int) -> bool:
    """Whether a parameter may be left out."""
    row = candidate.row(position)
    return row is not None and bool(row.flags & _OPTIONAL)


def _default(
    candidate: Candidate, position: int, parameter: Type | None, site: CallSite | None, placed: Sequence[int | None]
) -> Operand | None:
    """What an omitted argument is; None where it may not be omitted, or where the call is written is not known."""
    row = candidate.row(position)
    if row is None:
        return None
    attributes = candidate.metadata.attributes_of(row.token)
    by_compiler = next((one for one in attributes if one.type_name.startswith(_CALLER)), None)
    if by_compiler is not None and site is None:
        return None
    passed = _passed_by_compiler(by_compiler, candidate, site, placed) if by_compiler is not None and site else None
    if passed is not None:
        return Operand(types.STRING if isinstance(passed, str) else types.I4, passed)
    if not row.flags & _OPTIONAL or parameter is None:
        return None
    if row.constant is None:
        number = decimal_constant(candidate.module, row.token)
        return Operand(types.DECIMAL, number) if number is not None else None
    value = row.constant.value
    return Operand(parameter, ord(value) if parameter is types.CHAR and isinstance(value, str) else value)


# where a call is written, and what follows from that

_CALLER = "System.Runtime.CompilerServices.Caller"
_GENERATED = re.compile(r"<([^<>]+)>[bg]__")
_ACCESSOR = re.compile(r"(?:get|set|add|remove|init)_")


class CallSite(Struct, frozen=True):
    """Where a call is written. `texts` are its arguments as written, in their order, None where that is not known."""

    context: FrameContext
    texts: Sequence[str | None] = ()
    receiver: str | None = None
    """What a method is called on, as written."""

    @property
    def language_version(self) -> int:
        """The major version of C# that its code is written in."""
        return language_version(self.context.program.modules.get(self.context.frame.module))

    def of_extension(self) -> CallSite:
        """The same call as that of an extension method, whose first argument is what it is called on."""
        return CallSite(self.context, (self.receiver, *self.texts))


def _passed_by_compiler(
    attribute: CustomAttribute, candidate: Candidate, site: CallSite, placed: Sequence[int | None]
) -> str | int | None:
    """What an omitted argument is instead of its default; None: the default.

    `placed`: for each parameter the index of its argument, None for an omitted one.
    """
    kind = attribute.type_name.removeprefix(_CALLER)
    if kind == "ArgumentExpressionAttribute":
        wanted = attribute.fixed_arguments[0].value
        names = candidate.method.parameters
        index = next((given for number, given in enumerate(placed) if names.get(number + 1) == wanted), None)
        return site.texts[index] if index is not None and index < len(site.texts) else None
    if kind == "MemberNameAttribute":
        return _member(site.context)
    path, span = compiled_place(site.context.program.modules, site.context.frame)
    if kind == "LineNumberAttribute":
        return span.line if span is not None else None
    return path if kind == "FilePathAttribute" else None


def _member(context: FrameContext) -> str | None:
    """The member that the frame's code is written in."""
    frame = context.frame
    module = context.program.modules.get(frame.module)
    if module is None or module.metadata is None or frame.method is None:
        return None
    token = frame.method
    kickoff = module.pdb.kickoff_method(token) if module.pdb is not None else None
    name = module.metadata.method(kickoff or token).name
    generated = _GENERATED.match(name)
    if generated is not None:
        name = generated.group(1)
    return _ACCESSOR.sub("", name.rpartition(".")[2] if not name.startswith(".") else name, count=1)
