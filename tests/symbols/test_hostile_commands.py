"""Files made to exhaust a command that prints much, or a name that takes a search. Needs no .NET."""

from __future__ import annotations

from pathlib import Path

import pytest

from portablepdb import Assembly, display_names
from portablepdb.cli import main
from portablepdb.tables_ecma import MethodSemanticsRow, PropertyMapRow, PropertyRow
from tests.support.work import counted

from .assembly_maker import AssemblyMaker
from .test_hostile_files import shared_points

# Each took more than half a minute before: each point, body or name was looked at once for every method.
MOST_CALLS = 25_000_000


@pytest.fixture(autouse=True)
def does_little():
    with counted() as work:
        yield
    assert work.calls < MOST_CALLS


def machines(count: int) -> AssemblyMaker:
    """A type with many methods of one name, and a state machine that may be any one's."""
    maker = AssemblyMaker()
    outer = maker.type("Outer")
    maker.method("M", b"\0\0\1")
    maker.tables[6] += maker.tables[6][-1:] * (count - 1)
    for number in range(count):
        maker.type("<M>d__1", "", outer=outer)
        if not number:
            maker.method("MoveNext", b"\x20\0\1")
        else:
            maker.add(6, maker.tables[6][-1])
    return maker


def test_points_that_methods_share_are_not_printed_for_all_of_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    path = tmp_path / "shared.pdb"
    path.write_bytes(shared_points(5000, 5000))
    assert main(["lines", str(path)]) == 2
    assert "Limits(points=...)" in capsys.readouterr().err


def test_bodies_that_methods_share_are_not_printed_for_all_of_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    maker = AssemblyMaker()
    maker.type("T")
    maker.method("m", b"\0\0\1", il=b"\0" * 50_000 + b"\x2a")
    maker.tables[6] += maker.tables[6] * 3000
    path = tmp_path / "shared.dll"
    path.write_bytes(maker.image())
    assert main(["il", str(path)]) == 2
    assert "Limits(il_lines=...)" in capsys.readouterr().err


def test_state_machines_of_one_name_are_displayed_in_time():
    with machines(2500).open() as assembly:
        metadata = assembly.metadata
        shown = {metadata.display_method(method) for method in metadata.methods}
    assert shown == {"N.Outer.M()"}


def test_property_with_thousands_of_accessors_is_displayed_by_one(monkeypatch: pytest.MonkeyPatch):
    maker = AssemblyMaker()
    type_ = maker.type("T")
    maker.method("accessor", b"\0\0\1")
    maker.add(0x15, PropertyMapRow(type_ & 0xFFFFFF, 1))
    maker.add(0x17, PropertyRow(0, maker.heaps.string("P"), maker.heaps.blob(b"\x28\1\x08\x08")))
    for _ in range(1000):
        maker.add(0x18, MethodSemanticsRow(2, 1, 0x17000001))
    displayed = []
    original = display_names.display_method
    monkeypatch.setattr(display_names, "display_method", lambda *given: displayed.append(1) or original(*given))
    assert maker.metadata().display(0x17000001) == "N.T.P"
    assert len(displayed) == 1


@pytest.mark.parametrize("name", [b"shake_128", b"md4", b"\xff"])
def test_checksum_by_another_algorithm_is_not_known(name: bytes):
    maker = AssemblyMaker()
    maker.code_view(bytes(range(20)), "a.pdb")
    maker.debug_entries.append((19, 0, 1, 0, name + b"\0" + bytes(32)))
    with Assembly.open(maker.image()) as assembly:
        assert assembly.verify_checksum(shared_points(1, 1)) is None
