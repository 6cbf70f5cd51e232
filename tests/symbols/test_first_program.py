from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest

from portablepdb import Assembly, PortablePdb

from .conftest import SOURCES

TEXT = (SOURCES / "first.cs").read_text().splitlines()


def line_of(marker: str) -> int:
    return next(number for number, text in enumerate(TEXT, 1) if text.endswith(f"// {marker}"))


@pytest.fixture(scope="module")
def first(compiled) -> Path:
    return compiled("first.cs", "-debug:portable", "-deterministic+")


@pytest.fixture
def pdb(first: Path) -> Iterator[PortablePdb]:
    with PortablePdb.open(first.with_suffix(".pdb")) as opened:
        yield opened


@pytest.fixture
def assembly(first: Path) -> Iterator[Assembly]:
    with Assembly.open(first) as opened:
        yield opened


def bound(pdb: PortablePdb, assembly: Assembly, marker: str, column: int | None = None) -> list[tuple[str, int]]:
    (document,) = pdb.documents_matching("first.cs")
    hits = pdb.bind(document.row_id, line_of(marker), column)
    return [(assembly.metadata.method(hit.method).name, hit.point.start_line) for hit in hits]


def test_bind_names_the_lambda_before_the_method_around_it(pdb, assembly):
    names = [assembly.metadata.display_method(hit.method) for hit in pdb.bind(1, line_of("lambda"))]
    assert names == ["First.Program.Main.lambda(string word)", "First.Program.Main(string[] args)"]


def test_bind_moves_a_line_without_code_to_the_next_statement_of_the_method(pdb, assembly):
    assert bound(pdb, assembly, "no code here")[0][1] == line_of("lambda")


def test_bind_of_a_comment_between_methods_finds_nothing(pdb, assembly):
    assert bound(pdb, assembly, "between two methods") == []
    assert bound(pdb, assembly, "between the members") == []


def test_bind_of_an_initializer_is_in_the_constructor(pdb, assembly):
    assert bound(pdb, assembly, "initializer") == [(".ctor", line_of("initializer"))]


def test_bind_of_a_for_gives_all_of_its_parts(pdb, assembly):
    assert bound(pdb, assembly, "for") == [("MoveNext", line_of("for"))] * 3


def test_bind_with_a_column_gives_the_innermost_point(pdb, assembly):
    column = TEXT[line_of("lambda") - 1].index("word.Length") + 1
    assert bound(pdb, assembly, "lambda", column) == [("<Main>b__0", line_of("lambda"))]


def test_locals_at_follow_the_scopes(pdb, assembly):
    main = assembly.metadata.entry_point
    inner = next(p for p in pdb.sequence_points(main) if p.start_line == line_of("inner"))
    assert [v.name for v in pdb.locals_at(main, inner.il_offset)] == ["CS$<>8__locals0", "inner"]
    assert [v.name for v in pdb.locals_at(main, 0)] == ["CS$<>8__locals0"]


def test_constants_at_decode_a_decimal(pdb, assembly):
    (constant,) = pdb.constants_at(assembly.metadata.entry_point, 10)
    assert (constant.name, constant.value, str(constant.value)) == ("rate", Decimal("1.5"), "1.50")


def test_kickoff_method_and_awaits_of_an_async_method(pdb, assembly):
    metadata = assembly.metadata
    (move_next,) = [m for m in range(1, pdb.method_count + 1) if pdb.async_info(m)]
    assert metadata.method(pdb.kickoff_method(move_next)).name == "Wait"
    assert metadata.display_method(0x06000000 | move_next) == "First.Program.Wait(int amount)"
    info = pdb.async_info(move_next)
    assert info.catch_offset is None
    assert [0x06000000 | move_next] == [point.resume_method for point in info.awaits]
    assert pdb.kickoff_method(metadata.entry_point) is None


def test_hoisted_scope_covers_the_use_of_the_local(pdb):
    move_next = next(m for m in range(1, pdb.method_count + 1) if pdb.async_info(m))
    (scope,) = pdb.hoisted_scopes(move_next)
    use = next(p for p in pdb.sequence_points(move_next) if p.start_line == line_of("copy"))
    assert scope.start_offset <= use.il_offset < scope.start_offset + scope.length


def test_find_pdb_compares_ids_and_says_why_not(first, assembly, tmp_path, pdb):
    found = assembly.find_pdb()
    assert found.pdb is not None
    assert found.pdb.id == assembly.pdb_id == pdb.id
    found.pdb.close()
    other = tmp_path / "first.pdb"
    data = bytearray(first.with_suffix(".pdb").read_bytes())
    data[data.index(pdb.id)] ^= 1
    other.write_bytes(data)
    moved = tmp_path / "first.dll"
    moved.write_bytes(first.read_bytes())
    with Assembly.open(moved) as elsewhere:
        result = elsewhere.find_pdb()
        assert (str(other), True) in [(path, "id differs" in reason) for path, reason in result.tried]


def test_find_pdb_says_that_a_windows_pdb_is_one(first, tmp_path):
    moved = tmp_path / "first.dll"
    moved.write_bytes(first.read_bytes())
    (tmp_path / "first.pdb").write_bytes(b"Microsoft C/C++ MSF 7.00\r\n\x1aDS\0\0\0" + bytes(500))
    with Assembly.open(moved) as elsewhere:
        reasons = dict(elsewhere.find_pdb().tried)
        assert "Windows PDB" in reasons[str(tmp_path / "first.pdb")]
        assert elsewhere.find_pdb([first.parent]).pdb is not None


def test_checksum_of_the_pdb_agrees(first, assembly):
    data = first.with_suffix(".pdb").read_bytes()
    assert assembly.verify_checksum(data) is True
    assert assembly.verify_checksum(data[:-1] + bytes([data[-1] ^ 1])) is False


def test_debuggable_attribute_of_a_debug_build(assembly):
    assert assembly.metadata.debuggable == (True, True)


def test_point_at_gives_the_last_point_at_or_before(pdb, assembly):
    main = assembly.metadata.entry_point
    points = pdb.sequence_points(main)
    assert pdb.point_at(main, points[1].il_offset) == points[1]
    assert pdb.point_at(main, points[2].il_offset - 1) == points[1]
