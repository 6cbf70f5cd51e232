"""The object that a method's call under way was made on, where the method has it in a variable. Session thread only."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dap_dotnet.errors import DapDotnetError
from dap_dotnet.runtime.model import Frame, ThreadId, Value
from dap_dotnet.stepping.calls import called_name, calls_in
from dap_dotnet.stepping.step_in_targets import call_under_way
from dap_dotnet.values.context import Program

if TYPE_CHECKING:
    from portablepdb.instructions import Instruction

_LOAD = re.compile(r"(ldloc|ldarg)\.?(\d|s|)")
_CONSTANTS = "ldc."
_WHOLE_METHOD = ((0, 1 << 31),)


def receiver(program: Program, thread: ThreadId, frame: Frame, name: str) -> Value | None:
    """The object on which the frame has called the method `name` (`Type.Method`), which has not come back.

    Known only where a variable was loaded right before the call, whose arguments are constants; else None.
    """
    from portablepdb import PortablePdbError

    module = program.modules.get(frame.module)
    if module is None or module.metadata is None or frame.method is None:
        return None
    try:
        site = call_under_way(calls_in(module, frame.method, _WHOLE_METHOD), frame)
        body = module.metadata.method_body(frame.method)
        if site is None or body is None or called_name(module, site.token) != name:
            return None
        before = [one for one in body.instructions() if one.offset < site.il_offset]
    except PortablePdbError:
        return None
    while before and before[-1].opcode.name.startswith(_CONSTANTS):
        before.pop()
    return _loaded(program, thread, frame, before[-1]) if before else None


def _loaded(program: Program, thread: ThreadId, frame: Frame, load: Instruction) -> Value | None:
    """The variable that an instruction loads; None for other instructions, and where it cannot be read."""
    match = _LOAD.fullmatch(load.opcode.name)
    if match is None:
        return None
    number = int(match[2]) if match[2].isdigit() else load.operand
    read = program.debuggee.locals if match[1] == "ldloc" else program.debuggee.arguments
    try:
        values = read(thread, frame.index, text_limit=0)
    except DapDotnetError:
        return None
    value = values[number] if isinstance(number, int) and number < len(values) else None
    return value if value is not None and value.error is None and value.address else None
