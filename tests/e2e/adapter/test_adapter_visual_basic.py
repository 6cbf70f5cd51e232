"""Variables of Visual Basic under the names of the source."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from dap_dotnet.client import DapRequestError
from tests.support import dotnet, programs
from tests.support.dotnet import Runtime
from tests.support.markers import line_of
from tests.support.session import Session

pytestmark = pytest.mark.e2e

SOURCE = Path(__file__).parent / "visual_basic" / "StaticLocals.vb"


def build(runtime: Runtime, folder: Path) -> Path:
    """The program, by the compiler of the SDK of the runtime's release."""
    sdk = dotnet.find().sdk_for(runtime)
    references = programs.framework_references(runtime)
    core = next((path for path in references if path.name == "Microsoft.VisualBasic.Core.dll"), None)
    compiler = sdk.csc.with_name("vbc.dll")
    if core is None or not compiler.is_file():
        pytest.skip("no compiler of Visual Basic")
    dll = folder / "StaticLocals.dll"
    options = ["-nologo", "-noconfig", "-nostdlib", f"-vbruntime:{core}", f"-sdkpath:{core.parent}", "-debug:portable"]
    command = [str(sdk.dotnet), str(compiler), *options, '-define:_MYTYPE="Empty"', "-target:exe", f"-out:{dll}"]
    response = folder / "references.rsp"
    response.write_text("\n".join(f'-r:"{path}"' for path in references), encoding="utf-8")
    environment = {**os.environ, **dotnet.environment(sdk.root, sdk.version)}
    subprocess.run([*command, f"@{response}", str(SOURCE)], env=environment, check=True, timeout=120)
    dll.with_suffix(".runtimeconfig.json").write_text(programs.runtime_configuration(runtime, None), encoding="utf-8")
    return dll


def test_static_locals_are_locals(runtime: Runtime, session: Session, tmp_path: Path) -> None:
    lines = {marker: line_of(SOURCE, marker) for marker in ("work", "other", "shared", "main")}
    session.launch(
        str(build(runtime, tmp_path)),
        breakpoints={str(SOURCE): list(lines.values())},
        env=dotnet.environment(runtime.root, runtime.version),
    )
    session.wait_for_stop()
    assert session.line() == lines["work"]
    shown = session.values()
    assert (shown["total"], shown["words"], shown["own"]) == ("6", "Count = 1", '(1, "a")')
    assert session.locals()["own"].type == "(int Number, string Word)"
    assert session.evaluate("total + words.Count + own.Number").result == "8"
    assert session.evaluate("total = 9").result == "9"
    scope = session.request("scopes", {"frameId": session.stack(count=1)[0].id})["scopes"][0]["variablesReference"]
    session.request("setVariable", {"variablesReference": scope, "name": "own", "value": '(2, "b")'})
    assert session.evaluate("own.Number + total").result == "11"
    found = session.request("completions", {"text": "tot", "column": 4, "frameId": session.stack(count=1)[0].id})
    assert [target["label"] for target in found["targets"]] == ["total"]
    session.continue_()
    session.wait_for_stop()
    assert (session.line(), session.values()["total"]) == (lines["other"], '"of the other"')
    session.continue_()
    session.wait_for_stop()
    assert session.line() == lines["shared"]
    assert session.values()["calls"] == "1"
    scope = session.request("scopes", {"frameId": session.stack(count=1)[0].id})["scopes"][0]["variablesReference"]
    session.request("setVariable", {"variablesReference": scope, "name": "calls", "value": "40"})
    assert session.values()["calls"] == "40"
    session.continue_()
    session.wait_for_stop()
    assert session.line() == lines["main"]
    session.continue_()
    session.wait_for_stop()
    assert session.evaluate("calls").result == "41"
    header = line_of(SOURCE, "property")
    (moved,) = session.set_breakpoints(str(SOURCE), [header])
    assert (moved.verified, moved.line) == (True, header + 1)


def test_an_index_means_the_default_property(runtime: Runtime, session: Session, tmp_path: Path) -> None:
    """Not another one that takes parameters, too."""
    program = str(build(runtime, tmp_path))
    environment = dotnet.environment(runtime.root, runtime.version)
    session.launch(program, breakpoints={str(SOURCE): [line_of(SOURCE, "main")]}, env=environment)
    session.wait_for_stop()
    assert session.evaluate("counter[3]").result == "9"
    session.evaluate("counter[1] = 7")
    assert session.evaluate("counter.Kept").result == "7"


NAMES = {
    "text": r'"ab\rA"',
    "Deep": "7",
    "Deep = 8": "8",
    "Helper.Deep": "8",
    "Far + Doubled(Deep)": "86",
    "vbCrLf": r'"\r\n"',
    "ChrW(66)": "66 'B'",
    "Left(text, 1) + Strings.Len(text)": '"a4"',
    "IO.Path.DirectorySeparatorChar": "47 '/'",
    'new Builder("x").Length': "1",
    "Count() - Count()": "-1",
}


def test_names_are_those_of_the_source(runtime: Runtime, session: Session, tmp_path: Path) -> None:
    """Members of modules and of imported namespaces' modules; nothing of what the compiler makes is a variable."""
    session.launch(
        str(build(runtime, tmp_path)),
        breakpoints={str(SOURCE): [line_of(SOURCE, "with"), line_of(SOURCE, "later")]},
        env=dotnet.environment(runtime.root, runtime.version),
    )
    session.wait_for_stop()
    assert set(session.locals()) == {"counter", "text"}
    assert {expression: session.evaluate(expression).result for expression in NAMES} == NAMES
    with pytest.raises(DapRequestError, match="CS0131"):
        session.evaluate("vbCr = vbLf")
    frame = session.stack(count=1)[0].id
    offered = session.request("completions", {"text": "vbC", "column": 4, "frameId": frame})["targets"]
    assert {"vbCr", "vbCrLf"} <= {target["label"] for target in offered}
    session.continue_()
    session.wait_for_stop()
    shown = session.values()
    assert {name: value for name, value in shown.items() if name not in ("this", "sum")} == {
        "first": "1", "item": "1", "held": "1"
    }  # fmt: skip
    assert session.evaluate("held + Kept + Deep").result == "9"
