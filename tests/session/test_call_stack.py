"""Call stacks: code that is not the user's, pages, and the names of frames as the client wants them."""

from __future__ import annotations

import threading

import pytest

from dap_dotnet.client import DapRequestError
from dap_dotnet.runtime.model import FrameKind, MethodToken
from tests.support.fake_debuggee.frames import SlotFrame
from tests.support.fake_debuggee.sample import CORE_LIBRARY, MAIN_THREAD, line_of
from tests.support.fake_debuggee.values import Object

EXTERNAL = "[External Code]"
ADD, MAIN = "Sample.Program.Add(int left, int right)", "Sample.Program.Main(string[] args)"


def framework() -> SlotFrame:
    return SlotFrame(MethodToken(0x06000001), CORE_LIBRARY, 0)


def native() -> SlotFrame:
    return SlotFrame(kind=FrameKind.NATIVE)


def dynamic() -> SlotFrame:
    return SlotFrame(kind=FrameKind.INTERNAL, internal_type=4)


def evaluation() -> SlotFrame:
    return SlotFrame(kind=FrameKind.INTERNAL, internal_type=5)


MADE = {"f": framework, "n": native, "d": dynamic, "e": evaluation}


def playing(kinds):
    """Main, then from the outermost: f of the framework, n native, d dynamic, e an evaluation, a the method Add."""

    def program(machine):
        with machine.call("Main", args=[]):
            machine.at("call")
            for kind in kinds:
                if kind == "a":
                    frame = machine.call("Add", left=4, right=0x21)
                    frame.__enter__()
                    machine.at("add")
                else:
                    machine.frames.append(MADE[kind]())
            machine.spin(threading.Event())
        return 0

    return program


def paused(session, **attributes):
    session.launch(**attributes)
    session.wait_until_spinning()
    session.client.request("pause", {"threadId": MAIN_THREAD})
    session.client.wait_for_stop()


def trace(session, **arguments):
    return session.client.request("stackTrace", {"threadId": MAIN_THREAD, **arguments})


def names(session, **arguments):
    return [frame["name"] for frame in trace(session, **arguments)["stackFrames"]]


@pytest.mark.parametrize(
    ("kinds", "shown"),
    [
        ("f", [EXTERNAL, MAIN]),
        ("fffa", [ADD, EXTERNAL, MAIN]),
        ("fnfafnnf", [EXTERNAL, ADD, EXTERNAL, MAIN]),
        ("na", [ADD, EXTERNAL, MAIN]),
        ("da", [ADD, "[Lightweight Function]", MAIN]),
        ("fdfa", [ADD, EXTERNAL, MAIN]),
        ("fdea", [ADD, "[Function Evaluation]", EXTERNAL, MAIN]),
        ("aa", [ADD, ADD, MAIN]),
    ],
)
def test_runs_of_external_frames_are_one(session_of, kinds, shown):
    with session_of(playing(kinds)) as session:
        paused(session)
        whole = trace(session)
        assert [frame["name"] for frame in whole["stackFrames"]] == shown
        assert whole["totalFrames"] == len(shown)
        # Pages fit together, and each frame keeps its id.
        pages = [trace(session, startFrame=start, levels=1) for start in range(len(shown))]
        assert [page["stackFrames"][0] for page in pages] == whole["stackFrames"]
        assert [page["totalFrames"] for page in pages] == [min(start + 2, len(shown)) for start in range(len(shown))]
        assert trace(session, startFrame=len(shown), levels=5)["stackFrames"] == []


def test_external_code_has_no_variables_and_can_be_asked_for(session_of):
    with session_of(playing("ffaff")) as session:
        paused(session)
        external, add, *_ = trace(session)["stackFrames"]
        assert (external["presentationHint"], external["line"], "source" in external) == ("label", 0, False)
        assert session.client.scopes(external["id"]) == []
        shown = trace(session, format={"includeAll": True})["stackFrames"]
        framework_name = "System.Private.CoreLib.dll"
        assert [frame["name"] for frame in shown] == [*[framework_name] * 2, ADD, *[framework_name] * 2, MAIN]
        assert shown[2]["id"] == add["id"]
        assert external["id"] not in {frame["id"] for frame in shown}


def test_all_frames_are_shown_without_just_my_code(session_of):
    with session_of(playing("ffa")) as session:
        paused(session, justMyCode=False)
        assert EXTERNAL not in names(session)
        assert len(names(session)) == 4


def test_long_stack_is_walked_as_far_as_it_is_asked_for(session_of):
    with session_of(playing("fa" * 500)) as session:
        paused(session)
        page = trace(session, startFrame=0, levels=20)
        assert (len(page["stackFrames"]), page["totalFrames"]) == (20, 21)
        assert session.debuggee.walked < 200


@pytest.mark.parametrize(
    ("wanted", "name"),
    [
        ({}, ADD),
        ({"hex": True}, ADD),
        ({"parameters": False}, "Sample.Program.Add"),
        ({"parameters": True}, ADD),
        ({"parameters": True, "parameterTypes": True}, "Sample.Program.Add(int, int)"),
        ({"parameterNames": True}, "Sample.Program.Add(left, right)"),
        ({"parameterTypes": False}, "Sample.Program.Add(left, right)"),
        ({"parameterTypes": False, "parameterNames": False}, "Sample.Program.Add"),
        ({"parameterValues": True}, "Sample.Program.Add(4, 33)"),
        ({"parameterNames": True, "parameterValues": True}, "Sample.Program.Add(left = 4, right = 33)"),
        (
            {"parameterTypes": True, "parameterNames": True, "parameterValues": True, "hex": True},
            "Sample.Program.Add(int left = 0x00000004, int right = 0x00000021)",
        ),
        ({"module": True, "parameters": False}, "Sample.dll!Sample.Program.Add"),
        ({"line": True}, f"{ADD} Line {{line}}"),
    ],
)
def test_name_of_a_frame_has_what_the_client_wants(session_of, wanted, name):
    with session_of(playing("a")) as session:
        paused(session)
        assert names(session, format=wanted)[0] == name.format(line=line_of("add"))
        assert names(session)[0] == ADD


def test_long_values_of_parameters_are_cut(session_of):
    def program(machine):
        with machine.call("Move", point=Object("Sample.Point", {"X": 4, "Name": "x" * 500}), by=1):
            machine.at("move")
            machine.spin(threading.Event())
        return 0

    with session_of(program) as session:
        paused(session)
        name = names(session, format={"parameterNames": True, "parameterValues": True})[0]
        assert name == "Sample.Program.Move(point = {Sample.Point}, by = 1)" or len(name) < 160


def test_frames_of_threads_that_are_not_there_are_refused(session_of):
    with session_of(playing("a")) as session:
        paused(session)
        with pytest.raises(DapRequestError, match="no thread 99"):
            session.client.request("stackTrace", {"threadId": 99})


def test_names_are_short_where_views_are_narrow_and_the_tooltip_has_the_namespace(session_of):
    with session_of(playing("a")) as session:
        session.client.initialize(clientID="vscode")
        session.launch(line_of("add"))
        session.client.wait_for_stop()
        frames = trace(session)["stackFrames"]
    assert [frame["name"] for frame in frames] == ["Program.Add(int left, int right)", "Program.Main(string[] args)"]
    assert {frame["source"]["origin"] for frame in frames} == {"namespace Sample"}
