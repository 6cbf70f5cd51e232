"""Depths of the evaluation stack and uses of fields, over compiled sources and the framework's own code."""

from __future__ import annotations

from pathlib import Path

import pytest

from portablepdb import Assembly, Metadata, PortablePdbError
from portablepdb.field_uses import ADDRESSES, LOADS, STORES, named_fields, uses_of_fields
from portablepdb.signatures import ModifiedType, PrimitiveType
from portablepdb.stack_depth import StackDepths
from tests.support import programs
from tests.support.dotnet import Runtime

SAMPLE = Path(__file__).parents[1] / "support" / "fake_debuggee" / "sample" / "Sample.dll"
DEBUG = ("-debug:portable", "-optimize-", "-define:DEBUG")
RELEASE = ("-debug:portable", "-optimize+")
VOID = 0x01


def check_all(metadata: Metadata) -> int:
    """What has to hold of every method's IL that a compiler wrote (III.1.7); how many were checked."""
    checked = 0
    for row in range(1, metadata.image.row_counts[6] + 1):
        token = 0x06000000 | row
        body = metadata.method_body(token)
        if body is None:
            continue
        checked += 1
        flow = StackDepths(metadata, body)
        name = metadata.display_method(token)
        assert max(flow.depths.values()) <= body.max_stack, name
        returned = metadata.method(token).signature.return_type
        while isinstance(returned, ModifiedType):
            returned = returned.element
        is_void = isinstance(returned, PrimitiveType) and returned.code == VOID
        for offset, depth in flow.depths.items():
            opcode = flow.instructions[offset].opcode.name
            if opcode == "ret":
                assert depth == (not is_void), f"{name} at {offset}"
            assert 0 <= flow.untouched(offset) <= depth, f"{name} at {offset}: {opcode}"
    return checked


@pytest.mark.parametrize("options", [DEBUG, RELEASE], ids=["debug", "release"])
def test_depths_are_right_in_every_method_that_was_compiled(compiled, options: tuple[str, ...]) -> None:
    with Assembly.open(compiled("features.cs", *options)) as assembly:
        assert check_all(assembly.metadata) >= 100


def test_depths_are_right_in_the_framework(newest_runtime: Runtime) -> None:
    path: Path = newest_runtime.directory / "System.Linq.dll"
    with Assembly.open(path) as assembly:
        assert check_all(assembly.metadata) > 500


def test_call_of_an_init_setter_leaves_nothing_on_the_stack(newest_runtime: Runtime) -> None:
    """It returns `void modreq(IsExternalInit)`; what is behind the call was taken for unbalanced before."""
    if newest_runtime.major in ("3.1", "5.0", "6.0"):
        pytest.skip("the program is of C# 11")
    program = programs.build("NewStores", newest_runtime)
    with Assembly.open(program.dll) as assembly:
        assert check_all(assembly.metadata) > 30


@pytest.fixture
def sample():
    with Assembly.open(SAMPLE) as assembly:
        yield assembly.metadata


def uses(metadata: Metadata, name: str, opcodes: dict[str, int]) -> list[tuple[str, str]]:
    fields = {field.token for field in named_fields(metadata, [name])}
    found = uses_of_fields(metadata, fields, opcodes)
    return [(metadata.method(use.method).name, use.instruction.opcode.name) for use in found]


def test_stores_to_fields_are_found_by_name(sample: Metadata) -> None:
    assert uses(sample, "X", STORES) == [("Main", "stfld"), ("Move", "stfld")]
    assert uses(sample, "Made", STORES) == [(".cctor", "stsfld")]
    assert uses(sample, "balance", {**STORES, **LOADS}) == [
        ("Deposit", "ldsfld"),
        ("Deposit", "stsfld"),
        ("Deposit", "ldsfld"),
    ]
    assert uses(sample, "Next", STORES) == []
    assert uses(sample, "X", ADDRESSES) == []


def test_fields_of_other_assemblies_are_known_by_their_names(compiled) -> None:
    with Assembly.open(compiled("features.cs", *DEBUG)) as assembly:
        (found,) = named_fields(assembly.metadata, ["Empty"])
    assert (found.type_name, found.name, found.assembly) == ("System.EventArgs", "Empty", "System.Private.CoreLib")


def test_damaged_il_has_no_uses_and_no_crash(sample: Metadata) -> None:
    raw = bytearray(SAMPLE.read_bytes())
    body = sample.method_body(next(use.method for use in uses_of_fields(sample, {0x04000001}, STORES)))
    assert body is not None
    raw[body.origin : body.origin + 4] = b"\xff\xff\xff\xff"
    with Assembly.open(bytes(raw)) as assembly:
        try:
            found = uses(assembly.metadata, "X", STORES)
        except PortablePdbError:
            pytest.fail("a damaged method hides the others")
    assert found == [("Move", "stfld")]
