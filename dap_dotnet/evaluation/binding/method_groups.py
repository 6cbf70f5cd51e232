"""Groups of methods as delegates (C# specification 10.8), and the program's own local functions.

The compiler has made these methods of a type under other names. Those that use variables of the method around them are
given these by reference, in structures that only the frame has, or are methods of their closure, an object.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from msgspec.structs import replace

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.binding.conversions import by_method, implicit
from dap_dotnet.evaluation.binding.scope import Scope, unsupported
from dap_dotnet.evaluation.bound_tree import Captured, Code, Function, FunctionSource, Group, Stored, Variable
from dap_dotnet.evaluation.diagnostics import Diagnostic
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.rules.applicable import Chosen, Given, has_default, takes_params
from dap_dotnet.evaluation.rules.overloads import choose
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Operand, Type
from dap_dotnet.evaluation.types.declarations import Candidate, DelegateSignature, candidates, is_subtype, methods_named
from dap_dotnet.runtime.model import Value

_CLOSURE = re.compile(r"<.*>c__DisplayClass")
Read = Callable[[Environment], Value]


def is_local_function(scope: Scope, name: str) -> bool:
    """Whether a name is that of a local function."""
    plain, captured = _plain(scope, name), _captured(scope, name)
    return bool(plain or captured)


def local_function_group(scope: Scope, name: str, this: Code | None) -> tuple[Type, Code | None, str] | None:
    """(its type, what it is called on, its own name) of a local function as a delegate's method; None: there is none.

    Raises `EvaluationError` where a delegate cannot have what the function uses.
    """
    meant = local_function(scope, name, this)
    if meant is None:
        return None
    only, target, closures = meant
    if closures:
        raise _uses_variables(name)
    return only.owner, target, only.method.name


def local_function(scope: Scope, name: str, this: Code | None) -> tuple[Candidate, Code | None, Sequence[Code]] | None:
    """The function of a name, what it is called on, and the closures that it takes last; None: there is none."""
    captured, plain = _captured(scope, name), _plain(scope, name)
    if captured:
        only, read = captured[0]
        kind = scope.env.type_of(read(scope.env).type)
        if kind is None:
            raise _uses_variables(name)
        return only, _closure(kind, read), ()
    if not plain:
        return None
    known = _closures(scope)
    fitting = [
        (one, kinds)
        for one in plain
        if (kinds := _closures_of(scope, one)) is not None and all(kind in known for kind in kinds)
    ]
    if not fitting:
        raise _uses_variables(name)
    if len(fitting) > 1:
        raise EvaluationError(f"Several methods have a local function '{name}', and it is ambiguous here")
    only, kinds = fitting[0]
    if this is None and not only.method.is_static:
        raise _uses_variables(name)
    closures = [_closure(kind, known[kind]) for kind in kinds]
    return only, None if only.method.is_static else this, closures


def _plain(scope: Scope, name: str) -> list[Candidate]:
    """The functions that are methods of the types around the site; some take closures as their last parameters."""
    owners = scope.binder.user_types()
    return [one for owner in owners for one in candidates(scope.universe, owner) if _is_named(one, name)]


def _captured(scope: Scope, name: str) -> list[tuple[Candidate, Read]]:
    """The functions that are methods of closures that the frame has, each with what reads its closure."""
    return [
        (one, read)
        for kind, read in _closures(scope).items()
        for one in candidates(scope.universe, kind)
        if _is_named(one, name)
    ]


def _is_named(candidate: Candidate, name: str) -> bool:
    return re.fullmatch(rf"<([^<>]*)>g__{re.escape(name)}\|\d+(_\d+)?", candidate.method.name) is not None


def _closures(scope: Scope) -> dict[Type, Read]:
    """What reads the frame's closures, by their types; the innermost one of each."""
    variables, found = scope.binder.variables, dict[Type, Read]()
    for read, type_id in variables.closures(scope.env) if variables is not None else ():
        kind = scope.env.type_of(type_id)
        if kind is not None:
            found.setdefault(kind, read)
    return found


def _closures_of(scope: Scope, candidate: Candidate) -> list[Type] | None:
    """The types of the closures that a function takes as its last parameters; None where one is not known."""
    from portablepdb.signatures import ByRefType

    found = list[Type]()
    for entry in candidate.method.signature.parameters:
        if not isinstance(entry, ByRefType) or candidate.module is None:
            continue
        kind = scope.universe.of_signature(candidate.module, entry.element, candidate.owner.arguments)
        if kind is None:
            return None
        if _CLOSURE.search(kind.name) is not None:
            found.append(kind)
    return found


def _closure(kind: Type, read: Read) -> Stored:
    """A closure of the frame, which no source names."""

    def captured(env: Environment) -> Code:
        if not kind.is_reference:
            raise unsupported("A local function that uses variables of its method")
        return Captured(kind, env.operand(read(env), kind))

    return Stored(kind, "", lambda env: env.operand(read(env)), read, captured)


def _uses_variables(name: str) -> EvaluationError:
    """Of a local function whose variables the frame does not have."""
    return EvaluationError(
        f"The local function '{name}' uses variables of its method, which are not available in this frame"
    )


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

    def natural(self) -> tuple[Sequence[Type], Type] | None:
        """See `FunctionSource`: of the methods that the name means, which must be of one signature."""
        universe, signatures = self._scope.universe, dict[tuple[Type | None, ...], Type | None]()
        for one in self._methods():
            count = one.method.signature.generic_count
            if count and not self._type_arguments:
                return None
            if count != len(self._type_arguments) or (not one.method.is_static and self._target is None):
                continue
            kinds = tuple(one.parameter_types(universe, self._type_arguments))
            if takes_params(one) or any(has_default(one, number) for number in range(len(kinds))):
                return None  # the compiler makes a type of delegates of its own
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
        body = replace(by_method(scope, chosen, *parameters), target=target)
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
