"""Expression trees of the program: `System.Linq.Expressions`, one factory method for each node of code."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation import bound_tree as nodes
from dap_dotnet.evaluation.calling.program_calls import call, load_assembly, result_operand
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.creation import create_array
from dap_dotnet.evaluation.operations.dispatch import method_of
from dap_dotnet.evaluation.operations.framework import framework_method, type_object
from dap_dotnet.evaluation.operations.operand_values import boxed
from dap_dotnet.evaluation.operations.reflected_calls import field_object, method_object
from dap_dotnet.evaluation.rules.conversions import is_handler
from dap_dotnet.evaluation.rules.inference import delegate_of
from dap_dotnet.evaluation.rules.variables import CHOSEN, INLINE_ELEMENT, returned_word
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import ExactMethod, Kind, Operand, Type
from dap_dotnet.evaluation.types.declarations import is_stack_only, is_subtype
from dap_dotnet.evaluation.types.universe import Universe

_ASSEMBLY = "System.Linq.Expressions"
_EXPRESSION = "System.Linq.Expressions.Expression"
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
        self._expression: Type | None = None

    def compiled(self, function: nodes.Function) -> Operand:
        """The delegate. Raises `CalleeThrew` where the program refuses the tree."""
        tree = self._whole(function)
        kind = self._named("LambdaExpression")
        compiler = framework_method(self._env, kind, "Compile", 0)
        return result_operand(self._env, call(self._env, compiler, [tree], "Compile", has_this=True), function.type)

    def tree(self, function: nodes.Function) -> Operand:
        """The LambdaExpression, for code of the program that looks into it."""
        self._is_read = True
        return self._whole(function)

    def _whole(self, function: nodes.Function) -> Operand:
        pending: list[object] = [function]
        count = 0
        while pending:
            part = pending.pop()
            if isinstance(part, tuple):
                pending.extend(part)
            elif isinstance(part, nodes.Code | nodes.Handler | nodes.Hole):
                count += 1
                self._check(part)
                if isinstance(part, nodes.Stored):
                    self._stored[part] = part.captured(self._env)
                    pending.append(self._stored[part])
                elif isinstance(part, nodes.Each):
                    pending.append(part.lowered)
                elif not isinstance(part, nodes.Captured | nodes.Variable):
                    pending.extend(getattr(part, name) for name in part.__struct_fields__)
        if count > _MOST_NODES:
            raise EvaluationError(f"The lambda has more than {_MOST_NODES} parts: too many to pass to the program")
        self._load()
        return self._node(function)

    def _check(self, node: nodes.Code | nodes.Handler | nodes.Hole) -> None:
        """Raises `EvaluationError` for what trees have no node for."""
        universe, what = self._env.universe, ""
        if isinstance(node, nodes.Alias) or (isinstance(node, nodes.Operation) and node.name in _WITHOUT_NODES):
            what = "A 'ref' variable"
        elif isinstance(node, nodes.Late):
            what = "A member of the actual type"
        elif isinstance(node, nodes.PointerCall):
            what = "A call of a function pointer"
        elif isinstance(node, nodes.Invoked) and returned_word(universe, node.method)[1]:
            what = f"A call of '{returned_word(universe, node.method)[0]}', which returns a reference,"
        elif isinstance(node, nodes.Code) and node.type.kind is Kind.POINTER:
            what = "A pointer"
        elif (
            isinstance(node, nodes.Code) and is_stack_only(universe, node.type) and not is_handler(universe, node.type)
        ):
            what = f"A value of type '{node.type.name}'"
        if what:
            raise EvaluationError(
                f"{what} is not possible in a lambda that the program runs: it becomes an expression tree, which has "
                "no such node"
            )

    def _load(self) -> None:
        """Let the program load the assembly that has expression trees."""
        env = self._env
        if env.universe.named(_EXPRESSION) is None:
            load_assembly(env, _ASSEMBLY)
        self._expression = env.universe.named(_EXPRESSION)
        if self._expression is None:
            raise EvaluationError("The program has no System.Linq.Expressions, of which delegates are made")

    # what factories take

    def _named(self, name: str) -> Type:
        found = self._env.universe.named(f"{_ASSEMBLY}.{name}")
        if found is None:
            raise EvaluationError(f"The program's framework has no {_ASSEMBLY}.{name}")
        return found

    def _once(self, key: object, make: Callable[[], Operand]) -> Operand:
        """What `make` gives the first time."""
        found = self._shared.get(key)
        if found is None:
            found = self._shared[key] = make()
        return found

    def _type(self, kind: Type) -> Operand:
        return self._once(kind, lambda: type_object(self._env, kind))

    def _method(self, exact: ExactMethod) -> Operand:
        return self._once(exact, lambda: method_object(self._env, exact))

    def _array(self, items: Sequence[Operand], element: str = "Expression") -> Operand:
        kind = self._named(element)
        typed = [Operand(kind, item.data, item.value) for item in items]
        return create_array(self._env, kind, typed)

    def _factory(self, name: str, *arguments: tuple[Operand, Type | None]) -> Operand:
        """`Expression.name(arguments)`, each with the type of its parameter."""
        env = self._env
        kinds = tuple(kind for _, kind in arguments)
        method = framework_method(env, self._expression or _EXPRESSION, name, len(arguments), kinds)
        given = [operand for operand, _ in arguments]
        return result_operand(env, call(env, method, given, f"Expression.{name}"), None)

    def _given(self, operand: Operand, name: str = "Expression") -> tuple[Operand, Type | None]:
        return operand, self._named(name)

    def _given_type(self, kind: Type) -> tuple[Operand, Type | None]:
        return self._type(kind), self._env.universe.named("System.Type")

    def _given_array(self, items: Sequence[Operand], element: str = "Expression") -> tuple[Operand, Type | None]:
        return self._array(items, element), self._env.universe.array(self._named(element))

    # nodes

    def _node(self, code: nodes.Code) -> Operand:
        return _MAKERS[type(code)](self, code)

    def _nodes(self, codes: Sequence[nodes.Code]) -> list[Operand]:
        return [self._node(code) for code in codes]

    def _or_null(self, code: nodes.Code | None) -> tuple[Operand, Type | None]:
        return self._given(self._node(code) if code is not None else types.NULL_OPERAND)

    def _captured(self, code: nodes.Captured) -> Operand:
        if not code.is_constant:
            return self._constant(code)
        return self._once((code.type, repr(code.operand.data)), lambda: self._constant(code))

    def _constant(self, code: nodes.Captured) -> Operand:
        operand = code.operand
        if operand.data is None:
            return self._zero(code)
        kind = self._given_type(code.type)  # before the box: one of what is on the stack dies when the program runs
        if operand.type is types.TYPE:
            operand = self._type(operand.data)
        elif operand.type.is_value_type:
            operand = boxed(self._env, operand)
        return self._factory("Constant", (operand, types.OBJECT), kind)

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
        text = nodes.Captured(types.STRING, Operand(types.STRING, pattern), is_constant=True)
        return self._node(nodes.Invoked(types.STRING, form, None, (text, nodes.Items(objects, items))))

    def _variable(self, code: nodes.Variable) -> Operand:
        if code in self._captured_variables:
            return self._captured(nodes.Captured(code.type, self._captured_variables[code]))
        name = ((Operand(types.STRING, code.name), types.STRING),) if self._is_read and code.name else ()
        return self._once(code, lambda: self._factory("Parameter", self._given_type(code.type), *name))

    def _zero(self, code: nodes.Code) -> Operand:
        if code.type is types.VOID:
            return self._factory("Empty")
        if self._is_read and code.type.is_reference:
            return self._factory("Constant", (types.NULL_OPERAND, types.OBJECT), self._given_type(code.type))
        return self._factory("Default", self._given_type(code.type))

    def _given_as_it_is(self, code: nodes.Code) -> nodes.Code:
        """What a parameter or a delegate is given: the compiler makes no node of a conversion to a base type."""
        is_upcast = (
            self._is_read
            and isinstance(code, nodes.TypedOperation)
            and code.name == "Convert"
            and code.operand.type.is_reference
            and is_subtype(self._env.universe, code.operand.type, code.type)
        )
        return code.operand if is_upcast and isinstance(code, nodes.TypedOperation) else code

    def _invoked(self, code: nodes.Invoked) -> Operand:
        name = method_of(self._env, code.method).name
        target = self._or_null(code.target)
        arguments = self._nodes([self._given_as_it_is(argument) for argument in code.arguments])
        info = self._env.universe.named("System.Reflection.MethodInfo")
        method = self._method(code.method), info
        if self._is_read and name.startswith("get_") and not arguments:
            return self._factory("Property", target, method)
        operator = _OPERATORS.get(name) if self._is_read and len(arguments) == 2 else None
        if operator is not None and code.target is None and (name != "Concat" or code.method.owner is types.STRING):
            lifted = ((types.FALSE, types.BOOL),) if operator in _COMPARING else ()
            return self._factory(operator, *(self._given(one) for one in arguments), *lifted, method)
        return self._factory("Call", target, method, self._given_array(arguments))

    def _field(self, code: nodes.FieldOf) -> Operand:
        target = self._or_null(code.target)
        field = self._once((code.owner, code.token), lambda: field_object(self._env, code.owner, code.token))
        return self._factory("Field", target, (field, self._env.universe.named("System.Reflection.FieldInfo")))

    def _made(self, code: nodes.Made) -> Operand:
        arguments = self._nodes(code.arguments)
        info = self._env.universe.named("System.Reflection.ConstructorInfo")
        return self._factory("New", (self._method(code.constructor), info), self._given_array(arguments))

    def _operation(self, code: nodes.Operation) -> Operand:
        target = code.operands[0] if code.name == "Assign" else None
        if target in self._captured_variables or (
            isinstance(target, nodes.Stored) and isinstance(self._stored[target], nodes.Captured)
        ):
            name = getattr(target, "name", "")
            raise EvaluationError(
                f"A lambda that the program runs cannot assign to '{name}': it has a copy of the frame's variable"
            )
        lowered = _of_known_width(self._env.universe, code)
        if lowered is not None:
            return self._node(lowered)
        operands = self._nodes(code.operands)
        if code.name == "ArrayAccess" or (code.name == "ArrayIndex" and len(operands) > 2):
            return self._factory(code.name, self._given(operands[0]), self._given_array(operands[1:]))
        return self._factory(code.name, *(self._given(operand) for operand in operands))

    def _typed(self, code: nodes.TypedOperation) -> Operand:
        return self._factory(code.name, self._given(self._node(code.operand)), self._given_type(code.wanted))

    def _items(self, code: nodes.Items) -> Operand:
        name = "NewArrayBounds" if code.has_lengths else "NewArrayInit"
        return self._factory(name, self._given_type(code.type.element), self._given_array(self._nodes(code.items)))

    def _steps(self, code: nodes.Steps) -> Operand:
        variables = [self._variable(one) for one in code.variables]
        steps = self._nodes(code.steps)
        many = self._env.universe.named(
            "System.Collections.Generic.IEnumerable`1", (self._named("ParameterExpression"),)
        )
        given = self._array(variables, "ParameterExpression")
        return self._factory("Block", self._given_type(code.type), (given, many), self._given_array(steps))

    def _function(self, code: nodes.Function) -> Operand:
        parameters = [self._variable(one) for one in code.parameters]
        body = self._given(self._node(self._given_as_it_is(code.body)))
        given = self._given_array(parameters, "ParameterExpression")
        kind = delegate_of(code.type)
        made = self._factory("Lambda", self._given_type(kind), body, given)
        return made if kind is code.type else self._factory("Quote", self._given(made))

    def _protected(self, code: nodes.Protected) -> Operand:
        handlers = [self._handler(one) for one in code.handlers]
        block = self._named("CatchBlock")
        many = self._env.universe.named("System.Collections.Generic.IEnumerable`1", (block,))
        body, final = self._given(self._node(code.body)), self._or_null(code.final)
        given = self._array(handlers, "CatchBlock")
        nothing = self._given(types.NULL_OPERAND)
        return self._factory("MakeTry", self._given_type(code.type), body, final, nothing, (given, many))

    def _handler(self, code: nodes.Handler) -> Operand:
        variable = self._variable(code.variable)
        return self._factory(
            "MakeCatchBlock",
            self._given_type(code.variable.type),
            self._given(variable, "ParameterExpression"),
            self._given(self._node(code.body)),
            self._or_null(code.guard),
        )

    def _target(self, target: nodes.Target) -> tuple[Operand, Type | None]:
        made = self._once(target, lambda: self._factory("Label", self._given_type(target.type)))
        return self._given(made, "LabelTarget")

    def _jump(self, code: nodes.Jump) -> Operand:
        return self._factory("Goto", self._target(code.target), *self._given_if(code.value))

    def _landing(self, code: nodes.Landing) -> Operand:
        return self._factory("Label", self._target(code.target), *self._given_if(code.otherwise))

    def _given_if(self, code: nodes.Code | None) -> list[tuple[Operand, Type | None]]:
        return [self._given(self._node(code))] if code is not None else []

    def _loop(self, code: nodes.Loop) -> Operand:
        return self._factory("Loop", self._given(self._node(code.body)), self._target(code.ends))


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
_UNSIGNED = {types.I4: types.U4, types.I8: types.U8, types.I: types.U8, types.U: types.U8}


def _of_known_width(universe: Universe, code: nodes.Operation) -> nodes.Code | None:
    """An operator on nint, nuint or by `>>>`, which the program's trees have none for, by those of other numbers.

    None for all others.
    """
    if code.name in _WITHOUT_NUMBERS or not code.operands:
        return None
    kind, is_shift = code.operands[0].type, code.name.removesuffix("Checked").endswith("Shift")
    own = kind.element if kind.kind is Kind.NULLABLE else kind
    wide = {types.I: types.I8, types.U: types.U8}.get(own, own)
    if code.name == "UnsignedRightShift":
        wide = _UNSIGNED.get(own, own)
    if wide is own and code.name != "UnsignedRightShift":
        return None
    given = universe.nullable(wide) if kind is not own else wide
    converted = tuple(
        one if one.type is given or (is_shift and place) else nodes.TypedOperation(given, "Convert", one, given)
        for place, one in enumerate(code.operands)
    )
    result = code.type if code.type is types.BOOL else given
    made = nodes.Operation(result, code.name.removeprefix("Unsigned"), converted)
    return made if result is code.type else nodes.TypedOperation(code.type, "Convert", made, code.type)


_WITHOUT_NUMBERS = frozenset({
    "Assign", "Condition", "Coalesce", "ArrayIndex", "ArrayAccess", "ArrayLength", "IfThen", "IfThenElse", "AndAlso",
    "OrElse", "ReferenceEqual", "ReferenceNotEqual", "Rethrow",
})  # fmt: skip


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
