"""`source`: texts that are in the PDB, or at the address that its Source Link says."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dap_dotnet.client import DapRequestError
from dap_dotnet.handlers import sources
from dap_dotnet.symbols import source_download
from dap_dotnet.symbols.source_texts import SourceText
from portablepdb import PortablePdb
from tests.support.fake_debuggee.sample import DOCUMENT, SOURCE, line_of
from tests.support.web_server import Web


@pytest.fixture
def web(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Web]:
    """A web server to which the sample's Source Link leads, and an empty cache."""
    with Web.running() as web:
        link = json.dumps({"documents": {"/sample/*": f"{web.address}/raw/*"}})
        monkeypatch.setattr(PortablePdb, "source_link", property(lambda pdb: link))
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
        monkeypatch.setenv("no_proxy", "*")
        web.answers["/raw/Sample.cs"] = 200, SOURCE.read_bytes()
        yield web


def stopped(session, **attributes: Any) -> dict[str, Any]:
    """The source of the frame where the sample stops."""
    session.launch(line_of("add"), **attributes)
    stop = session.client.wait_for_stop()
    body = session.client.request("stackTrace", {"threadId": stop.thread_id})
    return body["stackFrames"][0]["source"]


def text_of(session, source: dict[str, Any]) -> str:
    return session.client.request("source", {"source": source, "sourceReference": source["sourceReference"]})["content"]


def test_source_is_downloaded_once_and_kept(session_of, web):
    for run in range(2):
        with session_of() as session:
            source = stopped(session)
            assert (source["path"], source["origin"]) == (DOCUMENT, "Source Link")
            assert web.asked == ["/raw/Sample.cs"] * run  # not before somebody wants to see it
            assert text_of(session, source) == SOURCE.read_text()
    assert web.asked == ["/raw/Sample.cs"]


def test_breakpoint_in_such_a_source_keeps_its_number(session, web):
    source = stopped(session)
    wanted = {"source": source, "breakpoints": [{"line": line_of("added")}]}
    (body,) = session.client.request("setBreakpoints", wanted)["breakpoints"]
    assert body["verified"]
    assert body["source"]["sourceReference"] == source["sourceReference"] > 0
    again = session.client.request("stackTrace", {"threadId": session.client.threads()[0].id})["stackFrames"]
    assert {frame["source"]["sourceReference"] for frame in again} == {source["sourceReference"]}


def test_source_with_another_checksum_is_refused_unless_that_is_wanted(session_of, web, tmp_path):
    web.answers["/raw/Sample.cs"] = 200, b"// edited\n"
    with session_of() as session, pytest.raises(DapRequestError, match="checksum is another"):
        text_of(session, stopped(session))
    with session_of() as session:
        assert text_of(session, stopped(session, requireExactSource=False)) == "// edited\n"
    assert not list(tmp_path.rglob("sources/*"))


def test_damaged_cache_is_not_believed(session_of, web, tmp_path):
    with session_of() as session:
        assert text_of(session, stopped(session)) == SOURCE.read_text()
    (kept,) = tmp_path.rglob("sources/*")
    kept.write_bytes(b"// damaged\n")
    with session_of() as session:
        assert text_of(session, stopped(session)) == SOURCE.read_text()
    assert kept.read_bytes() == SOURCE.read_bytes()


@pytest.mark.parametrize("cache", ["/proc/nowhere", "relative"])
def test_without_a_cache_it_is_downloaded_each_time(session_of, web, monkeypatch, cache):
    monkeypatch.setenv("XDG_CACHE_HOME", cache)
    for count in (1, 2):
        with session_of() as session:
            assert text_of(session, stopped(session)) == SOURCE.read_text()
        assert len(web.asked) == count


@pytest.mark.parametrize(
    ("rules", "is_offered"),
    [
        ({"*": {"enabled": False}}, False),
        ({"*": {"enabled": False}, "http://127.0.0.1*": {"enabled": True}}, True),
        ({"*": {"enabled": True}, "http://127.0.0.1:*/raw/*": {"enabled": False}}, False),
        ({"https://example.org/*": {"enabled": False}}, True),
    ],
)
def test_addresses_can_be_left_out(session, web, rules, is_offered):
    assert bool(stopped(session, sourceLinkOptions=rules).get("sourceReference")) == is_offered


def test_other_addresses_than_those_of_the_web_are_not_followed(session_of, web, monkeypatch):
    web.answers["/raw/Sample.cs"] = 302, b"file:///etc/hostname"
    with session_of() as session, pytest.raises(DapRequestError, match=r"302|unknown url type"):
        text_of(session, stopped(session))
    link = json.dumps({"documents": {"/sample/*": "file:///etc/*"}})
    monkeypatch.setattr(PortablePdb, "source_link", property(lambda pdb: link))
    with session_of() as session:
        assert "sourceReference" not in stopped(session)


@pytest.mark.parametrize("link", ["", "[]", '{"documents": {"/sample/*": 1}}', "\x00"])
def test_a_broken_source_link_is_none(session, web, monkeypatch, link):
    monkeypatch.setattr(PortablePdb, "source_link", property(lambda pdb: link))
    assert "sourceReference" not in stopped(session)


def test_what_the_server_says_is_in_the_message(session_of, web):
    del web.answers["/raw/Sample.cs"]
    with session_of() as session, pytest.raises(DapRequestError, match=r"404 Not Found.*sign-in"):
        text_of(session, stopped(session))


def test_source_that_is_cut_off_is_none(session_of, web, monkeypatch):
    monkeypatch.setattr(SourceText, "check", lambda text, content: None)
    web.missing = 5
    with session_of() as session, pytest.raises(DapRequestError, match="it ended 5 bytes too early"):
        text_of(session, stopped(session, requireExactSource=False))


@pytest.mark.parametrize("address", ["http://\\ud800/", "http://[::1", "http://", "http://a b/", "HTTP://host:x/"])
def test_address_that_is_none_is_told(session_of, web, monkeypatch, address):
    link = f'{{"documents": {{"/sample/*": "{address}"}}}}'
    monkeypatch.setattr(PortablePdb, "source_link", property(lambda pdb: link))
    with session_of() as session, pytest.raises(DapRequestError, match="cannot be reached"):
        text_of(session, stopped(session))


def test_unreachable_server_is_told(session, web):
    source = stopped(session)
    web.shutdown()
    web.server_close()
    with pytest.raises(DapRequestError, match=r"cannot be reached: .*sourceLinkOptions"):
        text_of(session, source)


def test_silent_server_does_not_keep_the_session_waiting(session, web, monkeypatch):
    monkeypatch.setattr(source_download, "TIMEOUT_S", 0.4)
    web.answers["/raw/Sample.cs"] = None
    source = stopped(session)
    waiting = session.client.send("source", {"sourceReference": source["sourceReference"]})
    assert web.is_asked.wait(10)
    assert session.client.threads()
    with pytest.raises(DapRequestError, match="did not answer within"):
        waiting.result()


def test_download_that_nothing_ends_is_given_up_and_one_can_be_cancelled(session, web, monkeypatch):
    monkeypatch.setattr(sources, "_ANSWER_TIMEOUT_S", 0.2)
    web.answers["/raw/Sample.cs"] = None
    source = stopped(session)
    with pytest.raises(DapRequestError, match=r"did not answer within 0\.2 s"):
        text_of(session, source)
    monkeypatch.setattr(sources, "_ANSWER_TIMEOUT_S", 30)
    waiting = session.client.send("source", {"sourceReference": source["sourceReference"]})
    session.client.request("cancel", {"requestId": waiting.seq})
    with pytest.raises(DapRequestError, match="cancelled"):
        waiting.result()


def test_embedded_source_needs_no_web(session, web, monkeypatch):
    monkeypatch.setattr(PortablePdb, "embedded_source", lambda pdb, document: b"\xef\xbb\xbfclass \xff {}\r\n")
    source = stopped(session)
    assert source["origin"] == "embedded in the PDB"
    assert text_of(session, source) == "class \ufffd {}\r\n"
    assert web.asked == []


def test_number_of_another_source_is_not_believed(session_of, web):
    with session_of(schema=False) as session:
        source = stopped(session)
        for asked in (
            {"source": {"path": DOCUMENT, "sourceReference": 7}, "sourceReference": 7},
            {"source": {"path": DOCUMENT}, "sourceReference": 0},
            {"source": {"sourceReference": source["sourceReference"]}, "sourceReference": 0},
            {"source": {"path": DOCUMENT, "name": 5, "checksums": "x"}, "sourceReference": source["sourceReference"]},
        ):
            assert session.client.request("source", asked)["content"] == SOURCE.read_text()
        other = {"source": {"path": "/elsewhere.cs"}, "sourceReference": source["sourceReference"]}
        for asked in (other, {"sourceReference": 99}, {"sourceReference": -1}):
            with pytest.raises(DapRequestError, match="no text in the debugger"):
                session.client.request("source", asked)
