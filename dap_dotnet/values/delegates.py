"""What a delegate calls, where the runtime tells it without running any code (ICorDebugDelegateObjectValue)."""

from __future__ import annotations

from dap_dotnet.errors import RuntimeCallError
from dap_dotnet.runtime.model import Value
from dap_dotnet.values.children import Declaration
from dap_dotnet.values.context import Program
from dap_dotnet.values.typenames import full_name

_BASE = "System.MulticastDelegate"


def called_method(program: Program, value: Value) -> Declaration | None:
    """The method of a delegate, where it has source; None for other values, and for delegates of several methods."""
    if value.type is None or value.is_null or value.handle is None or value.is_boxed:
        return None
    base = program.debuggee.type_info(value.type).base
    if base is None or full_name(program, program.debuggee.type_info(base)) != _BASE:
        return None
    try:
        module_id, method = program.debuggee.delegate_method(value.handle)
    except RuntimeCallError:
        return None
    module = program.modules.get(module_id)
    has_lines = module is not None and module.is_user_code and module.pdb is not None
    return Declaration(module_id, method) if has_lines else None
