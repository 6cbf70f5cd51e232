"""Types of assemblies that lie beside the loaded ones: the program loads them when an expression needs them."""

from __future__ import annotations

from pathlib import Path

import pytest

from dap_dotnet.client import DapRequestError
from tests.support import markers, programs
from tests.support.dotnet import Runtime
from tests.support.session import Session

pytestmark = pytest.mark.e2e
SOURCE = """
using System;
using System.Linq;
using System.Net;
class Program
{
    static void Main()
    {
        string text = "1.2.3.4";
        Console.WriteLine(text); // @here
    }
}
"""
UNLOADED = {
    "IPAddress.Parse(text).ToString()": '"1.2.3.4"',
    "new System.Collections.Specialized.NameValueCollection { { text, text } }.Count": "1",
    'new[] { text }.Select(x => System.Xml.XmlConvert.ToInt32("5") + 1).First()': "6",
}


def test_a_type_of_an_assembly_that_is_not_loaded_is_loaded_where_code_may_run(
    runtime: Runtime, session: Session, tmp_path: Path
) -> None:
    folder = tmp_path / "Unloaded"
    folder.mkdir()
    source = folder / "Program.cs"
    source.write_text(SOURCE, encoding="utf-8")
    program = programs.build(folder, runtime)
    lines = [markers.line_of(source, "here")]
    session.launch(str(program.dll), breakpoints={str(source): lines}, env=dict(program.env))
    session.wait_for_stop()
    for expression, value in UNLOADED.items():
        assert session.evaluate(expression, context="hover").result == "runs code: add to watch"
        with pytest.raises(DapRequestError, match="which is not loaded yet"):
            session.evaluate(f"{expression},nse")
        assert session.evaluate(expression).result == value
        assert session.evaluate("text").result == '"1.2.3.4"'
    with pytest.raises(DapRequestError, match="CS0103"):
        session.evaluate("IPAdress.Loopback")
