"""Hit tests of conditions: the comparisons of a condition that the runtime's own thread can make of planned reads.

The interpreter of conditions defines what they mean. A test is made only of forms whose meaning is that of numbers and
texts as such: comparisons of primitives and enums with each other and with constants, remainders and common bits of
integers, strings compared with constants, null, `&&`, `||`, `!`. Of everything else there is no test.
"""

from __future__ import annotations

from typing import Any, NoReturn

from dap_dotnet.errors import DapDotnetError, EvaluationError
from dap_dotnet.evaluation.binding.binder import Binder
from dap_dotnet.evaluation.binding.variables import site_of
from dap_dotnet.evaluation.conditions import check_condition
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.syntax.tree import Node
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Kind, Operand, Type
from dap_dotnet.runtime.hit_tests import MOST_TESTS, HitTest, HitTestKind, HitTestNode, Relation
from dap_dotnet.runtime.model import ElementType, Value
from dap_dotnet.values import primitives
from dap_dotnet.values.context import FrameContext
from dap_dotnet.values.hit_reads import HitReads

_RELATIONS = {
    "==": Relation.EQUAL,
    "!=": Relation.NOT_EQUAL,
    "<": Relation.LESS,
    "<=": Relation.LESS_EQUAL,
    ">": Relation.GREATER,
    ">=": Relation.GREATER_EQUAL,
}
_INTEGERS = frozenset(
    {
        ElementType.CHAR,
        ElementType.I1,
        ElementType.U1,
        ElementType.I2,
        ElementType.U2,
        ElementType.I4,
        ElementType.U4,
        ElementType.I8,
        ElementType.U8,
    }
)
_REALS = frozenset({ElementType.R4, ElementType.R8})
_MOST_INTEGER = 2**63
_EXACT = {ElementType.R4: 2**24, ElementType.R8: 2**53}
"""Up to here every integer is a number of the floating-point type."""


class _NoTestError(Exception):
    """The condition has a form, or a value, that no test can be made of."""


def build_hit_test(condition: str, context: FrameContext, reads: HitReads) -> HitTest | None:
    """The test of a condition that was false at this hit, by the reads that its event brought; None: there is none.

    Nothing of the program runs. The process must be held, and `reads` be those of the plan that is set.
    """
    env = Environment(context, None, _NothingRuns())
    if env.reads is not reads:
        return None
    builder = _Builder(env, reads)
    try:
        builder.truth(check_condition(condition))
    except (_NoTestError, DapDotnetError, RecursionError):
        return None
    finally:
        env.release()
    return HitTest(tuple(builder.nodes), bytes(builder.text)) if len(builder.nodes) <= MOST_TESTS else None


class _NothingRuns:
    """Implements `environment.MethodRunner`: what a method decides may differ from hit to hit."""

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        raise EvaluationError("A test of hits runs nothing of the program")

    run = reference = construct = new_array = array_of = delegate = _refuse
    put_on_heap = converted = make_anonymous_type = _refuse


class _Builder:
    """Writes the nodes of one condition. Each method returns the number of the node that it has written."""

    def __init__(self, env: Environment, reads: HitReads) -> None:
        self._env = env
        self._reads = reads
        self._binder = Binder(env, site_of(env))
        self.nodes: list[HitTestNode] = []
        self.text = bytearray()

    def truth(self, node: Node) -> int:
        """A condition."""
        match node:
            case syntax.Parenthesized(inner=inner):
                return self.truth(inner)
            case syntax.Unary(operator="!", operand=operand):
                return self._write(HitTestNode(HitTestKind.NOT, self.truth(operand)))
            case syntax.Binary(operator="&&" | "||" as operator, left=left, right=right):
                kind = HitTestKind.AND if operator == "&&" else HitTestKind.OR
                first = self.truth(left)
                return self._write(HitTestNode(kind, first, self.truth(right)))
            case syntax.Binary(operator=operator, left=left, right=right) if operator in _RELATIONS:
                return self._comparison(_RELATIONS[operator], left, right)
        number, code = self._number(node)
        if code is not ElementType.BOOLEAN:
            raise _NoTestError
        return number

    def _comparison(self, relation: Relation, left: Node, right: Node) -> int:
        for operand, other in ((left, right), (right, left)):
            constant = self._constant(other)
            if constant is not None and constant.type.kind in (Kind.STRING, Kind.NULL):
                return self._equality(relation, operand, constant.data)
        first, first_code = self._number(left)
        second, second_code = self._number(right)
        self._check_pair(first, first_code, second_code)
        self._check_pair(second, second_code, first_code)
        return self._write(HitTestNode(HitTestKind.COMPARE, first, second, relation))

    def _check_pair(self, number: int, code: ElementType, other: ElementType) -> None:
        """Refuse an integer that the language would round to compare it with a floating-point number."""
        if other not in _REALS or code in _REALS:
            return
        node = self.nodes[number]
        if node.kind is HitTestKind.INTEGER:
            if abs(node.integer) > _EXACT[other]:
                raise _NoTestError
        elif other is ElementType.R4 or code in (ElementType.I8, ElementType.U8):
            raise _NoTestError

    def _equality(self, relation: Relation, node: Node, text: str | None) -> int:
        """Of a reference with null, or of a string with a text."""
        if relation not in (Relation.EQUAL, Relation.NOT_EQUAL):
            raise _NoTestError
        read, value, kind = self._read(node)
        if text is None:
            # Other classes may have an operator of their own.
            if kind.kind not in (Kind.STRING, Kind.ARRAY) and kind is not types.OBJECT:
                raise _NoTestError
            number = self._write(HitTestNode(HitTestKind.NULL, read))
        else:
            if kind is not types.STRING or not (value.is_null or value.element_type is ElementType.STRING):
                raise _NoTestError
            units = text.encode("utf-16-le", "surrogatepass")
            at = len(self.text) // 2
            self.text += units
            number = self._write(HitTestNode(HitTestKind.TEXT, read, len(units) // 2, at))
        return number if relation is Relation.EQUAL else self._write(HitTestNode(HitTestKind.NOT, number))

    def _number(self, node: Node) -> tuple[int, ElementType]:
        """A number, a bool or an enum, with the element type of what it is."""
        if isinstance(node, syntax.Parenthesized):
            return self._number(node.inner)
        constant = self._constant(node)
        if constant is not None:
            return self._write(_constant_node(constant)), _code_of(constant.type)
        if isinstance(node, syntax.Binary) and node.operator in ("%", "&"):
            return self._computed(node)
        read, value, kind = self._read(node)
        code = _code_of(kind)
        size = primitives.SIZES.get(code)
        if size is None or len(value.raw) != size or value.is_null:
            raise _NoTestError
        return self._write(HitTestNode(HitTestKind.READ, read, 0, code)), code

    def _computed(self, node: syntax.Binary) -> tuple[int, ElementType]:
        left, left_code = self._number(node.left)
        right, right_code = self._number(node.right)
        if not {left_code, right_code} <= _INTEGERS - {ElementType.U8}:
            raise _NoTestError
        kind = HitTestKind.REMAINDER if node.operator == "%" else HitTestKind.BITS
        code = ElementType.I8 if ElementType.I8 in (left_code, right_code) else ElementType.I4
        return self._write(HitTestNode(kind, left, right)), code

    def _constant(self, node: Node) -> Operand | None:
        if isinstance(node, syntax.Name | syntax.Member | syntax.Literal | syntax.Unary | syntax.Cast):
            return self._binder.expression(node).constant
        return None

    def _read(self, node: Node) -> tuple[int, Value, Type]:
        """A variable or a field: the number of its read, what it brought, and the declared type."""
        if not _is_path(node):
            raise _NoTestError
        bound = self._binder.expression(node)
        operand = bound.run(self._env)
        value = operand.program_value
        number = self._reads.number_of(value.handle) if value is not None and value.handle is not None else None
        if bound.type is None or value is None or number is None or not _is_unchanged(operand, value):
            raise _NoTestError
        return number, value, bound.type

    def _write(self, node: HitTestNode) -> int:
        self.nodes.append(node)
        return len(self.nodes) - 1


def _is_path(node: Node) -> bool:
    while isinstance(node, syntax.Member) and not node.type_arguments:
        node = node.target
    return isinstance(node, syntax.This) or (isinstance(node, syntax.Name) and not node.type_arguments)


def _is_unchanged(operand: Operand, value: Value) -> bool:
    """Whether an operand is what was read, not something computed of it."""
    data: Any = operand.data
    if data is None or data is value or operand.type.kind is Kind.STRING:
        return value.is_null if data is None else operand.type.kind is not Kind.STRING or _is_string(value)
    return repr(primitives.decode(_code_of(operand.type), value.raw)) == repr(data)  # not a number is itself, too


def _is_string(value: Value) -> bool:
    return value.element_type is ElementType.STRING


def _code_of(kind: Type) -> ElementType:
    """The element type of a primitive, or of an enum's numbers; END for all others."""
    if kind.kind is Kind.ENUM and kind.underlying is not None:
        return kind.underlying.code
    return kind.code if kind.kind in (Kind.BOOL, Kind.NUMBER) else ElementType.END


def _constant_node(constant: Operand) -> HitTestNode:
    code, data = _code_of(constant.type), constant.data
    if code in _REALS:
        return HitTestNode(HitTestKind.REAL, real=float(data))
    if (code in _INTEGERS or code is ElementType.BOOLEAN) and -_MOST_INTEGER <= int(data) < _MOST_INTEGER:
        return HitTestNode(HitTestKind.INTEGER, integer=int(data))
    raise _NoTestError
