"""Stacks of several looks, merged."""

from __future__ import annotations

import json

from dap_dotnet.cli.merged_stacks import MergedStacks
from dap_dotnet.cli.report import FrameReport, ThreadReport


def _thread(name: str, *functions: str) -> ThreadReport:
    frames = tuple(
        FrameReport(function, "App.dll", f"/src/{function}.cs", 7, 1, None, None) for function in reversed(functions)
    )
    return ThreadReport(1, name, frames)


def _merged() -> MergedStacks:
    merged = MergedStacks()
    merged.add([_thread("main", "Main", "Wait"), _thread("worker", "Run", "Read")])
    merged.add([_thread("main", "Main", "Wait"), _thread("worker", "Run", "Write;All"), _thread("native")])
    merged.add([_thread("main", "Main"), _thread("worker", "Run", "Read")])
    return merged


def test_folded_lines_have_the_outermost_first_and_their_count():
    assert list(_merged().folded()) == [
        "main;Main 1",
        "main;Main;Wait 2",
        "worker;Run;Read 2",
        "worker;Run;Write:All 1",
    ]


def test_tree_is_indented_where_it_branches():
    assert list(_merged().tree()) == [
        (0, 3, "main"),
        (1, 3, "Main  /src/Main.cs:7"),
        (1, 2, "Wait  /src/Wait.cs:7"),
        (0, 3, "worker"),
        (1, 3, "Run  /src/Run.cs:7"),
        (2, 2, "Read  /src/Read.cs:7"),
        (2, 1, "Write;All  /src/Write;All.cs:7"),
    ]


def test_speedscope_has_a_profile_for_each_thread():
    written = json.loads(_merged().speedscope("process 5"))
    assert [(profile["name"], profile["endValue"]) for profile in written["profiles"]] == [("main", 3), ("worker", 3)]
    frames = [frame["name"] for frame in written["shared"]["frames"]]
    worker = written["profiles"][1]
    stacks = [[frames[number] for number in sample] for sample in worker["samples"]]
    assert list(zip(stacks, worker["weights"], strict=True)) == [(["Run", "Read"], 2), (["Run", "Write;All"], 1)]


def test_body_has_the_most_frequent_first_and_frames_innermost_first():
    body = _merged().as_body()
    assert body["looks"] == 3
    first = body["stacks"][0]
    assert (first["thread"], first["count"]) == ("main", 2)
    assert [frame["function"] for frame in first["frames"]] == ["Wait", "Main"]
