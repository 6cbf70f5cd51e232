"""Calls that would come back to themselves for ever, found by following them before they run in the program.

A stack overflow ends the program, and no debugger can prevent it once the call runs. What is followed is what is sure
to happen: the user's code from the call's first instruction on, as long as it only reads and nothing that decides is
unknown. The framework's code is passed over, and what it gives is unknown; the texts that its concatenation, formatting
and interpolation ask objects for are calls of the user's. Session thread.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from dap_dotnet.errors import DapDotnetError
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.interpreter.code import Code, NotInterpretable, Refusals, code_of
from dap_dotnet.evaluation.interpreter.interpretation import INSTRUCTIONS
from dap_dotnet.evaluation.interpreter.machine import Activation, Instruction, Machine, follow
from dap_dotnet.evaluation.interpreter.stack_values import Address
from dap_dotnet.evaluation.operations.framework import framework_method
from dap_dotnet.evaluation.operations.member_access import dispatch, method_of
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import ExactMethod, Kind, Operand, Type
from dap_dotnet.evaluation.types.declarations import bases_of, declared_method, is_subtype
from dap_dotnet.runtime.model import Value
from dap_dotnet.symbols.modules import CacheSlot

_MOST_STEPS = 2_000
_ASKING_FOR_TEXTS = {
    "string": frozenset({"Concat", "Format"}),
    "DefaultInterpolatedStringHandler": frozenset({"AppendFormatted"}),
    "StringBuilder": frozenset({"Append"}),
    "Convert": frozenset({"ToString"}),
}
"""Methods that ask the objects that they are given for their texts, by the names of their classes."""
_IN_ANY_CASE = frozenset({"Concat"})
"""Those that call ToString() on objects that have a ToString with a format."""

_LEADS_ON: CacheSlot[dict[ExactMethod, bool]] = CacheSlot("methods that may come back to themselves", lambda _: {})


class _PassedOver(NotInterpretable):
    """A call is of the framework's code, which is not followed."""


class _Unknown:
    """Stands on the stack for the result of a call that is not followed: who asks what it is ends the following."""

    def __getattr__(self, name: str) -> Any:
        raise NotInterpretable("an unknown result")


_UNKNOWN: Any = _Unknown()


class _Follower(Machine):
    """A machine that knows the calls that it is inside."""

    def __init__(self, env: Environment) -> None:
        super().__init__(env, _INSTRUCTIONS)
        self.steps = _MOST_STEPS
        self._path: list[tuple[ExactMethod, tuple[object, ...]]] = []
        self.is_endless = False
        """Whether a call has come back to itself with the same arguments."""

    def run(self, method: ExactMethod, arguments: Sequence[Operand | Address]) -> Operand | Address:
        """As in a machine, for the user's code. Raises `_PassedOver`, too."""
        if not _is_users(self.env, method.owner):
            self._follow_message(method, arguments)
            raise _PassedOver
        known = (method, tuple(_identity(argument) for argument in arguments))
        if None not in known[1] and known in self._path:
            self.is_endless = True
            raise NotInterpretable("an endless call")
        self._path.append(known)
        try:
            return super().run(method, arguments)
        finally:
            self._path.pop()

    def _follow_message(self, method: ExactMethod, arguments: Sequence[Operand | Address]) -> None:
        """The ToString of an exception asks for its Message."""
        if method.owner.full_name != "System.Exception" or not isinstance(arguments[0], Operand):
            return
        if method_of(self.env, method).name == "ToString" and arguments[0].data is not None:
            asked = framework_method(self.env, method.owner, "get_Message", 0)
            with suppress(NotInterpretable):
                self.run(dispatch(self.env, asked, arguments[0]), arguments)


def is_endless(env: Environment, method: ExactMethod, target: Operand | None, arguments: Sequence[Operand]) -> bool:
    """Whether a method, already dispatched, comes back to itself with the same arguments whatever happens."""
    module = env.universe.module_of(method.owner)
    if module is None or not module.is_user_code:
        return False
    known, follower = module.cached(_LEADS_ON), _Follower(env)
    with (
        suppress(NotInterpretable, DapDotnetError, RecursionError),
        Refusals(method),
    ):
        if method not in known:
            known[method] = _leads_on(env, code_of(env, method))
        if known[method]:
            follower.run(method, [*([target] if target is not None else []), *arguments])
    return follower.is_endless


def _leads_on(env: Environment, code: Code) -> bool:
    """Whether a method calls code of the user's, or asks objects for their texts."""
    for name, token in zip(code.names, code.operands, strict=True):
        if name in ("call", "callvirt"):
            with suppress(NotInterpretable):
                called = code.scope.method(token)
                if _is_users(env, called.owner) or method_of(env, called).name == "ToString" or _asks(env, called):
                    return True
    return False


def _asks(env: Environment, method: ExactMethod) -> bool:
    """Whether a method asks the objects that it is given for their texts."""
    return method_of(env, method).name in _ASKING_FOR_TEXTS.get(method.owner.name.rpartition(".")[2], ())


def _identity(operand: Operand | Address) -> object:
    """What tells an argument from others; None where nothing does."""
    if isinstance(operand, Address) or operand is _UNKNOWN:
        return None
    data = operand.data
    if isinstance(data, Value):
        return ("object", data.address) if operand.type.is_reference and data.address else None
    return (operand.type, data) if data is None or isinstance(data, bool | int | str) else None


def _is_users(env: Environment, owner: Type) -> bool:
    module = env.universe.module_of(owner)
    return module is not None and module.is_user_code


def _call(frame: Activation, token: int) -> None:
    """`call` and `callvirt`: followed in the user's code; the result of the framework's is unknown."""
    exact = frame.code.scope.method(token)
    own = method_of(frame.env, exact)
    arguments = frame.pop_many(len(own.signature.parameters) + own.signature.has_this)
    try:
        if _asks(frame.env, exact):
            for argument in arguments[own.signature.has_this :]:
                _text_of(frame, argument, in_any_case=own.name in _IN_ANY_CASE)
            raise _PassedOver
        if _UNKNOWN in arguments[: own.signature.has_this]:
            raise NotInterpretable("a call on what is not known")
        follow(frame, exact, list(arguments))
    except _PassedOver:
        for argument in arguments:
            if isinstance(argument, Address):
                _becomes_unknown(frame, argument)
        declared = declared_method(frame.env.universe, exact)
        returned = declared.return_type(frame.env.universe, exact.type_arguments)
        if returned is not types.VOID:
            frame.stack.append(_UNKNOWN)


def _becomes_unknown(frame: Activation, address: Address) -> None:
    """What code that is passed over can write to: a local. Raises `NotInterpretable` for what is in the program."""
    place = address.place
    if place.slots is not frame.locals:
        raise NotInterpretable("the framework may change what the program has")
    frame.locals[place.index] = _UNKNOWN


def _text_of(frame: Activation, argument: Operand | Address, *, in_any_case: bool) -> None:
    """Follow the ToString of an object that is asked for its text."""
    env = frame.env
    if isinstance(argument, Address) or argument is _UNKNOWN or argument.data is None:
        return
    if not argument.type.is_reference or argument.type.kind is Kind.STRING:
        return
    own = env.own_type(argument)
    if not _is_users(env, own):
        return
    formattable = env.universe.named("System.IFormattable")
    if not in_any_case and formattable is not None and is_subtype(env.universe, own, formattable):
        return
    root = bases_of(env.universe, own)[-1]
    frame.machine.run(dispatch(env, framework_method(env, root, "ToString", 0), argument), [argument])


def _new(frame: Activation, token: int) -> None:
    """`newobj` of the framework's: the constructor is passed over."""
    exact = frame.code.scope.method(token)
    if _is_users(frame.env, exact.owner):
        raise NotInterpretable("a constructor of the user's")
    frame.pop_many(len(method_of(frame.env, exact).signature.parameters))
    frame.stack.append(_UNKNOWN)


def _for_unknown(name: str) -> Instruction:
    """An instruction that moves values, so that it need not know them."""
    known = INSTRUCTIONS[name]

    def apply(frame: Activation, operand: Any) -> None:
        moved = frame.locals[operand] if name == "ldloc" else frame.top()
        if moved is not _UNKNOWN:
            known(frame, operand)
        elif name == "ldloc":
            frame.stack.append(_UNKNOWN)
        elif name == "stloc":
            frame.locals[operand] = frame.stack.pop()

    return apply


_INSTRUCTIONS = {
    **INSTRUCTIONS,
    **{name: _for_unknown(name) for name in ("stloc", "ldloc", "box", "castclass")},
    "call": _call,
    "callvirt": _call,
    "newobj": _new,
}
