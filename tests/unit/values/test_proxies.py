"""Objects as their DebuggerTypeProxy shows them, without .NET."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from dap_dotnet.errors import DeadlineError, EvaluationError
from dap_dotnet.evaluation.object_expressions import EvaluatedObjectExpressions
from dap_dotnet.runtime.model import Value
from dap_dotnet.values.children import Child, Container
from dap_dotnet.values.containers import container_for
from dap_dotnet.values.context import FrameContext, Program
from dap_dotnet.values.display_options import DisplayOptions
from dap_dotnet.values.lazy_containers import LazyContainer
from dap_dotnet.values.live_values import LiveValue, OpenedResults
from dap_dotnet.values.proxy_containers import ProxyContainer
from dap_dotnet.values.rendering import render
from tests.unit.evaluation.fake_metadata import FakeProperty
from tests.unit.evaluation.fakes import THREAD, FakeCaller, World
from tests.unit.evaluation.il import Il

ASSEMBLY = 0x20000001


class Shown:
    """A box with a number, and its proxy: `Doubled` only reads, `Counted` has to be called."""

    def __init__(self, *, is_readable: bool = True, display: DisplayOptions | None = None) -> None:
        self.world = world = World()
        self.box = world.type("App.Box")
        self.number = world.field(self.box, "number", "int")
        self.view = world.type("App.BoxView")
        world.module.__dict__["is_user_code"] = True
        self.of = world.field(self.view, "of", self.box)
        self.of.flags = 1
        root = world.method(world.metadata.types[world.token("System.Object")], ".ctor", "void", il=Il().ret())
        store = Il().ldarg(0).token("call", root).ldarg(0).ldarg(1).token("stfld", self.of)
        if not is_readable:
            static = world.field(self.view, "made", "int", static=True)
            store = store.ldc(1).token("stsfld", static)
        world.method(self.view, ".ctor", "void", [("other", "string")], il=Il().ret(), flags=1)
        world.method(self.view, ".ctor", "void", [("of", self.box)], il=store.ret(), flags=1)
        self.getter("Doubled", Il().ldarg(0).ldfld(self.of).ldfld(self.number).ldc(2).op("mul").ret())
        self.results = OpenedResults()
        self.caller = RunningCaller(self, **{".ctor": self._construct})
        self.display = display or DisplayOptions()
        world.local("box", world.new("App.Box", number=21))
        self.program = Program(
            world.debuggee,
            world.catalog,
            expressions=EvaluatedObjectExpressions(THREAD, lambda thread, timeout_s: self.caller),
            keeper=self.results,
            display=self.display,
        )
        self.context = FrameContext(self.program, THREAD, world.context.frame)

    def getter(self, name: str, il: bytes, flags: int = 6) -> None:
        self.world.getter(self.view, name, "int", il, flags=flags)

    def attribute(self, on: int, proxy: str, **named: str) -> None:
        given = [SimpleNamespace(value=proxy)]
        pairs = [SimpleNamespace(name=name, argument=SimpleNamespace(value=value)) for name, value in named.items()]
        self.world.metadata.attributes.setdefault(on, []).append(
            SimpleNamespace(
                type_name="System.Diagnostics.DebuggerTypeProxyAttribute", fixed_arguments=given, named_arguments=pairs
            )
        )

    def _construct(self, made: Any, *arguments: Any) -> None:
        made.fields["of"] = arguments[-1]

    def value(self) -> Value:
        return self.world.debuggee.locals(THREAD, 0)[0]

    def opened(self) -> Container:
        value = self.value()
        source = LiveValue(self.program, value, self.value)
        found = container_for(self.context, source, render(self.program, value), "box")
        assert found is not None
        return found

    def children(self) -> dict[str, Child]:
        return {child.name: child for child in self.opened().read_all(0, 100)}

    def text(self, child: Child) -> str:
        assert child.value is not None
        return render(self.program, child.value).text


class RunningCaller(FakeCaller):
    """As in a session: each call begins a generation, over which the roots are carried."""

    def __init__(self, shown: Shown, **methods: Any) -> None:
        super().__init__(shown.world, **methods)
        self._shown = shown

    def _run(self, run: Any) -> Value:
        shown = self._shown
        shown.results.pin(shown.program)
        try:
            return run()
        finally:
            shown.program.clock.generation += 1

    def call(self, *arguments: Any) -> Value:
        return self._run(lambda: FakeCaller.call(self, *arguments))

    def new_object(self, *arguments: Any) -> Value:
        return self._run(lambda: FakeCaller.new_object(self, *arguments))


def test_a_proxy_that_only_reads_is_followed_without_a_call() -> None:
    shown = Shown()
    shown.attribute(shown.box.token, "App.BoxView, app, Version=1.0.0.0")
    assert isinstance(shown.opened(), ProxyContainer)
    children = shown.children()
    assert list(children) == ["Doubled", "Raw View"]
    doubled = children["Doubled"]
    assert (shown.text(doubled), doubled.evaluate_name) == ("42", "new App.BoxView((App.Box)box).Doubled")
    assert shown.caller.made == []
    raw = children["Raw View"].container
    assert raw is not None
    assert [(child.name, shown.text(child), child.evaluate_name) for child in raw.read_all(0, 9)] == [
        ("number", "21", "box.number")
    ]


def test_a_proxy_that_does_more_is_made_when_it_is_opened_and_not_before() -> None:
    shown = Shown(is_readable=False)
    shown.attribute(shown.box.token, "App.BoxView")
    opened = shown.opened()
    assert (opened.named, opened.indexed, shown.caller.made) == (0, 0, [])
    children = opened.read_all(0, 100)
    assert [child.name for child in children] == ["Doubled", "Raw View"]
    assert shown.text(children[0]) == "42"
    assert shown.caller.made == ["new"]
    assert opened.named == 2


def test_members_of_a_made_proxy_outlive_the_calls_that_follow() -> None:
    shown = Shown(is_readable=False)
    calls = {"get_First": lambda made: shown.world.new("App.Box", number=1),
             "get_Second": lambda made: shown.world.new("App.Box", number=2)}  # fmt: skip
    shown.caller = RunningCaller(shown, **{".ctor": shown._construct}, **calls)
    for name in ("First", "Second"):
        shown.world.getter(shown.view, name, shown.box, Il().op("newobj", b"\0\0\0\0").ret())
    shown.attribute(shown.box.token, "App.BoxView")
    opened = shown.opened()
    for _ in range(2):
        children = {child.name: child for child in opened.read_all(0, 100)}
        assert shown.caller.made == ["new", "get_First", "get_Second"]
        for name, number in (("First", 1), ("Second", 2)):
            found = children[name].value
            assert found is not None
            heap = shown.world.debuggee.heap
            assert heap.content(found.handle).fields["number"] == number
    assert shown.world.debuggee.violations == []
    pins = len(shown.world.debuggee.heap.pins)
    assert pins > 0
    shown.results.clear()
    assert shown.world.debuggee.heap.pins == {}


def test_a_proxy_that_throws_gives_way_to_the_members_with_a_word() -> None:
    def refuse(*_: Any) -> None:
        raise EvaluationError("The called code threw System.Exception: no")

    shown = Shown(is_readable=False)
    shown.caller = RunningCaller(shown, **{".ctor": refuse})
    shown.attribute(shown.box.token, "App.BoxView")
    children = shown.children()
    assert list(children) == ["DebuggerTypeProxy", "number"]
    assert shown.text(children["DebuggerTypeProxy"]) == "<The called code threw System.Exception: no>"
    assert shown.text(children["number"]) == "21"


def test_a_proxy_that_did_not_end_is_not_run_again() -> None:
    def hang(*_: Any) -> None:
        raise EvaluationError("The call did not finish", code=DeadlineError.code)

    shown = Shown(is_readable=False)
    shown.caller = RunningCaller(shown, **{".ctor": hang})
    shown.attribute(shown.box.token, "App.BoxView")
    assert shown.text(shown.children()["DebuggerTypeProxy"]) == "<The call did not finish>"
    shown.caller = RunningCaller(shown, **{".ctor": shown._construct})
    assert shown.text(shown.children()["DebuggerTypeProxy"]) == "<It did not finish once, and is not run again>"
    assert shown.caller.made == []


def test_nothing_runs_where_that_is_switched_off() -> None:
    shown = Shown(is_readable=False, display=DisplayOptions(may_run=False))
    shown.attribute(shown.box.token, "App.BoxView")
    children = shown.children()
    assert "switched off" in shown.text(children["DebuggerTypeProxy"])
    assert shown.caller.made == []


def test_raw_values_have_no_proxies() -> None:
    shown = Shown(display=DisplayOptions(raw=True))
    shown.attribute(shown.box.token, "App.BoxView")
    assert list(shown.children()) == ["number"]


@pytest.mark.parametrize("on", ["base", "assembly"])
def test_a_proxy_may_be_that_of_a_base_or_named_by_an_assembly(on: str) -> None:
    shown = Shown()
    if on == "base":
        derived = shown.world.type("App.Derived", "App.Box")
        shown.world.locals[0] = shown.world.new(derived, number=4)
        shown.attribute(shown.box.token, "App.BoxView")
    else:
        shown.world.locals[0].fields["number"] = 4
        shown.attribute(ASSEMBLY, "App.BoxView, app", Target="App.Box, app, Version=1.0.0.0")
    assert shown.text(shown.children()["Doubled"]) == "8"


@pytest.mark.parametrize("name", ["App.NoSuchType", "App.Box[[App.Box]]", ""])
def test_a_proxy_that_is_not_there_leaves_the_members(name: str) -> None:
    shown = Shown()
    shown.attribute(shown.box.token, name)
    assert "number" in shown.children()


def test_members_that_are_not_public_or_never_browsable_are_not_read() -> None:
    shown = Shown()
    shown.getter("Private", Il().op("newobj", b"\0\0\0\0").ret(), flags=1)
    shown.getter("Never", Il().op("newobj", b"\0\0\0\0").ret())
    never = shown.view.properties[-1]
    assert isinstance(never, FakeProperty)
    never.token = 0x17000099
    shown.world.metadata.attributes[never.token] = [
        SimpleNamespace(
            type_name="System.Diagnostics.DebuggerBrowsableAttribute", fixed_arguments=[SimpleNamespace(value=0)]
        )
    ]
    shown.attribute(shown.box.token, "App.BoxView")
    assert list(shown.children()) == ["Doubled", "Raw View"]
    assert shown.caller.made == []


def _root_hidden(shown: Shown) -> None:
    """A property of the box whose getter has to be called, with its items in its place."""
    world = shown.world
    world.getter(shown.box, "Items", "int[]", Il().op("newobj", b"\0\0\0\0").ret())
    items = shown.box.properties[-1]
    items.token = 0x17000099
    hidden: Any = SimpleNamespace(
        type_name="System.Diagnostics.DebuggerBrowsableAttribute", fixed_arguments=[SimpleNamespace(value=3)]
    )
    world.metadata.attributes[items.token] = [hidden]


def test_a_root_hidden_property_that_has_to_run_does_so_when_its_object_is_opened() -> None:
    shown = Shown()
    _root_hidden(shown)
    array = shown.world.array("int", [shown.world.scalar("int", 5), shown.world.scalar("int", 6)])
    shown.caller = RunningCaller(shown, get_Items=lambda made: array)
    opened = shown.opened()
    assert (opened.named, shown.caller.made) == (0, [])
    for _ in range(2):
        children = opened.read_all(0, 100)
        assert [(child.name, shown.text(child)) for child in children] == [("number", "21"), ("[0]", "5"), ("[1]", "6")]
        assert (opened.named, shown.caller.made) == (3, ["get_Items"])


def test_a_root_hidden_property_that_did_not_end_is_left_to_be_opened_by_itself() -> None:
    def hang(*_: Any) -> None:
        raise EvaluationError("The call did not end", code=DeadlineError.code)

    shown = Shown()
    _root_hidden(shown)
    shown.caller = RunningCaller(shown, get_Items=hang)
    assert shown.text(shown.children()["Items"]) == "<The call did not end>"
    again = shown.children()["Items"]
    assert (again.value, isinstance(again.container, LazyContainer), shown.caller.made) == (None, True, ["get_Items"])


def test_a_root_hidden_property_stays_a_row_where_nothing_may_run() -> None:
    shown = Shown(display=DisplayOptions(may_run=False))
    _root_hidden(shown)
    assert isinstance(shown.children()["Items"].container, LazyContainer)
    assert shown.caller.made == []
