"""The fast way to read a message's JSON gives what Python's own does."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dap_dotnet.protocol import codec

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(1 << 70), 1 << 70) | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
)


def outcome(parse: Any, body: bytes) -> str:
    """The value, with its types, or the error."""
    try:
        return repr(parse(body))
    except (ValueError, RecursionError) as error:
        return f"{type(error).__name__}: {error}"


def slowly(body: bytes) -> Any:
    return codec._parser.decode(body.decode("utf-8"))


@pytest.mark.parametrize(
    "text",
    [
        b'{"n": -0}',
        b'{"n": -0.0}',
        b'{"n": 18446744073709551615}',
        b'{"n": 18446744073709551616}',
        b'{"n": -9223372036854775809}',
        b'{"n": 1e999}',
        b'{"n": NaN}',
        b'{"n": 01}',
        b'{"n": 1.}',
        b'{"s": "\\ud800"}',
        b'{"s": "\\ud83d\\ude00"}',
        b'{"s": "\xff"}',
        b'{"s": "\x01"}',
        b'{"s": "0000000000000000000000"}',
        b'{"s": 1, "s": 2}',
        b' {"s": 1} ',
        b'{"s": 1} x',
        b"\xef\xbb\xbf{}",
        b"[" * 100_000,
    ],
)
def test_message_is_read_as_python_reads_it(text: bytes) -> None:
    assert outcome(codec._parse, text) == outcome(slowly, text)


@given(VALUES)
def test_any_json_is_read_as_python_reads_it(value: Any) -> None:
    for text in (json.dumps(value), json.dumps(value, ensure_ascii=False)):
        body = text.encode("utf-8", "replace")
        assert outcome(codec._parse, body) == outcome(slowly, body)


@given(st.binary(max_size=40))
def test_any_bytes_are_read_as_python_reads_them(body: bytes) -> None:
    assert outcome(codec._parse, body) == outcome(slowly, body)
