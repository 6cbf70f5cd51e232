"""Calls whose interpolated strings become handlers of the program (C# specification 12.8.3).

Such a handler is often a `ref struct`, takes its string piece by piece, and may not want all of it: the holes are
evaluated only then. So the program itself makes the whole call, as a lambda's (`program_code.string_handlers`).
"""

from __future__ import annotations

from collections.abc import Sequence

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.binding.bound import Bound
from dap_dotnet.evaluation.binding.name_binder import NameBinder
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.applicable import Given
from dap_dotnet.evaluation.operations.methods_by_name import call_method
from dap_dotnet.evaluation.operations.program_code import (
    Captured,
    Code,
    FunctionSource,
    Invoked,
    Made,
    parts_of,
)
from dap_dotnet.evaluation.rules.diagnostics import calls_forbidden
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Kind, Operand
from dap_dotnet.evaluation.types.delegate_types import delegate_signature
from dap_dotnet.evaluation.types.string_handlers import is_handler
from dap_dotnet.evaluation.types.universe import has_attribute

_READ_ONLY = "System.Runtime.CompilerServices.IsReadOnlyAttribute"


def with_handlers(binder: NameBinder, node: syntax.Call | syntax.New, bound: Bound) -> Bound:
    """A call or creation that `bound` makes where none of its interpolated strings becomes a handler."""
    if not _may_have(node.arguments):
        return bound
    run, source_of = bound.run, binder.for_program(syntax.Lambda((), node))

    def call(env: Environment) -> Operand:
        source = source_of(env)
        function = _handled(env, source)
        if function is None:
            try:
                return run(env)
            except EvaluationError as error:
                if error.lacks_handler and isinstance(source.fault, EvaluationError):
                    raise source.fault from None
                raise
        if env.caller is None:
            raise calls_forbidden("A call with a handler of interpolated strings")
        made = env.runner.delegate(env, Operand(types.LAMBDA, source), function.type)
        result = call_method(env, made, function.type, "Invoke", Given(()))
        assert result is not None
        return result

    return Bound(call, bound.type, is_dynamic=bound.is_dynamic)


def _may_have(arguments: Sequence[syntax.Argument]) -> bool:
    """Whether there are interpolated strings, and no variables that would have to come back."""
    texts = [one for one in arguments if isinstance(one.value, syntax.Interpolated)]
    return bool(texts) and not any(one.modifier for one in arguments)


def _handled(env: Environment, source: FunctionSource) -> Code | None:
    """The call as a lambda without parameters; None where the program needs not make it, or cannot."""
    result = source.result_type(())
    if result is None:
        return None
    name, given = ("System.Action", ()) if result is types.VOID else ("System.Func`1", (result,))
    kind = env.universe.named(name, given)
    signature = delegate_signature(env.universe, kind) if kind is not None else None
    if kind is None or signature is None or not source.fits(signature):
        return None
    code = source.code(kind, signature)
    found = [part for part in parts_of(code) if isinstance(part, Made | Invoked)]
    is_ours = any(isinstance(one, Made) and is_handler(env.universe, one.type) for one in found)
    return code if is_ours and not any(_changes_copy(env, one) for one in found) else None


def _changes_copy(env: Environment, call: Code) -> bool:
    """Whether a method may change a structure of the frame, of which the lambda has a copy."""
    if (
        not isinstance(call, Invoked)
        or not isinstance(call.target, Captured)
        or call.target.type.kind is not Kind.STRUCT
    ):
        return False
    module, token = env.universe.module_of(call.method.owner), call.method.token
    if module is None or not module.is_user_code:
        return False
    return not env.universe.has_attribute(call.target.type, _READ_ONLY) and not has_attribute(module, token, _READ_ONLY)
