"""Lambdas that the program is to run: the code that is made of them, by C#'s rules, with nothing run."""

from __future__ import annotations

import pytest

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.binding.name_binder import NameBinder
from dap_dotnet.evaluation.binding.whole import outer_scope
from dap_dotnet.evaluation.bound_tree import (
    Captured,
    Code,
    FieldOf,
    Function,
    Invoked,
    Items,
    Jump,
    Landing,
    Loop,
    Made,
    Operation,
    Steps,
    Stored,
    TypedOperation,
    Variable,
    Zero,
)
from dap_dotnet.evaluation.calling.method_runner import METHOD_RUNNER
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.syntax.parser import parse
from dap_dotnet.evaluation.types.declarations import delegate_signature
from portablepdb import signatures as sig
from tests.unit.evaluation.fakes import World


@pytest.fixture
def world() -> World:
    """A frame, and types of delegates: Test and Turn of an int, Make of a node, Do without a result."""
    world = World()
    world.type("System.Delegate")
    node = world.type("App.Node")
    world.field(node, "Value", "int")
    world.field(node, "Name", "string")
    world.method(node, "Twice", "int", [("x", "int")])
    world.method(node, "Twice", "long", [("x", "long")])
    world.method(node, ".ctor", "void", [("value", "int")])
    world.getter(node, "Price", "double", None)
    for name, returns, parameters in (
        ("Test", "bool", [("x", "int")]),
        ("Turn", "long", [("x", "int")]),
        ("Make", node, []),
        ("Do", "void", [("n", node)]),
        ("Look", "double", [("n", node)]),
        ("Maybe", "int?", [("x", "int?")]),
    ):
        delegate = world.type(f"App.{name}", "System.Delegate")
        world.method(delegate, "Invoke", returns, parameters)
    world.method(world.program_type, "Only", "int", [("test", world.signature("App.Test"))], static=True)
    world.method(world.program_type, "Either", "int", [("test", world.signature("App.Test"))], static=True)
    world.method(world.program_type, "Either", "int", [("turn", world.signature("App.Turn"))], static=True)
    world.method(world.program_type, "IsOdd", "bool", [("x", "int")], static=True)
    world.method(world.program_type, "Wide", "int", [("x", "long")], static=True)
    world.local("limit", world.scalar("int", 2))
    world.local("node", world.new(node, Value=world.scalar("int", 5), Name=world.text("n")))
    assert sig
    return world


def shown(world: World, code: Code) -> str:
    """The code in short: `>` of operators, types where values are converted."""
    match code:
        case Captured():
            return str(code.operand.data) if code.is_constant else f"[{code.type.name.rpartition('.')[2]}]"
        case Stored():
            return f"[{code.type.name.rpartition('.')[2]}]"
        case Variable():
            return code.name or "t"
        case Zero():
            return f"default({code.type.name})"
        case Operation():
            return f"{code.name}({', '.join(shown(world, one) for one in code.operands)})"
        case TypedOperation():
            return f"{code.name}({shown(world, code.operand)}, {code.wanted.name.rpartition('.')[2]})"
        case Invoked():
            target = f"{shown(world, code.target)}." if code.target is not None else ""
            arguments = ", ".join(shown(world, one) for one in code.arguments)
            return f"{target}{world.metadata.method(code.method.token).name}({arguments})"
        case FieldOf():
            return f"{shown(world, code.target)}.{world.metadata.field(code.token).name}" if code.target else "static"
        case Made():
            return f"new({', '.join(shown(world, one) for one in code.arguments)})"
        case Items():
            return f"[{', '.join(shown(world, one) for one in code.items)}]"
        case Steps():
            return "{ " + "; ".join(shown(world, one) for one in code.steps) + " }"
        case Jump():
            return "go"
        case Landing():
            return "land"
        case Loop():
            return f"loop {shown(world, code.body)}"
    raise AssertionError(code)


def made(world: World, expression: str, delegate: str) -> str:
    """The body of a lambda as a delegate of a type."""
    env = Environment(world.context, None, METHOD_RUNNER)
    kind = env.universe.named(delegate)
    assert kind is not None
    signature = delegate_signature(env.universe, kind)
    source = outer_scope(NameBinder(env)).source(parse(expression))
    assert signature is not None
    assert source is not None
    code = source.code(kind, signature)
    assert isinstance(code, Function)
    return shown(world, code.body)


@pytest.mark.parametrize(
    ("expression", "delegate", "code"),
    [
        ("x => x > limit", "App.Test", "GreaterThan(x, [int])"),
        ("x => x > 1 + 2", "App.Test", "GreaterThan(x, 3)"),
        ("x => x > 2L", "App.Test", "GreaterThan(Convert(x, long), 2)"),
        ("x => x > 2.5 && !(x == 1)", "App.Test", "AndAlso(GreaterThan(Convert(x, double), 2.5), Not(Equal(x, 1)))"),
        ("x => x", "App.Turn", "Convert(x, long)"),
        ("x => 5", "App.Turn", "5"),
        ("x => checked(x * 2)", "App.Turn", "Convert(MultiplyChecked(x, 2), long)"),
        ("x => -x", "App.Turn", "Convert(Negate(x), long)"),
        ("x => x > 1 ? x : 2L", "App.Turn", "Condition(GreaterThan(x, 1), Convert(x, long), 2)"),
        ("x => node.Twice(x)", "App.Turn", "Convert([Node].Twice(x), long)"),
        ("x => node.Twice(2L)", "App.Turn", "[Node].Twice(2)"),
        ("() => new App.Node(3)", "App.Make", "new(3)"),
        ("() => null", "App.Make", "default(App.Node)"),
        ("() => default", "App.Make", "default(App.Node)"),
        ("() => new App.Node(3) { Value = 4 }", "App.Make", "{ { Assign(t, new(3)); Assign(t.Value, 4); t } }"),
        ("n => n.Value = 3", "App.Do", "{ { Assign(t, n); Assign(t.Value, 3) } }"),
        ("n => n.Value++", "App.Do", "{ { Assign(t, n); Assign(t, t.Value); Assign(t.Value, Add(t, 1)); t } }"),
        ("n => n.Twice(1)", "App.Do", "n.Twice(1)"),
        ("n => n.Price + n.Value", "App.Look", "Add(n.get_Price(), Convert(n.Value, double))"),
        (
            "n => n?.Value ?? 1.5",
            "App.Look",
            "{ { Assign(t, { Assign(t, n); Condition(ReferenceNotEqual(t, default(object)), Convert(t.Value, int?), "
            "default(int?)) }); Condition(NotEqual(t, default(int?)), Convert(Convert(t, int), double), 1.5) } }",
        ),
        ("x => x + 1", "App.Maybe", "Add(x, Convert(1, int?))"),
        ("x => x ?? 7", "App.Maybe", "Convert(Coalesce(x, 7), int?)"),
        ("x => x == null ? 1 : x", "App.Maybe", "Condition(Equal(x, default(int?)), Convert(1, int?), x)"),
        ("x => x is > 1 and < 5", "App.Test", "AndAlso(GreaterThan(x, 1), LessThan(x, 5))"),
        (
            "x => { if (x > 1) return true; return x == 1; }",
            "App.Test",
            "{ { { IfThen(GreaterThan(x, 1), { { Assign(t, True); go }; default(void) }); { Assign(t, Equal(x, 1)); "
            "go }; default(void) }; land }; t }",
        ),
    ],
)
def test_lambda_becomes_code_by_the_rules_of_csharp(world: World, expression: str, delegate: str, code: str) -> None:
    found = made(world, expression, delegate)
    assert found == code


@pytest.mark.parametrize(
    ("expression", "delegate", "said"),
    [
        ("x => x", "App.Test", "CS0029"),
        ("x => nobody", "App.Test", "CS0103"),
        ("(x, y) => true", "App.Test", "CS1593"),
        ("(long x) => true", "App.Test", "CS1678"),
        ("n => 5", "App.Do", "CS0201"),
        ("n => n.Price = 1", "App.Do", "CS0200"),
        ("n => { n.Value = 1; return 5; }", "App.Do", "CS8030"),
        ("x => { if (x > 1) { return true; } }", "App.Test", "CS1643"),
        ("() => new App.Node(true)", "App.Make", "CS1503"),
        ("x => x + node", "App.Turn", "CS0019"),
    ],
)
def test_lambda_that_is_no_such_delegate_says_why(world: World, expression: str, delegate: str, said: str) -> None:
    with pytest.raises(EvaluationError, match=said):
        made(world, expression, delegate)


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        ("App.Program.Only(x => x > limit)", "A new delegate of type 'App.Test' needs a call"),
        ("App.Program.Either(x => x > limit)", "A new delegate of type 'App.Test' needs a call"),
        ("App.Program.Either(x => x + limit)", "A new delegate of type 'App.Turn' needs a call"),
        ("App.Program.Only(x => x.Length > 1)", "CS1061"),
        ("App.Program.Only(App.Program.IsOdd)", "A new delegate of type 'App.Test' needs a call"),
        ("App.Program.Only(App.Program.Wide)", "CS0123|CS0407"),
        ("new App.Test(x => x > 1)", "A new delegate of type 'App.Test' needs a call"),
        ("new App.Test(App.Program.IsOdd)", "A new delegate of type 'App.Test' needs a call"),
        ("(App.Test)(x => x > 1)", "A new delegate of type 'App.Test' needs a call"),
        ("(App.Node)(x => x > 1)", "A new delegate of type 'App.Node' needs a call|CS1660"),
        ("new App.Test(5)", "CS0149"),
        ("new App.Test()", "CS0149"),
    ],
)
def test_delegate_is_asked_for_by_the_overload_that_fits_and_not_without_calls(
    world: World, expression: str, said: str
) -> None:
    with pytest.raises(EvaluationError, match=said):
        world.evaluate(expression)
