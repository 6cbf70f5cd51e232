"""Which lines of output name an address that a browser can open."""

from __future__ import annotations

import pytest

from dap_dotnet.launching.browser import BrowserOpener, listening_at, page_at


@pytest.mark.parametrize(
    ("line", "url"),
    [
        ("      Now listening on: http://localhost:5000\n", "http://localhost:5000"),
        ("Now listening on: https://0.0.0.0:5001\n", "https://localhost:5001"),
        ("Now listening on: http://[::]:80\n", "http://localhost:80"),
        ("Now listening on: http://+:80\n", "http://localhost:80"),
        ("Now listening on: http://*\n", "http://localhost"),
        ("Now listening on: http://[::1]:5000\r\n", "http://[::1]:5000"),
        ('{"Message":"Now listening on: http://localhost:5000","State":{}}\n', "http://localhost:5000"),
        ('Now listening on: "http://localhost:5000"\n', "http://localhost:5000"),
        ("\x1b[32mNow listening on: \x1b[36mhttp://localhost:5000\x1b[0m\n", "http://localhost:5000"),
        ("Now listening on: http://unix:/tmp/a.sock\nNow listening on: http://localhost:1\n", "http://localhost:1"),
        ("Now listening on: http://localhost:99999\n", None),
        ("Now listening on: http://[::\n", None),
        ("Now listening on: http://\n", None),
        ("Now listening on: javascript:alert(1)\n", None),
        ("Now listening on: file:///etc/passwd\n", None),
        ("Now listening on: --help http://localhost\n", None),
        ("Now listening on: http://user:secret@localhost\n", None),
        ("listening on http://localhost:5000\n", None),
    ],
)
def test_address_of_a_line(line: str, url: str | None) -> None:
    assert listening_at(line) == url


def test_line_without_end_is_not_kept_whole() -> None:
    opener = BrowserOpener(["nothing"], lambda text: None)
    for _ in range(2000):
        opener.written("stdout", "x" * 65536)
    assert sum(map(len, opener._unfinished.values())) < 10_000


@pytest.mark.parametrize(
    ("page", "address"),
    [
        ("", "http://localhost:5000"),
        ("swagger", "http://localhost:5000/swagger"),
        ("/orders?open=1#top", "http://localhost:5000/orders?open=1#top"),
        ("https://shop.example/start", "https://shop.example/start"),
        ("file:///etc/passwd", "http://localhost:5000"),
        ("javascript:alert(1)", "http://localhost:5000"),
        ("http://[", "http://localhost:5000"),
    ],
)
def test_page_of_a_profile(page: str, address: str) -> None:
    assert page_at("http://localhost:5000", page) == address
