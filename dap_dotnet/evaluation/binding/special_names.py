"""Names that begin with `$`, which C# does not have, and the variables of the debug console."""

from __future__ import annotations

import re

from dap_dotnet.evaluation.binding.bound import Bound
from dap_dotnet.evaluation.diagnostics import Diagnostic
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.assignables import read_kept
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Operand

_RETURN_VALUE = re.compile(r"\$[rR]eturnValue(\d{0,4})")


def bind_special(name: str) -> Bound:
    """`$exception`, `$returnValue`, `$returnValue1`, `$tid`, `$pid` and the object ids `$1`. CS0103 for others."""
    if name[1:].isdecimal():
        number = int(name[1:])
        return Bound(lambda env: _object(env, number))
    returned = _RETURN_VALUE.fullmatch(name)
    if returned is not None:
        return Bound(lambda env: _returned(env, name, returned[1]))
    run = _SPECIAL.get(name)
    if run is None:
        raise Diagnostic("CS0103", name)
    return Bound(run)


def _exception(env: Environment) -> Operand:
    raised = env.debuggee.current_exception(env.context.thread)
    if raised is None:
        raise Diagnostic("CS0103 exception")
    return env.operand(raised)


def _returned(env: Environment, name: str, number: str) -> Operand:
    """What a call of the statement that was stepped over has returned; the last one without a number."""
    program, thread = env.program, env.context.thread
    count = len(program.returned.names(thread)) if program.returned is not None else 0
    which = (int(number) if number else count) - 1
    value = program.returned.value(program, thread, which) if program.returned is not None else None
    if value is None:
        reason = f"only {count} calls returned a known value" if count else "no step has returned a value here"
        raise Diagnostic("CS0103 special", name, reason)
    return env.operand(value)


def _object(env: Environment, number: int) -> Operand:
    kept = env.program.kept
    if kept is None:
        raise Diagnostic("CS0103", f"${number}")
    return env.operand(kept.object(env.debuggee, number))


def bind_kept_variable(env: Environment, name: str) -> Bound | None:
    """A variable of the debug console; None where there is none of the name."""
    kept = env.program.kept
    if kept is None or kept.variable(name) is None:
        return None
    return Bound(lambda env: read_kept(env, name))


_SPECIAL = {
    "$exception": _exception,
    "$tid": lambda env: Operand(types.I4, int(env.context.thread)),
    "$pid": lambda env: Operand(types.I4, int(env.debuggee.process_id)),
}
