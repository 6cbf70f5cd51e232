"""What the tools promise: names, descriptions, examples, schemas, and the table in the documentation."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

pytest.importorskip("mcp")

from dap_dotnet.mcp.collections import summarise
from dap_dotnet.mcp.errors import ToolError
from dap_dotnet.mcp.history import History, Output
from dap_dotnet.mcp.options import ServerOptions, parse_server_options
from dap_dotnet.mcp.paths import allowed_path
from dap_dotnet.mcp.purity import first_effect, only_reads
from dap_dotnet.mcp.schemas import described
from dap_dotnet.mcp.tools import all_tools, offered_tools
from dap_dotnet.startup.options import UsageError
from scripts.agent_tools import DOCUMENT, LISTING, listing, with_table

TOOLS = {tool.name: tool for tool in all_tools()}


@pytest.mark.parametrize("name", TOOLS)
def test_every_tool_is_described_with_an_example_for_each_argument(name):
    tool = TOOLS[name]
    assert re.fullmatch(r"[a-z]+(_[a-z]+)*", name)
    assert len(tool.description) > 15
    listed = described(tool)
    assert listed["outputSchema"]["type"] == "object"
    for argument, field in tool.arguments.model_fields.items():
        assert field.description, argument
        assert field.examples, argument
        assert listed["inputSchema"]["properties"][argument]["description"]


@pytest.mark.parametrize("name", TOOLS)
def test_the_examples_of_a_tool_are_valid(name):
    tool = TOOLS[name]
    required = {field: info.examples[0] for field, info in tool.arguments.model_fields.items() if info.is_required()}
    if name == "breakpoint_set":
        required = {"file": "/src/a.cs", "line": 3}
    for field, info in tool.arguments.model_fields.items():
        if name == "breakpoint_set" and field in ("function", "field"):
            continue
        tool.arguments.model_validate({**required, field: info.examples[0]})


def test_the_table_in_the_documentation_is_current():
    text = Path(DOCUMENT).read_text(encoding="utf-8")
    assert with_table(text) == text, "run python scripts/agent_tools.py"


def test_what_is_answered_before_the_sdk_is_there_is_what_the_sdk_answers():
    assert Path(LISTING).read_text(encoding="utf-8") == listing(), "run python scripts/agent_tools.py"


def test_switches_take_tools_away():
    every = {tool.name for tool in offered_tools(ServerOptions())}
    assert every - {tool.name for tool in offered_tools(ServerOptions(no_attach=True))} == {
        "debug_attach",
        "debug_peek",
    }
    assert every - {tool.name for tool in offered_tools(ServerOptions(read_only=True))} == {
        "core_dump_save",
        "project_build",
        "variable_set",
        "execution_goto",
        "input_write",
    }


@pytest.mark.parametrize(
    "expression",
    ["a", "a.b[2].C + 1", "(int)a", "a == b ? c : d", "nameof(a)", "x is int", 'a ?? "b = c()"', "-a", "!b"],
)
def test_reading_has_no_side_effects(expression):
    assert first_effect(expression) is None
    assert only_reads(expression)


@pytest.mark.parametrize("expression", ["a +", ".refs a", "a; b", "a) + (b = 1", "1 2", "$1 = 2", "a,makeid b"])
def test_what_is_not_understood_in_full_is_not_known_to_only_read(expression):
    assert not only_reads(expression)


@pytest.mark.parametrize(
    "expression",
    [
        "a = 1",
        "a += 1",
        "a++",
        "--a",
        "f()",
        "a.F(1)",
        "new C()",
        "new() { }",
        "a + f(b)",
        "a with { X = 1 }",
        "b ? f() : 0",
    ],
)
def test_effects_are_found(expression):
    assert first_effect(expression)


def test_output_is_read_by_cursor_and_says_what_was_lost(monkeypatch):
    output = Output()
    for text, kind in (("one\n", "stdout"), ("two\n", "stderr"), ("three\n", "stdout")):
        output.add(kind, text)
    assert output.read(0, 6) == ("one\ntw", 6, 0)
    assert output.read(6, 100) == ("o\nthree\n", 14, 0)
    assert output.read(0, 100, "stdout") == ("one\nthree\n", 14, 0)
    assert output.read(14, 100) == ("", 14, 0)
    monkeypatch.setattr("dap_dotnet.mcp.history.MOST_OUTPUT", 11)
    output.add("stdout", "four\n")
    assert output.read(0, 100) == ("three\nfour\n", 19, 8)


def test_the_history_counts_and_cuts():
    history = History()
    history.add("stop", "first")
    entry = history.add("output", "x" * 1000)
    assert next(iter(history.after(0))).text == "first"
    assert entry.number == 2
    assert "500 more characters" in entry.text


def test_paths_are_confined_after_links_are_followed(tmp_path):
    inside, outside = tmp_path / "in", tmp_path / "out"
    inside.mkdir()
    outside.mkdir()
    (inside / "link").symlink_to(outside)
    folders = [str(inside)]
    assert allowed_path(str(inside / "a.dll"), folders) == str(inside / "a.dll")
    for path in (outside / "a.dll", inside / "link" / "a.dll", inside / ".." / "out" / "a.dll", f"{inside}er/a.dll"):
        with pytest.raises(ToolError) as refused:
            allowed_path(str(path), folders)
        assert refused.value.code == "NOT_ALLOWED"


def test_options_are_checked(tmp_path):
    options = parse_server_options(["--read-only", "--no-attach", "--folder", str(tmp_path)])
    assert options.read_only
    assert options.no_attach
    assert options.folders == (str(tmp_path.resolve()),)
    with pytest.raises(UsageError):
        parse_server_options(["--folder", str(tmp_path / "none")])


def test_a_collection_of_values_is_compared_and_one_of_objects_is_not():
    numbers = [{"value": text, "variablesReference": 0} for text in ("10", "9", "10", "null")]
    found = summarise(40, numbers)
    assert (found.count, found.analyzed, found.nulls, found.duplicates) == (40, 4, 1, 1)
    assert (found.min, found.max) == ("9", "10")
    assert found.repeated == ["10 (2 times)"]
    objects = summarise(2, [{"value": "{A}", "variablesReference": 1}] * 2)
    assert objects.duplicates is None
    texts = summarise(2, [{"value": '"b"', "variablesReference": 0}, {"value": '"a"', "variablesReference": 0}])
    assert (texts.min, texts.duplicates) == (None, 0)
