"""What only the run can say: `dynamic`, and members that the actual type has and the static one has not.

Such code is bound when its operands have values, by the types that the late ones among them have then.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec.structs import replace

from dap_dotnet.evaluation.binding.program_code.scope import Scope, unsupported
from dap_dotnet.evaluation.bound_tree import Code, Late, Made, Steps, is_late
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Kind, Type
from dap_dotnet.evaluation.types.inheritance import is_sealed

Bind = Callable[[Scope, Sequence[Code]], Code]


def late(scope: Scope, operands: Sequence[Code], bind: Bind, kind: Type = types.OBJECT) -> Late:
    """Code that `bind` makes of the operands once they have values: of their own types where they are late.

    `kind`: what it gives; OBJECT for whatever it is.
    """
    if not scope.is_live:
        raise unsupported("What only the actual type has")

    def bind_now(env: Environment, given: Sequence[Code]) -> Code:
        scope.binder.env = env
        inner = scope.inner({})
        inner.in_lambda = scope.in_lambda
        inner.exact = scope.exact | set(given)
        made = bind(inner, given)
        return Steps(made.type, tuple(inner.own), (made,)) if inner.own else made

    return Late(kind, tuple(operands), bind_now)


def dynamic(scope: Scope, code: Code, *, is_behind: bool = False) -> Code:
    """A value as `dynamic`; `is_behind`: for what the static type has not."""
    if is_late(code):
        return code
    return replace(late(scope, (code,), lambda _, given: given[0]), is_itself=True, is_behind=is_behind)


def may_be_more(scope: Scope, code: Code) -> bool:
    """Whether the actual type of a value may have members that the static type has not."""
    kind = code.type
    return (
        scope.is_live
        and code not in scope.exact
        and not isinstance(code, Made)
        and (is_late(code) or (kind.kind is Kind.CLASS and kind.is_reference and not is_sealed(scope.universe, kind)))
    )
