"""`throw` in an expression: nothing is thrown in the program, the evaluation ends with the exception's words."""

from __future__ import annotations

from typing import NoReturn

from dap_dotnet.errors import Thrown
from dap_dotnet.evaluation.diagnostics import Diagnostic, null_reference
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.member_access import MemberReader
from dap_dotnet.evaluation.types.csharp_types import Kind, Operand, Type
from dap_dotnet.evaluation.types.inheritance import bases_of
from dap_dotnet.evaluation.types.universe import Universe


def check_exception(universe: Universe, kind: Type) -> None:
    """CS0029 for what is no exception."""
    if kind.kind is Kind.NULL:
        return
    if "System.Exception" not in {base.full_name for base in bases_of(universe, kind)}:
        raise Diagnostic("CS0029", kind.name, "System.Exception")


def throw(env: Environment, thrown: Operand) -> NoReturn:
    """Raises `EvaluationError` with the type and the message of an exception of the program."""
    if thrown.data is None:
        raise null_reference("the exception to throw")
    own = env.own_type(thrown)
    check_exception(env.universe, own)
    message = env.text(MemberReader("Message").read(env, thrown))
    raise Thrown(own.full_name.partition("`")[0], str(message))
