"""What has a type as its operand: casts, `as`, `typeof`, `sizeof` and `default`."""

from __future__ import annotations

from dap_dotnet.errors import EvaluationError, RuntimeCallError
from dap_dotnet.evaluation.binding.bound import Bound, constant
from dap_dotnet.evaluation.binding.name_binder import NameBinder
from dap_dotnet.evaluation.diagnostics import Diagnostic
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.numbers.numeric import BITS
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Kind, Operand, Type
from dap_dotnet.values.type_sizes import value_size


def is_generic(binder: NameBinder) -> bool:
    """Whether a type of the code here may be a type parameter's, of which the compiler knows less than we do."""
    context = binder.env.context
    if not context.frame.is_on_stack:
        return True
    return bool(binder.env.debuggee.frame_type_arguments(context.thread, context.frame.index))


def bind_sizeof(binder: NameBinder, node: syntax.SizeOf) -> Bound:
    """`sizeof(T)`, of value types; those that C# allows in unsafe code are as large as the program has them. CS0233."""
    wanted = binder.type(node.type)
    own = wanted.underlying or wanted
    size = {types.BOOL: 1, types.R4: 4, types.R8: 8}.get(own) or BITS.get(own.code, 0) // 8
    if own.kind is Kind.NUMBER and own.code is types.DECIMAL.code:
        size = 16
    if not size and wanted.is_value_type:
        size = _size_in_program(binder.env, wanted) or 0
        if not size:
            raise EvaluationError(f"The size of '{wanted.name}' is not known: the program may not have loaded it yet")
    if not size:
        raise Diagnostic("CS0233", wanted.name)
    return constant(Operand(types.I4, size))


def _size_in_program(env: Environment, wanted: Type) -> int | None:
    """The bytes of a structure; None where the program has not loaded its type, or they are not known."""
    kind = env.universe.id_of(env.program, wanted)
    if kind is None:
        return None
    try:
        return value_size(env.program, kind, env.debuggee.type_layout(kind))
    except RuntimeCallError:
        return None
