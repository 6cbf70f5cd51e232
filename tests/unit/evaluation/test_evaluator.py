"""Expressions against a program that the test makes."""

from __future__ import annotations

from decimal import Decimal

import pytest
from msgspec import structs

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation import evaluator
from dap_dotnet.evaluation.binding.name_binder import NameBinder
from dap_dotnet.evaluation.caller import CalleeThrew
from dap_dotnet.evaluation.syntax.tree import Node
from dap_dotnet.evaluation.types.csharp_types import STRING
from dap_dotnet.runtime.model import ElementType, TypeDefToken, Value
from dap_dotnet.symbols.types import members
from dap_dotnet.values.kept_objects import KeptObjects, KeptVariable
from portablepdb import signatures as sig
from tests.unit.evaluation.fakes import FakeCaller, World
from tests.unit.evaluation.il import Il


@pytest.fixture
def world() -> World:
    """A frame with variables of every kind."""
    world = World()
    for name, of, value in [
        ("number", "int", 5), ("zero", "int", 0), ("small", "byte", 200), ("big", "long", 1 << 40),
        ("unsigned", "uint", 7), ("huge", "ulong", (1 << 64) - 1), ("half", "double", 0.5), ("single", "float", 1.5),
        ("yes", "bool", 1), ("no", "bool", 0), ("letter", "char", ord("a")), ("native", "nint", -3),
        ("money", "decimal", Decimal("12.50")), ("least", "int", -(1 << 31)),
    ]:  # fmt: skip
        world.local(name, world.scalar(of, value))
    world.local("text", world.text("hello"))
    world.local("lengthy", world.text("x" * 5000))
    world.local("nothing", None, of="string")
    world.local("some", world.nullable("int", world.scalar("int", 5)))
    world.local("none", world.nullable("int", None))
    world.local("numbers", world.array("int", [world.scalar("int", value) for value in (10, 20, 30)]))
    world.local("matrix", world.array("int", [world.scalar("int", value) for value in range(6)], (2, 3)))
    world.local("shifted", world.array("int", [world.scalar("int", value) for value in (7, 8)], (2,), (-1,)))
    world.local("boxed", world.box(world.scalar("int", 42)))
    colour = world.enum("App.Colour", Red=0, Green=1, Blue=10)
    world.local("colour", world.scalar(colour, 1))
    point = world.type("App.Point", "System.ValueType")
    world.field(point, "X", "int")
    world.field(point, "Y", "int")
    world.local("point", world.new(point, X=world.scalar("int", 3), Y=world.scalar("int", 4)))
    shape = world.type("App.IShape", None, interface=True)
    world.method(shape, "get_Area", "double", flags=0x446)
    base = world.type("App.Base")
    base.interfaces.append(shape.token)
    world.field(base, "Shared", "int")
    world.field(base, "secret", "string")
    derived = world.type("App.Derived", "App.Base")
    world.field(derived, "Shared", "int")
    world.field(derived, "<Automatic>k__BackingField", "string")
    world.getter(derived, "Automatic", "string", None)
    world.field(derived, "Next", derived)
    world.field(derived, "Counter", "int", static=True)
    held = world.new(derived, secret=world.text("s3"), Next=None)
    held.fields.update({"Base.Shared": world.scalar("int", 1), "Derived.Shared": world.scalar("int", 2)})
    held.fields["<Automatic>k__BackingField"] = world.text("auto")
    world.statics[world.type_id(derived), derived.fields[-1].token] = world.scalar("int", 99)
    world.local("derived", held)
    return world


@pytest.mark.parametrize(
    ("expression", "shown"),
    [
        ("number", "5"), ("number + 1", "6"), ("(number + 1) * 2", "12"), ("-number", "-5"), ("~number", "-6"),
        ("!yes", "false"), ("number / 2", "2"), ("-7 / 2", "-3"), ("-7 % 3", "-1"), ("number / 2.0", "2.5"),
        ("small + 100", "300"), ("(byte)(small + 100)", "44"), ("unsigned - 8", "4294967295"), ("-unsigned", "-7"),
        ("big + number", "1099511627781"), ("huge + 1", "0"), ("half + number", "5.5"), ("single * 2", "3"),
        ("letter + 1", "98"), ("(char)(letter + 1)", "98 'b'"), ("native - 1", "-4"), ("money * 2", "25.00"),
        ("money + 0.5m", "13.00"), ("int.MaxValue", "2147483647"), ("number << 33", "10"), ("-1 >>> 28", "15"),
        ("least - 1", "2147483647"), ("1.0 / 0", "Infinity"), ("0.0 / 0 == 0.0 / 0", "false"),
        ("number == 5", "true"), ("number == 5.0", "true"), ("letter == 'a'", "true"), ("number > half", "true"),
        ("huge > 1", "true"), ("number >= 5 && number < 6", "true"), ("no && yes", "false"),
        ("yes || zero == 1", "true"),
        ("no | yes", "true"), ("yes ^ yes", "false"), ("yes ? 1 : 2.5", "1"), ("no ? 1 : 2.5", "2.5"),
        ("text.Length", "5"), ("text == \"hello\"", "true"), ("text != \"x\"", "true"), ("text[1]", "101 'e'"),
        ("text[^1]", "111 'o'"), ("text + 1 + 'c' + true", '"hello1cTrue"'), ("lengthy.Length", "5000"),
        ("lengthy == text", "false"), ("lengthy[4999]", "120 'x'"), ("nothing == null", "true"),
        ("nothing?.Length", "null"),
        ("nothing ?? text", '"hello"'), ("nothing?.Length > 3", "false"), ("text?.Length + 1", "6"),
        ("$\"{number,4}|{half:F2}|{colour}|{nothing}|{number:X4}\"", '"   5|0.50|Green||0005"'),
        ("string.IsNullOrEmpty(text)", "false"), ("text.Contains(\"ell\")", "true"),
        ("nameof(text.Length)", '"Length"'),
        ("some", "5"), ("some + 1", "6"), ("none + 1", "null"), ("some == 5", "true"), ("none == null", "true"),
        ("none != 5", "true"), ("none < 5", "false"), ("some.Value", "5"), ("none.HasValue", "false"),
        ("some ?? 7", "5"), ("none ?? 7", "7"), ("(long?)some", "5"), ("some.GetValueOrDefault()", "5"),
        ("numbers[1]", "20"), ("numbers[^1]", "30"), ("numbers.Length", "3"), ("matrix[1, 2]", "5"),
        ("matrix.Rank", "2"), ("shifted[-1]", "7"), ("numbers is [10, .., 30]", "true"), ("numbers is int[]", "true"),
        ("boxed", "42"), ("(int)boxed + 1", "43"), ("boxed is int", "true"), ("boxed is int n && n > 41", "true"),
        ("boxed is long", "false"), ("boxed is 42", "true"), ("boxed is string", "false"), ("boxed as string", "null"),
        ("colour", "Green"), ("colour == App.Colour.Green", "true"), ("(int)colour", "1"), ("(App.Colour)10", "Blue"),
        ("colour | App.Colour.Blue", "11"), ("colour + 9", "Blue"), ("App.Colour.Blue - colour", "9"),
        ("colour is App.Colour.Red or App.Colour.Green", "true"), ("colour == 0", "false"), ("Colour.Red", "Red"),
        ("point.X + point.Y", "7"), ("point is { X: 3, Y: > 3 }", "true"), ("derived.Automatic", '"auto"'),
        ("derived.Shared", "2"), ("((Base)derived).Shared", "1"), ("(derived as Base).Shared", "1"),
        ("derived.secret", '"s3"'), ("derived is Base", "true"), ("derived is IShape", "true"),
        ("derived.Next?.Next.Shared", "null"), ("derived == derived", "true"), ("derived != null", "true"),
        ("Derived.Counter", "99"), ("App.Derived.Counter + 1", "100"), ("derived.GetType() == typeof(Derived)", "true"),
        ("number switch { 1 => \"a\", > 4 and < 6 => \"b\", _ => \"c\" }", '"b"'), ("(1, text).Item2", '"hello"'),
        ("(number, yes) == (5, true)", "true"), ("default(int)", "0"), ("sizeof(long)", "8"),
        ("typeof(int) == typeof(int)", "true"),
        ("unchecked(least - 1)", "2147483647"), ("text is { Length: 5 }", "true"), ("checked(number + 1)", "6"),
    ],
)  # fmt: skip
def test_evaluator_gives_what_csharp_gives(world: World, expression: str, shown: str) -> None:
    assert world.show(expression) == shown


def test_property_with_code_of_its_own_is_not_the_field_behind_it(world: World) -> None:
    holder = world.type("App.Holder")
    plain = world.field(holder, "<Plain>k__BackingField", "int")
    named = world.field(holder, "<Twice>k__BackingField", "int")
    world.getter(holder, "Plain", "int", Il().op("ldarg.0").ldfld(plain).ret())
    world.getter(holder, "Twice", "int", Il().op("ldarg.0").ldfld(named).ldc(2).op("mul").ret())
    held = world.new(holder)
    held.fields = {plain.name: world.scalar("int", 3), named.name: world.scalar("int", 4)}
    world.local("holder", held)
    assert world.show("holder.Plain") == "3"
    assert world.show("holder.Twice") == "8"
    declared = members(world.module, TypeDefToken(holder.token))
    assert [(one.shown_name, one.is_backing_field, one.is_nameless) for one in declared.fields] == [
        ("Plain", True, False),
        ("<Twice>k__BackingField", False, True),
    ]


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        ("nope", "error CS0103: The name 'nope'"), ("no && nope", "CS0103"), ("number.Nope", "error CS1061: 'int'"),
        ("derived.Nope", "CS1061: 'App.Derived' does not contain a definition for 'Nope'"),
        ("Derived.Nope", "CS0117"), ("text - 1", "error CS0019: Operator '-' cannot be applied to operands of type"),
        ("!number", "CS0023"), ("number && yes", "CS0019"), ("yes + 1", "CS0019"), ("huge + number", "CS0034"),
        ("-huge", "CS0023"), ("colour == 1", "CS0019"), ("point == point", "CS0019"),
        ("nothing.Length", "Object reference"),
        ("derived.Next.Shared", "Object reference not set"), ("number / zero", "DivideByZeroException"),
        ("least / -1", "OverflowException"), ("checked(least - 1)", "OverflowException"), ("money / 0", "DivideByZero"),
        ("none.Value", "InvalidOperationException"), ("(int)none", "InvalidOperationException"),
        ("numbers[3]", "IndexOutOfRange"), ("numbers[-1]", "IndexOutOfRange"), ("numbers[1, 2]", "CS0022"),
        ("text[5]", "IndexOutOfRange"), ("number[0]", "CS0021"), ("(long)boxed", "InvalidCastException"),
        ("(string)boxed", "InvalidCastException"), ("(App.Nope)number", "CS0234"), ("number is Nope", "CS0246"),
        ("App", "CS0119"), ("App.Derived", "CS0119"), ("App.Nope", "CS0234"), ("this", "CS0026"),
        ("(int)text", "unbox|CS0030|InvalidCast"),
        ("number as int", "CS0077"), ("yes ? 1 : \"a\"", "CS0173"), ("number ? 1 : 2", "CS0029"),
        ("number switch { 1 => 2 }", "SwitchExpression"), ("nope()", "CS0103"), ("derived.Nope()", "CS1061"),
        ("number is \"a\"", "CS0029"), ("$\"{half:yyyy}\"", "format"), ("new Derived()", "CS1729"),
        ("derived.ToString()", "calls are not allowed"), ("point + \"\"", "calls are not allowed"),
        ("nameof(nope)", "CS0103"), ("nameof(Derived.Nope)", "CS0117"),
        ("nameof(text[0])", "CS8081"), ("nameof(numbers[0].Nope)", "CS8082"), ("new App.Derived<int>()", "CS0308"),
        ("number<int>", "CS0307"),
    ],
)  # fmt: skip
def test_evaluator_errors_are_the_compilers(world: World, expression: str, said: str) -> None:
    with pytest.raises(EvaluationError, match=said):
        world.evaluate(expression)


def test_evaluator_values_that_were_read_carry_their_handle(world: World) -> None:
    read, computed = world.evaluate("numbers"), world.evaluate("number + 1")
    assert read.value.handle is not None
    assert read.path == "numbers"
    assert computed.value.handle is None
    assert computed.value.element_type is ElementType.I4
    assert computed.path == "(number + 1)"


def test_evaluator_path_is_none_for_what_would_run_code_again(world: World) -> None:
    assert world.evaluate('text.Contains("a")').path is None
    assert world.evaluate("5").path is None


@pytest.mark.parametrize(
    ("expression", "is_behind"),
    [
        ("declared.Radius + 1", True), ("declared?.Radius", True), ("numbers[0] + declared.Double()", True),
        ("yes || declared.Radius == 2", False), ("((App.Circle)declared).Radius", False), ("declared.Shared", False),
        ("((dynamic)declared).Radius", False),
    ],
)  # fmt: skip
def test_evaluator_says_where_it_took_what_the_declared_type_has_not(
    world: World, expression: str, is_behind: bool
) -> None:
    circle = world.type("App.Circle", "App.Base")
    radius = world.field(circle, "Radius", "int")
    world.method(circle, "Double", "int", il=Il().ldarg(0).ldfld(radius).ldc(2).op("mul").ret())
    world.local(
        "declared", world.new(circle, Shared=world.scalar("int", 1), Radius=world.scalar("int", 2)), of="App.Base"
    )
    assert world.evaluate(expression).is_behind is is_behind


def test_evaluator_reads_locals_once(world: World) -> None:
    world.debuggee.calls.clear()
    world.evaluate("number + zero + small + number")
    assert world.debuggee.reads.count("locals") <= 1


def test_evaluator_long_chains_are_evaluated(world: World) -> None:
    assert world.show(" + ".join(["1"] * 2000)) == "2000"
    assert world.show(" || ".join(["no"] * 1000)) == "false"
    assert world.show(" + ".join(["number"] * 500)) == "2500"


def test_evaluator_this_and_its_members_need_no_prefix(world: World) -> None:
    owner = next(entry for entry in world.metadata.types.values() if entry.full_name == "App.Derived")
    base = next(entry for entry in world.metadata.types.values() if entry.full_name == "App.Base")
    world.arguments = [world.locals[-1], world.scalar("int", 8)]
    world.method_token = world.method(owner, "Show", "void", [("given", "int")]).token
    assert world.show("Shared") == "2"
    assert world.show("this.Shared + given") == "10"
    assert world.show("base.Shared") == "1"
    assert world.show("Counter") == "99"
    assert world.show("Automatic") == '"auto"'
    world.method_token = world.method(base, "Show", "void", [("given", "int")]).token
    assert world.show("Shared") == "1"


def test_evaluator_captured_variables_are_found_in_closures() -> None:
    world = World()
    closure = world.type("App.Program+<>c__DisplayClass0_0")
    world.field(closure, "captured", "int")
    world.local("CS$<>8__locals0", world.new(closure, captured=world.scalar("int", 11)))
    assert world.show("captured * 2") == "22"


def test_evaluator_usings_and_namespaces_are_those_of_the_source() -> None:
    from portablepdb.imports import Import, ImportKind

    world = World()
    inner = world.type("Other.Deep.Thing")

    def imports(one: Import) -> None:
        world.pdb.imports = [one]
        world.catalog.version += 1  # as when another PDB has come

    world.field(inner, "Answer", "int", static=True).constant_value = 42
    assert world.show("Other.Deep.Thing.Answer") == "42"
    with pytest.raises(EvaluationError, match="CS0103"):
        world.evaluate("Thing.Answer")
    imports(Import(ImportKind.NAMESPACE, None, None, "Other.Deep", None))
    assert world.show("Thing.Answer") == "42"
    imports(Import(ImportKind.DEFINE_NAMESPACE_ALIAS, "D", None, "Other.Deep", None))
    assert world.show("D.Thing.Answer") == "42"
    imports(Import(ImportKind.TYPE, None, None, None, inner.token))  # type: ignore[arg-type)
    assert world.show("Answer") == "42"


def test_evaluator_generic_members_have_their_arguments() -> None:
    world = World()
    box = world.type("App.Box`1", generics=("T",))
    world.field(box, "content", sig.TypeParameter(0))
    of_int = sig.GenericInstance(world.signature(box), (sig.PrimitiveType(0x08),))
    world.local("box", world.new(of_int, content=world.scalar("int", 3)))
    assert world.show("box.content + 1") == "4"
    assert world.show("box is Box<int>") == "true"
    assert world.show("box is Box<string>") == "false"


def test_evaluator_generic_types_are_named_without_arguments() -> None:
    world = World()
    world.type("App.Outer")
    world.type("App.Outer+Inner`1", generics=("T",))
    world.type("Other.Box`1", generics=("T",))
    assert world.show("typeof(Other.Box<>) == typeof(Other.Box<>)") == "true"
    assert world.show("typeof(Other.Box<>) == typeof(Other.Box<int>)") == "false"
    assert world.show("typeof(Outer.Inner<>) == typeof(App.Outer.Inner<>)") == "true"
    assert world.show("typeof(Outer.Inner<>) == typeof(Other.Box<>)") == "false"
    assert world.show("nameof(Outer.Inner<int>)") == '"Inner"'


# calls


def test_evaluator_getters_that_only_read_are_interpreted(world: World) -> None:
    point = next(entry for entry in world.metadata.types.values() if entry.full_name == "App.Point")
    x, y = point.fields
    world.getter(point, "Sum", "int", Il().ldarg(0).ldfld(x).ldarg(0).ldfld(y).op("add").ret())
    assert world.show("point.Sum + 1") == "8"


def test_evaluator_virtual_getters_reach_the_override(world: World) -> None:
    kinds = {entry.full_name: entry for entry in world.metadata.types.values()}
    virtual = 0x46
    world.getter(kinds["App.Base"], "Kind", "int", Il().ldc(1).ret(), flags=virtual | 0x100)
    world.getter(kinds["App.Derived"], "Kind", "int", Il().ldc(2).ret(), flags=virtual)
    assert world.show("derived.Kind") == "2"
    assert world.show("((Base)derived).Kind") == "2"


def test_evaluator_methods_are_called_with_the_best_overload(world: World) -> None:
    kinds = {entry.full_name: entry for entry in world.metadata.types.values()}
    owner = kinds["App.Derived"]
    world.method(owner, "Take", "int", [("value", "int")])
    world.method(owner, "Take", "string", [("value", "string")])
    world.method(owner, "Take", "object", [("value", "object")])
    seen: list[object] = []

    def take(target: object, value: object) -> object:
        seen.append(value)
        return world.scalar("int", 1)

    caller = FakeCaller(world, Take=take)
    assert world.show("derived.Take(number)", caller) == "1"
    assert world.show("derived.Take(text)", caller) == "1"
    assert world.show('derived.Take(value: "new")', caller) == "1"
    assert world.show("derived.Take(boxed)", caller) == "1"
    assert caller.made == ["Take", "Take", '"new"', "Take", "Take"]
    with pytest.raises(EvaluationError, match="CS1501"):
        world.evaluate("derived.Take(1, 2)", caller)


def test_evaluator_objects_in_flight_survive_a_call(world: World) -> None:
    owner = next(entry for entry in world.metadata.types.values() if entry.full_name == "App.Derived")
    world.method(owner, "Name", "string", [("prefix", "string")])
    caller = FakeCaller(world, Name=lambda target, prefix: world.text(prefix.text + "!"))
    assert (
        world.show('text + derived.Name("a") + text + derived.Name(derived.Name("b"))', caller) == '"helloa!hellob!!"'
    )
    assert world.show('derived.Name("x") == derived.Name("x")', caller) == "true"
    assert world.debuggee.heap.pins == {}


def test_the_target_of_a_call_that_is_all_of_an_expression_is_not_remembered(world: World) -> None:
    owner = next(entry for entry in world.metadata.types.values() if entry.full_name == "App.Derived")
    world.method(owner, "Name", "string", [("prefix", "string")])
    caller = FakeCaller(world, Name=lambda target, prefix: world.text(prefix.text + "!"))
    remembered, remember = [], world.debuggee.heap.pin
    world.debuggee.heap.pin = lambda handle: remembered.append(handle) or remember(handle)  # type: ignore[method-assign, func-returns-value]
    assert world.show("derived.Name(text)", caller) == '"hello!"'
    assert not remembered
    assert world.show('derived.Name("x")', caller) == '"x!"'
    assert len(remembered) == 1, "while the string is made"
    assert world.show("derived.Name(text) + derived.Name(text)", caller) == '"hello!hello!"'
    assert len(remembered) > 1
    assert world.debuggee.heap.pins == {}


def test_evaluator_remembers_an_object_once_however_often_the_program_runs(world: World) -> None:
    owner = next(entry for entry in world.metadata.types.values() if entry.full_name == "App.Derived")
    world.method(owner, "Both", "string", [("first", "App.Derived"), ("second", "string")])
    world.method(owner, "Name", "string", [("prefix", "string")])
    caller = FakeCaller(world, Name=lambda target, prefix: world.text("n"), Both=lambda target, first, second: second)
    made, remember = [], world.debuggee.heap.pin
    world.debuggee.heap.pin = lambda handle: made.append(handle) or remember(handle)  # type: ignore[method-assign, func-returns-value]
    inner = "derived.Name(" * 6 + '"x"' + ")" * 6
    assert world.show(f"derived.Both(derived, {inner})", caller) == '"n"'
    calls = len(caller.made)
    assert calls >= 8
    assert len(made) <= calls + 8, "not one for each operand in each of the calls"


def test_evaluator_numbers_in_flight_survive_a_call(world: World) -> None:
    owner = next(entry for entry in world.metadata.types.values() if entry.full_name == "App.Derived")
    world.method(owner, "Take", "int", [("number", "int"), ("text", "string")])
    seen: list[bytes] = []

    def take(target: object, number: Value, text: object) -> object:
        seen.append(number.raw)
        return world.scalar("int", 1)

    caller = FakeCaller(world, Take=take)
    assert world.show('derived.Take(number, "made first")', caller) == "1"
    assert seen == [b"\5\0\0\0"]


def test_evaluator_structures_that_calls_give_are_boxes_and_opened(world: World) -> None:
    owner = next(entry for entry in world.metadata.types.values() if entry.full_name == "App.Derived")
    point = next(entry for entry in world.metadata.types.values() if entry.full_name == "App.Point")
    world.method(owner, "Where", point)
    world.method(owner, "Count", "int?")
    made = world.new(point, X=world.scalar("int", 6), Y=world.scalar("int", 0))
    caller = FakeCaller(
        world, Where=lambda target: world.box(made), Count=lambda target: world.box(world.scalar("int", 8))
    )
    assert world.show("derived.Where().X", caller) == "6"
    assert world.show("derived.Count() + 1", caller) == "9"
    assert world.show("derived.Count().HasValue", caller) == "true"


def test_evaluator_calls_can_be_forbidden(world: World) -> None:
    owner = next(entry for entry in world.metadata.types.values() if entry.full_name == "App.Derived")
    world.method(owner, "Act", "void")
    with pytest.raises(EvaluationError, match="calls are not allowed"):
        world.evaluate("derived.Act()")


def test_evaluator_what_a_callee_throws_is_passed_on(world: World) -> None:
    owner = next(entry for entry in world.metadata.types.values() if entry.full_name == "App.Derived")
    world.method(owner, "Act", "void")
    thrown = world.new("App.Base")

    def act(target: object) -> object:
        raise CalleeThrew("it threw", world.debuggee.heap.value(thrown))

    with pytest.raises(CalleeThrew) as caught:
        world.evaluate("derived.Act()", FakeCaller(world, Act=act))
    assert caught.value.exception.address == thrown.address


def test_evaluator_user_defined_operators_are_used(world: World) -> None:
    point = next(entry for entry in world.metadata.types.values() if entry.full_name == "App.Point")
    parameters = [("left", point), ("right", point)]
    x = point.fields[0]
    equal = Il().ldarg(0).ldfld(x).ldarg(1).ldfld(x).op("ceq").ret()
    world.method(point, "op_Equality", "bool", parameters, static=True, il=equal)
    assert world.show("point == point") == "true"
    with pytest.raises(EvaluationError, match="CS0019"):
        world.evaluate("point - point")


def test_an_expression_is_bound_once_at_a_site(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    bound, bind = list[str](), evaluator.compiled

    def compiled(binder: NameBinder, tree: Node, *, is_whole: bool) -> evaluator.Compiled:
        bound.append(str(tree))
        return bind(binder, tree, is_whole=is_whole)

    monkeypatch.setattr(evaluator, "compiled", compiled)
    world.local("declared", world.scalar("int", 5), of="int")
    assert [world.show("declared + 1") for _ in range(3)] == ["6"] * 3
    assert len(bound) == 1
    world.locals[-1] = world.scalar("int", 8)
    assert world.show("declared + 1") == "9"
    world.debuggee.exception = world.new(world.type("App.Late"))
    assert [world.show("$exception") for _ in range(2)] == ["{Late}"] * 2
    assert len(bound) == 3, "the type of such a variable is that of its value"


def test_a_variable_of_the_console_hides_what_was_bound_before(world: World) -> None:
    assert world.show("Derived.Counter") == "99"
    kept = KeptObjects()
    kept.keep(world.debuggee, "Derived", KeptVariable(None, STRING, "kept"))
    context = structs.replace(world.context, program=structs.replace(world.context.program, kept=kept))
    assert evaluator.evaluate("Derived.Length", context, None).value.raw[:1] == b"\4"
    with pytest.raises(EvaluationError, match="CS1061"):
        evaluator.evaluate("Derived.Counter", context, None)
    assert world.show("Derived.Counter") == "99"
