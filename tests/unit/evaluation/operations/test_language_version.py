"""The version of C# that decides, from what the compiler has written in the PDB."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from dap_dotnet.evaluation.rules.applicable import CallSite, Given
from dap_dotnet.symbols.language_version import LATEST
from tests.unit.evaluation.fakes import World


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ([("language", "C#"), ("language-version", "12.0")], 12),
        ([("language", "C#"), ("language-version", "7.3")], 7),
        ([("language", "C#"), ("language-version", "preview")], LATEST),
        ([("language", "Visual Basic"), ("language-version", "9")], LATEST),
        ([("language", "C#")], LATEST),
        (None, LATEST),
    ],
)
def test_version_is_that_of_the_module_of_the_frame(options, expected):
    world = World()
    if options is not None:
        world.pdb.entries = [SimpleNamespace(kind="compilation_options", decoded=options)]
    assert Given((), site=CallSite(world.context)).language_version == expected


def test_version_is_the_latest_where_the_source_has_no_call():
    assert Given(()).language_version == LATEST
