"""`dap-dotnet/build` over the whole server, with a script in the place of dotnet."""

from __future__ import annotations

import shlex

import pytest

from dap_dotnet.client import DapRequestError
from tests.support.fake_sdk import ScriptedSdk


@pytest.fixture
def sdk(tmp_path, monkeypatch):
    return ScriptedSdk(tmp_path, monkeypatch)


@pytest.fixture(autouse=True)
def _initialized(session):
    session.client.initialize(supportsProgressReporting=True)


def build(session, sdk, **arguments):
    return session.client.request("dap-dotnet/build", {"project": str(sdk.project), **arguments})


def test_warnings_of_a_build_that_succeeds_are_told_with_their_places(session, sdk):
    sdk.says(sdk.warning, sdk.warning, sdk.made_line)
    body = build(session, sdk, buildConfiguration="Release", targetFramework="net10.0")
    assert body["diagnostics"] == [
        {
            "severity": "warning",
            "code": "CS0219",
            "text": "The variable 'x: y' is assigned",
            "path": sdk.source,
            "line": 4,
            "column": 9,
        }
    ]
    assert (body["succeeded"], body["isUpToDate"], body["isComplete"]) == (True, False, False)
    assert (body["project"], body["output"]) == (str(sdk.project), str(sdk.made))
    assert body["text"] == "App.csproj was built, with 1 warning."
    assert sdk.called() == ["build ./App.csproj -f net10.0 -c Release -nologo -v:m -clp:NoSummary"]
    names = session.names()
    assert names.index("progressStart") < names.index("progressEnd") < names.index("dap-dotnet/build")
    session.launch()  # no program was begun by it


def test_errors_of_a_build_that_fails_are_a_response(session, sdk):
    sdk.says(sdk.warning, sdk.error, "MSBUILD : error MSB1009: no such file", f"{sdk.project} : error NU1101: none")
    sdk.ends_with(1)
    body = build(session, sdk, force=True)
    assert (body["succeeded"], body["isComplete"], body.get("output")) == (False, False, None)
    assert [(one["severity"], one["code"], one.get("path"), one.get("line")) for one in body["diagnostics"]] == [
        ("warning", "CS0219", sdk.source, 4),
        ("error", "CS0103", sdk.source, 7),
        ("error", "MSB1009", None, None),
        ("error", "NU1101", str(sdk.project), None),
    ]
    assert "failed with 3 errors" in body["text"]
    sdk.says("what is this")
    assert "what is this" in build(session, sdk)["text"]


def test_nothing_is_built_when_nothing_has_changed_unless_it_is_forced(session, sdk):
    sdk.says(sdk.warning, sdk.made_line)
    build(session, sdk)
    again = build(session, sdk)
    assert (again["succeeded"], again["isUpToDate"], again["isComplete"]) == (True, True, False)
    assert again["diagnostics"] == []
    assert "not known" in again["text"]
    assert again["output"] == str(sdk.made)
    assert len(sdk.called()) == 1
    forced = build(session, sdk, force=True)
    assert (forced["isUpToDate"], forced["isComplete"], len(forced["diagnostics"])) == (False, True, 1)
    assert "--no-incremental" in sdk.called()[1]


def begin_endless(session, sdk):
    sdk.plays("echo begun; exec sleep 60")
    pending = session.client.send("dap-dotnet/build", {"project": str(sdk.project)})
    session.client.wait_for("output", where=lambda body: body["output"] == "begun\n")
    return pending


def test_build_is_cancelled(session, sdk):
    pending = begin_endless(session, sdk)
    session.client.request("cancel", {"requestId": pending.seq})
    with pytest.raises(DapRequestError, match="was cancelled") as cancelled:
        pending.result()
    assert cancelled.value.code == "CANCELLED"
    session.launch()


@pytest.mark.parametrize("leave", ["disconnect", "hang_up"])
def test_build_ends_with_its_session(session, sdk, leave):
    begin_endless(session, sdk)
    if leave == "disconnect":
        session.client.disconnect()
    else:
        session.hang_up()
    session.wait_for_end()


def test_launch_waits_for_a_build_and_a_build_is_refused_meanwhile(session, sdk):
    go = sdk.root / "go"
    sdk.plays(
        f"echo begun; while [ ! -e {shlex.quote(str(go))} ]; do sleep 0.02; done\necho {shlex.quote(sdk.made_line)}"
    )
    pending = session.client.send("dap-dotnet/build", {"project": str(sdk.project)})
    session.client.wait_for("output", where=lambda body: body["output"] == "begun\n")
    starting = session.client.start("launch", {"program": str(sdk.project)})
    with pytest.raises(DapRequestError, match="before a program is started"):
        build(session, sdk)
    go.touch()
    assert pending.result()["succeeded"]
    session.client.configuration_done()
    starting.result()
    assert [body["output"] for body in session.client.events("output")].count(f"Building {sdk.project}\n") == 2


@pytest.mark.parametrize("path", ["", "/nowhere/at/all", "/nowhere/A.csproj", "a\0b", "x" * 5000, "/dev/null"])
def test_what_is_no_project_is_refused(session, path):
    with pytest.raises(DapRequestError) as refused:
        session.client.request("dap-dotnet/build", {"project": path})
    assert refused.value.code == "LAUNCH_FAILED"
