"""The table and the text of a JsonDocument, which another thread may be changing, or that is of a release to come."""

from __future__ import annotations

import contextlib
import random
from typing import Any, cast

import pytest

from dap_dotnet.runtime.model import ElementType, TypeId, Value
from dap_dotnet.values.collections.json_documents import Document, JsonMembers, Row, TornError

_DOCUMENT = Value(None, None, ElementType.CLASS)


class _Content:
    def __init__(self, content: bytes) -> None:
        self.content = content

    def read(self, start: int, size: int) -> bytes:
        if start < 0 or size < 0 or start > len(self.content):
            raise TornError
        return self.content[start : start + size]


def _document(text: bytes, rows: list[tuple[int, int, int, int]]) -> Document:
    """Rows: place, size, type, number of rows."""
    table = b"".join(
        at.to_bytes(4, "little")
        + (size & 0xFFFFFFFF).to_bytes(4, "little")
        + (token << 28 | count).to_bytes(4, "little")
        for at, size, token, count in rows
    )
    return Document(_DOCUMENT, cast(Any, _Content(text)), cast(Any, _Content(table)))


@pytest.mark.parametrize(
    ("content", "most", "shown"),
    [
        (b"abc", 10, ("abc", False)),
        (b"abc", 2, ("ab", True)),
        ("aé".encode(), 2, ("a", True)),
        (b"a\\n\\u0041", 20, ("a\nA", False)),
        (b"ab\\u0041", 6, ("ab", True)),
        (b"ab\\\\cd", 3, ("ab", True)),
        (b"ab\\\\cd", 4, ("ab\\", True)),
    ],
)
def test_strings_are_cut_between_characters(content: bytes, most: int, shown: tuple[str, bool]) -> None:
    row = Row(0, len(content), b"\\" in content, 7, 0)
    assert _document(content, []).string(row, most) == shown


def test_white_space_is_left_out_between_tokens_only() -> None:
    text = b'{ "a b" :\n [1,  " \\" "] }'
    rows = [
        (0, 1, 1, 6),
        (3, 3, 5, 0),
        (11, 2, 3, 3),
        (12, 1, 8, 0),
        (17, 3, 7, 0),
        (22, 1, 4, 0),
        (len(text) - 1, 1, 2, 0),
    ]
    assert _document(text, rows).text(0) == '{"a b":[1," \\" "]}'


def test_torn_tables_end_pages_and_raise_nothing_else() -> None:
    chance = random.Random(5)
    text = bytes(chance.randrange(256) for _ in range(200))
    for _ in range(2_000):
        rows = [
            (
                chance.randrange(250),
                chance.choice((chance.randrange(30), -1, 0x7FFFFFFF)),
                chance.randrange(16),
                chance.choice((chance.randrange(20), 0x0FFFFFFF)),
            )
            for _ in range(chance.randrange(1, 20))
        ]
        document = _document(text, rows)
        for number in range(-1, len(rows) + 1):
            with contextlib.suppress(TornError):
                document.text(number)
            with contextlib.suppress(TornError):
                document.behind(number)
        with contextlib.suppress(TornError):
            members = JsonMembers(cast(Any, None), document, 0, TypeId(1), "")
            members._element = lambda number: _DOCUMENT  # type: ignore[method-assign]
            assert len(members.page(0, 50)) <= 50
