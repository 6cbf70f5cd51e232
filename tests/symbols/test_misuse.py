"""What a newcomer gives by mistake is refused in words that say what is wanted. Needs no .NET."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from portablepdb import Assembly, Limits, PortablePdb
from portablepdb.source_link import source_url

from .sample_files import sample_image, sample_pdb


@pytest.mark.parametrize(
    ("ask", "kind", "words"),
    [
        (lambda pdb: pdb.bind(1, "20"), TypeError, "not str and NoneType"),
        (lambda pdb: pdb.bind(1, 20, "3"), TypeError, "not int and str"),
        (lambda pdb: pdb.bind(1, 0), ValueError, "counted from 1; line 0"),
        (lambda pdb: pdb.bind(1, -5), ValueError, "counted from 1"),
        (lambda pdb: pdb.bind(1, 5, -3), ValueError, "column -3"),
        (lambda pdb: pdb.point_at(1, "0x5"), TypeError, "IL offset is an int from 0 on, not '0x5'"),
        (lambda pdb: pdb.visible_point_at(1, -1), ValueError, "not -1"),
        (lambda pdb: pdb.locals_at(1, "x"), TypeError, "IL offset"),
        (lambda pdb: pdb.documents[1000], IndexError, "item 0 is row 1; by_row takes row ids"),
        (lambda pdb: pdb.documents["Trace.cs"], TypeError, "documents_matching"),
    ],
)
def test_places_of_a_pdb(ask: Callable[[PortablePdb], Any], kind: type[Exception], words: str):
    with PortablePdb.open(sample_pdb()) as pdb, pytest.raises(kind) as caught:
        ask(pdb)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda assembly: assembly.metadata.types_named(5), "a full name is wanted, not int"),
        (lambda assembly: assembly.metadata.find_types(5), "a full name is wanted, not int"),
        (lambda assembly: assembly.verify_checksum("path"), "the bytes of a PDB are wanted, not str"),
    ],
)
def test_questions_to_an_assembly(ask: Callable[[Assembly], Any], words: str):
    with Assembly.open(sample_image()) as assembly, pytest.raises(TypeError, match=words):
        ask(assembly)


@pytest.mark.parametrize(
    ("head", "words"),
    [
        (b"BSJB", "it is a Portable PDB: PortablePdb.open reads it"),
        (b"PK\3\4", "zip archive"),
        (b"\x1f\x8b", "gzip"),
        (b"\x7fELF", "it is an ELF file"),
        (b"text", "begins with 74 65, not with MZ"),
    ],
)
def test_files_that_are_no_image_say_what_they_look_like(head: bytes, words: str):
    with pytest.raises(Exception, match="not a PE image") as caught:
        Assembly.open(head + bytes(200))
    assert words in str(caught.value)


@pytest.mark.parametrize("text", [None, b'{"documents":{}}'])
def test_source_link_is_text(text: object):
    with pytest.raises(TypeError, match="source_link is None where there is none"):
        source_url(text, "a.cs")  # type: ignore[arg-type]


@pytest.mark.parametrize(("amount", "kind"), [("x", TypeError), (-1, ValueError)])
def test_limits_are_numbers(amount: Any, kind: type[Exception]):
    with pytest.raises(kind, match="the limit points is an int from 0 on"):
        PortablePdb.open(sample_pdb(), limits=Limits(points=amount))
