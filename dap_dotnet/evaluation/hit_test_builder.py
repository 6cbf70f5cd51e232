"""Hit tests of conditions: the comparisons of a condition that the runtime's own thread can make of planned reads.

The bound tree defines what they mean. A test is made only of forms whose meaning is that of numbers and
texts as such: comparisons of primitives and enums with each other and with constants, remainders and common bits of
integers, strings compared with constants, null, `&&`, `||`, `!`. Of everything else there is no test.
"""

from __future__ import annotations

from typing import Any, NoReturn

from dap_dotnet.errors import DapDotnetError, EvaluationError
from dap_dotnet.evaluation import numeric
from dap_dotnet.evaluation.binding.name_binder import NameBinder
from dap_dotnet.evaluation.binding.scope import constant_of
from dap_dotnet.evaluation.binding.whole import bound_whole
from dap_dotnet.evaluation.bound_tree import Code, FieldOf, Invoked, Operation, Stored, TypedOperation, Zero
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.member_access import method_of
from dap_dotnet.evaluation.rules.conversions import implicitly_converts
from dap_dotnet.evaluation.running.run import closure
from dap_dotnet.evaluation.syntax.parser import parse
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Kind, Operand, Type
from dap_dotnet.runtime.hit_tests import MOST_TESTS, HitTest, HitTestKind, HitTestNode, Relation
from dap_dotnet.runtime.model import ElementType, Value
from dap_dotnet.values import primitives
from dap_dotnet.values.context import FrameContext
from dap_dotnet.values.hit_reads import HitReads

_RELATIONS = {
    "Equal": Relation.EQUAL,
    "NotEqual": Relation.NOT_EQUAL,
    "LessThan": Relation.LESS,
    "LessThanOrEqual": Relation.LESS_EQUAL,
    "GreaterThan": Relation.GREATER,
    "GreaterThanOrEqual": Relation.GREATER_EQUAL,
}
_INTEGERS = frozenset(numeric.BITS) - {ElementType.I, ElementType.U}
_REALS = numeric.FLOATS
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
    env.reads = None  # to bind takes other reads than to evaluate: the plan is not to learn them
    try:
        code, _ = bound_whole(NameBinder(env), parse(condition))
        env.reads = reads
        builder.truth(code)
    except (_NoTestError, DapDotnetError, RecursionError):
        return None
    finally:
        env.release()
    return HitTest(tuple(builder.nodes), bytes(builder.text)) if len(builder.nodes) <= MOST_TESTS else None


class _NothingRuns:
    """Implements `environment.MethodRunner`: what a method decides may differ from hit to hit."""

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        raise EvaluationError("A test of hits runs nothing of the program")

    run = reference = construct = new_array = delegate = _refuse
    put_on_heap = _refuse


class _Builder:
    """Writes the nodes of one condition. Each method returns the number of the node that it has written."""

    def __init__(self, env: Environment, reads: HitReads) -> None:
        self._env = env
        self._reads = reads
        self.nodes: list[HitTestNode] = []
        self.text = bytearray()

    def truth(self, code: Code) -> int:
        """A condition."""
        match code:
            case Operation(name="Not", operands=(operand,)) if operand.type is types.BOOL:
                return self._write(HitTestNode(HitTestKind.NOT, self.truth(operand)))
            case Operation(name="AndAlso" | "OrElse" as name, operands=(left, right)):
                first = self.truth(left)
                kind = HitTestKind.AND if name == "AndAlso" else HitTestKind.OR
                return self._write(HitTestNode(kind, first, self.truth(right)))
            case Operation(name="ReferenceEqual" | "ReferenceNotEqual" as name, operands=(left, right)):
                tested = left if isinstance(right, Zero) else right if isinstance(left, Zero) else None
                if tested is None:
                    raise _NoTestError
                read, _ = self._read(tested)
                return self._not_if(name != "ReferenceEqual", self._write(HitTestNode(HitTestKind.NULL, read)))
            case Operation(name=name, operands=(left, right)) if name in _RELATIONS:
                return self._comparison(_RELATIONS[name], left, right)
            case Invoked(method=method, target=None, arguments=(left, right)) if method.owner is types.STRING:
                return self._text_equality(method_of(self._env, method).name, left, right)
        number, element = self._number(code)
        if element is not ElementType.BOOLEAN:
            raise _NoTestError
        return number

    def _not_if(self, negated: bool, number: int) -> int:
        return self._write(HitTestNode(HitTestKind.NOT, number)) if negated else number

    def _comparison(self, relation: Relation, left: Code, right: Code) -> int:
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

    def _text_equality(self, name: str, left: Code, right: Code) -> int:
        """Of a string with a text."""
        if name not in ("op_Equality", "op_Inequality"):
            raise _NoTestError
        constant = constant_of(right)
        tested = left if constant is not None else right
        constant = constant or constant_of(left)
        read, value = self._read(tested)
        if constant is None or not (value.is_null or _is_string(value)):
            raise _NoTestError
        if constant.data is None:
            number = self._write(HitTestNode(HitTestKind.NULL, read))
        else:
            units = constant.data.encode("utf-16-le", "surrogatepass")
            at = len(self.text) // 2
            self.text += units
            number = self._write(HitTestNode(HitTestKind.TEXT, read, len(units) // 2, at))
        return self._not_if(name == "op_Inequality", number)

    def _number(self, code: Code) -> tuple[int, ElementType]:
        """A number, a bool or an enum, with the element type of what it is before it is widened."""
        code = self._before_widening(code)
        constant = constant_of(code)
        if constant is not None:
            return self._write(_constant_node(constant)), _code_of(constant.type)
        if isinstance(code, Operation) and code.name in ("Modulo", "And"):
            return self._computed(code)
        read, value = self._read(code)
        element = _code_of(code.type)
        size = primitives.SIZES.get(element)
        if size is None or len(value.raw) != size or value.is_null:
            raise _NoTestError
        return self._write(HitTestNode(HitTestKind.READ, read, 0, element)), element

    def _before_widening(self, code: Code) -> Code:
        """What a conversion is of that changes no number, but for the rounding that `_check_pair` refuses."""
        while isinstance(code, TypedOperation) and code.name in ("Convert", "ConvertChecked"):
            source, target = (one.underlying or one for one in (code.operand.type, code.wanted))
            if {source.kind, target.kind} != {Kind.NUMBER} or _code_of(target) is ElementType.END:
                raise _NoTestError
            if source.code is not target.code and not implicitly_converts(self._env.universe, source, target):
                raise _NoTestError
            code = code.operand
        return code

    def _computed(self, code: Operation) -> tuple[int, ElementType]:
        left, left_code = self._number(code.operands[0])
        right, right_code = self._number(code.operands[1])
        if not {left_code, right_code} <= _INTEGERS - {ElementType.U8}:
            raise _NoTestError
        kind = HitTestKind.REMAINDER if code.name == "Modulo" else HitTestKind.BITS
        element = ElementType.I8 if ElementType.I8 in (left_code, right_code) else ElementType.I4
        return self._write(HitTestNode(kind, left, right)), element

    def _read(self, code: Code) -> tuple[int, Value]:
        """A variable or a field: the number of its read, and what it brought."""
        if not _is_path(code):
            raise _NoTestError
        operand = closure(self._env.universe, code)(self._env)
        value = operand.program_value
        number = self._reads.number_of(value.handle) if value is not None and value.handle is not None else None
        if value is None or number is None or not _is_unchanged(operand, value):
            raise _NoTestError
        return number, value

    def _write(self, node: HitTestNode) -> int:
        self.nodes.append(node)
        return len(self.nodes) - 1


def _is_path(code: Code) -> bool:
    """Whether code reads a variable, or a field or property of one."""
    while True:
        if isinstance(code, FieldOf) or (isinstance(code, Invoked) and not code.arguments):
            if code.target is None:
                return isinstance(code, FieldOf)
            code = code.target
        else:
            return isinstance(code, Stored)


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
