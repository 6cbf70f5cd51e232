"""Assignments as closures: to variables of the code, of the frame, fields and elements."""

from __future__ import annotations

from collections.abc import Callable

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation import bound_tree as nodes
from dap_dotnet.evaluation.diagnostics import null_reference
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations import assignables, placed
from dap_dotnet.evaluation.operations.assignables import Stored as StoredPlace
from dap_dotnet.evaluation.operations.creation import with_items
from dap_dotnet.evaluation.operations.operand_values import zero_of
from dap_dotnet.evaluation.rules.variables import CHOSEN, INLINE_ELEMENT, returned_word
from dap_dotnet.evaluation.running.members import boxed_copy, declared_field, declaring_type, passed
from dap_dotnet.evaluation.running.steps import NOTHING, CellPlace, Closures, Run, check_changes
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import SPANS, Kind, Operand
from dap_dotnet.runtime.model import FieldRef, Value
from dap_dotnet.values.placed_values import read_refs

Find = Callable[[Environment], assignables.Assignable]


def assign(code: nodes.Operation, closures: Closures) -> Run:
    """`target = value`, whose value is what was stored."""
    target, value = code.operands
    if type(target) is nodes.Variable:
        return _to_variable(target, closures.of(value), is_new=isinstance(value, nodes.Made | nodes.Zero))
    find, run = place_of(target, closures), _given(value, closures)
    is_plain = not any(isinstance(part, nodes.Invoked | nodes.Made | nodes.Function) and part.type is not types.STRING
                       for part in nodes.parts_of(value))  # fmt: skip

    def store(env: Environment) -> Operand:
        if not env.may_store:
            raise EvaluationError("Assignments are not allowed here: assign in a watch or the debug console")
        place = find(env)
        if isinstance(place, placed.Returned) and not is_plain:
            place.locate(env)  # what returns the variable runs before the value's own calls
        given = run(env)
        if given.type is not types.TUPLE:  # whose elements are stored one by one
            given = passed(env, given)
        kept = Operand(target.type, given.data, given.value, given.names, given.place)
        for operand in (kept, *with_items(kept)):
            env.runner.put_on_heap(env, operand)
        place.write(env, kept)
        return place.read(env) if isinstance(place, StoredPlace) else kept

    return store


def _given(value: nodes.Code, closures: Closures) -> Run:
    """The value; the place of a structure is cleared for its default."""
    if isinstance(value, nodes.Zero) and value.type.kind is Kind.STRUCT:
        return lambda env: Operand(value.type, zero_of(value.type))
    return closures.of(value)


def _to_variable(target: nodes.Variable, run: Run, *, is_new: bool) -> Run:
    def store(env: Environment) -> Operand:
        given = run(env)
        if target.type.is_reference:
            given = boxed_copy(env, given)
        cell = env.cells[target]
        check_changes(cell, target)
        cell.is_own = is_new
        value = given.value if given.type.kind not in assignables.COPIED or isinstance(given.data, Value) else None
        kept = cell.operand = Operand(given.type, given.data, value, given.names, given.place)
        return Operand(kept.type, kept.data, kept.value, kept.names, kept.place)

    return store


def place_of(target: nodes.Code, closures: Closures) -> Find:
    """What finds a variable, field or element, evaluated once."""
    if isinstance(target, nodes.Alias):
        return lambda env: _place(env, target)
    if isinstance(target, nodes.Variable):
        return lambda env: CellPlace(target)
    if isinstance(target, nodes.Steps):
        *first, last = target.steps
        before, inner = [closures.of(step) for step in first], place_of(last, closures)

        def find_behind(env: Environment) -> assignables.Assignable:
            for run in before:
                run(env)
            return inner(env)

        return find_behind
    if isinstance(target, nodes.Stored):
        if target.is_of_console:
            return lambda env: assignables.kept_place(env, target.name)
        locate = target.locate
        assert locate is not None
        return lambda env: StoredPlace(target.type, locate)
    if isinstance(target, nodes.FieldOf):
        return _field(target, closures)
    if isinstance(target, nodes.Invoked):
        return _returned(target, closures)
    assert isinstance(target, nodes.Operation), target
    if target.name == CHOSEN:
        test, when_true, when_false = target.operands
        decide, chosen = closures.of(test), (place_of(when_false, closures), place_of(when_true, closures))
        return lambda env: chosen[bool(decide(env).data)](env)
    return _inside(target, closures) if target.name == INLINE_ELEMENT else _element(target, closures)


def _inside(target: nodes.Operation, closures: Closures) -> Find:
    """What finds an element of an inline array or a fixed buffer."""
    whole, index = place_of(target.operands[0], closures), closures.of(target.operands[1])

    def find(env: Environment) -> assignables.Assignable:
        kept = _there(env, whole(env))
        return placed.repeated_place(env, kept, index(env))

    return find


def _element(target: nodes.Operation, closures: Closures) -> Find:
    """What finds an element of an array, or what a pointer points to."""
    runs, is_pointed = [closures.of(one) for one in target.operands], target.name == "Pointed"

    def find(env: Environment) -> assignables.Assignable:
        whole, *indices = [run(env) for run in runs]
        if is_pointed:
            return placed.pointed(env, whole, target.type, *indices)
        return placed.element(env, whole, indices, target.type)

    return find


def alias(code: nodes.Operation, closures: Closures) -> Run:
    """A `ref` variable is made one: what it stands for is evaluated."""
    made, target = code.operands
    assert isinstance(made, nodes.Alias)
    find = place_of(target, closures)

    def run(env: Environment) -> Operand:
        place = find(env)
        if made.name and isinstance(place, placed.Returned):
            place.locate(env)  # a `ref` variable of the source runs the method now
        env.cells[made].place = place
        return NOTHING

    return run


def aliased(code: nodes.Alias, closures: Closures) -> Run:
    """What the variable has that a `ref` variable stands for."""
    return lambda env: _place(env, code).read(env)


def _place(env: Environment, code: nodes.Alias) -> assignables.Assignable:
    place: assignables.Assignable = env.cells[code].place
    return place


def _returned(target: nodes.Invoked, closures: Closures) -> Find:
    """What finds the variable that a method returns by reference."""
    method, (name, _) = target.method, returned_word(closures.universe, target.method)
    owner = closures.of(target.target) if target.target is not None else None
    runs = [closures.of(one) for one in target.arguments]
    is_element = method.owner.full_name in SPANS and name == "get_Item"

    def find(env: Environment) -> assignables.Assignable:
        receiver = owner(env) if owner is not None else None
        if receiver is not None and receiver.data is None:
            raise null_reference(f"the target of '.{name.removeprefix('get_')}'")
        arguments = [passed(env, run(env)) for run in runs]
        if receiver is not None and is_element:
            return placed.span_element(env, receiver, arguments[0])
        return placed.Returned(env, target.type, method, receiver, arguments)

    return find


def _structure(target: nodes.Code, closures: Closures) -> Find:
    """What finds a structure of which a part is assigned: in a variable of the code it gets a copy of its own."""
    if type(target) is not nodes.Variable:
        return place_of(target, closures)

    def find(env: Environment) -> assignables.Assignable:
        place = CellPlace(target)
        now = place.read(env)
        if now.type.kind is Kind.TUPLE:
            place.write(env, passed(env, now))
        cell = env.cells[target]
        if cell.is_own and isinstance(cell.operand.data, Value):
            return assignables.where_kept(place.read, cell.operand)
        made = assignables.own_copy(env, place)
        cell.is_own = True
        return made

    return find


def _there(env: Environment, place: assignables.Assignable) -> StoredPlace:
    """A structure of which a part is to be assigned, which must be there before the value is evaluated."""
    assert isinstance(place, StoredPlace)
    place.locate(env)
    return place


def _field(target: nodes.FieldOf, closures: Closures) -> Find:
    field, kind, owner = declared_field(closures, target), target.type, target.owner
    if target.target is None:
        return lambda env: placed.static_field(
            owner, FieldRef(declaring_type(env, owner, None), field.token), kind, field.shown_name
        )
    if target.target.type.is_value_type:
        outer = _structure(target.target, closures)

        def find_inner(env: Environment) -> assignables.Assignable:
            whole = _there(env, outer(env))
            return whole.field(env, FieldRef(declaring_type(env, owner, None), field.token), kind)

        return find_inner
    run = closures.of(target.target)

    def find(env: Environment) -> assignables.Assignable:
        operand = run(env)

        def locate(env: Environment) -> Value:
            if operand.data is None:
                raise null_reference(f"the target of '.{field.shown_name}'")
            value = operand.program_value
            if value is None or value.handle is None:
                raise EvaluationError("The object's fields cannot be changed: it is not in the program")
            ref = FieldRef(declaring_type(env, owner, value.type), field.token)
            return read_refs(env.program, value, [ref])[0]

        return StoredPlace(kind, locate)

    return find
