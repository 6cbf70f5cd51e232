"""What calls omit and the compiler adds: the text of arguments, where the call stands, defaults. And constants."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import markers
from tests.support.differential import differences
from tests.support.dotnet import Runtime
from tests.support.session import Session

pytestmark = pytest.mark.e2e


@pytest.mark.timeout(300)
def test_parameters_for_the_caller_are_passed_as_the_compiler_does(
    runtime: Runtime, session: Session, tmp_path: Path
) -> None:
    if runtime.major in ("3.1", "5.0"):
        pytest.skip("the program is of C# 10")
    wrong = differences("Callers", runtime, session, tmp_path)
    assert not wrong, "\n".join(wrong)
    source = tmp_path / "Callers" / "Program.cs"
    assert session.evaluate("Log.Line()").result == str(markers.line_of(source, "here"))
    assert session.evaluate("Log.File()").result == f'"{source}"'
    locals_ = session.locals()
    shown = {name: (locals_[name].value, locals_[name].type) for name in ("price", "day", "many")}
    assert shown == {"price": ("1.50", "decimal"), "day": ("Monday", "DayOfWeek"), "many": ("-4", "long")}
