"""Calls and creations in code: the overload that C# chooses, its arguments converted."""

from __future__ import annotations

from collections.abc import Sequence

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.binding.bound import Bound, Namespace
from dap_dotnet.evaluation.binding.extension_methods import choose_extension, extensions
from dap_dotnet.evaluation.binding.names_of import bind_name_of
from dap_dotnet.evaluation.binding.program_code.conversions import implicit
from dap_dotnet.evaluation.binding.program_code.members import (
    check_this,
    checked_type,
    member,
    static_member,
    this,
    variable,
)
from dap_dotnet.evaluation.binding.program_code.scope import Scope, constant_of, stand_in, unsupported
from dap_dotnet.evaluation.binding.static_types import is_named_as_its_type
from dap_dotnet.evaluation.operations.applicable import Chosen, Given
from dap_dotnet.evaluation.operations.call_site import CallSite
from dap_dotnet.evaluation.operations.natural_types import natural_delegate, takes_delegates
from dap_dotnet.evaluation.operations.overloads import choose, why_no_overload
from dap_dotnet.evaluation.operations.program_code import (
    Captured,
    Code,
    Invoked,
    Items,
    Made,
    Zero,
    source_of,
)
from dap_dotnet.evaluation.operations.required_members import check_required
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types import diagnostics
from dap_dotnet.evaluation.types.collection_types import ARRAYS
from dap_dotnet.evaluation.types.csharp_types import ExactMethod, Kind, Operand, Type
from dap_dotnet.evaluation.types.declared_methods import Candidate, candidates
from dap_dotnet.evaluation.types.delegate_types import delegate_signature
from dap_dotnet.evaluation.types.inheritance import bases_of
from dap_dotnet.runtime.model import MethodToken

_ABSTRACT = 0x80 | 0x20


class Arguments:
    """The arguments of a call: their code, and stand-ins of their types for overload resolution."""

    def __init__(
        self,
        scope: Scope,
        arguments: Sequence[syntax.Argument],
        type_arguments: tuple[Type, ...],
        receiver: str | None = None,
    ) -> None:
        """`receiver`: what the method is called on, as written."""
        self._scope = scope
        self._codes: dict[int, Code] = {}
        self._places: dict[int, syntax.Node] = {}
        operands, constants, by_reference = list[Operand](), list[Operand | None](), set[int]()
        for number, argument in enumerate(arguments):
            constants.append(None)
            if argument.modifier in ("ref", "out"):
                operands.append(self._place(argument))
                by_reference.add(number)
                continue
            source = scope.source(argument.value)
            if source is not None:
                operands.append(Operand(types.LAMBDA, source))
                continue
            if isinstance(argument.value, syntax.Collection):
                raise unsupported("A collection expression as an argument")
            code = scope.code(argument.value)
            operands.append(stand_in(code))
            constants[-1] = constant_of(code)
            self._codes[id(operands[-1])] = code
        names = [argument.name for argument in arguments]
        site = CallSite(scope.env.context, [argument.text for argument in arguments], receiver)
        self.given = Given(operands, names, type_arguments, constants, frozenset(by_reference), site=site)

    @classmethod
    def of_codes(cls, scope: Scope, codes: Sequence[Code]) -> Arguments:
        """Arguments that are bound already."""
        made = cls(scope, (), ())
        operands = [stand_in(code) for code in codes]
        made._codes = {id(operand): code for operand, code in zip(operands, codes, strict=True)}
        made.given = Given(operands, constants=[constant_of(code) for code in codes])
        return made

    def _place(self, argument: syntax.Argument) -> Operand:
        """What is passed by reference: a variable, an element or a field, or a variable that `out` declares."""
        scope, node = self._scope, argument.value
        kind: Type | None = None
        if isinstance(node, syntax.Declaration):
            kind = scope.binder.type(node.type) if node.type is not None else None
        elif not (isinstance(node, syntax.Name) and node.name == "_" and "_" not in scope.variables):
            kind = scope.code(node).type
        operand = Operand(kind or types.NULL, None)
        self._places[id(operand)] = node
        return operand

    def _reference(self, node: syntax.Node, kind: Type) -> Code:
        scope = self._scope
        if isinstance(node, syntax.Declaration):
            return scope.declare(kind, "" if node.name == "_" else node.name)
        if isinstance(node, syntax.Name) and node.name == "_" and "_" not in scope.variables:
            return scope.declare(kind)
        return scope.reference(node)

    def receive(self, operand: Operand, code: Code) -> None:
        """What an extension method is called on is its first argument."""
        self._codes[id(operand)] = code

    def passed(self, chosen: Chosen) -> tuple[Code, ...]:
        """The arguments in the order of the chosen method's parameters."""
        scope = self._scope
        kinds = chosen.candidate.parameter_types(scope.universe, chosen.type_arguments)
        first = len(kinds) - 1 if chosen.expanded is not None else len(kinds)
        made = [self._one(operand, kinds[number]) for number, operand in enumerate(chosen.arguments[:first])]
        if chosen.expanded is not None:
            array, element, kind = scope.universe.array(chosen.expanded), chosen.expanded, kinds[-1]
            if kind is None or (kind is not array and kind.full_name not in ARRAYS):
                raise unsupported("A params collection")
            items = Items(array, tuple(self._one(one, element) for one in chosen.arguments[first:]))
            made.append(implicit(scope, items, kind))
        return tuple(made)

    def _one(self, operand: Operand, kind: Type | None) -> Code:
        if kind is None:
            raise unsupported("An argument of a type that is not loaded")
        checked_type(self._scope, kind)
        if id(operand) in self._places:
            return self._reference(self._places[id(operand)], kind)
        source = source_of(operand)
        if source is not None:
            natural = natural_delegate(self._scope.universe, source) if takes_delegates(kind) else None
            made = self._scope.function(source, natural or kind)
            return implicit(self._scope, made, kind) if natural is not None else made
        code = self._codes.get(id(operand))
        if code is None:  # the default of an optional parameter
            code = Zero(kind) if operand.data is None else Captured(kind, operand, is_constant=True)
        return implicit(self._scope, code, kind)


def bind_call(scope: Scope, node: syntax.Call) -> Code:
    """A call of a method or a delegate."""
    target = node.target
    if isinstance(target, syntax.Name):
        return _simple(scope, node, target)
    if not isinstance(target, syntax.Member):
        return _invoke(scope, scope.code(target), _arguments(scope, node))
    if isinstance(target.target, syntax.Base):
        raise unsupported("'base'")
    owner = scope.entity(target.target)
    arguments = _arguments(scope, node, target.type_arguments)
    if isinstance(owner, Namespace):
        raise EvaluationError(f"error CS0234: '{target.name}' does not exist in the namespace '{owner.name}'")
    if isinstance(owner, Type):
        return _static(scope, owner, target.name, arguments)
    if owner.type.kind is Kind.NULL:
        raise EvaluationError("error CS0023: Operator '.' cannot be applied to operand of type '<null>'")
    named = isinstance(target.target, syntax.Name) and is_named_as_its_type(
        target.target, Bound(_unused, owner.type)
    )  # fmt: skip
    return on_value(scope, owner, target.name, arguments, is_named_as_its_type=named)


def _arguments(scope: Scope, node: syntax.Call, type_arguments: tuple[syntax.TypeSyntax, ...] = ()) -> Arguments:
    return Arguments(scope, node.arguments, scope.binder.type_arguments(type_arguments), node.receiver)


def _held(scope: Scope, name: str) -> Bound | None:
    """A variable of the code, for its name and its type only; None for other names."""
    if name not in scope.variables and name not in scope.captured:
        return None
    return Bound(_unused, scope.code(syntax.Name(name)).type)


def _simple(scope: Scope, node: syntax.Call, target: syntax.Name) -> Code:
    if target.name == "nameof" and len(node.arguments) == 1:
        bound = bind_name_of(scope.binder, node.arguments[0].value, lambda name: _held(scope, name))
        assert bound.constant is not None
        return captured_constant(bound.constant)
    if target.name in scope.variables or target.name in scope.captured:
        return _invoke(scope, scope.code(target), _arguments(scope, node))
    arguments = _arguments(scope, node, target.type_arguments)
    own = this(scope)
    if own is not None:
        made = _method_of(scope, own.type, own, target.name, arguments)
        if isinstance(made, Invoked) and made.target is own:
            check_this(own)
        if made is not None:
            return made
    for owner in (*scope.binder.user_types(), *scope.binder.lookup.imports.static_types):
        made = _method_of(scope, owner, None, target.name, arguments)
        if made is not None:
            return made
    held = variable(scope, target.name)
    if held is None:
        raise diagnostics.no_name(target.name)
    return _invoke(scope, held, arguments)


def captured_constant(operand: Operand) -> Code:
    """A constant of the source."""
    return Captured(operand.type, operand, is_constant=True)


def _static(scope: Scope, owner: Type, name: str, arguments: Arguments) -> Code:
    made = _method_of(scope, owner, None, name, arguments)
    if made is not None:
        return made
    held = static_member(scope, owner, name)
    if held is None:
        raise diagnostics.no_static_member(owner.name, name)
    return _invoke(scope, held, arguments)


def on_value(
    scope: Scope, target: Code, name: str, arguments: Arguments, *, is_named_as_its_type: bool = False
) -> Code:
    """`target.name(arguments)`: a method, a delegate that a member holds, or an extension method. CS1061."""
    found = methods(scope, target.type, name)
    if is_named_as_its_type and found and all(one.method.is_static for one in found):
        return _static(scope, target.type, name, arguments)
    made = _method_of(scope, target.type, target, name, arguments)
    if made is not None:
        return made
    if not found:
        held = member(scope, target, name)
        if held is not None:
            return _invoke(scope, held, arguments)
    receiver = stand_in(target)
    lookup, given = scope.binder.lookup, arguments.given
    chosen = choose_extension(scope.env, lookup, name, receiver, given, of_spans=False)  # no tree has spans
    if chosen is None:
        if found or not extensions(scope.env, lookup, name):
            raise diagnostics.no_member(target.type.name, name)
        offered = Given([receiver, *given.operands], (), given.types)
        raise why_no_overload(scope.universe, extensions(scope.env, lookup, name), offered, name)
    arguments.receive(receiver, target)
    return called(scope, chosen, None, arguments.passed(chosen))


def methods(scope: Scope, owner: Type, name: str) -> list[Candidate]:
    """The methods of a name that a type and its bases declare."""
    return [
        candidate
        for declaring in bases_of(scope.universe, owner)
        for candidate in candidates(scope.universe, declaring)
        if candidate.method.name == name
    ]


def _method_of(scope: Scope, owner: Type, target: Code | None, name: str, arguments: Arguments) -> Code | None:
    """A call of a method by its name; None where there is none, or only ones that an extension method stands for."""
    found = [one for one in methods(scope, owner, name) if target is not None or one.method.is_static]
    if not found:
        return None
    shown = f"{owner.name}.{name}"
    chosen = choose(scope.universe, found, arguments.given, name=shown)
    if chosen is None:
        if target is not None and extensions(scope.env, scope.binder.lookup, name):
            return None
        raise why_no_overload(scope.universe, found, arguments.given, shown)
    return called(scope, chosen, None if chosen.candidate.method.is_static else target, arguments.passed(chosen))


def called(scope: Scope, chosen: Chosen, target: Code | None, passed: tuple[Code, ...]) -> Code:
    """A call of the chosen method, with its arguments in the form of its parameters."""
    from portablepdb.signatures import ByRefType

    kind = chosen.candidate.return_type(scope.universe, chosen.type_arguments)
    if kind is None or isinstance(chosen.candidate.method.signature.return_type, ByRefType):
        raise unsupported(f"A call of '{chosen.candidate.method.name}', which returns a reference,")
    return Invoked(checked_type(scope, kind), chosen.exact, target, passed)


def _invoke(scope: Scope, held: Code, arguments: Arguments) -> Code:
    """A call of a delegate. CS0149."""
    if delegate_signature(scope.universe, held.type) is None:
        raise EvaluationError("error CS0149: Method name expected")
    made = _method_of(scope, held.type, held, "Invoke", arguments)
    assert made is not None
    return made


def constructed(scope: Scope, kind: Type, arguments: Arguments, initialised: frozenset[str] = frozenset()) -> Code:
    """`new kind(arguments)`, before its initializer. CS0144, CS1729, CS9035."""
    given = arguments.given
    definition, module = scope.universe.definition_of(kind), scope.universe.module_of(kind)
    if kind.kind in (Kind.ARRAY, Kind.NULLABLE) or definition is None or module is None or module.metadata is None:
        raise unsupported(f"new {kind.name}(…)")
    if module.metadata.type_def(definition[1]).flags & _ABSTRACT:
        raise EvaluationError(
            f"error CS0144: Cannot create an instance of the abstract type or interface '{kind.name}'"
        )
    if delegate_signature(scope.universe, kind) is not None:
        return _delegate(scope, kind, given)
    found = [one for one in candidates(scope.universe, kind) if one.method.name == ".ctor"]
    chosen = choose(scope.universe, found, given, name=kind.name)
    if chosen is None:
        if given.operands or not kind.is_value_type:
            shown = ", ".join(argument.type.name for argument in given.operands)
            raise EvaluationError(f"error CS1729: No constructor of '{kind.name}' takes the arguments ({shown})")
        check_required(scope.env, kind, None, initialised)
        return Zero(kind)
    check_required(scope.env, kind, chosen.candidate, initialised)
    exact = ExactMethod(kind, MethodToken(chosen.candidate.method.token))
    return Made(checked_type(scope, kind), exact, arguments.passed(chosen))


def _delegate(scope: Scope, kind: Type, given: Given) -> Code:
    source = source_of(given.operands[0]) if len(given.operands) == 1 else None
    if source is None:
        raise EvaluationError("error CS0149: Method name expected")
    return scope.function(source, kind)


def _unused(env: object) -> Operand:
    raise AssertionError
