"""Calls inside interpreted methods: other methods that only read, and those whose result is known."""

from __future__ import annotations

from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.interpreter.machine import Activation, NotInterpretable
from dap_dotnet.evaluation.interpreter.stack_values import Address, typed
from dap_dotnet.evaluation.operations.methods import dispatch, method_of
from dap_dotnet.evaluation.operations.overloads import Candidate
from dap_dotnet.evaluation.types.csharp_types import ExactMethod, Kind, Operand, Type
from dap_dotnet.runtime.model import Value


def call(frame: Activation, token: int) -> None:
    """`call` and `callvirt`."""
    env = frame.env
    exact = frame.code.scope.method(token)
    if exact is None:
        raise NotInterpretable("a method that is not known")
    method = method_of(env, exact)
    signature = method.signature
    count = len(signature.parameters) + signature.has_this
    arguments: list[Operand | Address] = frame.stack[len(frame.stack) - count :] if count else []
    del frame.stack[len(frame.stack) - count :]
    is_virtual = frame.code.names[frame.next - 1] == "callvirt"
    if signature.has_this:
        target = arguments[0]
        while isinstance(target, Address):
            target = target.slots[target.index]
        if target.data is None and target.type.kind is not Kind.NULLABLE:
            raise NotInterpretable("a call on null")
        if is_virtual:
            exact = dispatch(env, exact, target)
            if exact.owner.is_value_type and isinstance(target.data, Value) and target.data.is_boxed:
                from dap_dotnet.evaluation.operations.member_access import unbox

                target = unbox(env, target)
        arguments[0] = target
    kinds = parameter_types(env, exact)
    for position, kind in enumerate(kinds, signature.has_this):
        argument = arguments[position]
        if kind is not None and not isinstance(argument, Address):
            arguments[position] = typed(env, kind, argument)
    result = frame.machine.run(exact, arguments)
    if result.type.kind is not Kind.VOID:
        frame.push(result)


def parameter_types(env: Environment, exact: ExactMethod) -> list[Type | None]:
    """The types of a method's parameters, without `this`."""
    definition = env.universe.definition_of(exact.owner)
    module = env.universe.modules.get(definition[0]) if definition is not None else None
    candidate = Candidate(exact.owner, method_of(env, exact), module)
    return candidate.parameter_types(env.universe, exact.type_arguments)
