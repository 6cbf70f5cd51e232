"""Binding of `x = 1`, `x += 1`, `x ??= y`, `x++` and `(a, b) = t` (C# specification 12.21, 12.8.16)."""

from __future__ import annotations

from collections.abc import Callable

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.binding.assignment_targets import Find, bind_target
from dap_dotnet.evaluation.binding.binary_operators import binary_apply
from dap_dotnet.evaluation.binding.bound import Bound, Run, convert, passing
from dap_dotnet.evaluation.binding.deconstruction import taken_apart
from dap_dotnet.evaluation.binding.extension_members import NO_OPERATOR
from dap_dotnet.evaluation.binding.method_groups import bind_argument
from dap_dotnet.evaluation.binding.name_binder import NameBinder
from dap_dotnet.evaluation.binding.operator_steps import OperatorSteps
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.assignables import Assignable, BodyLocal, Stored
from dap_dotnet.evaluation.operations.casts import cast
from dap_dotnet.evaluation.operations.creation import with_items
from dap_dotnet.evaluation.operations.default_values import default_of, zero_of
from dap_dotnet.evaluation.operations.implicit import convert_implicitly
from dap_dotnet.evaluation.operations.operators import Flags
from dap_dotnet.evaluation.operations.outside_operators import call_operator
from dap_dotnet.evaluation.operations.user_defined import user_unary_operator
from dap_dotnet.evaluation.rules.diagnostics import Diagnostic
from dap_dotnet.evaluation.rules.type_errors import no_operator
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Kind, Operand, Type
from dap_dotnet.evaluation.types.delegate_types import is_delegate
from dap_dotnet.evaluation.types.implicit_conversions import implicitly_converts

_SHIFTS = frozenset({"<<", ">>", ">>>"})
_ONE = Operand(types.I4, 1)
Give = Callable[[Environment, Assignable], Operand | None]
"""The value to give to what is on the left, of its type; None: it stays as it is."""


def bind_assignment(binder: NameBinder, node: syntax.Assignment) -> Bound:
    """An assignment of any operator. Its value is what the left side has afterwards."""
    if isinstance(node.target, syntax.Tuple) and node.operator == "=":
        return _deconstruction(binder, node.target, node.value)
    value = target_typed(binder, node.value)
    if isinstance(node.target, syntax.Name) and node.target.name == "_" and binder.variable("_") is None:
        return value(None)  # a discard
    find, is_own = bind_target(binder, node.target), _is_own(binder, node.target)
    operator = node.operator[:-1]
    if operator == "":
        is_double = isinstance(node.value, syntax.Literal) and node.value.code is types.R8.code
        return Bound(_assign(find, lambda env, left: _given(env, value(left.type), left, is_double), is_own))
    if operator == "??":
        return Bound(_assign(find, lambda env, left: _coalesced(env, value(left.type), left), is_own))
    steps = OperatorSteps(binder, operator)
    return Bound(_assign(find, lambda env, left: _compound(env, steps, value(left.type), left), is_own))


def _is_own(binder: NameBinder, target: syntax.Node) -> bool:
    return isinstance(target, syntax.Name) and target.name in binder.locals


def bind_increment(binder: NameBinder, node: syntax.Increment) -> Bound:
    """`++` and `--`: before an operand their value is the new one, after it the old one."""
    operand = node.target
    while isinstance(operand, syntax.Parenthesized):
        operand = operand.inner
    find, is_own = bind_target(binder, operand, refusal="CS1059"), _is_own(binder, operand)
    steps = OperatorSteps(binder, node.operator)

    def run(env: Environment) -> Operand:
        _check_may_store(env, is_own)
        before = len(env.live)
        try:
            left = find(env)
            old = left.read(env)
            kept = Operand(old.type, old.data, old.value, old.names)
            env.live.append(kept)
            if steps.changes(env, left, old, []):
                return left.read(env)
            new = _stepped(env, steps, old)
            if new is None:
                return kept
            return written(env, left, new) if node.is_prefix else _after(env, left, new, kept)
        finally:
            del env.live[before:]

    return Bound(run)


def _after(env: Environment, left: Assignable, new: Operand, old: Operand) -> Operand:
    written(env, left, new)
    return Operand(old.type, old.data) if old.type.kind in (Kind.NUMBER, Kind.ENUM, Kind.NULLABLE) else old


def _stepped(env: Environment, steps: OperatorSteps, old: Operand) -> Operand | None:
    """One more or one less; None where a nullable one has no value."""
    operator, checked = steps.operator, steps.checked
    own = user_unary_operator(env, operator, old.type)
    if own is not None:
        return own(env, [old])
    inner = old.type.element if old.type.kind is Kind.NULLABLE else old.type
    if inner.kind not in (Kind.NUMBER, Kind.ENUM):
        made = call_operator(env, steps.outside, [old])
        if made is None:
            raise no_operator(operator, old.type)
        return made
    if old.data is None:
        return None
    plain = Operand(inner, old.data)
    made = binary_apply(env, operator[0], plain, _ONE, Flags(right=1, checked=checked))(env, plain, _ONE)
    return cast(env, cast(env, made, inner, checked=checked), old.type)


def _check_may_store(env: Environment, is_own: bool) -> None:
    """`is_own`: what is assigned is a variable of the expression itself."""
    if not env.may_store and not is_own:
        raise EvaluationError("Assignments are not allowed here: assign in a watch or the debug console")


def _assign(find: Find, give: Give, is_own: bool) -> Run:
    def run(env: Environment) -> Operand:
        _check_may_store(env, is_own)
        before = len(env.live)
        try:
            left = find(env)
            given = give(env, left)
            return left.read(env) if given is None else written(env, left, given)
        finally:
            del env.live[before:]

    return run


def written(env: Environment, left: Assignable, given: Operand) -> Operand:
    """Write a value; the operand that the assignment gives is a copy that lives on."""
    passed = Operand(given.type, given.data, given.value, given.names)
    if isinstance(left, BodyLocal):
        if given.data is None and given.type.kind is Kind.STRUCT:
            passed = given = default_of(env, given.type)
        left.write(env, passed)
        return given
    for operand in (passed, *with_items(passed)):
        env.live.append(operand)
        env.runner.put_on_heap(env, operand)
    left.write(env, passed)
    if isinstance(left, Stored):
        return left.read(env)
    return given if isinstance(given.data, str) else passed


def target_typed(binder: NameBinder, node: syntax.Node) -> Callable[[Type | None], Bound]:
    """The value of an assignment, for the type of what is on the left (None: any)."""
    is_collection = isinstance(node, syntax.Collection)
    is_default = isinstance(node, syntax.Default)
    if is_collection or (isinstance(node, syntax.Default | syntax.New) and node.type is None):

        def typed(kind: Type | None) -> Bound:
            if kind is None:
                raise Diagnostic("CS8716")
            if is_default:  # the place of a structure is cleared
                return Bound(lambda env: Operand(kind, zero_of(kind)), kind)
            return binder.typed(node, kind)

        return typed
    bound = bind_argument(binder, node)
    return lambda kind: bound


def _given(env: Environment, value: Bound, left: Assignable, is_double: bool) -> Operand:
    """What an assignment stores; CS0664 for a literal of type double (`is_double`) that has to be another one."""
    if is_double and left.type in (types.R4, types.DECIMAL):
        with passing(value.at):
            raise Diagnostic("CS0664", left.type.name, "F" if left.type.name == "float" else "M")
    return _converted(env, value, left)


def _converted(env: Environment, value: Bound, left: Assignable) -> Operand:
    operand = value.run(env)
    return operand if left.type is None else convert(env, operand, left.type, value)


def _coalesced(env: Environment, value: Bound, left: Assignable) -> Operand | None:
    kind = left.type
    if kind is not None and kind.is_value_type and kind.kind is not Kind.NULLABLE:
        raise no_operator("??=", kind, value.type or kind)
    return _converted(env, value, left) if left.read(env).data is None else None


def _compound(env: Environment, steps: OperatorSteps, value: Bound, left: Assignable) -> Operand | None:
    """C# specification 12.21.4: a predefined operator's result may be cast back where the right side converts.

    None where the operator has changed the left side itself.
    """
    operator, checked = steps.operator, steps.checked
    old = left.read(env)
    env.live.append(old)
    right = value.run(env)
    if left.type is not None and is_delegate(env.universe, left.type):
        right = convert_implicitly(env, right, left.type, value.constant)  # a lambda or a method is made one
    env.live.append(right)
    constant = value.constant.data if value.constant is not None and value.type is not None else None
    flags = Flags(right=constant if right.type.kind is Kind.NUMBER else None, checked=checked)
    if steps.changes(env, left, old, [right], [value.constant]):
        return None
    try:
        made = binary_apply(env, operator, old, right, flags)(env, old, right)
    except EvaluationError as error:
        if error.compiler_code not in NO_OPERATOR:
            raise
        if steps.changes_outside(env, old, right):
            return None
        by_extension = call_operator(env, steps.outside, [old, right])
        if by_extension is None:
            raise
        made = by_extension
    target = left.type
    if target is None or made.type is target:
        return made
    if operator in _SHIFTS or (
        _is_predefined(old.type)
        and (implicitly_converts(env.universe, right.type, target, value.constant) or _is_enum_step(target, right.type))
    ):
        return cast(env, made, target, checked=checked)
    if _is_predefined(old.type) and value.constant is not None:
        convert_implicitly(env, right, target, value.constant)  # CS0031
    return convert_implicitly(env, made, target)


def _is_predefined(kind: Type) -> bool:
    inner = kind.element if kind.kind is Kind.NULLABLE else kind
    return inner.kind in (Kind.NUMBER, Kind.ENUM, Kind.BOOL)


def _is_enum_step(target: Type, right: Type) -> bool:
    """`colour += 1`: the number of the enum's own type."""
    return target.kind is Kind.ENUM and right.kind is Kind.NUMBER


def _deconstruction(binder: NameBinder, target: syntax.Tuple, value: syntax.Node) -> Bound:
    """`(a, b) = (b, a)`: all targets are found and all values had before the first is written."""
    finds = [bind_target(binder, item) for item in target.items]
    is_own = all(_is_own(binder, item) for item in target.items)
    bound = binder.expression(value)

    def run(env: Environment) -> Operand:
        _check_may_store(env, is_own)
        before = len(env.live)
        try:
            lefts = [find(env) for find in finds]
            whole = bound.run(env)
            env.live.append(whole)
            items = taken_apart(env, whole, len(lefts))
            first = len(env.live)
            for left, item in zip(lefts, items, strict=True):
                env.live.append(item if left.type is None else convert_implicitly(env, item, left.type))
            for left, item in zip(lefts, env.live[first:], strict=True):
                written(env, left, item)
            return Operand(types.TUPLE, tuple(left.read(env) for left in lefts))
        finally:
            del env.live[before:]

    return Bound(run)
