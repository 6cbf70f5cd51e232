"""Calls with `ref` and `out` arguments, as closures: by reflection, which gives back what they have afterwards."""

from __future__ import annotations

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.bound_tree import Code, Invoked, Made, Stored, Variable
from dap_dotnet.evaluation.diagnostics import calls_forbidden, null_reference
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.assignables import copied_to_heap
from dap_dotnet.evaluation.operations.operand_values import zero_of
from dap_dotnet.evaluation.operations.reflected_calls import run_reflected
from dap_dotnet.evaluation.rules.variables import is_variable
from dap_dotnet.evaluation.running.closures import Closures, Run
from dap_dotnet.evaluation.running.stores import place_of
from dap_dotnet.evaluation.running.structures import passed
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Kind, Operand
from dap_dotnet.evaluation.types.declarations import declared_method


def referenced(code: Invoked, closures: Closures) -> list[int]:
    """The positions of arguments that are passed by reference."""
    from portablepdb.signatures import ByRefType

    method = declared_method(closures.universe, code.method).method
    return [
        number
        for number, (parameter, argument) in enumerate(zip(method.signature.parameters, code.arguments, strict=True))
        if isinstance(parameter, ByRefType) and is_variable(closures.universe, argument)
    ]


def constructs_by_reference(code: Code, closures: Closures) -> bool:
    """Whether code is a creation whose constructor gives something back."""
    if not isinstance(code, Made):
        return False
    made = Invoked(code.type, code.constructor, None, code.arguments)
    return bool(referenced(made, closures))


def _is_closure(code: Code) -> bool:
    """Whether it is a closure of the compiler's, which a local function is given: no source names it."""
    return isinstance(code, Stored) and not code.name


def invoked(code: Invoked, positions: list[int], closures: Closures) -> Run:
    """The call."""
    candidate = declared_method(closures.universe, code.method)
    target = closures.of(code.target) if code.target is not None else None
    kinds = candidate.parameter_types(closures.universe, code.method.type_arguments)
    finds = {number: place_of(code.arguments[number], closures) for number in positions}
    runs = [closures.of(argument) for argument in code.arguments]
    passed_on = [code.arguments[number] for number in positions]
    closures_passed = {number for number in positions if _is_closure(code.arguments[number])}
    is_own = all(isinstance(one, Variable) or _is_closure(one) for one in passed_on)

    def run(env: Environment) -> Operand:
        if not env.may_store and not is_own:
            raise EvaluationError("Assignments are not allowed here: assign in a watch or the debug console")
        if closures_passed and env.caller is None:
            raise calls_forbidden("A local function that uses variables of its method")
        held = target(env) if target is not None else None
        if held is not None:
            held = passed(env, held)
            if held.data is None:
                raise null_reference(f"the target of '.{candidate.method.name}()'")
        places = {number: find(env) for number, find in finds.items()}
        operands = list[Operand]()
        for number, one in enumerate(runs):
            operand = places[number].read(env) if number in places else one(env)
            kind = kinds[number]
            if operand.type is types.UNASSIGNED and kind is not None:
                operand = Operand(kind, zero_of(kind))
            if number in closures_passed:  # its own place has no handle that outlives a call
                held_now = copied_to_heap(env, operand)
                operand = Operand(operand.type, held_now, held_now)
            operands.append(operand if operand.type.kind is Kind.TUPLE else passed(env, operand))
        result, after = run_reflected(env, code.method, held, operands)
        for number, place in places.items():
            if number in closures_passed and not env.may_store:
                continue
            place.write(env, after[number])
        return result

    return run
