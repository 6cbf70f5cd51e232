"""Memory and heap of a real program: who refers to an object, what it keeps alive, instances, bytes."""

from __future__ import annotations

import base64

import pytest

from dap_dotnet.client import DapRequestError
from tests.support import programs
from tests.support.dotnet import Runtime
from tests.support.session import Session

pytestmark = pytest.mark.e2e


def launch(session: Session, runtime: Runtime, *markers: str) -> None:
    program = programs.build("Heap", runtime)
    session.initialize(supportsMemoryReferences=True)
    session.launch_program(program, stop_at=markers)
    session.wait_for_stop()


def test_heap_is_asked_in_the_words_of_the_source(runtime: Runtime, session: Session) -> None:
    launch(session, runtime, "stop")
    instances = session.evaluate(".heap Node")
    assert instances.result == "4 objects, 160 bytes, of type Heaps.Node"
    names = [session.variables(one.variables_reference) for one in session.variables(instances.variables_reference)]
    found = {child.value for children in names for child in children if child.name == "Name"}
    assert found == {'"shared"', '"root"', '"next"', '"attached"'}

    lines = session.evaluate(".refs shared").result.splitlines()
    texts = [line.strip().partition(", thread")[0] for line in lines[1:]]
    assert lines[0] == "5 references to it:"
    assert texts[:2] == [
        "variable shared of Heaps.Program.Stop(Heaps.Node shared, byte[] bytes)",
        "variable shared of Heaps.Program.Main()",
    ]
    assert sorted(texts[2:]) == [
        "element [0] of Heaps.Node[]", "element [2] of Heaps.Pair[]", "field Next of Heaps.Node"
    ]  # fmt: skip
    body = session.request("dap-dotnet/references", {"expression": "Registry.Listed"})
    assert "static field Heaps.Registry.Listed" in [one["text"] for one in body["references"]]

    types = session.evaluate(".heap").result
    assert "string" in types
    assert "unknown" not in types
    with pytest.raises(DapRequestError, match="this is a value or null"):
        session.evaluate(".refs 5")


def test_object_keeps_alive_what_nothing_else_refers_to(runtime: Runtime, session: Session) -> None:
    launch(session, runtime, "main")
    sizes = {
        "Registry.Root": "3,168 bytes in 5 objects",  # two nodes, two arrays, and what is attached to a node
        "Registry.Root.Next": "2,104 bytes in 3 objects",
        "Registry.Root.Payload": "1,024 bytes in 1 object",
        "Registry.Listed": "88 bytes in 2 objects",
        "shared": "40 bytes in 1 object",
    }
    found = {text: session.evaluate(f".size {text}").result.partition(" would")[0] for text in sizes}
    assert found == sizes
    body = session.request("dap-dotnet/retainedSize", {"expression": "Registry.Root"})
    assert body == {"bytes": 3168, "objects": 5, "ownBytes": 40}


def test_memory_is_read_and_written(runtime: Runtime, session: Session) -> None:
    launch(session, runtime, "stop", "after")

    def read(expression: str, count: int) -> bytes:
        reference = session.evaluate(expression).memory_reference
        body = session.request("readMemory", {"memoryReference": reference, "count": count})
        return base64.b64decode(body["data"])

    assert read("bytes", 5) == b"\1\2\3\4\5"
    assert read("text", 8) == "text".encode("utf-16-le")
    assert read("number", 4) == b"\5\0\0\0"
    if not runtime.version.startswith("3."):  # a span's reference is hidden there
        assert read("span", 12) == b"\7\0\0\0\x08\0\0\0\x09\0\0\0"
    assert session.evaluate("(object)null").memory_reference is None
    written = {
        "memoryReference": session.evaluate("bytes").memory_reference, "offset": 1,
        "data": base64.b64encode(b"\x2a").decode(),
    }  # fmt: skip
    assert session.request("writeMemory", written) == {"bytesWritten": 1}
    assert session.evaluate("bytes[1]").result == "42"
    unreadable = session.request("readMemory", {"memoryReference": "0x10", "count": 16})
    assert unreadable == {"address": "0x0000000000000010", "unreadableBytes": 16}
    with pytest.raises(DapRequestError, match="not a memory reference"):
        session.request("readMemory", {"memoryReference": "here", "count": 1})
    session.continue_()
    session.wait_for_stop()
    assert session.evaluate("bytes[1]").result == "42"
