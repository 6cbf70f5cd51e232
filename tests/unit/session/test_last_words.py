"""The text of Environment.FailFast, in what the runtime writes to the standard error."""

from __future__ import annotations

import pytest

from dap_dotnet.session.last_words import LastWords

_AT = "\n   at System.Environment.FailFast(System.String)\n   at Program.Main()\n"


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        (["Process terminated. gone", _AT], "gone"),
        (["Process terminated.\ngone", _AT], "gone"),  # .NET 10
        (["before\nProcess termi", "nated. two\nlines", "\n   at System.Environ", "ment.FailFast("], "two\nlines"),
        (["Process terminated. mine\n", "x" * 100_000, "Process terminated. real" + _AT], "real"),
        (["Process terminated. no call" + "\n   at Program.Main()\n"], None),
        (["Process terminated."], None),
        (["Fatal error. Internal CLR error. (0x80131506)\n"], None),
        ([], None),
    ],
)
def test_text_of_fail_fast(parts: list[str], text: str | None) -> None:
    words = LastWords()
    for part in parts:
        words.written(part)
    assert words.fail_fast_text == text


def test_what_a_program_writes_at_length_is_not_kept() -> None:
    words = LastWords()
    for _ in range(1_000):
        words.written("Process terminated. " + "y" * 10_000)
    words.written(_AT)
    assert len(words._tail) <= 64 * 1024
