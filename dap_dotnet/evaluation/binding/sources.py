"""What a delegate is made of: a lambda, or a group of methods (C# specification 10.7, 10.8)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import zip_longest

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.binding.bodies import bind_async, bind_body, gives_tasks
from dap_dotnet.evaluation.binding.conversions import implicit, item_of, typed
from dap_dotnet.evaluation.binding.element_names import declared
from dap_dotnet.evaluation.binding.members import result_of
from dap_dotnet.evaluation.binding.scope import Scope, unsupported
from dap_dotnet.evaluation.binding.statements import is_statement
from dap_dotnet.evaluation.bound_tree import Code, Function, FunctionSource, Group, Invoked, Steps, Variable, assigned
from dap_dotnet.evaluation.diagnostics import Diagnostic
from dap_dotnet.evaluation.rules.applicable import Chosen, Given, has_defaults, takes_params
from dap_dotnet.evaluation.rules.overloads import choose
from dap_dotnet.evaluation.syntax import statement_tree as statements
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.syntax.tree import passing
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Operand, Type, is_tuple
from dap_dotnet.evaluation.types.declarations import Candidate, DelegateSignature, is_subtype, methods_named

MakeScope = Callable[[Mapping[str, Variable]], Scope]
"""A new scope, with the parameters of a lambda."""


class LambdaSource(FunctionSource):
    """A lambda."""

    def __init__(self, scope: MakeScope, node: syntax.Lambda) -> None:
        self._scope = scope
        self._node = node
        self._results: dict[tuple[object, ...], Type | None] = {}
        self.is_async = node.is_async

    def takes(self, count: int) -> bool:
        """See `FunctionSource`."""
        return len(self._node.parameters) == count

    def written_types(self) -> Sequence[Type | None]:
        """See `FunctionSource`."""
        if not self._node.types:
            return ()
        binder = self._scope({}).binder
        return [binder.type(kind) if kind is not None else None for kind in self._node.types]

    def result_type(self, parameters: Sequence[Type]) -> Type | None:
        """See `FunctionSource`."""
        key = (*parameters, *self.names_by_type.items())
        if key not in self._results:
            try:
                self._results[key] = self._built(parameters, None)[1].type
            except EvaluationError as error:
                self.fault = error
                self._results[key] = None
        return self._results[key]

    def code(self, delegate: Type, signature: DelegateSignature) -> Code:
        """See `FunctionSource`."""
        if not self.takes(len(signature.parameters)):
            raise Diagnostic("CS1593", delegate.name, len(self._node.parameters))
        if signature.has_references or signature.result is None:
            raise unsupported("A parameter by reference")
        kinds = [kind for kind in signature.parameters if kind is not None]
        if len(kinds) != len(signature.parameters):
            raise unsupported("A parameter of a type that is not loaded")
        for number, written in enumerate(self.written_types(), 1):
            if written is not None and written is not kinds[number - 1]:
                raise Diagnostic("CS1678", number, written.name, kinds[number - 1].name)
        if self.is_async and not gives_tasks(signature.result):
            raise Diagnostic("CS4010", delegate.name)
        parameters, body = self._built(kinds, signature.result)
        return Function(delegate, parameters, body)

    def _built(self, kinds: Sequence[Type], result: Type | None) -> tuple[tuple[Variable, ...], Code]:
        """Its parameters and its body; `result` None: of the type that the body shows."""
        with passing(self._node.at):
            return self._bound(kinds, result)

    def _bound(self, kinds: Sequence[Type], result: Type | None) -> tuple[tuple[Variable, ...], Code]:
        node, parameters, by_name = self._node, list[Variable](), dict[str, Variable]()
        for name, kind in zip(node.parameters, kinds, strict=True):
            parameters.append(Variable(kind, name if isinstance(name, str) else ""))
            if isinstance(name, str) and (name != "_" or node.parameters.count(name) == 1):  # several are discards
                by_name[name] = parameters[-1]
        scope = self._scope(by_name)
        before: list[Code] = []
        if self.names_by_type:
            scope.names_by_type = {**scope.names_by_type, **self.names_by_type}
        for name, parameter, written in zip_longest(node.parameters, parameters, node.types):
            declared(scope, parameter, written)
            if not isinstance(name, str):
                _take_apart(scope, name, parameter, before)
        if node.is_async:
            body = bind_async(scope, node.body, result)
        elif isinstance(node.body, statements.Block):
            body = bind_body(scope, node.body, result)
        elif result is None:
            body = scope.code(node.body)
        elif result is types.VOID:
            body = scope.code(node.body)
            if isinstance(node.body, syntax.Throw):
                body = implicit(scope, body, types.VOID)
            elif not is_statement(node.body):
                raise Diagnostic("CS0201")
        else:
            body = typed(scope, node.body, result)
        if scope.own:
            body = Steps(body.type, tuple(scope.own), (*before, body))
        return tuple(parameters), body


def _take_apart(scope: Scope, names: Sequence[str], value: Code, before: list[Code]) -> None:
    """The variables of a query that travel in one tuple. CS8132."""
    if not is_tuple(value.type) or len(value.type.arguments) != len(names):
        raise Diagnostic("CS8132", len(value.type.arguments), len(names))
    for number, name in enumerate(names, 1):
        item = item_of(scope, value, number)
        kept = declared(scope, scope.declare(item.type, name), None, item)
        before.append(assigned(kept, item))


class GroupSource(FunctionSource):
    """The methods of a name: on a value, or static ones of a type."""

    is_group = True

    def __init__(
        self, scope: Scope, owner: Type, target: Code | None, name: str, type_arguments: tuple[Type, ...] = ()
    ) -> None:
        self._scope = scope
        self._owner = owner
        self._target = target
        self._name = name
        self._type_arguments = type_arguments
        self._is_alone = not scope.in_lambda
        """Whether the delegate is made of the method itself; else, inside of a lambda, of code that calls it."""

    def _methods(self) -> list[Candidate]:
        return methods_named(self._scope.universe, self._owner, self._name)

    def takes(self, count: int) -> bool:
        """See `FunctionSource`."""
        return any(len(one.method.signature.parameters) == count for one in self._methods())

    def written_types(self) -> Sequence[Type | None]:
        """See `FunctionSource`."""
        return ()

    def natural(self) -> tuple[Sequence[Type], Type] | None:
        """See `FunctionSource`: of the methods that the name means, which must be of one signature."""
        universe, signatures = self._scope.universe, dict[tuple[Type | None, ...], Type | None]()
        for one in self._methods():
            count = one.method.signature.generic_count
            if count and not self._type_arguments:
                return None
            if count != len(self._type_arguments) or (not one.method.is_static and self._target is None):
                continue
            if has_defaults(one) or takes_params(one):
                return None  # the compiler makes a type of delegates of its own
            kinds = tuple(one.parameter_types(universe, self._type_arguments))
            signatures.setdefault(kinds, one.return_type(universe, self._type_arguments))
        if len(signatures) != 1:
            return None
        ((found, result),) = signatures.items()
        known = [kind for kind in found if kind is not None]
        return (known, result) if len(known) == len(found) and result is not None else None

    def result_type(self, parameters: Sequence[Type]) -> Type | None:
        """See `FunctionSource`."""
        try:
            chosen = self._chosen(parameters)
        except EvaluationError as error:
            self.fault = error
            return None
        return chosen.candidate.return_type(self._scope.universe, chosen.type_arguments)

    def code(self, delegate: Type, signature: DelegateSignature) -> Code:
        """See `FunctionSource`."""
        kinds = [kind for kind in signature.parameters if kind is not None]
        if len(kinds) != len(signature.parameters) or signature.has_references or signature.result is None:
            raise unsupported("A parameter by reference")
        chosen, scope = self._chosen(kinds), self._scope
        target = None if chosen.candidate.method.is_static else self._target
        if target is None and not chosen.candidate.method.is_static:
            raise Diagnostic("CS0120", self._owner.name, self._name)
        self._check(delegate, signature, chosen)
        if self._is_alone and (target is None or target.type.is_reference):
            return Group(delegate, chosen.exact, target)
        parameters = tuple(Variable(kind, f"p{number}") for number, kind in enumerate(kinds))
        wanted = chosen.candidate.parameter_types(scope.universe, chosen.type_arguments)
        passed = tuple(
            implicit(scope, parameter, kind)
            for parameter, kind in zip(parameters, wanted, strict=True)
            if kind is not None
        )
        body = Invoked(result_of(scope, chosen), chosen.exact, target, passed)
        return Function(delegate, parameters, body if signature.result is types.VOID else implicit(
            scope, body, signature.result
        ))  # fmt: skip

    def _chosen(self, kinds: Sequence[Type]) -> Chosen:
        found = [one for one in self._methods() if one.method.is_static or self._target is not None]
        chosen = choose(
            self._scope.universe, found, Given([Operand(kind, None) for kind in kinds], (), self._type_arguments)
        )
        if chosen is None or chosen.expanded is not None or len(chosen.arguments) != len(kinds):
            raise Diagnostic("CS0123 unknown", self._name)
        return chosen

    def _check(self, delegate: Type, signature: DelegateSignature, chosen: Chosen) -> None:
        """Parameters and result convert by identity or reference only. CS0123, CS0407."""
        universe = self._scope.universe
        result = chosen.candidate.return_type(universe, chosen.type_arguments)
        assert signature.result is not None
        pairs = zip(
            signature.parameters, chosen.candidate.parameter_types(universe, chosen.type_arguments), strict=True
        )
        for given, taken in pairs:
            if given is None or taken is None or not self._is_same(given, taken):
                raise Diagnostic("CS0123", self._name, delegate.name)
        is_same = result is types.VOID if signature.result is types.VOID else (
            result is not None and self._is_same(result, signature.result)
        )  # fmt: skip
        if not is_same:
            shown = result.name if result is not None else "?"
            raise Diagnostic("CS0407", shown, self._owner.name, self._name)

    def _is_same(self, source: Type, target: Type) -> bool:
        if source is target:
            return True
        return not source.is_value_type and source is not types.VOID and is_subtype(
            self._scope.universe, source, target
        )  # fmt: skip
