"""The arguments of a call in code: their types for overload resolution, and in the form of the chosen parameters.

An interpolated string may become a handler (C# specification 12.8.3): it is made with what the method's other arguments
have, takes the string piece by piece as long as it wants, and is passed then.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from dap_dotnet.evaluation import bound_tree as bound
from dap_dotnet.evaluation.binding.conversions import implicit, result_of
from dap_dotnet.evaluation.binding.scope import Scope, constant_of, stand_in, unsupported
from dap_dotnet.evaluation.bound_tree import Code
from dap_dotnet.evaluation.diagnostics import Diagnostic
from dap_dotnet.evaluation.environment import utf16_length
from dap_dotnet.evaluation.rules.applicable import CallSite, Chosen, Given, keyword_of
from dap_dotnet.evaluation.rules.conversions import is_handler, takes_formattable
from dap_dotnet.evaluation.rules.overload_errors import why_no_overload
from dap_dotnet.evaluation.rules.overloads import choose
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types import declarations
from dap_dotnet.evaluation.types.csharp_types import Elements, Operand, Type, WrittenText


class _Form(Struct, frozen=True):
    """What is known of an argument: its code, or the node that the parameter's type binds, or both for a string."""

    code: Code | None = None
    node: syntax.Node | None = None
    word: str = ""
    """`ref` or `out`."""


_PLAIN = _Form()


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
        self._forms: dict[int, _Form] = {}
        """By the numbers of the operands."""
        self.untyped = set[Code]()
        """Variables that `out var` declares."""
        operands, constants, by_reference = list[Operand](), list[Operand | None](), set[int]()
        for number, argument in enumerate(arguments):
            constants.append(None)
            value, form = argument.value, _Form(node=argument.value)
            if argument.modifier in ("ref", "out"):
                place = self._place(value)
                operands.append(Operand(place.type if place is not None else types.NULL, None))
                form = _Form(place, value, argument.modifier)
                by_reference.add(number)
            elif isinstance(value, syntax.Default | syntax.New) and value.type is None:
                operands.append(Operand(types.DEFAULT, None))
            elif isinstance(value, syntax.Collection):
                operands.append(self._collection(value))
            else:
                code = scope.code_or_source(value)
                if not isinstance(code, Code):
                    operands.append(Operand(types.LAMBDA, code))
                    continue
                is_text = isinstance(value, syntax.Interpolated)
                if is_text:
                    text = WrittenText()
                    text.has_holes = not isinstance(code, bound.Captured)
                    operands.append(Operand(types.STRING, text))
                else:
                    operands.append(stand_in(code, scope.names_of(code)))
                constants[-1] = constant_of(code)
                form = _Form(code, value if is_text else None)
            self._forms[id(operands[-1])] = form
        names = [argument.name for argument in arguments]
        site = CallSite(scope.env.context, [argument.text for argument in arguments], receiver)
        self.given = Given(operands, names, type_arguments, constants, frozenset(by_reference), site=site)

    @classmethod
    def of_codes(
        cls,
        scope: Scope,
        codes: Sequence[Code],
        names: Sequence[str | None] = (),
        by_reference: frozenset[int] = frozenset(),
    ) -> Arguments:
        """Arguments that are bound already."""
        made = cls(scope, (), ())
        operands = [stand_in(code) for code in codes]
        made._forms = {id(operand): _Form(code) for operand, code in zip(operands, codes, strict=True)}
        made.given = Given(operands, names, (), [constant_of(code) for code in codes], by_reference)
        return made

    def add_closures(self, variables: Sequence[Code]) -> None:
        """What a local function takes by reference as its last parameters."""
        first = len(self.given.operands)
        operands = [*self.given.operands, *(Operand(one.type, None) for one in variables)]
        for operand, code in zip(operands[first:], variables, strict=True):
            self._forms[id(operand)] = _Form(code, word="ref")
        by_reference = self.given.by_reference | frozenset(range(first, len(operands)))
        self.given = replace(self.given, operands=operands, by_reference=by_reference, closures=len(variables))

    @property
    def codes(self) -> list[Code]:
        """The values among the arguments, in the order of the source."""
        forms = [self._form(operand) for operand in self.given.operands]
        return [form.code for form in forms if form.code is not None and not form.word]

    def _form(self, operand: Operand) -> _Form:
        return self._forms.get(id(operand), _PLAIN)

    @property
    def are_late(self) -> bool:
        """Whether the types of some show at run time only."""
        return any(map(bound.is_late, self.codes))

    def replaced(self, scope: Scope, codes: Sequence[Code]) -> Arguments:
        """The same with other values, in the order of `codes`."""
        made, remaining = Arguments(scope, (), ()), list(codes)
        operands, constants = list(self.given.operands), list(self.given.constants)
        for number, operand in enumerate(self.given.operands):
            form = self._form(operand)
            if form.code is not None and not form.word:
                code = remaining.pop(0)
                if form.node is None:
                    operands[number] = stand_in(code)
                form, constants[number] = _Form(code, form.node), constant_of(code)
            made._forms[id(operands[number])] = form
        made.given = replace(self.given, operands=operands, constants=constants)
        return made

    def _collection(self, node: syntax.Collection) -> Operand:
        """A collection expression, for the types of its elements only."""
        scope, items, constants = self._scope, list[Operand](), list[Operand | None]()
        for item in node.items:
            if isinstance(item.value, syntax.Collection):
                items.append(self._collection(item.value))
                constants.append(None)
                continue
            code = scope.code_or_source(item.value)
            if not isinstance(code, Code):
                items.append(Operand(types.LAMBDA, code))
            else:
                items.append(_spread(scope, code) if item.is_spread else stand_in(code))
            known = isinstance(items[-1].data, Code) and not item.is_spread
            constants.append(constant_of(items[-1].data) if known else None)
        made = Elements(items)
        made.constants = tuple(constants)
        return Operand(types.COLLECTION, made)

    def _place(self, node: syntax.Node) -> Code | None:
        """What is passed by reference; None for a discard and `out var`, of which the parameter says the type."""
        scope = self._scope
        if isinstance(node, syntax.Declaration):
            if node.type is None:
                return None
            name = "" if node.name == "_" else node.name
            return scope.declare(scope.binder.type(node.type), name, node.type)
        is_discard = isinstance(node, syntax.Name) and node.name == "_" and "_" not in scope.variables
        return scope.reference(node) if not is_discard else None

    def _declared(self, node: syntax.Node | None, kind: Type) -> Code:
        """The variable that `out var` declares, or one for a discard."""
        name = node.name if isinstance(node, syntax.Declaration) and node.name != "_" else ""
        made = self._scope.declare(kind, name)
        self.untyped.add(made)
        return made

    def receive(self, operand: Operand, code: Code) -> None:
        """What an extension method is called on is its first argument."""
        self._forms[id(operand)] = _Form(code)

    def evaluated_in_order(self, chosen: Chosen, passed: tuple[Code, ...], before: list[Code]) -> tuple[Code, ...]:
        """Arguments that names have put in another order than the parameters', evaluated as they are written."""
        first = len(chosen.arguments) if chosen.expanded is None else len(passed) - 1
        order = self.written_order(chosen)[:first]
        if order == sorted(order):
            return passed
        made = list(passed)
        for number in sorted(range(first), key=lambda number: order[number]):
            if not self.is_place(chosen.arguments[number]) and not isinstance(made[number], bound.Zero):
                made[number] = self._scope.kept_value(made[number], before)
        return tuple(made)

    def written_order(self, chosen: Chosen) -> list[int]:
        """For each of the parameters where its argument is written; -1 for those that are left out."""
        places = {id(operand): number for number, operand in enumerate(self.given.operands)}
        return [places.get(id(operand), -1) for operand in chosen.arguments]

    def text(self, operand: Operand) -> syntax.Interpolated | None:
        """The interpolated string that an argument is."""
        form = self._form(operand)
        return form.node if form.code is not None and isinstance(form.node, syntax.Interpolated) else None

    def is_place(self, operand: Operand) -> bool:
        """Whether an argument is passed by reference."""
        return self._form(operand).word != ""

    def passed(self, chosen: Chosen) -> tuple[Code, ...]:
        """The arguments in the order of the chosen method's parameters."""
        scope = self._scope
        kinds = chosen.candidate.parameter_types(scope.universe, chosen.type_arguments)
        self._check_words(chosen)
        first = len(kinds) - 1 if chosen.expanded is not None else len(kinds)
        made = [self.one(operand, kinds[number]) for number, operand in enumerate(chosen.arguments[:first])]
        if chosen.expanded is not None:
            kind, element = kinds[-1], chosen.expanded
            assert kind is not None
            made.append(scope.collection(kind, tuple(self.one(one, element) for one in chosen.arguments[first:])))
        return tuple(made)

    def _check_words(self, chosen: Chosen) -> None:
        """CS1620: `ref` and `out` are those of the method's parameters."""
        for position, operand in enumerate(chosen.arguments):
            form = self._form(operand)
            given = form.word if form.node is not None else ""
            word = keyword_of(chosen.candidate, position) if given else "in"
            if word not in ("in", given):
                number = next(place for place, one in enumerate(self.given.operands) if one is operand)
                raise Diagnostic("CS1620", number + 1, word, argument=number)
            if (word, given) == ("in", "out"):
                raise Diagnostic("CS1615", position + 1, given)

    def one(self, operand: Operand, kind: Type | None) -> Code:
        """An argument in the form of its parameter."""
        if kind is None:
            raise unsupported("An argument of a type that is not loaded")
        form = self._form(operand)
        if form.word:
            return form.code or self._declared(form.node, kind)
        if form.code is None and form.node is not None:
            return self._scope.code(form.node, kind)
        source = bound.source_of(operand)
        if source is not None:
            return self._scope.function(source, kind)
        text, code = self.text(operand), form.code
        if text is not None and takes_formattable(operand, kind):
            return self._scope.code(text, kind)
        if code is None:  # the default of an optional parameter
            code = bound.Zero(kind) if operand.data is None else bound.Captured(kind, operand, is_constant=True)
        return implicit(self._scope, code, kind)


def _spread(scope: Scope, code: Code) -> Operand:
    """An element of a sequence that is spread. CS1579."""
    kind = declarations.sequence_element(scope.universe, code.type)
    if kind is None:
        raise Diagnostic("CS1579", code.type.name)
    return Operand(kind, None)


_ARGUMENTS = "System.Runtime.CompilerServices.InterpolatedStringHandlerArgumentAttribute"
Apply = Callable[[Code | None, tuple[Code, ...]], Code]
"""Makes the call of a target, None for a static method or a constructor, and its arguments."""


def applied(scope: Scope, arguments: Arguments, chosen: Chosen, target: Code | None, apply: Apply) -> Code:
    """The call that `apply` makes of its target and its arguments, with the handlers among them made before."""
    kinds = chosen.candidate.parameter_types(scope.universe, chosen.type_arguments)
    handlers = dict[int, syntax.Interpolated]()
    for number, (operand, kind) in enumerate(zip(chosen.arguments, kinds, strict=False)):
        text = arguments.text(operand)
        if text is not None and kind is not None and is_handler(scope.universe, kind):
            handlers[number] = text
    if not handlers:
        before: list[Code] = []
        passed = arguments.evaluated_in_order(chosen, arguments.passed(chosen), before)
        if not before:
            return apply(target, passed)
        aim: list[Code] = []
        made = apply(scope.kept_owner(target, aim), passed)
        return bound.Steps(made.type, (), (*aim, *before, made))
    handled = _Handled(scope, chosen.candidate, target, arguments.written_order(chosen))
    for number, (operand, kind) in enumerate(zip(chosen.arguments, kinds, strict=True)):
        if number in handlers and kind is not None:
            handled.make(kind, number, handlers[number])
        else:
            is_place = arguments.is_place(operand) or number > max(handlers)
            handled.keep(arguments.one(operand, kind), is_place=is_place)
    return handled.applied(apply)


class _Handled:
    """A call with such arguments. Its target and arguments are evaluated in their order, each once."""

    def __init__(self, scope: Scope, method: declarations.Candidate, target: Code | None, order: Sequence[int]) -> None:
        """`order`: for each parameter where its argument is written."""
        self._scope = scope
        self._method = method
        self._order = order
        self._variables: list[bound.Variable] = []
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
        self._steps.append(bound.assigned(handler, made))
        calls = [self._append(handler, part) for part in node.parts]
        if any(call.type is not calls[0].type for call in calls):
            raise Diagnostic("CS8942", kind.name)
        if calls and calls[0].type not in (types.BOOL, types.VOID):
            raise Diagnostic("CS8941", kind.name)
        if declarations.is_stack_only(scope.universe, kind) and any(
            bound.contains(call, bound.Awaited) for call in calls
        ):
            raise unsupported(f"'await' in a '{kind.name}'")
        self._steps += _in_turn(calls, goes_on)
        self._passed.append(handler)

    def applied(self, apply: Apply) -> Code:
        """The call."""
        made = apply(self._target, tuple(self._passed))
        return bound.Steps(made.type, tuple(self._variables), (*self._steps, made))

    def _variable(self, kind: Type) -> bound.Variable:
        """Of the call's own: a `ref struct` lives in no closure."""
        made = bound.Variable(kind, "")
        self._variables.append(made)
        return made

    def _kept(self, code: Code) -> Code:
        if isinstance(code, bound.Captured | bound.Zero):
            return code
        kept = self._variable(code.type)
        self._steps.append(bound.assigned(kept, code))
        return kept

    def _made(self, kind: Type, position: int, node: syntax.Interpolated) -> tuple[Code, bound.Variable | None]:
        """A new handler, and the variable that says whether it wants the string; None where it always does."""
        scope = self._scope
        texts = [part for part in node.parts if isinstance(part, str)]
        lengths = bound.integer(sum(map(utf16_length, texts))), bound.integer(len(node.parts) - len(texts))
        given: list[Code] = [*lengths, *self._named(position)]
        found = declarations.constructors(scope.universe, kind)
        goes_on = self._variable(types.BOOL)
        for wanted, by_reference in (([*given, goes_on], frozenset({len(given)})), (given, frozenset[int]())):
            arguments = Arguments.of_codes(scope, wanted, (), by_reference)
            chosen = choose(scope.universe, found, arguments.given, name=kind.name)
            if chosen is not None:
                made = bound.Made(kind, chosen.candidate.exact, arguments.passed(chosen))
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

    def _append(self, handler: bound.Variable, part: str | syntax.Hole) -> Code:
        scope = self._scope
        if isinstance(part, str):
            return self._call(handler, "AppendLiteral", Arguments.of_codes(scope, (bound.characters(part),)))
        codes, names = [scope.code(part.value)], list[str | None]([None])
        if part.alignment:
            codes.append(bound.integer(part.alignment))
            names.append("alignment")
        if part.format:
            codes.append(bound.characters(part.format))
            names.append("format")
        return self._call(handler, "AppendFormatted", Arguments.of_codes(scope, codes, names))

    def _call(self, handler: bound.Variable, name: str, arguments: Arguments) -> Code:
        scope, kind = self._scope, handler.type
        found = declarations.methods_named(scope.universe, kind, name)
        if not found:
            raise Diagnostic("CS1061", kind.name, name)
        chosen = choose(scope.universe, found, arguments.given, name=f"{kind.name}.{name}")
        if chosen is None:
            raise why_no_overload(scope.universe, found, arguments.given, f"{kind.name}.{name}")
        return bound.Invoked(result_of(scope, chosen), chosen.exact, handler, arguments.passed(chosen))


def _argument_names(method: declarations.Candidate, position: int) -> Sequence[str]:
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


def _in_turn(calls: Sequence[Code], goes_on: bound.Variable | None) -> list[Code]:
    """The calls one after the other, as long as the handler wants."""
    if calls and calls[0].type is types.BOOL:
        return [bound.all_of(*calls) if goes_on is None else bound.all_of(goes_on, *calls)]
    if goes_on is None or not calls:
        return list(calls)
    return [bound.if_then(goes_on, bound.block(*calls))]
