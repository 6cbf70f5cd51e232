"""Expression trees of the program: `System.Linq.Expressions`, one factory method for each node of code."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation import bound_tree as nodes
from dap_dotnet.evaluation.calling.program_calls import call, load_assembly, result_operand
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.creation import create_array, field_object, method_object
from dap_dotnet.evaluation.operations.framework import framework_method, framework_type, type_object
from dap_dotnet.evaluation.operations.member_access import method_of
from dap_dotnet.evaluation.operations.operand_values import boxed
from dap_dotnet.evaluation.rules.conversions import is_handler
from dap_dotnet.evaluation.rules.inference import EXPRESSION, delegate_of
from dap_dotnet.evaluation.rules.variables import CHOSEN, INLINE_ELEMENT, returned_word
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import ExactMethod, Kind, Operand, Type
from dap_dotnet.evaluation.types.declarations import is_stack_only, is_subtype

_ASSEMBLY = "System.Linq.Expressions"
_SEQUENCE = "System.Collections.Generic.IEnumerable`1"
_MOST_NODES = 400
"""The largest lambda: each node takes a few function evaluations."""


class TreeMaker:
    """Makes the tree of one lambda."""

    def __init__(self, env: Environment, captured: Mapping[nodes.Variable, Operand]) -> None:
        """`captured`: what the variables of the expression around the lambda have."""
        self._env = env
        self._captured_variables = captured
        self._stored: dict[nodes.Stored, nodes.Code] = {}
        self._is_read = False
        """Whether code of the program looks into the tree: then it is as the compiler makes it."""
        self._shared: dict[object, Operand] = {}
        """Objects that several nodes may need, by what they are made of."""

    def made(self, function: nodes.Function) -> Operand:
        """The delegate, or the LambdaExpression where that is the type. Raises `CalleeThrew` for what it cannot be."""
        env, self._is_read = self._env, function.type.full_name == EXPRESSION
        plain = nodes.Function(delegate_of(function.type), function.parameters, function.body)
        self._check(plain)
        if env.universe.named(f"{_ASSEMBLY}.Expression") is None:
            load_assembly(env, _ASSEMBLY)
        tree = self._node(plain)
        if not self._is_read:
            compiler = framework_method(env, self._named("LambdaExpression"), "Compile", 0)
            tree = result_operand(env, call(env, compiler, [tree], "Compile", has_this=True), function.type)
        return Operand(function.type, tree.data, tree.value)

    def _check(self, function: nodes.Function) -> None:
        """Raises `EvaluationError` for what trees have no node for, and for too much. Reads the frame's variables."""
        pending: list[object] = [function]
        count = 0
        while pending:
            part = pending.pop()
            if isinstance(part, tuple):
                pending.extend(part)
            elif isinstance(part, nodes.Code | nodes.Handler | nodes.Hole):
                count += 1
                what = self._without_node(part) if isinstance(part, nodes.Code) else ""
                if what:
                    raise EvaluationError(
                        f"{what} is not possible in a lambda that the program runs: it becomes an expression tree, "
                        "which has no such node"
                    )
                if isinstance(part, nodes.Stored):
                    self._stored[part] = part.captured(self._env)
                    pending.append(self._stored[part])
                elif isinstance(part, nodes.Each):
                    pending.append(part.lowered)
                elif not isinstance(part, nodes.Captured | nodes.Variable):
                    pending.extend(getattr(part, name) for name in part.__struct_fields__)
        if count > _MOST_NODES:
            raise EvaluationError(f"The lambda has more than {_MOST_NODES} parts: too many to pass to the program")

    def _without_node(self, code: nodes.Code) -> str:
        """The words for code that trees have no node for; empty for others."""
        universe = self._env.universe
        if isinstance(code, nodes.Alias) or (isinstance(code, nodes.Operation) and code.name in _WITHOUT_NODES):
            return "A 'ref' variable"
        if isinstance(code, nodes.Operation) and code.name == "UnsignedRightShift":
            return "The operator '>>>'"
        if isinstance(code, nodes.Captured) and code.is_constant and code.type in (types.I, types.U):
            return f"A constant of type '{code.type.name}'"
        if isinstance(code, nodes.Late):
            return "A member of the actual type"
        if isinstance(code, nodes.PointerCall):
            return "A call of a function pointer"
        if isinstance(code, nodes.Invoked) and returned_word(universe, code.method)[1]:
            return f"A call of '{returned_word(universe, code.method)[0]}', which returns a reference,"
        if code.type.kind is Kind.POINTER:
            return "A pointer"
        if is_stack_only(universe, code.type) and not is_handler(universe, code.type):
            return f"A value of type '{code.type.name}'"
        return ""

    # what factories take: operands of exactly the types of their parameters

    def _named(self, name: str = "Expression") -> Type:
        return framework_type(self._env, f"{_ASSEMBLY}.{name}")

    def _once(self, key: object, make: Callable[[], Operand]) -> Operand:
        """What `make` gives the first time."""
        known = self._shared.get(key)
        if known is None:
            known = self._shared[key] = make()
        return known

    def _type(self, kind: Type) -> Operand:
        of_system = framework_type(self._env, "System.Type")
        return self._once(kind, lambda: _as(of_system, type_object(self._env, kind)))

    def _method(self, exact: ExactMethod, name: str = "MethodInfo") -> Operand:
        info = framework_type(self._env, f"System.Reflection.{name}")
        return self._once(exact, lambda: _as(info, method_object(self._env, exact)))

    def _array(self, items: Sequence[Operand], element: str = "Expression") -> Operand:
        kind = self._named(element)
        return create_array(self._env, kind, [_as(kind, item) for item in items])

    def _sequence(self, items: Sequence[Operand], element: str) -> Operand:
        many = framework_type(self._env, _SEQUENCE, (self._named(element),))
        return _as(many, self._array(items, element))

    def _factory(self, name: str, *given: Operand, result: str = "Expression") -> Operand:
        """`Expression.name(given)`, as a `result`."""
        env = self._env
        method = framework_method(env, self._named(), name, len(given), [one.type for one in given])
        return _as(self._named(result), result_operand(env, call(env, method, given, f"Expression.{name}"), None))

    # nodes

    def _node(self, code: nodes.Code | None) -> Operand:
        """The node of code; null for None."""
        return _MAKERS[type(code)](self, code) if code is not None else Operand(self._named(), None)

    def _nodes(self, codes: Sequence[nodes.Code]) -> list[Operand]:
        return [self._node(code) for code in codes]

    def _captured(self, code: nodes.Captured) -> Operand:
        if not code.is_constant:
            return self._constant(code)
        return self._once((code.type, repr(code.operand.data)), lambda: self._constant(code))

    def _constant(self, code: nodes.Captured) -> Operand:
        operand = code.operand
        if operand.data is None:
            return self._zero(code)
        kind = self._type(code.type)  # before the box: one of what is on the stack dies when the program runs
        if operand.type is types.TYPE:
            operand = self._type(operand.data)
        elif operand.type.is_value_type:
            operand = boxed(self._env, operand)
        return self._factory("Constant", _as(types.OBJECT, operand), kind)

    def _frame_variable(self, code: nodes.Stored) -> Operand:
        return self._node(self._stored[code])

    def _text(self, code: nodes.Text) -> Operand:
        """By string.Format."""
        pattern, holes = nodes.format_of(code)
        objects = self._env.universe.array(types.OBJECT)
        form = framework_method(self._env, types.STRING, "Format", 2, (types.STRING, objects))
        items = tuple(
            one if one.type is types.OBJECT else nodes.TypedOperation(types.OBJECT, "Convert", one, types.OBJECT)
            for one in holes
        )
        given = nodes.characters(pattern), nodes.Items(objects, items)
        return self._node(nodes.Invoked(types.STRING, form, None, given))

    def _variable(self, code: nodes.Variable) -> Operand:
        if code in self._captured_variables:
            return self._captured(nodes.Captured(code.type, self._captured_variables[code]))
        name = (Operand(types.STRING, code.name),) if self._is_read and code.name else ()
        return self._once(code, lambda: self._factory("Parameter", self._type(code.type), *name))

    def _zero(self, code: nodes.Code) -> Operand:
        if code.type is types.VOID:
            return self._factory("Empty")
        if self._is_read and code.type.is_reference:
            return self._factory("Constant", Operand(types.OBJECT, None), self._type(code.type))
        return self._factory("Default", self._type(code.type))

    def _given_as_it_is(self, code: nodes.Code) -> nodes.Code:
        """What a parameter or a delegate is given: the compiler makes no node of a conversion to a base type."""
        if (
            self._is_read
            and isinstance(code, nodes.TypedOperation)
            and code.name == "Convert"
            and code.operand.type.is_reference
            and is_subtype(self._env.universe, code.operand.type, code.type)
        ):
            return code.operand
        return code

    def _invoked(self, code: nodes.Invoked) -> Operand:
        name = method_of(self._env, code.method).name
        target = self._node(code.target)
        arguments = self._nodes([self._given_as_it_is(argument) for argument in code.arguments])
        method = self._method(code.method)
        if self._is_read and name.startswith("get_") and not arguments:
            return self._factory("Property", target, method)
        operator = _OPERATORS.get(name) if self._is_read and len(arguments) == 2 else None
        if operator is not None and code.target is None and (name != "Concat" or code.method.owner is types.STRING):
            return self._factory(operator, *arguments, *([types.FALSE] if operator in _COMPARING else []), method)
        return self._factory("Call", target, method, self._array(arguments))

    def _field(self, code: nodes.FieldOf) -> Operand:
        field = self._once((code.owner, code.token), lambda: field_object(self._env, code.owner, code.token))
        return self._factory("Field", self._node(code.target), field)

    def _made(self, code: nodes.Made) -> Operand:
        arguments = self._nodes(code.arguments)
        return self._factory("New", self._method(code.constructor, "ConstructorInfo"), self._array(arguments))

    def _operation(self, code: nodes.Operation) -> Operand:
        target = code.operands[0] if code.name == "Assign" else None
        if target in self._captured_variables or (
            isinstance(target, nodes.Stored) and isinstance(self._stored[target], nodes.Captured)
        ):
            name = getattr(target, "name", "")
            raise EvaluationError(
                f"A lambda that the program runs cannot assign to '{name}': it has a copy of the frame's variable"
            )
        operands = self._nodes(code.operands)
        if code.name == "ArrayAccess" or (code.name == "ArrayIndex" and len(operands) > 2):
            return self._factory(code.name, operands[0], self._array(operands[1:]))
        return self._factory(code.name, *operands)

    def _typed(self, code: nodes.TypedOperation) -> Operand:
        return self._factory(code.name, self._node(code.operand), self._type(code.wanted))

    def _items(self, code: nodes.Items) -> Operand:
        name = "NewArrayBounds" if code.has_lengths else "NewArrayInit"
        return self._factory(name, self._type(code.type.element), self._array(self._nodes(code.items)))

    def _steps(self, code: nodes.Steps) -> Operand:
        variables = self._nodes(code.variables)
        steps = self._nodes(code.steps)
        given = self._sequence(variables, "ParameterExpression")
        return self._factory("Block", self._type(code.type), given, self._array(steps))

    def _function(self, code: nodes.Function) -> Operand:
        parameters = self._nodes(code.parameters)
        body = self._node(self._given_as_it_is(code.body))
        kind = delegate_of(code.type)
        made = self._factory("Lambda", self._type(kind), body, self._array(parameters, "ParameterExpression"))
        return made if kind is code.type else self._factory("Quote", made)

    def _protected(self, code: nodes.Protected) -> Operand:
        handlers = [self._handler(one) for one in code.handlers]
        body, final, fault = self._node(code.body), self._node(code.final), self._node(None)
        return self._factory(
            "MakeTry", self._type(code.type), body, final, fault, self._sequence(handlers, "CatchBlock")
        )

    def _handler(self, code: nodes.Handler) -> Operand:
        variable = _as(self._named("ParameterExpression"), self._variable(code.variable))
        body, guard = self._node(code.body), self._node(code.guard)
        kind = self._type(code.variable.type)
        return self._factory("MakeCatchBlock", kind, variable, body, guard, result="CatchBlock")

    def _target(self, target: nodes.Target) -> Operand:
        return self._once(target, lambda: self._factory("Label", self._type(types.VOID), result="LabelTarget"))

    def _jump(self, code: nodes.Jump) -> Operand:
        return self._factory("Goto", self._target(code.target))

    def _landing(self, code: nodes.Landing) -> Operand:
        return self._factory("Label", self._target(code.target))

    def _loop(self, code: nodes.Loop) -> Operand:
        return self._factory("Loop", self._node(code.body), self._target(code.ends))


def _as(kind: Type, operand: Operand) -> Operand:
    return Operand(kind, operand.data, operand.value)


_COMPARING = frozenset({
    "Equal", "NotEqual", "LessThan", "LessThanOrEqual", "GreaterThan", "GreaterThanOrEqual",
})  # fmt: skip
_OPERATORS = {
    "Concat": "Add", "op_Addition": "Add", "op_Subtraction": "Subtract", "op_Multiply": "Multiply",
    "op_Division": "Divide", "op_Modulus": "Modulo", "op_Equality": "Equal", "op_Inequality": "NotEqual",
    "op_LessThan": "LessThan", "op_LessThanOrEqual": "LessThanOrEqual", "op_GreaterThan": "GreaterThan",
    "op_GreaterThanOrEqual": "GreaterThanOrEqual",
}  # fmt: skip
_WITHOUT_NODES = frozenset({"Alias", "Pointed", CHOSEN, INLINE_ELEMENT})

_MAKERS: dict[type, Callable[[TreeMaker, Any], Operand]] = {
    nodes.Captured: TreeMaker._captured,
    nodes.Stored: TreeMaker._frame_variable,
    nodes.Text: TreeMaker._text,
    nodes.ArrayPart: lambda maker, code: maker._node(code.lowered()),
    nodes.Each: lambda maker, code: maker._node(code.lowered),
    nodes.Variable: TreeMaker._variable,
    nodes.Zero: TreeMaker._zero,
    nodes.Invoked: TreeMaker._invoked,
    nodes.FieldOf: TreeMaker._field,
    nodes.Made: TreeMaker._made,
    nodes.Operation: TreeMaker._operation,
    nodes.TypedOperation: TreeMaker._typed,
    nodes.Items: TreeMaker._items,
    nodes.Steps: TreeMaker._steps,
    nodes.Function: TreeMaker._function,
    nodes.Jump: TreeMaker._jump,
    nodes.Landing: TreeMaker._landing,
    nodes.Loop: TreeMaker._loop,
    nodes.Protected: TreeMaker._protected,
}
