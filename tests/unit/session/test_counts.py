"""How many children a client is told of, by which it pages, and in which order it then shows them."""

from __future__ import annotations

from typing import Any, cast

import pytest

from dap_dotnet.handlers.variables import counts
from dap_dotnet.protocol.client_view import ClientView
from dap_dotnet.protocol.messages.initialize import InitializeRequestArguments
from dap_dotnet.values.children import Container


class Counted(Container):
    def __init__(self, named: int, indexed: int) -> None:
        super().__init__(cast(Any, None))
        self._counts = named, indexed

    @property
    def named(self) -> int:
        return self._counts[0]

    @property
    def indexed(self) -> int:
        return self._counts[1]


def view(client: str | None) -> ClientView:
    return ClientView(InitializeRequestArguments(adapter_id="dap-dotnet", client_id=client))


@pytest.mark.parametrize(
    ("client", "named", "indexed", "told"),
    [
        ("vscode", 1, 3, (None, None)),  # it would show "Raw View" above the elements
        ("vscode", 1, 100, (None, None)),
        ("vscode", 1, 101, (1, 101)),  # too many for one page
        ("vscode", 0, 3, (None, 3)),
        ("vscode", 3, 0, (3, None)),
        ("nvim-dap", 1, 3, (1, 3)),
        (None, 1, 3, (1, 3)),
        ("vscode", 0, 0, (None, None)),
    ],
)
def test_small_collections_are_shown_in_our_order_where_pages_would_change_it(client, named, indexed, told):
    assert counts(view(client), Counted(named, indexed)) == told


def test_value_without_children_has_no_counts():
    assert counts(view("vscode"), None) == (None, None)
