"""`symbolOptions`: PDBs that come from symbol servers and symbol stores while the program runs."""

from __future__ import annotations

import hashlib
import struct
import threading
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from dap_dotnet.client import DapRequestError
from dap_dotnet.handlers import loading_symbols
from dap_dotnet.symbols import symbol_servers
from portablepdb import Assembly
from portablepdb.debug_directory import DebugDirectory, PdbChecksum
from tests.session.harness import SessionUnderTest, spinning_until
from tests.support.fake_debuggee import machine
from tests.support.fake_debuggee.machine import Machine
from tests.support.fake_debuggee.sample import SAMPLE, line_of
from tests.support.web_server import Web

Make = Callable[..., SessionUnderTest]
EMBEDDED = 17
"""The type of a debug directory's entry with an embedded PDB."""


class Symbols:
    """The sample without the PDB that is embedded in it, and that PDB."""

    def __init__(self, folder: Path) -> None:
        with Assembly.open(SAMPLE) as assembly:
            region = assembly.debug_directory.embedded_pdb(assembly.budgets)
            (entry,) = [entry for entry in assembly.debug_entries if entry.type == EMBEDDED]
            assert region is not None
            assert assembly.pdb_id is not None
            self.content = bytes(region.whole())
            self.pdb_id = assembly.pdb_id
            described = struct.pack("<4I", EMBEDDED, entry.size, entry.rva, entry.pointer)
            self.module = folder / SAMPLE.name
            self.module.write_bytes(SAMPLE.read_bytes().replace(described, b"\x7f" + described[1:]))
            self.key = f"Sample.pdb/{uuid.UUID(bytes_le=assembly.pdb_id[:16]).hex}FFFFFFFF/Sample.pdb"


@pytest.fixture
def symbols(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Symbols:
    """The sample's symbols, which are nowhere now; the cache's default place is empty."""
    found = Symbols(tmp_path)
    monkeypatch.setattr(machine, "SAMPLE", found.module)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("no_proxy", "*")
    return found


@pytest.fixture
def web() -> Iterator[Web]:
    with Web.running() as web:
        yield web


def running_at(go: threading.Event) -> Callable[[Machine], int]:
    """A program that spins until it is told to go on, and comes to the line `print` then."""

    def run(played: Machine) -> int:
        with played.call("Main", args=["a"]):
            played.at("begin")
            played.spin(go)
            played.at("print")
        return 0

    return run


def debug_until_found(session_of: Make, **options: Any) -> SessionUnderTest:
    """Debugs until the breakpoint at `print` is bound, and hit; the session, at its end."""
    go = threading.Event()
    with session_of(running_at(go)) as session:
        (added,) = session.launch(line_of("print"), symbolOptions=options, logging={"moduleLoad": True})
        if not added.verified:
            session.client.wait_for("breakpoint", where=lambda body: body["breakpoint"]["verified"])
        go.set()
        assert session.client.wait_for_stop().reason == "breakpoint"
        session.client.continue_()
        session.client.wait_for_exit()
    return session


def debug_in_vain(session_of: Make, module_says: str, **options: Any) -> None:
    """Debugs until the module's state says that, as the servers are asked while the program runs."""
    go = threading.Event()
    with session_of(spinning_until(go)) as session:
        (added,) = session.launch(line_of("print"), symbolOptions=options)
        assert not added.verified
        session.client.wait_for("module", where=lambda body: module_says in body["module"].get("symbolStatus", ""))
        go.set()
        assert session.client.wait_for_exit() == 0
        assert "stopped" not in session.names()


def test_symbols_of_a_server_bind_breakpoints_while_the_program_runs(
    session_of: Make, symbols: Symbols, web: Web, tmp_path: Path
) -> None:
    web.answers[f"/store/{symbols.key}"] = 200, symbols.content
    session = debug_until_found(session_of, searchPaths=[f"{web.address}/store/"])
    kept = tmp_path / "home" / ".dotnet" / "symbolcache" / symbols.key
    assert kept.read_bytes() == symbols.content
    modules = [body for body in session.client.events("module") if body["module"]["name"] == "Sample.dll"]
    assert [(body["reason"], body["module"].get("symbolFilePath")) for body in modules[:2]] == [
        ("new", None),
        ("changed", str(kept)),
    ]
    lines = "".join(body["output"] for body in session.client.events("output"))
    assert f"Loaded symbols of 'Sample.dll' from {kept}." in lines
    # The next session finds them in the cache, and at once.
    web.answers.clear()
    debug_until_found(session_of, searchPaths=[web.address])
    assert web.asked == [f"/store/{symbols.key}"]


def test_server_hears_which_checksum_the_symbols_must_have(
    session_of: Make, symbols: Symbols, web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    blank = symbols.content.replace(symbols.pdb_id, bytes(len(symbols.pdb_id)), 1)
    right = PdbChecksum("SHA256", hashlib.sha256(blank).digest())
    monkeypatch.setattr(DebugDirectory, "checksums", property(lambda directory: [right]))
    web.answers[f"/{symbols.key}"] = 200, symbols.content
    debug_until_found(session_of, searchPaths=[web.address])
    assert web.headers_of[f"/{symbols.key}"]["symbolchecksum"] == f"SHA256:{right.checksum.hex()}"


def test_symbols_with_another_checksum_are_not_taken(
    session_of: Make, symbols: Symbols, web: Web, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    wrong = PdbChecksum("SHA256", bytes(32))
    monkeypatch.setattr(DebugDirectory, "checksums", property(lambda directory: [wrong]))
    web.answers[f"/{symbols.key}"] = 200, symbols.content
    debug_in_vain(session_of, "does not have the checksum", searchPaths=[web.address])
    assert not list(tmp_path.rglob("*.pdb"))


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        ((404, b"no"), "it has none"),
        ((500, b"no"), "500"),
        ((200, b"<html>Sign in</html>"), "not a Portable PDB"),
        ((200, b""), "not a Portable PDB"),
        ((302, b"file:///etc/hostname"), "302"),
    ],
)
def test_server_without_the_symbols(
    session_of: Make, symbols: Symbols, web: Web, answer: tuple[int, bytes], says: str
) -> None:
    web.answers[f"/{symbols.key}"] = answer
    debug_in_vain(session_of, says, searchPaths=[web.address])


def test_next_server_is_asked(session_of: Make, symbols: Symbols, web: Web) -> None:
    web.answers[f"/second/{symbols.key}"] = 200, symbols.content
    debug_until_found(session_of, searchPaths=[f"{web.address}/first", f"{web.address}/second"])
    assert web.asked == [f"/first/{symbols.key}", f"/second/{symbols.key}"]


def test_server_that_never_answers_holds_nothing_up(
    session_of: Make, symbols: Symbols, web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    web.answers[f"/{symbols.key}"] = None
    with session_of() as session:
        session.launch(symbolOptions={"searchPaths": [web.address]})
        assert web.is_asked.wait(10)
        assert session.client.wait_for_exit() == 6


def test_password_is_for_the_server_alone(session_of: Make, symbols: Symbols, web: Web) -> None:
    with Web.running() as other:
        other.answers["/moved"] = 200, symbols.content
        web.answers[f"/{symbols.key}"] = 302, f"{other.address}/moved".encode()
        debug_until_found(session_of, searchPaths=[f"http://me:s%3A%40@{web.address[7:]}"])
        assert web.headers_of[f"/{symbols.key}"]["authorization"] == "Basic bWU6czpA"
        assert "authorization" not in other.headers_of["/moved"]


def test_server_that_is_too_slow_is_told_of_and_left(
    session_of: Make, symbols: Symbols, web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(symbol_servers, "TIMEOUT_S", 0.2)
    web.answers[f"/{symbols.key}"] = None
    go = threading.Event()
    with session_of(spinning_until(go)) as session:
        session.launch(symbolOptions={"searchPaths": [f"http://me:secret@{web.address[7:]}"]})
        told = session.client.wait_for("output", where=lambda body: "symbol server" in body["output"]).body["output"]
        assert told.startswith(f"The symbol server {web.address} does not respond (no answer within 0.2 s)"), told
        go.set()
        session.client.wait_for_exit()


@pytest.mark.parametrize("lower", [False, True])
def test_folder_may_be_a_symbol_store(session_of: Make, symbols: Symbols, tmp_path: Path, lower: bool) -> None:
    place = tmp_path / "store" / (symbols.key.lower() if lower else symbols.key)
    place.parent.mkdir(parents=True)
    place.write_bytes(symbols.content)
    session = debug_until_found(session_of, searchPaths=[str(tmp_path / "store")])
    (module,) = [body for body in session.client.events("module") if body["module"]["name"] == "Sample.dll"]
    assert module["module"]["symbolFilePath"] == str(place)


@pytest.mark.parametrize(
    "options",
    [
        {"moduleFilter": {"excludedModules": ["Sample.dll"]}},
        {"moduleFilter": {"mode": "loadOnlyIncluded", "includedModules": ["Other.dll"]}},
        {"searchPaths": []},
    ],
)
def test_servers_are_asked_for_nothing_that_is_not_wanted(
    session_of: Make, symbols: Symbols, web: Web, options: dict[str, Any]
) -> None:
    with session_of() as session:
        session.launch(symbolOptions={"searchPaths": [web.address], **options})
        assert session.client.wait_for_exit() == 6
    assert web.asked == []


@pytest.fixture
def paused(session_of: Make, symbols: Symbols) -> Iterator[Callable[..., tuple[SessionUnderTest, dict[str, Any]]]]:
    """Pauses a program without symbols; the session, and the top frame."""
    go = threading.Event()
    with ExitStack() as sessions:

        def pause(**options: Any) -> tuple[SessionUnderTest, dict[str, Any]]:
            session = sessions.enter_context(session_of(spinning_until(go)))
            session.client.initialize(supportsInvalidatedEvent=True)
            session.launch(symbolOptions=options, justMyCode=False)
            session.wait_until_spinning()
            return session, _top(session, session.client.pause().thread_id)

        yield pause
        go.set()


def _top(session: SessionUnderTest, thread: int) -> dict[str, Any]:
    (frame,) = session.client.request("stackTrace", {"threadId": thread, "levels": 1})["stackFrames"]
    return {**frame, "thread": thread}


def test_symbols_are_loaded_when_the_user_asks(
    paused: Callable[..., Any], symbols: Symbols, web: Web, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(loading_symbols, "MICROSOFT", web.address)
    web.answers[f"/{symbols.key}"] = 200, symbols.content
    session, frame = paused()
    assert frame["line"] == 0
    with pytest.raises(DapRequestError, match=r"No symbol server is named.*searchMicrosoftSymbolServer") as refused:
        session.client.request("dap-dotnet/loadSymbols", {"frameId": frame["id"]})
    assert refused.value.code == "NO_SYMBOL_SERVER"
    assert web.asked == []
    asked = {"moduleId": frame["moduleId"], "searchMicrosoftSymbolServer": True}
    module = session.client.request("dap-dotnet/loadSymbols", asked)["module"]
    kept = tmp_path / "home" / ".dotnet" / "symbolcache" / symbols.key
    assert (module["name"], module["symbolFilePath"]) == ("Sample.dll", str(kept))
    assert session.client.events("module")[-1] == {"reason": "changed", "module": module}
    session.client.wait_for("invalidated", where=lambda body: body["areas"] == ["stacks"])
    assert _top(session, frame["thread"])["line"] == line_of("begin")
    assert session.client.request("dap-dotnet/loadSymbols", asked)["module"] == module
    assert web.asked == [f"/{symbols.key}"]


def test_symbols_that_have_come_to_their_place_need_no_server(paused: Callable[..., Any], symbols: Symbols) -> None:
    session, frame = paused()
    place = symbols.module.with_suffix(".pdb")
    place.write_bytes(symbols.content)
    module = session.client.request("dap-dotnet/loadSymbols", {"frameId": frame["id"]})["module"]
    assert module["symbolFilePath"] == str(place)
    assert _top(session, frame["thread"])["line"] == line_of("begin")


def test_symbols_that_no_server_has_are_said_to_be_missing(
    paused: Callable[..., Any], symbols: Symbols, web: Web
) -> None:
    session, frame = paused(searchPaths=[web.address])
    for _ in range(2):
        with pytest.raises(DapRequestError, match=r"no symbols for Sample.dll: .*it has none") as missing:
            session.client.request("dap-dotnet/loadSymbols", {"frameId": frame["id"]})
        assert missing.value.code == "NO_SYMBOLS"
    web.answers[f"/{symbols.key}"] = 200, symbols.content
    session.client.request("dap-dotnet/loadSymbols", {"frameId": frame["id"]})
    assert _top(session, frame["thread"])["line"] == line_of("begin")


@pytest.mark.parametrize("asked", [{}, {"moduleId": 99}, {"moduleId": "x"}, {"moduleId": -1}])
def test_symbols_of_no_module(paused: Callable[..., Any], asked: dict[str, Any]) -> None:
    session, _ = paused()
    with pytest.raises(DapRequestError, match="no such module"):
        session.client.request("dap-dotnet/loadSymbols", asked)


def test_symbols_of_a_module_that_is_excluded_stay_away(paused: Callable[..., Any], web: Web) -> None:
    session, frame = paused(searchPaths=[web.address], moduleFilter={"excludedModules": ["Sample.dll"]})
    with pytest.raises(DapRequestError, match="moduleFilter excludes"):
        session.client.request("dap-dotnet/loadSymbols", {"frameId": frame["id"]})
    assert web.asked == []


def test_loading_of_symbols_can_be_cancelled(paused: Callable[..., Any], symbols: Symbols, web: Web) -> None:
    session, frame = paused()
    web.answers[f"/{symbols.key}"] = None
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(loading_symbols, "MICROSOFT", web.address)
        loading = session.client.send(
            "dap-dotnet/loadSymbols", {"frameId": frame["id"], "searchMicrosoftSymbolServer": True}
        )
        assert web.is_asked.wait(10)
        session.client.request("cancel", {"requestId": loading.seq})
        with pytest.raises(DapRequestError, match="cancelled"):
            loading.result()
