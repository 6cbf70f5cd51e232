"""Names under which a client is shown children."""

from __future__ import annotations

from typing import Any, cast

import pytest

from dap_dotnet.errors import UserError
from dap_dotnet.values.children import Container


def _container() -> Container:
    return Container(cast(Any, None))


def test_a_child_is_found_by_the_name_that_the_client_was_shown() -> None:
    container = _container()
    container.show_as("[0]", "first")
    container.show_as("[0]", "first")  # listed again
    container.show_as("[1]", "second")
    assert [container.own_name(name) for name in ("first", "second", "[2]")] == ["[0]", "[1]", "[2]"]


def test_a_name_that_several_were_shown_by_means_none_of_them() -> None:
    container = _container()
    for own_name in ("[0]", "[1]", "[0]"):
        container.show_as(own_name, "same")
    with pytest.raises(UserError, match="Several are shown as 'same'"):
        container.own_name("same")
