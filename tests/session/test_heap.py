"""Memory and heap over the whole server: references, sizes, instances, bytes, as requests and as commands."""

from __future__ import annotations

import base64

import pytest

from dap_dotnet.client import DapRequestError
from dap_dotnet.errors import RuntimeCallError
from dap_dotnet.runtime.heap import ReferenceKind
from tests.support.fake_debuggee.memory import MEMORY_START
from tests.support.fake_debuggee.sample import line_of


@pytest.fixture
def stopped(session):
    session.client.initialize(supportsMemoryReferences=True)
    session.launch(line_of("call"))
    session.client.wait_for_stop()
    debuggee = session.debuggee
    point = debuggee.frames[-1].locals["point"]
    numbers = debuggee.heap.typed(debuggee.frames[-1].locals["numbers"])
    debuggee.objects = [point, point.fields["Next"], numbers]
    debuggee.root_references = [(ReferenceKind.STACK, point), (ReferenceKind.HANDLE, numbers)]
    return session


def test_references_are_told_in_the_words_of_the_source(stopped):
    client = stopped.client
    (local,) = client.references("point").references
    assert (local.kind, local.variables_reference) == ("local", 0)
    assert local.text.startswith("variable point of Sample.Program.Main(")
    found = client.references("point.Next")
    assert [(one.kind, one.text, one.value) for one in found.references] == [
        ("field", "field Next of Sample.Point", "{Point}")
    ]
    inside = {entry.name: entry.value for entry in client.variables(found.references[0].variables_reference)}
    assert inside["X"] == "4"
    assert found.left_out == 0
    assert "a GC handle" in [one.text for one in client.references("numbers").references]


def test_command_shows_references_with_their_objects(stopped):
    client = stopped.client
    shown = client.evaluate(".refs point.Next")
    assert shown.result == "1 reference to it:\n  field Next of Sample.Point"
    (opened,) = client.variables(shown.variables_reference)
    assert (opened.name, opened.value) == ("field Next of Sample.Point", "{Point}")
    with pytest.raises(DapRequestError, match="Say which object"):
        client.evaluate(".refs")
    for expression in ("total", "null", ".5", ".nothing x"):
        with pytest.raises(DapRequestError):
            client.evaluate(f".refs {expression}")
    with pytest.raises(DapRequestError, match="CS1525"):
        client.evaluate(".refs point", context="hover")


def test_all_that_a_client_waits_for_can_be_cancelled_at_once(stopped):
    client, debuggee = stopped.client, stopped.debuggee
    debuggee.is_endless = True
    asked = [client.send("evaluate", {"expression": ".size point", "context": "repl"}) for _ in range(2)]
    assert debuggee.is_followed.wait(20.0)
    client.cancel_pending()
    for one in asked:
        with pytest.raises(DapRequestError, match="cancelled"):
            one.result()


@pytest.mark.parametrize("command", ["cancel", "pause", "disconnect"])
def test_look_through_the_heap_ends_when_nobody_waits_for_it(stopped, command):
    client, debuggee = stopped.client, stopped.debuggee
    debuggee.is_endless = True
    thread = client.last_stop.thread_id
    asked = client.send("evaluate", {"expression": ".size point", "context": "repl"})
    assert debuggee.is_followed.wait(20.0)
    other = client.send(command, {"cancel": {"requestId": asked.seq}, "pause": {"threadId": thread}}.get(command, {}))
    with pytest.raises(DapRequestError, match="cancelled" if command == "cancel" else "given up"):
        asked.result()
    other.result()
    if command != "disconnect":
        debuggee.is_endless = False
        assert "would be freed with it" in client.evaluate(".size point").result


def test_size_is_of_what_nothing_else_keeps_alive(stopped):
    client = stopped.client
    size = client.retained_size("point")
    assert (size.bytes, size.objects, size.own_bytes) == (72, 3, 24)  # its name, too
    assert (
        client.evaluate(".size point").result
        == "72 bytes in 3 objects would be freed with it; it takes 24 bytes itself"
    )
    assert client.evaluate(".size point.Next;").result.startswith("24 bytes in 1 object")


def test_types_are_listed_with_their_objects(stopped):
    client = stopped.client
    body = client.heap_types()
    assert [(one.name, one.count, one.bytes) for one in body.types] == [("Sample.Point", 2, 48), ("int[]", 1, 24)]
    assert (body.total_types, body.total_objects, body.total_bytes, body.variables_reference) == (2, 3, 72, 0)
    for name in ("Point", "Sample.Point"):
        (one,) = client.heap_types(name).types
        assert one.count == 2
    shown = client.evaluate(".heap Point")
    assert shown.result == "2 objects, 48 bytes, of type Sample.Point"
    assert shown.indexed_variables == 2
    second = client.variables(shown.variables_reference, filter="indexed", start=1, count=5)
    assert [(entry.name, entry.value) for entry in second] == [("[1]", "{Point}")]
    assert client.evaluate(".heap").result.splitlines()[0] == "3 objects, 72 bytes, of 2 types:"
    with pytest.raises(DapRequestError, match="no object of a type 'Nobody'"):
        client.evaluate(".heap Nobody")


def test_memory_reference_is_where_the_data_are(stopped):
    client = stopped.client
    address = int(client.evaluate("point").memory_reference, 16)
    variables = client.locals()
    assert int(variables["point"].memory_reference, 16) == address
    assert int(variables["numbers"].memory_reference, 16) % 32 == 16  # behind the array's length
    assert int(client.evaluate("point.Name").memory_reference, 16) % 32 == 12  # the first character
    assert client.evaluate("1 + 1").memory_reference is None
    assert client.evaluate("(object)null").memory_reference is None


def test_memory_is_read_as_far_as_it_goes(stopped):
    client = stopped.client
    stopped.debuggee.memory = bytearray(range(8))
    assert client.read_memory(hex(MEMORY_START), 4, 2) == b"\2\3\4\5"
    body = client.request("readMemory", {"memoryReference": str(MEMORY_START), "offset": 6, "count": 10})
    assert body == {"address": f"0x{MEMORY_START + 6:016x}", "data": "Bgc=", "unreadableBytes": 8}
    assert client.request("readMemory", {"memoryReference": "0x5000", "count": 0}) == {"address": f"0x{0x5000:016x}"}
    body = client.request("readMemory", {"memoryReference": "0xfffffffffffffff0", "count": 1 << 40})
    assert body == {"address": "0xfffffffffffffff0", "unreadableBytes": 16}
    for reference, count in (("point", 1), ("", 1), ("0x5000", -1), ("-1", 4), ("1" * 50, 4)):
        with pytest.raises(DapRequestError):
            client.request("readMemory", {"memoryReference": reference, "count": count})


def test_memory_is_written_whole_or_not_at_all(stopped):
    client = stopped.client
    stopped.debuggee.memory = bytearray(8)
    client.write_memory("0x5000", b"\x2a\x2b", offset=3)
    assert bytes(stopped.debuggee.memory) == b"\0\0\0\x2a\x2b\0\0\0"
    data = base64.b64encode(b"123456").decode()
    with pytest.raises(DapRequestError, match="cannot be written"):
        client.request("writeMemory", {"memoryReference": "0x5004", "data": data})
    with pytest.raises(DapRequestError, match="not base64"):
        client.request("writeMemory", {"memoryReference": "0x5000", "data": "%"})
    assert client.request("writeMemory", {"memoryReference": "0x5000", "data": ""}) == {"bytesWritten": 0}
    assert bytes(stopped.debuggee.memory) == b"\0\0\0\x2a\x2b\0\0\0"


def test_memory_that_the_program_does_not_have_is_refused_in_words(stopped, monkeypatch):
    def fail(*_: object) -> None:
        raise RuntimeCallError("WriteMemory failed: 0x800701E7", hresult=0x800701E7, hresult_name="0x800701E7")

    monkeypatch.setattr(stopped.debuggee, "write_memory", fail)
    with pytest.raises(DapRequestError, match=r"The memory at 0x5000 cannot be written \(0x800701E7\)\."):
        stopped.client.write_memory("0x5000", b"*")


def test_memory_references_are_for_clients_that_take_them(session):
    session.launch(line_of("call"))
    session.client.wait_for_stop()
    assert session.client.evaluate("point").memory_reference is None
