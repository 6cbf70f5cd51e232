"""Calls left of an assignment: methods that return a variable (`ref`), C# specification 12.8.10.1, 15.6.2."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.binding.bound import Bound, Run
from dap_dotnet.evaluation.binding.name_binder import NameBinder
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.applicable import Given
from dap_dotnet.evaluation.operations.assignables import Assignable
from dap_dotnet.evaluation.operations.dispatch import returns_reference
from dap_dotnet.evaluation.operations.methods_by_name import choose_method
from dap_dotnet.evaluation.operations.overloads import convert_arguments
from dap_dotnet.evaluation.operations.returned_references import Returned
from dap_dotnet.evaluation.rules.diagnostics import Diagnostic, null_reference
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.types.csharp_types import ExactMethod, Operand, Type
from dap_dotnet.evaluation.types.declared_methods import candidates
from dap_dotnet.evaluation.types.inheritance import bases_of
from dap_dotnet.runtime.model import MethodToken


def bind_call_target(binder: NameBinder, node: syntax.Call) -> Callable[[Environment], Assignable] | None:
    """`M(…)` left of an assignment, where `M` returns a variable; None for other calls.

    The method is looked up in what the source says of its receiver, before anything is evaluated.
    """
    called = node.target
    receiver: Run | None = None
    if isinstance(called, syntax.Member):
        owner = binder.entity(called.target)
        if isinstance(owner, Bound):
            receiver = owner.run
            kinds = [owner.type] if owner.type is not None else []
        else:
            kinds = [owner] if isinstance(owner, Type) else []
    elif isinstance(called, syntax.Name):
        this = binder.this()
        receiver = this.run if this is not None else None
        kinds = binder.user_types()
    else:
        return None
    kind = next((one for one in kinds if _returns_reference(binder.env, one, called.name)), None)
    if kind is None:
        return None
    if any(argument.modifier for argument in node.arguments):
        raise EvaluationError(f"A call of '{called.name}' with ref or out arguments cannot be assigned to here")
    runs = [binder.expression(argument.value) for argument in node.arguments]
    names, given_types = [argument.name for argument in node.arguments], binder.type_arguments(called.type_arguments)
    constants = [bound.constant for bound in runs]

    def find(env: Environment) -> Assignable:
        target = receiver(env) if receiver is not None else None
        if target is not None:
            if target.data is None:
                raise null_reference(f"the target of '.{called.name}()'")
            env.live.append(target)
        before = len(env.live)
        for bound in runs:
            env.live.append(bound.run(env))
        given = Given(env.live[before:], names, given_types, constants)
        return _returned(env, target, kind, called.name, given)

    return find


def _returned(env: Environment, target: Operand | None, kind: Type, name: str, given: Given) -> Assignable:
    found = choose_method(env, target, kind, name, given)
    if found is None or not returns_reference(env, found[0].exact):
        raise Diagnostic("CS0131")
    chosen, receiver = found
    arguments: Sequence[Operand] = convert_arguments(env, chosen)
    env.live.extend(arguments)
    return Returned(env, chosen.exact, receiver, arguments)


def _returns_reference(env: Environment, kind: Type, name: str) -> bool:
    """Whether a method of the name, of a type or its bases, returns a variable."""
    return any(
        returns_reference(env, ExactMethod(one.owner, MethodToken(one.method.token)))
        for owner in bases_of(env.universe, kind)
        for one in candidates(env.universe, owner)
        if one.method.name == name
    )
