"""The queries of tools: display names, types by name, members, the disassembler, memory readers, SourceLink."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from portablepdb import Assembly, MemberRef, Method, MethodSpec, NoSuchEntryError, PortablePdb
from portablepdb.disassembler import Disassembler, identifier, quoted
from portablepdb.display_names import kickoff_by_name
from portablepdb.parameter_style import ParameterStyle
from portablepdb.signature_text import type_text
from portablepdb.source_link import source_url

from .assembly_maker import AssemblyMaker
from .encoder import compressed

DEBUG = ("-debug:portable", "-optimize-", "-define:DEBUG")


@pytest.fixture(scope="module")
def features(compiled) -> Path:
    return compiled("features.cs", *DEBUG)


@pytest.fixture(scope="module")
def names(features: Path) -> set[str]:
    with Assembly.open(features) as assembly:
        metadata = assembly.metadata
        return {metadata.display_method(0x06000000 | row) for row in range(1, metadata.image.row_counts[6] + 1)}


@pytest.mark.parametrize(
    "name",
    [
        "Features.Outer<T>.Inner<U>.Deep<V>(T t, U u, V v)",
        "Features.Outer<T>.Name.get",
        "Features.Money.Money(int amount)",
        "static Features.Money.Money()",
        "Features.Money.~Money()",
        "Features.Money.Features.IShape<System.Int32,System.String>.this[int index].get",
        "Features.Money.Features.IShape<System.Int32,System.String>.Changed.add",
        "Features.Money.this[int i, string s].get",
        "Features.Money.this[int i, string s].set",
        "Features.Money.operator +(Features.Money a, Features.Money b)",
        "Features.Money.operator -(Features.Money a)",
        "Features.Money.operator true(Features.Money a)",
        "Features.Money.implicit operator int(Features.Money a)",
        "Features.Money.explicit operator Features.Money(string text)",
        "Features.Money.System.IDisposable.Dispose()",
        "Features.Money.GetEnumerator()",
        "Features.Money.Draw(int x, string name, decimal d, Features.Colour c)",
        "Features.Code.Wait(int amount, object thing, (int, string, (int, int)) tuple)",
        "Features.Code.Forget()",
        "Features.Code.Other<T>(System.Func<T> make)",
        "Features.Code.Stream(System.Threading.CancellationToken token)",
        "Features.Code.Iterate<T>(System.Collections.Generic.IEnumerable<T> items, System.Predicate<T> keep)",
        "Features.Code.Pointers(int* p, void** q, string text, ref Features.Union union, __arglist)",
        "Features.Code.Query.lambda(int a)",
        "Features.Code.Query.lambda(int b)",
        "Features.Code.Query.Recursive(int n)",
        "Features.Code.Query.Free(int n)",
        "Features.Handler<T, TResult>.Invoke(in T item, out int count)",
    ],
)
def test_display_name_is_as_the_user_wrote_it(names: set[str], name: str):
    assert name in names


@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        ("Features.Outer<T>.Inner<U>.Deep<V>(T t, U u, V v)", ("int", "string", "bool"), None),
        ("Features.Code.Other<T>(System.Func<T> make)", ("int",), "Features.Code.Other<int>(System.Func<int> make)"),
        ("Features.Code.Forget()", ("unused",), "Features.Code.Forget()"),
    ],
)
def test_display_name_with_generic_arguments(
    features: Path, name: str, arguments: tuple[str, ...], expected: str | None
):
    with Assembly.open(features) as assembly:
        metadata = assembly.metadata
        rows = range(1, metadata.image.row_counts[6] + 1)
        token = next(0x06000000 | row for row in rows if metadata.display_method(0x06000000 | row) == name)
        shown = metadata.display_method(token, arguments)
    assert shown == (expected or "Features.Outer<int>.Inner<string>.Deep<bool>(int t, string u, bool v)")


def test_display_name_of_local_functions_with_their_own_generics(names: set[str]):
    assert any(re.fullmatch(r"Features\.Outer<.*>\.Inner<.*>\.Deep\.Local<.*W>\(W w\)", name) for name in names)


def test_display_names_of_newer_features(compiled):
    path = compiled("newest.cs", *DEBUG, needs_csharp=13)
    with Assembly.open(path) as assembly:
        metadata = assembly.metadata
        names = {metadata.display_method(0x06000000 | row) for row in range(1, metadata.image.row_counts[6] + 1)}
    assert "Program.Main(string[] args)" in names
    assert "Program.Main.Top(int n)" in names
    assert "IAdd<TSelf>.operator checked +(TSelf a, TSelf b)" in names
    assert "Service.Service(string name, System.Func<int> count)" in names
    assert "Modern.Inner.lambda(int x)" in names


def test_kickoff_by_name_agrees_with_the_pdb(features: Path):
    with Assembly.open(features) as assembly, PortablePdb.open(features.with_suffix(".pdb")) as pdb:
        found = 0
        for row in range(1, pdb.method_count + 1):
            kickoff = pdb.kickoff_method(row)
            assert kickoff_by_name(assembly.metadata, 0x06000000 | row) == kickoff
            if kickoff is not None:
                assert pdb.state_machine_of(kickoff) == 0x06000000 | row
                found += 1
        assert found > 5


@pytest.mark.parametrize(
    "name",
    [
        "Features.Code",
        "Features.Outer`1",
        "Features.Outer`1+Inner`1",
        "Features.IShape`2",
        "<Module>",
        "Features.Colour",
    ],
)
def test_type_is_found_by_its_full_name(features: Path, name: str):
    with Assembly.open(features) as assembly:
        token = assembly.metadata.find_type(name)
        assert token is not None
        assert assembly.metadata.type_name(token) == name


def test_type_that_is_not_there_is_none(features: Path):
    with Assembly.open(features) as assembly:
        for name in ("", "Code", "Features", "Features.Inner`1", "Features.Outer`1+Inner", "System.String", "+", "."):
            assert assembly.metadata.find_type(name) is None


def test_every_type_of_the_core_library_is_found(framework: Path):
    with Assembly.open(framework / "System.Private.CoreLib.dll") as assembly:
        metadata = assembly.metadata
        for row in range(1, metadata.image.row_counts[2] + 1, 97):
            name = metadata.type_name(0x02000000 | row)
            assert metadata.type_name(metadata.find_type(name)) == name


def test_members_of_a_type(features: Path):
    with Assembly.open(features) as assembly:
        metadata = assembly.metadata
        money = metadata.type_def(metadata.find_type("Features.Money"))
        constants = {field.name: field.constant.value for field in money.fields if field.is_literal}
        assert constants["Big"] == (1 << 64) - 1
        assert constants["Nothing"] is None
        assert constants["Paint"] == 200
        assert constants["Text"].endswith("\u007f")
        assert {p.name for p in money.properties} == {"Item", "Features.IShape<System.Int32,System.String>.Item"}
        indexer = next(p for p in money.properties if p.name == "Item")
        assert metadata.method(indexer.getter).name == "get_Item"
        assert len(indexer.signature.parameters) == 2
        (event,) = [e for e in money.events if e.adder is not None and "Changed" in e.name]
        assert metadata.method(event.remover).declaring_type == money.token
        names = {metadata.type_name(face).split("<")[0] for face in money.interfaces}
        assert "System.IDisposable" in names
        union = metadata.type_def(metadata.find_type("Features.Union"))
        assert union.layout == (2, 16)
        assert [field.offset for field in union.fields] == [0, 4, 8]
        marshalled = next(field for field in money.fields if field.name == "Marshalled")
        assert marshalled.marshalling[:2] == b"\x1e\x04"
        assert marshalled.offset is marshalled.rva is None
        draw = next(m for m in metadata.methods_of(metadata.find_type("Features.IShape`2")) if m.name == "Draw")
        assert draw.parameters == {1: "x", 2: "name", 3: "d", 4: "c"}
        outer = metadata.type_def(metadata.find_type("Features.Outer`1"))
        assert [p.name for p in outer.generic_parameters] == ["T"]
        (inner,) = [t for t in outer.nested if metadata.type_name(t).endswith("Inner`1")]
        assert metadata.type_def(inner).enclosing == outer.token
        fields = {f.name: type_text(f.signature, metadata.type_name) for f in metadata.fields_of(inner)}
        assert fields["Jagged"] == "int32[r:3 s: l:0,0,0][][]" or fields["Jagged"].endswith("[]")


def test_attributes_with_types_and_named_arguments(features: Path):
    with Assembly.open(features) as assembly:
        outer = assembly.metadata.type_def(assembly.metadata.find_type("Features.Outer`1"))
        display = next(a for a in outer.attributes if a.type_name.endswith("DebuggerDisplayAttribute"))
        assert [a.value for a in display.fixed_arguments] == ["{Name}"]
        named = {n.name: n.argument.value for n in display.named_arguments}
        assert named["Name"] == "the name"
        assert named["Target"].startswith("Features.Outer`1+Inner`1[")


def test_disassembler_names_what_it_can(features: Path):
    with Assembly.open(features) as assembly:
        metadata = assembly.metadata
        disassembler = Disassembler(metadata)
        lines = []
        for row in range(1, metadata.image.row_counts[6] + 1):
            lines += disassembler.method(0x06000000 | row, {0: "named"})
    text = "\n".join(lines)
    assert "/* 0x" not in text
    for wanted in (
        ".entrypoint",
        'ldstr "elsewhere"',
        "\\ud83d",
        "vararg int32 Features.Code::Pointers(int32*,void**,string,valuetype Features.Union&,...,int32,string,float64)",
        "switch (IL_",
        "::Select<string,int32>(",
        "!!0 ",
        "catch [",
        "filter IL_",
        "finally handler IL_",
        "newobj instance void Features.Money::.ctor(int32)",
        "ldtoken field ",
        "constrained. ",
        ".locals init ([0] ",
        "'<Wait>d__0'" if "'<Wait>d__0'" in text else "d__",
    ):
        assert wanted in text, wanted


def test_every_method_of_the_core_library_disassembles(framework: Path):
    with Assembly.open(framework / "System.Private.CoreLib.dll") as assembly:
        metadata = assembly.metadata
        disassembler = Disassembler(metadata)
        instructions = 0
        for row in range(1, metadata.image.row_counts[6] + 1, 13):
            body = metadata.method_body(0x06000000 | row)
            if body is not None:
                size = 0
                for instruction in body.instructions():
                    disassembler.instruction(instruction)
                    size += instruction.size
                    instructions += 1
                assert size == len(body.il)
    assert instructions > 10_000


def mapped(data: bytes) -> bytes:
    """An image as the loader lays it out: each section at its RVA."""
    with Assembly.open(data) as assembly:
        image = bytearray(assembly.pe.size_of_image)
        first = min(section.virtual_address for section in assembly.pe.sections)
        image[: min(first, len(data))] = data[: min(first, len(data))]
        for section in assembly.pe.sections:
            raw = data[section.raw_pointer : section.raw_pointer + min(section.raw_size, section.virtual_size)]
            image[section.virtual_address : section.virtual_address + len(raw)] = raw
        return bytes(image)


@pytest.mark.parametrize("options", [DEBUG, ("-debug:embedded", "-platform:x64")], ids=["PE32", "PE32+ embedded"])
def test_image_in_memory_reads_as_the_file_does(compiled, options):
    from portablepdb.dump_asm import assembly_records

    path = compiled("first.cs", *options)
    data = path.read_bytes()
    image = mapped(data)
    asked = 0

    def read(offset: int, size: int) -> bytes:
        nonlocal asked
        asked += size
        return image[offset : offset + size]

    with Assembly.open(path) as file, Assembly.open(read, layout="mapped", name="process") as memory:
        assert memory.metadata.mvid == file.metadata.mvid
        assert memory.codeview == file.codeview
        assert memory.has_embedded_pdb == file.has_embedded_pdb
        assert list(assembly_records(memory))[1:] == list(assembly_records(file))[1:]
        if file.has_embedded_pdb:
            assert memory.embedded_pdb().id == file.embedded_pdb().id
    asked = 0
    with Assembly.open(read, layout="mapped") as memory:
        assert memory.codeview is not None
    assert asked < 2000


def test_pdb_in_memory_is_sized_by_its_headers(features: Path):
    data = features.with_suffix(".pdb").read_bytes()
    memory = data + b"\xcc" * 4096
    with PortablePdb.open(lambda offset, size: memory[offset : offset + size]) as pdb, PortablePdb.open(data) as file:
        assert pdb.id == file.id
        assert list(pdb.all_sequence_points()) == list(file.all_sequence_points())


def test_point_lookups_of_a_method_that_does_not_exist(features: Path):
    with PortablePdb.open(features.with_suffix(".pdb")) as pdb, pytest.raises(NoSuchEntryError):
        pdb.locals_at(0x06FFFFFF, 0)


LINK = json.dumps(
    {
        "documents": {
            "/src/*": "https://h/raw/*",
            "/src/a/*": "https://h/a/*?x",
            "C:\\w\\*": "https://h/w/*",
            "/one.cs": "https://h/1",
        }
    }
)


@pytest.mark.parametrize(
    ("name", "url"),
    [
        ("/src/x/y z.cs", "https://h/raw/x/y%20z.cs"),
        ("/src/a/b.cs", "https://h/a/b.cs?x"),
        ("c:\\W\\d\\e.cs", "https://h/w/d/e.cs"),
        ("/one.cs", "https://h/1"),
        ("/two.cs", None),
    ],
)
def test_source_link_takes_the_longest_entry(name: str, url: str | None):
    assert source_url(LINK, name) == url


def indexer_names(*indices: bytes, names: tuple[str, ...]) -> list[str]:
    """What the accessors of an indexer are called whose value is a Dictionary of two types."""
    maker = AssemblyMaker()
    library = maker.assembly_ref("System.Collections")
    dictionary = maker.type_ref("Dictionary`2", "System.Collections.Generic", library)
    value = b"\x15\x12" + bytes([(dictionary & 0xFFFFFF) << 2 | 1]) + b"\x02\x08\x0e"
    maker.type("Store")
    count = bytes([len(indices)])
    getter = maker.method("get_Item", b"\x20" + count + value + b"".join(indices), names, flags=0x806)
    more = bytes([len(indices) + 1])
    setter = maker.method(
        "set_Item", b"\x20" + more + b"\x01" + b"".join(indices) + value, (*names, "value"), flags=0x806
    )
    metadata = maker.metadata()
    return [metadata.display_method(getter), metadata.display_method(setter)]


def test_setter_of_an_indexer_has_the_indices_without_the_value():
    assert indexer_names(b"\x08", b"\x0e", names=("i", "key")) == [
        "N.Store.this[int i, string key].get",
        "N.Store.this[int i, string key].set",
    ]
    assert indexer_names(b"\x08", names=("i",))[1] == "N.Store.this[int i].set"


def test_identifier_is_quoted_where_ilasm_has_the_word_for_itself():
    plain = ["Main", "_x", "a$b", "List`1", "Object", ".ctor"]
    quoted = [
        "",
        "class",
        "method",
        "int32",
        "value",
        "add",
        "ret",
        "box",
        "switch",
        "9lives",
        "a-b",
        "<M>d__0",
        "naïve",
    ]
    assert [identifier(name) for name in plain] == plain
    assert [identifier(name) for name in quoted] == [f"'{name}'" for name in quoted]
    assert identifier("it's") == "'it\\'s'"


def test_generic_method_that_il_calls_is_an_object(features: Path):
    found = set()
    with Assembly.open(features) as assembly:
        metadata = assembly.metadata
        for row in range(1, metadata.image.row_counts[0x2B] + 1):
            called = metadata.entity(0x2B000000 | row)
            assert isinstance(called, MethodSpec)
            assert isinstance(called.method, (Method, MemberRef))
            assert called.name == called.method.name
            found.add((called.name, metadata.display(called)))
    linq, collections = "System.Linq.Enumerable", "System.Collections.Generic"
    assert (
        "Select",
        f"{linq}.Select<string, int>({collections}.IEnumerable<string>, System.Func<string, int>)",
    ) in found
    assert ("Other", "Features.Code.Other<int>(System.Func<int> make)") in found
    # Of a generic type, and of one whose own name has brackets.
    assert any(text.startswith("Features.Outer<!0>.Inner<!1>.<Deep>g__Local|3_1<!!0, !0>(!0, ") for _, text in found)
    assert all(f"{name}<" in text for name, text in found)


def test_constructor_of_a_nested_generic_type_has_the_name_of_that_type():
    maker = AssemblyMaker()
    outer = maker.type_ref("Outer`1", "N", maker.assembly_ref("Lib"))
    inner = maker.type_ref("Inner`1", "", outer)
    coded = compressed((inner & 0xFFFFFF) << 2 | 1)
    spec = maker.type_spec(b"\x15\x12" + coded + b"\2\x08\x0e")
    constructor = maker.member_ref(spec, ".ctor", b"\x20\1\1\x13\1")
    assert maker.metadata().display(constructor) == "N.Outer<int>.Inner<string>.Inner(string)"


def test_arguments_of_a_crafted_method_are_not_written_a_thousand_times():
    maker = AssemblyMaker()
    long = maker.type_ref("T" * 60_000, "N", maker.assembly_ref("Lib"))
    coded = compressed((long & 0xFFFFFF) << 2 | 1)
    spec = maker.type_spec(b"\x15\x12" + coded + b"\1\x12" + coded)
    method = maker.member_ref(spec, "Many", b"\x20" + compressed(10_000) + b"\1" + b"\x13\0" * 10_000)
    assert len(maker.metadata().display(method)) < 300_000


def test_document_names_its_language_and_its_hash(features: Path):
    with PortablePdb.open(features.with_suffix(".pdb")) as pdb:
        document = pdb.documents[0]
        assert (document.language_name, document.hash_name) == ("C#", "sha256")
        points = next(points for _, points in pdb.all_sequence_points())
        assert points[0].document is pdb.documents.by_row(points[0].document.row_id)


def test_string_literals_are_escaped_by_the_units_of_utf_16():
    assert quoted("a b~") == '"a b~"'
    assert quoted('"\\\n\0') == '"\\"\\\\\\n\\0"'
    assert quoted("é\x7f\ud800") == '"\\u00e9\\u007f\\ud800"'
    assert quoted("\U0001f600") == '"\\ud83d\\ude00"'


def test_methods_that_visual_basic_makes_have_the_names_of_the_user():
    maker = AssemblyMaker()
    outer = maker.type("Program")
    maker.method("WorkAsync", b"\0\0\1", flags=0x16)
    maker.type("VB$StateMachine_8_WorkAsync", "", outer=outer)
    body = maker.method("MoveNext", b"\x20\0\1")
    maker.type("_Closure$__2-0", "", outer=outer)
    made = maker.method("_Lambda$__1", b"\x20\0\1")
    metadata = maker.metadata()
    assert metadata.display(body) == "N.Program.WorkAsync()"
    assert metadata.display(made) == "N.Program.lambda()"


@pytest.mark.parametrize(
    ("style", "written"),
    [
        (ParameterStyle(), "int count"),
        (ParameterStyle(types=False), "count"),
        (ParameterStyle(names=False), "int"),
        (ParameterStyle(values={"count": "3", "other": "4"}), "int count = 3"),
        (ParameterStyle(types=False, names=False, values={"count": "3"}), "3"),
    ],
)
def test_parameters_are_written_as_wanted(style, written):
    assert style.written("int", "count") == written


def test_parameter_without_a_name_has_its_type():
    assert ParameterStyle(types=False).written("int", "") == "int"
