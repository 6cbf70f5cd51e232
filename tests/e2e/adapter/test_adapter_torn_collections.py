"""Collections in the middle of a change by another thread: nothing false is shown, and expressions say so."""

from __future__ import annotations

import pytest

from dap_dotnet.client import DapRequestError
from tests.support import programs
from tests.support.dotnet import Runtime
from tests.support.session import Session

pytestmark = pytest.mark.e2e


def test_torn_collections_are_told(runtime: Runtime, session: Session) -> None:
    session.stop_in(programs.build("Torn", runtime), "here")
    frame = session.stack(count=1)[0].id
    for name, variable in session.locals(frame).items():
        children = session.variables(variable.variables_reference, count=20)
        assert len(children) in range(1, 21), name
        numbers = [child.value for child in children if child.name.startswith("[")]
        assert all(number in ("1", "2", "3") for number in numbers), (name, numbers)
        assert name == "ring" or len(numbers) < 4, (name, numbers)
    for expression, words in {
        "tooLong[500]": "System.IndexOutOfRangeException",
        "negative[1]": "System.ArgumentOutOfRangeException",
        "without[1]": "not set to an instance",
        "none[1]": "not set to an instance",
        "tooLong.ToArray()": "The called code threw|zero|not set",
        "new string('x', -1)": "System.ArgumentOutOfRangeException",
    }.items():
        with pytest.raises(DapRequestError, match=words) as refused:
            session.evaluate(expression, frame)
        assert "Internal error" not in refused.value.text
    assert session.evaluate("tooLong[2] + many[1]", frame).result == "5"
