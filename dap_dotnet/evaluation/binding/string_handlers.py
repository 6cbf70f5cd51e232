"""Handlers of interpolated strings in code (C# specification 12.8.3): what the compiler makes of an argument.

The handler is made with what the method's other arguments have, takes the string piece by piece as long as it wants,
and is passed then.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from dap_dotnet.evaluation.binding.arguments import Arguments
from dap_dotnet.evaluation.binding.await_lowering import contains
from dap_dotnet.evaluation.binding.evaluated_once import kept_owner
from dap_dotnet.evaluation.binding.members import result_of
from dap_dotnet.evaluation.binding.scope import Scope, unsupported
from dap_dotnet.evaluation.bound_tree import (
    Awaited,
    Captured,
    Code,
    Invoked,
    Made,
    Operation,
    Steps,
    Variable,
    Zero,
    assigned,
    block,
    characters,
    integer,
)
from dap_dotnet.evaluation.diagnostics import Diagnostic
from dap_dotnet.evaluation.environment import utf16_length
from dap_dotnet.evaluation.rules.applicable import Chosen
from dap_dotnet.evaluation.rules.conversions import is_handler
from dap_dotnet.evaluation.rules.overload_errors import why_no_overload
from dap_dotnet.evaluation.rules.overloads import choose
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Type
from dap_dotnet.evaluation.types.declarations import Candidate, constructors, is_stack_only, methods_named

_ARGUMENTS = "System.Runtime.CompilerServices.InterpolatedStringHandlerArgumentAttribute"


Apply = Callable[[Code | None, tuple[Code, ...]], Code]
"""Makes the call of a target, None for a static method or a constructor, and its arguments."""


def applied(scope: Scope, arguments: Arguments, chosen: Chosen, target: Code | None, apply: Apply) -> Code:
    """The call that `apply` makes of its target and its arguments, with the handlers among them made before."""
    kinds = chosen.candidate.parameter_types(scope.universe, chosen.type_arguments)
    texts = [arguments.text(operand) for operand in chosen.arguments]
    pairs = list(zip(texts, kinds, strict=False))
    handlers = [
        number
        for number, (text, kind) in enumerate(pairs)
        if text is not None and kind is not None and is_handler(scope.universe, kind)
    ]
    if not handlers:
        before: list[Code] = []
        passed = arguments.evaluated_in_order(chosen, arguments.passed(chosen), before)
        if not before:
            return apply(target, passed)
        aim: list[Code] = []
        made = apply(kept_owner(scope, target, aim), passed)
        return Steps(made.type, (), (*aim, *before, made))
    places = {id(operand): number for number, operand in enumerate(arguments.given.operands)}
    order = [places.get(id(operand), -1) for operand in chosen.arguments]
    handled = _Handled(scope, chosen.candidate, target, order)
    for number, (operand, kind) in enumerate(zip(chosen.arguments, kinds, strict=True)):
        text = texts[number]
        if number in handlers and kind is not None and text is not None:
            handled.make(kind, number, text)
        else:
            is_place = arguments.is_place(operand) or number > handlers[-1]
            handled.keep(arguments.one(operand, kind), is_place=is_place)
    return handled.applied(apply)


class _Handled:
    """A call with such arguments. Its target and arguments are evaluated in their order, each once."""

    def __init__(self, scope: Scope, method: Candidate, target: Code | None, order: Sequence[int]) -> None:
        """`order`: for each parameter where its argument is written."""
        self._scope = scope
        self._method = method
        self._order = order
        self._variables: list[Variable] = []
        self._steps: list[Code] = []
        self._passed: list[Code] = []
        self._target = self._kept(target) if target is not None and target.type.is_reference else target

    def keep(self, argument: Code, *, is_place: bool) -> None:
        """The next argument; `is_place`: it is passed as it is."""
        self._passed.append(argument if is_place else self._kept(argument))

    def make(self, kind: Type, position: int, node: syntax.Interpolated) -> None:
        """The next argument, for the parameter at a position: a handler. CS1729, CS8941, CS8942."""
        scope = self._scope
        handler = self._variable(kind)
        made, goes_on = self._made(kind, position, node)
        self._steps.append(assigned(handler, made))
        calls = [self._append(handler, part) for part in node.parts]
        if any(call.type is not calls[0].type for call in calls):
            raise Diagnostic("CS8942", kind.name)
        if calls and calls[0].type not in (types.BOOL, types.VOID):
            raise Diagnostic("CS8941", kind.name)
        if is_stack_only(scope.universe, kind) and any(contains(call, Awaited) for call in calls):
            raise unsupported(f"'await' in a '{kind.name}'")
        self._steps += _in_turn(calls, goes_on)
        self._passed.append(handler)

    def applied(self, apply: Apply) -> Code:
        """The call."""
        made = apply(self._target, tuple(self._passed))
        return Steps(made.type, tuple(self._variables), (*self._steps, made))

    def _variable(self, kind: Type) -> Variable:
        """Of the call's own: a `ref struct` lives in no closure."""
        made = Variable(kind, "")
        self._variables.append(made)
        return made

    def _kept(self, code: Code) -> Code:
        if isinstance(code, Captured | Zero):
            return code
        kept = self._variable(code.type)
        self._steps.append(assigned(kept, code))
        return kept

    def _made(self, kind: Type, position: int, node: syntax.Interpolated) -> tuple[Code, Variable | None]:
        """A new handler, and the variable that says whether it wants the string; None where it always does."""
        scope = self._scope
        texts = [part for part in node.parts if isinstance(part, str)]
        lengths = integer(sum(map(utf16_length, texts))), integer(len(node.parts) - len(texts))
        given: list[Code] = [*lengths, *self._named(position)]
        found = constructors(scope.universe, kind)
        goes_on = self._variable(types.BOOL)
        for wanted, by_reference in (([*given, goes_on], frozenset({len(given)})), (given, frozenset[int]())):
            arguments = Arguments.of_codes(scope, wanted, (), by_reference)
            chosen = choose(scope.universe, found, arguments.given, name=kind.name)
            if chosen is not None:
                made = Made(kind, chosen.candidate.exact, arguments.passed(chosen))
                return made, goes_on if by_reference else None
        shown = ", ".join(code.type.name for code in given)
        raise Diagnostic("CS1729 arguments", kind.name, shown)

    def _named(self, position: int) -> list[Code]:
        """What the attribute of a parameter names: other arguments, and what the method is called on. CS8950."""
        method, made = self._method, list[Code]()
        for name in _argument_names(method, position):
            if not name:
                if self._target is None:
                    raise unsupported("A handler of a method without an object")
                made.append(self._target)
                continue
            place = next((one for one, known in method.method.parameters.items() if known == name), 0) - 1
            if not 0 <= place < len(self._passed) or self._order[place] > self._order[position]:
                own = method.method.parameters.get(position + 1)
                raise Diagnostic("CS8950", name, own)
            made.append(self._passed[place])
        return made

    def _append(self, handler: Variable, part: str | syntax.Hole) -> Code:
        scope = self._scope
        if isinstance(part, str):
            return self._call(handler, "AppendLiteral", Arguments.of_codes(scope, (characters(part),)))
        codes, names = [scope.code(part.value)], list[str | None]([None])
        if part.alignment:
            codes.append(integer(part.alignment))
            names.append("alignment")
        if part.format:
            codes.append(characters(part.format))
            names.append("format")
        return self._call(handler, "AppendFormatted", Arguments.of_codes(scope, codes, names))

    def _call(self, handler: Variable, name: str, arguments: Arguments) -> Code:
        scope, kind = self._scope, handler.type
        found = methods_named(scope.universe, kind, name)
        if not found:
            raise Diagnostic("CS1061", kind.name, name)
        chosen = choose(scope.universe, found, arguments.given, name=f"{kind.name}.{name}")
        if chosen is None:
            raise why_no_overload(scope.universe, found, arguments.given, f"{kind.name}.{name}")
        return Invoked(result_of(scope, chosen), chosen.exact, handler, arguments.passed(chosen))


def _argument_names(method: Candidate, position: int) -> Sequence[str]:
    metadata = method.module.metadata if method.module is not None else None
    for row in method.method.parameter_rows if metadata is not None else ():
        if row.sequence != position + 1:
            continue
        assert metadata is not None
        for attribute in metadata.attributes_of(row.token):
            if attribute.type_name == _ARGUMENTS and attribute.fixed_arguments:
                value = attribute.fixed_arguments[0].value
                return (value,) if isinstance(value, str) else [one.value for one in value or ()]
    return ()


def _in_turn(calls: Sequence[Code], goes_on: Variable | None) -> list[Code]:
    """The calls one after the other, as long as the handler wants."""
    if calls and calls[0].type is types.BOOL:
        made: Code | None = goes_on
        for call in calls:
            made = call if made is None else Operation(types.BOOL, "AndAlso", (made, call))
        return [made] if made is not None else []
    if goes_on is None or not calls:
        return list(calls)
    return [Operation(types.VOID, "IfThen", (goes_on, block(*calls)))]
