"""Calls inside interpreted methods: other methods that only read, and those whose result is known."""

from __future__ import annotations

from dap_dotnet.evaluation.interpreter.code import NotInterpretable
from dap_dotnet.evaluation.interpreter.machine import Activation
from dap_dotnet.evaluation.interpreter.stack_values import Address, default, made_struct, reference, typed
from dap_dotnet.evaluation.operations.dispatch import dispatch, is_by_reference, method_of, parameter_types
from dap_dotnet.evaluation.operations.operand_values import unbox
from dap_dotnet.evaluation.types.csharp_types import ExactMethod, Kind, Operand
from dap_dotnet.runtime.model import Value


def call(frame: Activation, token: int) -> None:
    """`call` and `callvirt`."""
    env = frame.env
    exact = frame.code.scope.method(token)
    if exact is None:
        raise NotInterpretable("a method that is not known")
    signature = method_of(env, exact).signature
    arguments = frame.pop_many(len(signature.parameters) + signature.has_this)
    is_virtual = frame.code.names[frame.next - 1] == "callvirt"
    if not signature.has_this and "constrained." in frame.code.names[max(frame.next - 2, 0) : frame.next - 1]:
        raise NotInterpretable("a static member of an interface, which a type argument may implement itself")
    if signature.has_this:
        this = arguments[0]
        target = this.target if isinstance(this, Address) else this
        is_made = made_struct(target) is not None
        if target.data is None and target.type.kind is not Kind.NULLABLE and not is_made:
            raise NotInterpretable("a call on null")
        if is_virtual:
            exact = dispatch(env, exact, target)
            if exact.owner.is_value_type and isinstance(target.data, Value) and target.data.is_boxed:
                target = unbox(env, target)
        if not is_made:  # a method may change a structure that the machine has made
            arguments[0] = target
    _as_declared(frame, exact, arguments, signature.has_this)
    result = frame.machine.run(exact, arguments)
    if isinstance(result, Address) or result.type.kind is not Kind.VOID:
        frame.push(result)


def new_structure(frame: Activation, token: int) -> None:
    """`newobj` of a structure: its constructor runs on one of zeros. Objects are not made."""
    exact = frame.code.scope.method(token)
    if exact is None or exact.owner.kind not in (Kind.STRUCT, Kind.NULLABLE):
        raise NotInterpretable("a new object")
    arguments = frame.pop_many(len(method_of(frame.env, exact).signature.parameters))
    _as_declared(frame, exact, arguments, 0)
    if exact.owner.kind is Kind.NULLABLE:
        (held,) = arguments
        if isinstance(held, Address):
            raise NotInterpretable("a nullable of an address")
        frame.push(Operand(exact.owner, held.data))
        return
    made: list[Operand] = [default(exact.owner)]
    frame.machine.run(exact, [Address(made, 0), *arguments])
    frame.push(made[0])


def _as_declared(frame: Activation, exact: ExactMethod, arguments: list[Operand | Address], first: int) -> None:
    """Make values of the stack those of the parameters' types, from the argument `first` on."""
    signatures = method_of(frame.env, exact).signature.parameters
    for position, kind in enumerate(parameter_types(frame.env, exact)):
        argument = arguments[first + position]
        if is_by_reference(signatures[position]):
            arguments[first + position] = reference(frame.env, kind, argument)
        elif kind is not None and not isinstance(argument, Address):
            arguments[first + position] = typed(kind, argument)
