"""Objects of the program made of what an expression computed: strings, boxes, Type objects."""

from __future__ import annotations

from functools import partial

from dap_dotnet.evaluation.calling.heap_arguments import put_on_heap as put_arguments_on_heap
from dap_dotnet.evaluation.calling.program_calls import call, make_string
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.operand_values import MadeBox
from dap_dotnet.evaluation.operations.type_objects import type_object
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types import diagnostics
from dap_dotnet.evaluation.types.csharp_types import Kind, Operand


def put_on_heap(env: Environment, operand: Operand) -> None:
    """See `environment.MethodRunner.put_on_heap`."""
    if operand.data is None or not operand.type.is_reference:
        return
    if operand.type.kind is Kind.TYPE:
        made = type_object(env, operand.data)
        operand.type, operand.data, operand.value = made.type, made.data, made.value
    elif isinstance(operand.data, MadeBox):
        kind = operand.type
        put_arguments_on_heap(env, partial(call, keeps=False), [operand], [types.OBJECT], has_this=False)
        operand.type = kind
    elif operand.program_value is None or operand.program_value.handle is None:
        if env.caller is None:
            raise diagnostics.calls_forbidden("A new string")
        kind, operand.type = operand.type, types.STRING
        make_string(env, env.caller, operand)
        operand.type = kind
