"""Calls and creations as closures: what is known without the program, LINQ over its collections, and its own code."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from math import prod

from dap_dotnet.errors import EvaluationError, Thrown
from dap_dotnet.evaluation import bound_tree as nodes
from dap_dotnet.evaluation.caller import CalleeThrew
from dap_dotnet.evaluation.diagnostics import calls_forbidden, null_reference
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations import creation, known_members
from dap_dotnet.evaluation.operations.assignables import Assignable, copied_to_heap
from dap_dotnet.evaluation.operations.framework import framework_method
from dap_dotnet.evaluation.operations.linq.table import ENUMERABLE, TABLES, Lambda, resolved
from dap_dotnet.evaluation.operations.operand_values import boxed, default_of, held_operand, zero_of
from dap_dotnet.evaluation.operations.operators import same_reference
from dap_dotnet.evaluation.operations.text import concatenation, strings_equal
from dap_dotnet.evaluation.rules.variables import is_variable
from dap_dotnet.evaluation.running import members
from dap_dotnet.evaluation.running.steps import CellPlace, Closures, Run, in_order, runs_no_code
from dap_dotnet.evaluation.running.stores import place_of
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import TUPLE_REST, Kind, Operand, boolean
from dap_dotnet.evaluation.types.declarations import declared_method, is_stack_only

_TUPLE = "System.ValueTuple`"
_EQUALITY = ("op_Equality", "op_Inequality")
_RUNNING = (Kind.LAMBDA, Kind.SEQUENCE)


def invoked(code: nodes.Invoked, closures: Closures, find: Callable[[Environment], Assignable] | None = None) -> Run:
    """A call of a method; `find` is what finds the variable with the structure that it may change."""
    name = declared_method(closures.universe, code.method).method.name
    arguments = [closures.of(one) for one in code.arguments]
    if code.target is None:
        if code.method.owner is types.STRING and name == "Concat":
            arguments = [closures.of(_before_boxing(one)) for one in code.arguments]
        return _static(code, name, arguments, closures)
    if find is not None:
        return members.in_place(code, find, in_order(arguments))
    evaluate = in_order([closures.of(code.target), *arguments])
    return _linq(code, name, evaluate, closures) or _on_value(code, name, evaluate, closures)


# static methods


def _before_boxing(code: nodes.Code) -> nodes.Code:
    """What is an object only for a method that asks it for its text."""
    is_object = isinstance(code, nodes.TypedOperation) and code.name == "Convert" and code.wanted is types.OBJECT
    return code.operand if isinstance(code, nodes.TypedOperation) and is_object else code


def _static(code: nodes.Invoked, name: str, arguments: Sequence[Run], closures: Closures) -> Run:
    owner, given, method, is_last = code.method.owner, in_order(arguments), code.method, code is closures.last
    if owner is types.STRING and name == "Concat" and len(arguments) == 2:
        return lambda env: concatenation(env, *given(env))
    if name in _EQUALITY and (owner is types.STRING or owner.full_name == "System.Type"):
        expected, equal = name == "op_Equality", strings_equal if owner is types.STRING else same_reference
        return lambda env: boolean(equal(env, *given(env)) is expected)
    if owner.full_name == ENUMERABLE and name == "AsEnumerable":
        return arguments[0]

    def run(env: Environment) -> Operand:
        operands = given(env)
        known = known_members.known_static(env, owner, name, operands)
        return known if known is not None else members.run_method(env, method, None, operands, is_last=is_last)

    return _linq(code, name, given, closures) or run


def _linq(
    code: nodes.Invoked, name: str, evaluate: Callable[[Environment], list[Operand]], closures: Closures
) -> Run | None:
    """A method of LINQ that the adapter runs itself, over what it goes through; None for other methods.

    Where a lambda may call code of the program, that runs the method, so that it is called when C# calls it.
    """
    if code.method.owner.full_name not in TABLES:
        return None
    target = code.target.type if code.target is not None else None
    found = resolved(closures.universe, code.method, target, [one.type for one in code.arguments], code.type)
    if found is None:
        return None

    may_call = [not runs_no_code(one) for one in ((code.target, *code.arguments) if code.target else code.arguments)]

    def in_program(env: Environment, operands: list[Operand]) -> Operand:
        held, given = (None, operands) if target is None else (operands[0], operands[1:])
        return members.run_method(env, code.method, held, given, is_virtual=code.is_virtual)

    def run(env: Environment) -> Operand:
        operands = given = evaluate(env)
        if target is not None and operands[0].data is None:
            raise null_reference(f"the target of '.{name}()'")

        def here() -> Operand | Callable[[], Operand] | None:
            return found.run(env, operands, lambda env: in_program(env, operands))

        may_run = any(
            one.type.kind in _RUNNING and (may or found.is_lazy) for one, may in zip(operands, may_call, strict=True)
        )
        is_tried = may_run and env.caller is not None
        made: Operand | Callable[[], Operand] | None = None
        try:
            made = members.without_calls(env, here) if is_tried else here()
        except EvaluationError as error:
            if not (is_tried and error.forbids_calls):
                raise
            try:
                given = [members.passed(env, one) for one in operands]
            except CalleeThrew:
                raise
            except EvaluationError:  # the program can have no delegate of it: it is called here
                made = here()
        if made is None:
            return in_program(env, given)
        return made if isinstance(made, Operand) else made()

    return run


# methods of values


def _on_value(
    code: nodes.Invoked, name: str, evaluate: Callable[[Environment], list[Operand]], closures: Closures
) -> Run:
    assert code.target is not None
    method, universe, code_target, arity = code.method, closures.universe, code.target, len(code.arguments)
    member = name.removeprefix("get_")
    is_invoked, is_property = name == "Invoke", name.startswith("get_") and not arity
    called = f"the target of '.{member if is_property else f'{name}()'}'"
    shown = f"the delegate{_name_of(code_target, closures)}" if is_invoked else called
    is_last = code is closures.last and code_target.type.is_reference
    is_framework = not declared_method(universe, method).module.is_user_code
    is_indexer = is_framework and arity == 1 and name in ("get_Item", "get_Chars")
    own = CellPlace(code_target) if type(code_target) is nodes.Variable else None
    is_copied = own is not None and not is_stack_only(universe, code_target.type)
    backing = members.automatic_property(closures, method) if not arity else None
    is_changeable = cache(lambda: is_variable(universe, code_target))

    def run(env: Environment) -> Operand:
        target, *arguments = evaluate(env)
        if target.type.kind is Kind.NULLABLE:
            return _of_nullable(env, name, target, arguments)
        if target.data is None:
            raise null_reference(shown)
        if is_invoked and isinstance(target.data, Lambda) and not target.data.needs_program:
            env.turn()
            return target.data.invoke(env, *arguments)
        known = backing(env, target) if backing is not None else None
        if known is None and is_property and member in known_members.PROPERTY_NAMES:
            known = known_members.known_property(env, target, member)
        if known is None and is_indexer and target.type.kind is not Kind.SEQUENCE:
            known = known_members.known_element(env, target, arguments[0], code.type)
        is_made = target.type.kind is Kind.SEQUENCE or (target.type.kind is Kind.TUPLE and name != "ToString")
        if known is None and is_framework and not is_made:
            known = known_members.known_method(env, target, name, arguments)
        if known is not None:
            return known
        if is_copied and env.caller is not None and target.type.kind is Kind.STRUCT:
            return members.on_copy(env, method, target, arguments, own)
        return members.run_method(
            env, method, target, arguments, is_changeable=is_changeable(), is_virtual=code.is_virtual, is_last=is_last
        )

    return run


def _name_of(code: nodes.Code, closures: Closures) -> str:
    """` 'name'` of a variable, a field or a property; empty for other expressions."""
    name = code.name if isinstance(code, (nodes.Variable, nodes.Stored)) else ""
    if isinstance(code, nodes.FieldOf):
        name = members.declared_field(closures, code).name
    elif isinstance(code, nodes.Invoked):
        name = declared_method(closures.universe, code.method).method.name.partition("get_")[2]
    return f" '{name}'" if name else ""


def _of_nullable(env: Environment, name: str, target: Operand, arguments: list[Operand]) -> Operand:
    """Members of Nullable<T>."""
    if name == "get_HasValue":
        return boolean(target.data is not None)
    if name in ("get_Value", "GetValueOrDefault"):
        if target.data is not None:
            return held_operand(target)
        if name == "get_Value":
            raise Thrown("System.InvalidOperationException", "Nullable object must have a value.")
        return arguments[0] if arguments else default_of(env, target.type.element)
    if target.data is None:
        if name == "ToString":
            return Operand(types.STRING, "")
        if name == "GetHashCode":
            return Operand(types.I4, 0)
        if name == "Equals":
            return boolean(arguments[0].data is None)
        raise null_reference(f"the target of '.{name}()'")
    if name == "Equals" and arguments[0].data is None:
        return types.FALSE
    known = known_members.known_method(env, held_operand(target), name, arguments)
    if known is not None:
        return known
    return members.run_method(
        env, framework_method(env, types.OBJECT, name, len(arguments)), boxed(env, target), arguments
    )


# new objects


def made(code: nodes.Made, closures: Closures) -> Run:
    """A new object, by a constructor."""
    by_constructor = nodes.Invoked(code.type, code.constructor, None, code.arguments)
    positions = referenced(by_constructor, closures)
    if positions:
        return invoked_by_reference(by_constructor, positions, closures)
    given, kind, constructor = in_order([closures.of(one) for one in code.arguments]), code.type, code.constructor
    if kind.full_name.startswith(_TUPLE):
        return lambda env: Operand(types.TUPLE, tuple(_flat(env, given(env))))
    if kind is types.STRING:
        return lambda env: creation.new_string(env, given(env))

    def run(env: Environment) -> Operand:
        return env.runner.construct(env, kind, constructor, [members.passed(env, one) for one in given(env)])

    return run


def _flat(env: Environment, given: list[Operand]) -> list[Operand]:
    """The elements of a tuple, also those beyond the seventh; delegates of the program for lambdas."""
    items = [members.passed(env, one) if one.type.kind is Kind.LAMBDA else one for one in given]
    rest = items[TUPLE_REST] if len(items) > TUPLE_REST else None
    return [*items[:TUPLE_REST], *rest.data] if rest is not None and isinstance(rest.data, tuple) else items


def _lengths(operands: Sequence[Operand]) -> list[int]:
    """The lengths of a new array in its dimensions."""
    lengths = [int(one.data) for one in operands]
    if any(length < 0 for length in lengths):
        raise Thrown("System.OverflowException", "Arithmetic operation resulted in an overflow.")
    creation.check_length(prod(lengths))
    return lengths


def anonymous_object(code: nodes.AnonymousObject, closures: Closures) -> Run:
    """An anonymous object of the expression."""
    given = in_order([closures.of(one) for one in code.items])
    return lambda env: Operand(types.ANONYMOUS, tuple(given(env)), None, code.names)


def array_part(code: nodes.ArrayPart, closures: Closures) -> Run:
    """A part of an array, as a new one."""
    given, element = in_order([closures.of(one) for one in (code.array, code.first, code.end)]), code.type.element

    def run(env: Environment) -> Operand:
        array, first, end = given(env)
        if array.data is None:
            raise null_reference("the indexed value")
        creation.check_range(first.data, end.data, array.data.length)
        values = env.debuggee.elements(array.data.handle, first.data, end.data - first.data)
        return creation.create_array(env, element, [env.operand(value, element) for value in values])

    return run


def items(code: nodes.Items, closures: Closures) -> Run:
    """A new array."""
    given, element = in_order([closures.of(one) for one in code.items]), code.type.element
    if code.has_lengths:
        return lambda env: env.runner.new_array(env, element, *_lengths(given(env)))

    def run(env: Environment) -> Operand:
        operands = [one if one.type.kind is Kind.TUPLE else members.passed(env, one) for one in given(env)]
        return creation.create_array(env, element, operands)

    return run


def referenced(code: nodes.Invoked, closures: Closures) -> list[int]:
    """The positions of arguments that are passed by reference."""
    from portablepdb.signatures import ByRefType

    method = declared_method(closures.universe, code.method).method
    return [
        number
        for number, (parameter, argument) in enumerate(zip(method.signature.parameters, code.arguments, strict=True))
        if isinstance(parameter, ByRefType) and is_variable(closures.universe, argument)
    ]


def _is_closure(code: nodes.Code) -> bool:
    """Whether it is a closure of the compiler's, which a local function is given: no source names it."""
    return isinstance(code, nodes.Stored) and not code.name


def invoked_by_reference(code: nodes.Invoked, positions: list[int], closures: Closures) -> Run:
    """A call with `ref` and `out` arguments: by reflection, which gives back what they have afterwards."""
    candidate = declared_method(closures.universe, code.method)
    target = closures.of(code.target) if code.target is not None else None
    kinds = candidate.parameter_types(closures.universe, code.method.type_arguments)
    finds = {number: place_of(code.arguments[number], closures) for number in positions}
    runs = [closures.of(argument) for argument in code.arguments]
    passed_on = [code.arguments[number] for number in positions]
    closures_passed = {number for number in positions if _is_closure(code.arguments[number])}
    is_own = all(isinstance(one, nodes.Variable) or _is_closure(one) for one in passed_on)

    def run(env: Environment) -> Operand:
        if not env.may_store and not is_own:
            raise EvaluationError("Assignments are not allowed here: assign in a watch or the debug console")
        if closures_passed and env.caller is None:
            raise calls_forbidden("A local function that uses variables of its method")
        held = target(env) if target is not None else None
        if held is not None:
            held = members.passed(env, held)
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
            operands.append(operand if operand.type.kind is Kind.TUPLE else members.passed(env, operand))
        result, after = creation.run_reflected(env, code.method, held, operands)
        for number, place in places.items():
            if number in closures_passed and not env.may_store:
                continue
            place.write(env, after[number])
        return result

    return run


def pointer_call(code: nodes.PointerCall, closures: Closures) -> Run:
    """A call of a function pointer."""
    pointer, arguments = closures.of(code.pointer), in_order([closures.of(one) for one in code.arguments])

    def run(env: Environment) -> Operand:
        given = [members.passed(env, one) for one in arguments(env)]
        value = pointer(env).program_value
        address = int.from_bytes(value.raw, "little") if value is not None else 0
        if not address:
            raise Thrown("System.NullReferenceException", "the function pointer is null")
        return creation.call_pointer(env, address, code.parameters, code.type, given)

    return run
