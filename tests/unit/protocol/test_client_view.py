from __future__ import annotations

import pytest

from dap_dotnet.protocol.client_view import ClientView
from dap_dotnet.protocol.messages.initialize import InitializeRequestArguments


def view(**arguments) -> ClientView:
    return ClientView(InitializeRequestArguments.model_validate(arguments))


def test_client_view_is_one_based_with_paths_unless_the_client_says_otherwise():
    for unsaid in (ClientView(), view(), view(linesStartAt1=None, pathFormat="path")):
        assert unsaid.line_from_client(1) == unsaid.line_to_client(1) == 1
        assert unsaid.column_from_client(1) == unsaid.column_to_client(1) == 1
        assert unsaid.path_to_client("/a b.cs") == unsaid.path_from_client("/a b.cs") == "/a b.cs"


def test_client_view_converts_lines_and_columns_on_their_own():
    lines, columns = view(linesStartAt1=False), view(columnsStartAt1=False)
    assert (lines.line_from_client(0), lines.line_to_client(1), lines.column_from_client(1)) == (1, 0, 1)
    assert (columns.column_from_client(0), columns.column_to_client(1), columns.line_from_client(1)) == (1, 0, 1)


@pytest.mark.parametrize(
    ("path", "uri"),
    [
        ("/tmp/a.cs", "file:///tmp/a.cs"),
        ("/tmp/ä b#c%d?.cs", "file:///tmp/%C3%A4%20b%23c%25d%3F.cs"),
        ("C:/src/a.cs", "file:///C:/src/a.cs"),
    ],
)
def test_client_view_converts_uris_both_ways(path, uri):
    uris = view(pathFormat="uri")
    assert uris.path_to_client(path) == uri
    assert uris.path_from_client(uri) == path


def test_client_view_takes_foreign_spellings_of_uris():
    uris = view(pathFormat="uri")
    assert uris.path_to_client("C:\\src\\a.cs") == "file:///C:/src/a.cs"
    assert uris.path_from_client("file:///c%3A/src/a.cs") == "c:/src/a.cs"
    assert uris.path_from_client("file://localhost/tmp/a.cs") == "/tmp/a.cs"
    assert uris.path_from_client("file://server/share/a.cs") == "//server/share/a.cs"
    assert uris.path_from_client("/tmp/a.cs") == "/tmp/a.cs"
    for plain in (view(), view(pathFormat="path")):
        assert plain.path_from_client("file:///tmp/a.cs") == plain.path_from_client("FILE:/tmp/a.cs") == "/tmp/a.cs"
    assert view().path_from_client("file:///src/C#/a?.cs") == "/src/C#/a?.cs"
    assert view().path_from_client("file://[x/a.cs") == "//[x/a.cs"
