"""Members of ExpandoObject, which the class keeps in arrays: what `dynamic` code reads of it, read without running it.

An ExpandoObject's own members (Count, Keys) are those of interfaces, which only a cast reaches in C#.
"""

from __future__ import annotations

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.types.csharp_types import Operand
from dap_dotnet.runtime.model import Value

EXPANDO = "System.Dynamic.ExpandoObject"


def expando_member(env: Environment, target: Value, name: str) -> Operand | None:
    """The member of an ExpandoObject, as the type that it has now; None when there is none.

    Raises `EvaluationError` when the object's layout is not the known one.
    """
    data = env.read_named(target, "_data")
    keys = env.read_named(env.read_named(data, "Class"), "_keys")
    values = env.read_named(data, "_dataArray")
    if keys.handle is None or values.handle is None or values.length < keys.length:
        raise EvaluationError(f"The members of the {EXPANDO} cannot be read")
    names = [env.text(env.operand(key)) for key in env.debuggee.elements(keys.handle, 0, keys.length)]
    if name not in names:
        return None
    value = env.element(values, names.index(name))
    own = env.opened_box(value) if value.is_boxed else env.operand(value)
    type_name = env.own_type(own).full_name if isinstance(own.data, Value) else ""
    if type_name == "System.Object" and own.data is not None:
        return None  # the mark of a member that was removed
    return own
