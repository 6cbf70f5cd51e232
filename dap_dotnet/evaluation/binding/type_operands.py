"""What has a type as its operand: casts, `as`, `typeof`, `sizeof` and `default`."""

from __future__ import annotations

from dap_dotnet.errors import EvaluationError, RuntimeCallError, Thrown
from dap_dotnet.evaluation.binding.bound import Bound, constant
from dap_dotnet.evaluation.binding.method_groups import bind_argument
from dap_dotnet.evaluation.binding.name_binder import NameBinder
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.numbers.numeric import BITS
from dap_dotnet.evaluation.operations.casts import cast, is_instance, is_never
from dap_dotnet.evaluation.operations.default_values import default_of, zero_of
from dap_dotnet.evaluation.operations.implicit import convert_implicitly
from dap_dotnet.evaluation.operations.ranges import as_span
from dap_dotnet.evaluation.rules.diagnostics import Diagnostic
from dap_dotnet.evaluation.rules.type_errors import not_assignable
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.collection_types import SPANS
from dap_dotnet.evaluation.types.csharp_types import Kind, Operand, Type
from dap_dotnet.evaluation.types.implicit_conversions import implicitly_converts
from dap_dotnet.evaluation.types.tuple_names import count
from dap_dotnet.values.number_formats import INVARIANT, number_text
from dap_dotnet.values.type_sizes import value_size


def with_names(binder: NameBinder, bound: Bound, wanted: syntax.TypeSyntax) -> Bound:
    """A value of a written type, in which the elements of tuples have the names that the type says."""
    if bound.constant is not None or bound.type is None or not count(bound.type):
        return bound
    run, renaming = bound.run, binder.renaming(wanted, bound.type)
    return Bound(lambda env: renaming(run(env)), bound.type, None, bound.is_dynamic, bound.at)


def bind_cast(binder: NameBinder, node: syntax.Cast) -> Bound:
    """`(T)operand`. CS0221."""
    target, checked = binder.type(node.type), binder.checked
    is_typed = isinstance(node.operand, (syntax.Collection, syntax.Interpolated))
    wanted = target
    if target.full_name in SPANS and isinstance(node.operand, syntax.Collection):
        wanted = binder.universe.array(target.arguments[0])
    operand = binder.typed(node.operand, wanted) if is_typed else bind_argument(binder, node.operand)
    run = operand.run
    if operand.constant is not None and target.kind is Kind.NUMBER and operand.constant.type.kind is Kind.NUMBER:
        return _constant_cast(binder, operand.constant, target)
    if operand.constant is types.NULL_OPERAND and target.is_value_type and target.kind is not Kind.NULLABLE:
        raise not_assignable(types.NULL, target)
    if wanted is not target:
        return Bound(lambda env: convert_implicitly(env, run(env), target), target)
    if target.full_name in SPANS:
        return Bound(lambda env: cast(env, as_span(env, run(env)), target), target)
    return Bound(lambda env: cast(env, run(env), target, checked=checked), target)


def _constant_cast(binder: NameBinder, operand: Operand, target: Type) -> Bound:
    folds = operand.type in (types.R4, types.R8) and target.code in BITS and target not in (types.I, types.U)
    try:
        return constant(cast(binder.env, operand, target, checked=folds or not binder.unchecked))
    except Thrown:  # it overflows: nothing else is thrown for numbers
        if folds and binder.unchecked:
            return constant(Operand(target, 0))  # whatever the program does with a variable of that value
        shown = number_text(operand.type.code, operand.data, "", lambda: INVARIANT)
        if target is types.DECIMAL:
            raise Diagnostic("CS0031", shown, "decimal") from None
        raise Diagnostic("CS0221", shown, target.name) from None


def bind_as(binder: NameBinder, node: syntax.As) -> Bound:
    """`operand as T`. CS0039, CS0077."""
    target, operand = binder.type(node.type), binder.expression(node.operand)
    run = operand.run
    if target.is_value_type and target.kind is not Kind.NULLABLE:
        raise Diagnostic("CS0077", target.name)
    known = operand.type if not operand.is_dynamic else None
    boxed = known.element if known is not None and known.kind is Kind.NULLABLE else known
    is_unboxed = (
        boxed is not None
        and boxed.is_value_type
        and target.is_reference
        and boxed.kind in (Kind.NUMBER, Kind.BOOL, Kind.ENUM)
        and not implicitly_converts(binder.universe, boxed, target)
    )
    if known is not None and (is_unboxed or is_never(binder.universe, known, target)) and not is_generic(binder):
        raise Diagnostic("CS0039", known.name, target.name)

    def test(env: Environment) -> Operand:
        operand = run(env)
        return cast(env, operand, target) if is_instance(env, operand, target) else Operand(target, None)

    return Bound(test, target)


def is_generic(binder: NameBinder) -> bool:
    """Whether a type of the code here may be a type parameter's, of which the compiler knows less than we do."""
    context = binder.env.context
    if not context.frame.is_on_stack:
        return True
    return bool(binder.env.debuggee.frame_type_arguments(context.thread, context.frame.index))


def bind_typeof(binder: NameBinder, node: syntax.TypeOf) -> Bound:
    """`typeof(T)`."""
    return constant(Operand(types.TYPE, binder.type_of(node.type)))


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


def bind_default(binder: NameBinder, node: syntax.Default) -> Bound:
    """`default(T)`, and `default`, which becomes a value where its type is known."""
    if node.type is None:
        return constant(types.DEFAULT_OPERAND)
    wanted = binder.type(node.type)
    if wanted.kind is Kind.STRUCT:
        return Bound(lambda env: default_of(env, wanted), wanted)
    return constant(Operand(wanted, zero_of(wanted)))
