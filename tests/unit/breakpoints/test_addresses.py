"""What becomes of the addresses that the methods of a compiled program take."""

from __future__ import annotations

import pytest

from dap_dotnet.breakpoints.data.addresses import AddressUse, AddressUses, Escape
from portablepdb import Assembly
from portablepdb.field_uses import ADDRESSES, named_fields, uses_of_fields
from portablepdb.stack_depth import StackDepths
from tests.support import programs
from tests.support.dotnet import Runtime


@pytest.fixture
def uses(newest_runtime: Runtime) -> dict[str, list[AddressUse]]:
    """By method: what it does with the addresses of the fields A, Pt and O that it takes."""
    found: dict[str, list[AddressUse]] = {}
    with Assembly.open(programs.build("Stores", newest_runtime).dll) as assembly:
        metadata = assembly.metadata
        fields = {field.token for field in named_fields(metadata, ["A", "Pt", "O"])}
        for use in uses_of_fields(metadata, fields, ADDRESSES):
            body = metadata.method_body(use.method)
            assert body is not None
            addresses = AddressUses(metadata, use.method, StackDepths(metadata, body))
            found.setdefault(metadata.method(use.method).name, []).append(addresses.of(use.instruction.offset))
    return found


STORED = AddressUse(True, False, ())
READ = AddressUse(False, False, ())


def test_address_for_a_store_or_a_call_is_used_up(uses: dict[str, list[AddressUse]]) -> None:
    assert set(uses["NestedStructs"]) == {STORED}
    assert set(uses["Atomic"]) == {STORED}


def test_address_that_is_only_read_from_is_no_store(uses: dict[str, list[AddressUse]]) -> None:
    assert set(uses["Deconstruction"]) >= {READ, STORED}, "(c.Pt.X, c.Pt.Y) = (c.Pt.Y, c.Pt.X)"


def test_address_in_a_local_is_kept(uses: dict[str, list[AddressUse]]) -> None:
    assert AddressUse(True, True, ()) in uses["RefLocals"]
    assert AddressUse(True, True, ()) in uses["Spans"]


def test_address_that_leaves_the_method_says_how(uses: dict[str, list[AddressUse]]) -> None:
    assert all(Escape.RETURNED in use.escapes for use in uses["get_Ref"] + uses["get_Span"] + uses["Choose"])
    assert all(Escape.POINTER in use.escapes for use in uses["Pointers"])
