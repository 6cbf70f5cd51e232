from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dap_dotnet.protocol.codec import MalformedMessage, MessageDecoder, encode_message
from dap_dotnet.protocol.framing import Frame, FrameDecoder, FramingProblem, encode_frame
from dap_dotnet.protocol.messages.variables import Variable, VariablePresentationHint, VariablesResponseBody

ANY_TEXT = st.text(st.characters(), max_size=20)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | ANY_TEXT,
    lambda children: st.lists(children, max_size=4) | st.dictionaries(ANY_TEXT, children, max_size=4),
    max_leaves=12,
)
MESSAGE = st.dictionaries(ANY_TEXT, JSON, max_size=5)


def frames(data: bytes, piece: int = 1 << 20) -> list[Frame | FramingProblem]:
    decoder = FrameDecoder()
    found = []
    for start in range(0, len(data), piece):
        decoder.feed(data[start : start + piece])
        while (item := decoder.next()) is not None:
            found.append(item)
    return found


def messages(data: bytes, piece: int = 1 << 20) -> list[dict | MalformedMessage]:
    decoder = MessageDecoder()
    return [item for start in range(0, len(data), piece) for item in decoder.feed(data[start : start + piece])]


def request(seq: int, command: str = "threads", **arguments) -> bytes:
    return encode_message({"seq": seq, "type": "request", "command": command, "arguments": arguments})


@given(st.lists(st.binary(max_size=60), max_size=5), st.integers(1, 40))
def test_framing_gives_back_bodies_however_the_bytes_are_cut(bodies, piece):
    data = b"".join(encode_frame(body) for body in bodies)
    assert frames(data, piece) == [Frame(body) for body in bodies]


@given(st.lists(MESSAGE, max_size=4), st.integers(1, 50))
def test_codec_gives_back_messages_with_any_text(sent, piece):
    assert messages(b"".join(encode_message(message) for message in sent), piece) == sent


@given(st.binary(max_size=400), st.integers(1, 50))
def test_codec_survives_any_bytes(data, piece):
    for item in messages(data, piece):
        assert isinstance(item, dict) or item.message


@given(st.binary(max_size=200).filter(lambda noise: b"ontent" not in noise.lower()))
def test_codec_finds_the_second_message_after_noise(noise):
    """Noise may swallow the message that follows it at once; it never costs more."""
    found = messages(noise + request(1) + request(2))
    assert any(isinstance(item, dict) and item["seq"] == 2 for item in found)


@pytest.mark.parametrize(
    "header",
    [
        b"Content-Length: 2\r\n\r\n",
        b"content-length:2\r\n\r\n",
        b"CONTENT-LENGTH : 2\r\n\r\n",
        b"Content-Length: 0002\r\n\r\n",
        b"Content-Length: 2\n\n",
        b"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: 2\r\n\r\n",
        b"Content-Length: 2\r\nX-Other: a: b\r\n\r\n",
        b"Content-Length: 2\r\nContent-Length: 2\r\n\r\n",
        b"\r\n\r\nContent-Length: 2\r\n\r\n",
    ],
)
@pytest.mark.parametrize("piece", [1, 3, 1000])
def test_framing_accepts_headers_in_any_case_and_order(header, piece):
    first, second = messages(header + b"{}" + request(9), piece)
    assert first == {}
    assert second["seq"] == 9


@pytest.mark.parametrize(
    ("header", "words"),
    [
        (b"Content-Length: -5\r\n\r\n", "must be the length of the body in bytes, not '-5'"),
        (b"Content-Length: abc\r\n\r\n", "not 'abc'"),
        (b"Content-Length: \r\n\r\n", "not ''"),
        (b"Content-Length: 5.0\r\n\r\n", "not '5.0'"),
        (b"Content-Length: 1\r\nContent-Length: 2\r\n\r\n", "given twice, as 1 and 2"),
        (b"Content-Type: text\r\n\r\n", "Content-Length header is missing"),
        (b"no header at all\r\n\r\n", "Expected a header"),
        (b"x" * 20000, "shorter than 16 KiB"),
        (b"A: b\r\n" * 4000, "shorter than 16 KiB"),
    ],
)
@pytest.mark.parametrize("piece", [1000, 1 << 20])
def test_framing_tells_what_is_wrong_and_goes_on_with_the_next_message(header, words, piece):
    problem, *rest = messages(header + b'{"seq": 1, "type": "request"}' + request(2), piece)
    assert isinstance(problem, MalformedMessage)
    assert words in problem.message
    assert [item["seq"] for item in rest] == [2]


def test_framing_refuses_an_oversized_body_without_keeping_it():
    decoder = MessageDecoder()
    size = 100 * 1024 * 1024
    head = b'{"seq": 7, "type": "request", "command": "evaluate", "arguments": {"expression": "'
    found = list(decoder.feed(b"Content-Length: %d\r\n\r\n" % size))
    found += decoder.feed(head)
    piece = b"x" * 65536
    for left in range(size - len(head), 0, -len(piece)):
        found += decoder.feed(piece[:left])
        assert len(decoder._frames._buffer) < 200_000
    found += decoder.feed(request(8))
    refused, following = found
    assert (refused.request_seq, refused.command) == (7, "evaluate")
    assert "104857600 bytes is refused" in refused.message
    assert following["seq"] == 8


def test_framing_answers_an_absurd_length_at_once_and_goes_on():
    body = b'{"seq": 3, "type": "request", "command": "threads"}'
    refused, following = messages(b"Content-Length: " + b"9" * 400 + b"\r\n\r\n" + body + request(4))
    assert refused.request_seq == 3
    assert following["seq"] == 4


@pytest.mark.parametrize("piece", [1, 7, 1000])
def test_codec_recovers_from_a_length_that_is_too_small(piece):
    body = b'{"seq": 1, "type": "request", "command": "threads", "note": "' + "ü".encode() * 20 + b'"}'
    found = messages(b"Content-Length: %d\r\n\r\n%b" % (len(body) - 20, body) + request(2), piece)
    assert (found[0].request_seq, found[0].command) == (1, "threads")
    assert found[-1]["seq"] == 2
    assert len(found) == 2


def test_codec_recovers_from_a_length_that_is_too_large_when_another_message_follows():
    body = b'{"seq": 1, "type": "request", "command": "threads"}'
    first, second = messages(b"Content-Length: %d\r\n\r\n%b" % (len(body) + 9, body) + request(2))
    assert first.request_seq == 1
    assert second["seq"] == 2


def test_codec_takes_a_message_shorter_than_announced_without_waiting():
    body = b'{"seq": 1, "type": "request", "command": "threads"}'
    decoder = MessageDecoder()
    warning, message = decoder.feed(b"Content-Length: 99\r\n\r\n" + body)
    assert "Content-Length is 99, but the message has 51 bytes" in warning.message
    assert message["seq"] == 1
    assert [item["seq"] for item in decoder.feed(request(2))] == [2]


@pytest.mark.parametrize(
    ("body", "words", "seq"),
    [
        (b'{"seq": 5, "type": "request", "command": "next",}', "not JSON", 5),
        (b'{"type": "request", "command": "next", "arguments": {"seq": 1}, "seq": 5, oops', "not JSON", 5),
        (b'{"arguments": {"seq": 1, "type": "request", "command": "x"}, oops', "not JSON", None),
        (b'{"seq": 5, "type": "event", "event": "x",}', "not JSON", None),
        (b'{"seq": 5, "type": "request", "command": "\xff"}', "invalid UTF-8 at byte", None),
        (b"[" * 100_000, "nested too deeply", None),
        (b'{"seq": ' + b"9" * 5000 + b"}", "integer of more than 64 bits", None),
        (b'{"seq": 5, "type": "request", "command": "x", "n": -9223372036854775809}', "more than 64 bits", 5),
        (b"", "not JSON", None),
        (b"[]", "must be a JSON object", None),
        (b"null", "must be a JSON object", None),
    ],
)
def test_codec_tells_what_is_wrong_with_a_body_and_whose_it_is(body, words, seq):
    problem, following = messages(encode_frame(body) + request(6))
    assert words in problem.message
    assert problem.request_seq == seq
    assert following["seq"] == 6


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"Content-Length: 10\r\n\r\n{", "ended after 1 of the 10 bytes"),
        (b"Content-Length: 10\r\n", "within the header"),
        (b"Conte", "within the header"),
        (b"", None),
        (b"\r\n", None),
    ],
)
def test_codec_tells_of_half_a_message_at_the_end(data, words):
    decoder = MessageDecoder()
    assert len(list(decoder.feed(request(1)))) == 1
    assert list(decoder.feed(data)) == []
    cut = decoder.end()
    assert cut is None if words is None else words in cut.message


def test_codec_writes_lone_surrogates_and_refuses_what_json_lacks():
    assert messages(encode_message({"value": "a\ud800b"})) == [{"value": "a\ud800b"}]
    with pytest.raises(ValueError, match="JSON"):
        encode_message({"value": float("nan")})


@pytest.mark.parametrize("text", ["plain", "grüße 世界 🎉", "a\ud800b", 'quote " and \\ and \0'])
def test_codec_writes_bodies_that_are_made_by_the_hundred_as_any_other(text):
    hint = VariablePresentationHint(kind="data")
    shown = [Variable(name=text, value=text, variables_reference=0, presentation_hint=hint)]
    message = {"seq": 1, "command": "variables", "body": VariablesResponseBody(variables=shown)}
    entry = {"name": text, "value": text, "variablesReference": 0, "presentationHint": {"kind": "data"}}
    sent = encode_message(message)
    assert sent.isascii()
    (received,) = messages(sent)
    assert received == {"seq": 1, "command": "variables", "body": {"variables": [entry]}}
    assert VariablesResponseBody.from_wire({**received["body"], "unknown": 1}).variables == shown


def test_codec_counts_bytes_not_characters():
    data = encode_frame(json.dumps({"text": "grüße 世界 🎉"}, ensure_ascii=False).encode())
    assert messages(data, 1) == [{"text": "grüße 世界 🎉"}]
