"""Arguments, locals, fields, elements, strings and types of a stopped program, on every runtime."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from contextlib import contextmanager
from uuid import UUID

import pytest
from msgspec import structs

from dap_dotnet.errors import RuntimeCallError, StaleHandleError
from dap_dotnet.runtime.events import BreakpointHit
from dap_dotnet.runtime.model import ElementType, FieldRef, FieldToken, FrameKind, Value
from tests.e2e.runtime.harness import Session, build
from tests.support.dotnet import Runtime

pytestmark = [pytest.mark.e2e, pytest.mark.every_runtime]

# The locals of Program.Values in the order of its source; the compiler puts its own first (the lambda's closure).
LOCALS = [
    "flag", "letter", "i1", "u1", "i2", "u2", "u4", "i8", "u8", "r4", "r8", "money", "native", "empty", "nothing",
    "surrogate", "longText", "array", "emptyArray", "grid", "names", "boxed", "boxedPoint", "point", "guid",
    "colour", "maybe", "never", "asAnimal", "noAnimal", "holder", "function", "plain", "pointer", "byref", "window",
    "jagged", "nested", "tuple", "lowered", "voids", "typed",
]  # fmt: skip
FIRST_LOCAL = 1


@contextmanager
def stopped_in_mark(runtime: Runtime, *mode: str, optimize: bool = False) -> Iterator[tuple[Session, BreakpointHit]]:
    with Session.launch(build(runtime, optimize=optimize), *mode) as session:
        session.own_flags = not optimize
        yield session, session.run_to("Program.Mark")


def locals_of(session: Session, hit: BreakpointHit, **options: int) -> dict[str, Value]:
    slots = session.debuggee.locals(hit.thread, 1, **options)[FIRST_LOCAL:]
    return dict(zip(LOCALS, slots, strict=False))


def number(layout: str, value: Value) -> object:
    return struct.unpack("<" + layout, value.raw)[0]


def test_stack_names_the_methods_of_the_program(runtime: Runtime) -> None:
    with stopped_in_mark(runtime, "values") as (session, hit):
        page = session.debuggee.stack(hit.thread, 0, 20)
        methods = [frame.method for frame in page.frames if frame.kind is FrameKind.IL]
        assert methods == [session.tokens[f"Program.{name}"] for name in ("Mark", "Values", "Main")]
        assert not page.more


def test_stack_comes_in_pages(runtime: Runtime) -> None:
    with stopped_in_mark(runtime, "deep") as (session, hit):
        first = session.debuggee.stack(hit.thread, 0, 10)
        rest = session.debuggee.stack(hit.thread, 10, 100)
        assert first.more
        assert not rest.more
        frames = (*first.frames, *rest.frames)
        assert [frame.index for frame in frames] == list(range(len(frames)))
        deep = [frame for frame in frames if frame.method == session.tokens["Program.Deep"]]
        assert len(deep) == 31
        assert len({frame.stack_address for frame in deep}) == 31
        assert session.debuggee.stack(hit.thread, 0, 100).frames == frames
        assert session.debuggee.stack(hit.thread, 1000, 5).frames == ()


def test_arguments_have_their_values(runtime: Runtime) -> None:
    with stopped_in_mark(runtime, "values") as (session, hit):
        amount, text, dog = session.debuggee.arguments(hit.thread, 1)
        assert (amount.element_type, number("i", amount)) == (ElementType.I4, 3)
        assert (text.element_type, text.text, text.length) == (ElementType.STRING, "text", 4)
        assert dog.type is not None
        assert session.debuggee.type_info(dog.type).token == session.tokens["Dog"]


def test_primitives_bring_their_bytes(runtime: Runtime) -> None:
    with stopped_in_mark(runtime, "values") as (session, hit):
        found = locals_of(session, hit)
        assert {name: number(layout, found[name]) for name, layout in PRIMITIVE_LAYOUTS.items()} == PRIMITIVES
        assert found["flag"].element_type is ElementType.BOOLEAN
        assert found["letter"].element_type is ElementType.CHAR
        assert found["native"].element_type is ElementType.I


PRIMITIVE_LAYOUTS = {
    "flag": "?", "letter": "H", "i1": "b", "u1": "B", "i2": "h", "u2": "H", "u4": "I", "i8": "q", "u8": "Q", "r4": "f",
    "r8": "d", "native": "q",
}  # fmt: skip
PRIMITIVES = {
    "flag": True, "letter": ord("ß"), "i1": -5, "u1": 250, "i2": -30000, "u2": 60000, "u4": 4_000_000_000,
    "i8": -9_000_000_000_000_000_000, "u8": 18_000_000_000_000_000_000, "r4": 1.5, "r8": -2.25, "native": 77,
}  # fmt: skip


def test_strings_bring_their_heads(runtime: Runtime) -> None:
    with stopped_in_mark(runtime, "values") as (session, hit):
        found = locals_of(session, hit, text_limit=100)
        assert found["empty"].text == ""
        assert found["nothing"].is_null
        assert found["nothing"].text is None
        assert (found["surrogate"].text, found["surrogate"].length) == ("a\U0001f600b\ud800", 5)
        long_text = found["longText"]
        assert (long_text.text, long_text.length) == ("x" * 100, 100_000)
        assert long_text.handle is not None
        assert session.debuggee.string(long_text.handle, 99_990, 100) == "x" * 10
        assert session.debuggee.string(long_text.handle, 100_000, 1) == ""


def test_strings_that_overflow_the_buffer_are_whole(runtime: Runtime) -> None:
    with stopped_in_mark(runtime, "values") as (session, hit):
        found = locals_of(session, hit, text_limit=90_000)
        assert found["longText"].text == "x" * 90_000
        assert found["surrogate"].text == "a\U0001f600b\ud800"


def test_arrays_have_shape_and_elements(runtime: Runtime) -> None:
    with stopped_in_mark(runtime, "values") as (session, hit):
        found = locals_of(session, hit)

        def elements(name: str, start: int = 0, count: int = 100) -> list[Value]:
            handle = found[name].handle
            assert handle is not None
            return session.debuggee.elements(handle, start, count)

        assert [number("i", value) for value in elements("array")] == [10, 20, 30, 40]
        assert [number("i", value) for value in elements("array", 1, 2)] == [20, 30]
        assert elements("array", 4, 1) == []
        assert elements("emptyArray") == []
        assert [number("i", value) for value in elements("grid")] == [1, 2, 3, 4, 5, 6]
        assert [value.text for value in elements("names")] == ["one", None, "three"]
        assert [value.length for value in elements("jagged")] == [1, 2]
        shapes = {name: session.debuggee.array_shape(found[name].handle or 0) for name in ("array", "grid", "lowered")}  # type: ignore[arg-type]
        assert (shapes["array"].lengths, shapes["array"].lower_bounds) == ((4,), (0,))
        assert (shapes["grid"].lengths, shapes["grid"].lower_bounds) == ((2, 3), (0, 0))
        assert (shapes["lowered"].lengths, shapes["lowered"].lower_bounds) == ((2, 2), (5, 7))


def test_elements_in_a_page_are_what_they_are_one_by_one(runtime: Runtime) -> None:
    """Neighbours are read from memory; one alone is what the runtime says."""
    with stopped_in_mark(runtime, "arrays") as (session, hit):
        debuggee = session.debuggee
        # The one that has one of each.
        arrays = max(debuggee.locals(hit.thread, 1), key=lambda value: value.length or 0)
        assert arrays.handle is not None
        kinds = debuggee.elements(arrays.handle, 0, 100)
        assert len(kinds) == 25
        for _ in range(2):  # the second time all types are known
            for number, kind in enumerate(kinds):
                assert kind.handle is not None
                page = debuggee.elements(kind.handle, 0, 100)
                single = [debuggee.elements(kind.handle, i, 1)[0] for i in range(len(page))]
                unhandled = [[structs.replace(value, handle=None) for value in values] for values in (page, single)]
                assert len(page) == kind.length >= 3, number
                assert unhandled[0] == unhandled[1], number
                for value, alone in zip(page, single, strict=True):
                    if value.element_type is ElementType.SZARRAY and not value.is_null:
                        assert value.handle is not None
                        assert alone.handle is not None
                        inner, same = debuggee.elements(value.handle, 0, 9), debuggee.elements(alone.handle, 0, 9)
                        assert [one.raw for one in inner] == [one.raw for one in same]
                    if value.text and value.handle is not None:
                        assert debuggee.string(value.handle, 0, 5) == value.text[:5]


def test_elements_of_a_page_are_places(runtime: Runtime) -> None:
    """They can be looked into and stored to, also after something was stored, until the process runs."""
    with stopped_in_mark(runtime, "arrays") as (session, hit):
        debuggee = session.debuggee
        arrays = max(debuggee.locals(hit.thread, 1), key=lambda value: value.length or 0)
        kinds = debuggee.elements(arrays.handle or 0, 0, 100)  # type: ignore[arg-type]
        longs, points, animals = kinds[4], kinds[11], kinds[16]
        page = debuggee.elements(longs.handle or 0, 0, 9)  # type: ignore[arg-type]
        assert page[1].handle is not None
        debuggee.store(page[1].handle, struct.pack("<q", 78))
        again = debuggee.elements(longs.handle or 0, 0, 9)  # type: ignore[arg-type]
        assert [number("q", value) for value in again] == [1, 78, -(2**63)]
        point = session.type_of("Point")
        in_points = debuggee.elements(points.handle or 0, 0, 9)  # type: ignore[arg-type]
        assert [number("i", session.field(value, point, "Point.X")) for value in in_points] == [1, 0, 3]
        assert [session.field(value, point, "Point.Name").text for value in in_points] == ["p", None, "q"]
        animal = session.type_of("Animal")
        pets = debuggee.elements(animals.handle or 0, 0, 9)  # type: ignore[arg-type]
        assert [not pet.is_null and session.field(pet, animal, "Animal.Name").text for pet in pets] == [
            *("Rex", False, "Rex", "Rex", "Rex", "Rex")
        ]


def test_boxes_are_opened(runtime: Runtime) -> None:
    with stopped_in_mark(runtime, "values") as (session, hit):
        found = locals_of(session, hit)
        boxed = found["boxed"]
        assert boxed.is_boxed
        assert (boxed.element_type, number("i", boxed)) == (ElementType.I4, 42)
        point = found["boxedPoint"]
        assert point.is_boxed
        assert point.type == found["point"].type
        point_type = session.type_of("Point")
        assert point.type == point_type
        assert number("i", session.field(point, point_type, "Point.Y")) == 9
        unused = session.debuggee.type_info(session.type_of("Unused"))  # the runtime has not loaded it
        assert unused.element_type is ElementType.VALUETYPE


def test_value_types_bring_up_to_16_bytes(runtime: Runtime) -> None:
    with stopped_in_mark(runtime, "values") as (session, hit):
        found = locals_of(session, hit)
        assert UUID(bytes_le=found["guid"].raw) == UUID("00112233-4455-6677-8899-aabbccddeeff")
        assert number("i", found["colour"]) == 3
        assert found["window"].raw == b""
        assert session.field(found["point"], session.type_of("Point"), "Point.Name").text == "p"


def test_unusual_locals_are_readable(runtime: Runtime) -> None:
    with stopped_in_mark(runtime, "values") as (session, hit):
        found = locals_of(session, hit)
        assert {name: value.error for name, value in found.items() if value.error} == {}
        assert number("q", found["voids"]) == 0x1234
        assert number("Q", found["pointer"]) == found["plain"].address
        assert number("i", found["byref"]) == 30
        window = found["window"]
        assert number("i", session.field(window, session.type_of("Window"), "Window.Start")) == 1
        assert found["typed"].element_type is ElementType.TYPEDBYREF


def test_null_references_have_their_declared_type(runtime: Runtime) -> None:
    with stopped_in_mark(runtime, "values") as (session, hit):
        nothing = locals_of(session, hit)["noAnimal"]
        assert nothing.is_null
        assert nothing.type == session.type_of("Animal")


def test_references_have_their_exact_type(runtime: Runtime) -> None:
    with stopped_in_mark(runtime, "values") as (session, hit):
        found = locals_of(session, hit)
        dog = session.debuggee.arguments(hit.thread, 1)[2]
        assert found["asAnimal"].type == session.type_of("Dog")
        assert found["asAnimal"].address == dog.address != 0
        info = session.debuggee.type_info(session.type_of("Dog"))
        assert info.base == session.type_of("Animal")


def test_fields_come_from_each_class_of_the_hierarchy(runtime: Runtime) -> None:
    with stopped_in_mark(runtime, "values") as (session, hit):
        dog = session.debuggee.arguments(hit.thread, 1)[2]
        animal, own = session.type_of("Animal"), session.type_of("Dog")
        assert session.field(dog, animal, "Animal.Name").text == "Rex"
        assert number("i", session.field(dog, animal, "Animal.age")) == 7
        assert session.field(dog, animal, "Animal.Friend").is_null
        assert number("i", session.field(dog, own, "Dog.Boxed")) == 12345
        where = session.field(dog, own, "Dog.Where")
        assert number("i", session.field(where, session.type_of("Point"), "Point.X")) == 3


def test_fields_of_a_wrong_class_have_an_error_each(runtime: Runtime) -> None:
    with stopped_in_mark(runtime, "values") as (session, hit):
        dog = session.debuggee.arguments(hit.thread, 1)[2]
        assert dog.handle is not None
        wrong = FieldRef(session.type_of("Animal"), FieldToken(session.tokens["Point.X"]))
        right = FieldRef(session.type_of("Animal"), FieldToken(session.tokens["Animal.Name"]))
        bad, good = session.debuggee.fields(dog.handle, [wrong, right])
        assert bad.error
        assert bad.handle is None
        assert good.text == "Rex"


def test_statics_are_read_with_generic_and_thread_static_ones(runtime: Runtime) -> None:
    with stopped_in_mark(runtime, "values") as (session, hit):
        amount = session.debuggee.arguments(hit.thread, 1)[0]
        assert amount.type is not None
        animal, generic = session.type_of("Animal"), session.type_of("Holder`1", amount.type)
        wanted = [
            FieldRef(animal, FieldToken(session.tokens["Animal.Count"])),
            FieldRef(animal, FieldToken(session.tokens["Animal.Kind"])),
            FieldRef(generic, FieldToken(session.tokens["Holder`1.Shared"])),
        ]
        count, kind, shared = session.debuggee.static_fields(wanted, hit.thread)
        assert (number("i", count), kind.text, number("i", shared)) == (41, "animal kind", 99)


def test_generic_types_have_their_arguments(runtime: Runtime) -> None:
    with stopped_in_mark(runtime, "values") as (session, hit):
        holder = locals_of(session, hit)["holder"]
        text = session.debuggee.arguments(hit.thread, 1)[1]
        assert holder.type is not None
        info = session.debuggee.type_info(holder.type)
        assert info.token == session.tokens["Holder`1"]
        assert info.arguments == (text.type,)
        assert session.field(holder, holder.type, "Holder`1.Item").text == "held"


def test_generic_frames_have_their_arguments(runtime: Runtime) -> None:
    with Session.launch(build(runtime), "values") as session:
        hit = session.run_to("Holder`1.Describe")
        first = [
            session.debuggee.type_info(type_id) for type_id in session.debuggee.frame_type_arguments(hit.thread, 0)
        ]
        assert first[-1].element_type is ElementType.I4
        session.debuggee.resume(hit)
        hit = session.wait(BreakpointHit)
        second = session.debuggee.frame_type_arguments(hit.thread, 0)
        assert session.debuggee.type_info(second[0]).element_type is ElementType.I4


def test_handles_die_when_the_process_runs(runtime: Runtime) -> None:
    with stopped_in_mark(runtime, "loop", "2") as (session, hit):
        (where,) = session.debuggee.arguments(hit.thread, 0)
        session.debuggee.resume(hit)
        session.wait(BreakpointHit)
        assert where.handle is not None
        with pytest.raises(StaleHandleError, match="earlier stop"):
            session.debuggee.string(where.handle, 0, 3)


def test_values_of_the_wrong_kind_are_refused(runtime: Runtime) -> None:
    with stopped_in_mark(runtime, "values") as (session, hit):
        amount = session.debuggee.arguments(hit.thread, 1)[0]
        assert amount.handle is not None
        with pytest.raises(RuntimeCallError, match="not an array"):
            session.debuggee.elements(amount.handle, 0, 1)
        with pytest.raises(RuntimeCallError, match="not a string"):
            session.debuggee.string(amount.handle, 0, 1)
        with pytest.raises(RuntimeCallError, match="no frame 99"):
            session.debuggee.locals(hit.thread, 99)


def test_optimized_code_says_what_it_lacks(runtime: Runtime) -> None:
    with stopped_in_mark(runtime, "values", optimize=True) as (session, hit):
        values = session.debuggee.locals(hit.thread, 1)
        errors = {value.error for value in values if value.error}
        assert errors <= {"optimized away"}
        assert any(value.text == "animal kind" or value.handle for value in values)


def test_memory_is_read(runtime: Runtime) -> None:
    with stopped_in_mark(runtime, "values") as (session, hit):
        text = session.debuggee.arguments(hit.thread, 1)[1]
        # A string object: method table, length, UTF-16 units.
        assert session.debuggee.read_memory(text.address, 20)[8:] == struct.pack("<I", 4) + "text".encode("utf-16-le")
        with pytest.raises(RuntimeCallError):
            session.debuggee.read_memory(8, 8)


def test_objects_like_one_that_was_read_before_are_described_like_it(runtime: Runtime) -> None:
    with stopped_in_mark(runtime, "values") as (session, hit):
        first, second = locals_of(session, hit), locals_of(session, hit)
        name = FieldRef(session.type_of("Animal"), FieldToken(session.tokens["Animal.Name"]))
        for known, again in zip(first.values(), second.values(), strict=True):
            assert structs.replace(again, handle=None) == structs.replace(known, handle=None)
        for found in (first, second):  # whichever is looked into first
            dog = found["asAnimal"]
            assert dog.handle is not None
            assert [one.text for one in session.debuggee.fields(dog.handle, [name])] == ["Rex"]


def test_an_object_that_is_looked_into_late_is_the_one_that_is_there_then(runtime: Runtime) -> None:
    with stopped_in_mark(runtime, "values") as (session, hit):
        locals_of(session, hit)
        dog = locals_of(session, hit)["asAnimal"]
        name = FieldRef(session.type_of("Animal"), FieldToken(session.tokens["Animal.Name"]))
        assert dog.handle is not None
        session.debuggee.store_reference(dog.handle, None)
        with pytest.raises(RuntimeCallError):
            session.debuggee.fields(dog.handle, [name])
        assert locals_of(session, hit)["asAnimal"].is_null
