"""Calls inside interpreted methods: other methods that only read, and those whose result is known."""

from __future__ import annotations

from dap_dotnet.evaluation.interpreter.code import NotInterpretable
from dap_dotnet.evaluation.interpreter.machine import Activation
from dap_dotnet.evaluation.interpreter.stack_values import Address, typed
from dap_dotnet.evaluation.operations.dispatch import dispatch, method_of, parameter_types
from dap_dotnet.evaluation.operations.member_access import unbox
from dap_dotnet.evaluation.types.csharp_types import Kind, Operand
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
                target = unbox(env, target)
        arguments[0] = target
    kinds = parameter_types(env, exact)
    for position, kind in enumerate(kinds, signature.has_this):
        argument = arguments[position]
        if kind is not None and not isinstance(argument, Address):
            arguments[position] = typed(kind, argument)
    result = frame.machine.run(exact, arguments)
    if result.type.kind is not Kind.VOID:
        frame.push(result)
