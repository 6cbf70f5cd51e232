"""What the debug console shows besides the program's output, and what it says of a configuration."""

from __future__ import annotations

from typing import Any

import pytest

from tests.session.harness import add_up


def console(session: Any) -> list[str]:
    return [body["output"] for body in session.client.events("output") if body["category"] == "console"]


def test_modules_and_exit_code_are_told_by_default(session_of: Any) -> None:
    with session_of(add_up) as session:
        session.launch(logging={})
        session.client.wait_for_exit()
        lines = console(session)
    assert any(line.startswith("Loaded '") and line.endswith("Sample.dll'. Symbols loaded.\n") for line in lines)
    assert lines[-1].endswith("Sample.dll' has exited with code 6 (0x6).\n")


def test_logging_switches_off_what_it_names(session_of: Any) -> None:
    with session_of(add_up) as session:
        session.launch(logging={"moduleLoad": False, "processExit": False, "programOutput": False})
        session.client.wait_for_exit()
        assert console(session) == []
        assert session.client.events("output") == []


def test_unknown_attribute_does_not_refuse_a_launch(session_of: Any) -> None:
    with session_of(add_up) as session:
        session.launch(stopAtEntri=True)
        session.client.wait_for_exit()
        assert "Did you mean 'stopAtEntry'?\n" in console(session)[0]


@pytest.mark.parametrize("name", ["stopAtEntry", "stopOnEntry"])
def test_stop_at_entry_has_two_names(session_of: Any, name: str) -> None:
    with session_of(add_up) as session:
        session.launch(**{name: True})
        assert session.client.wait_for_stop().reason == "entry"
        session.client.continue_()
        session.client.wait_for_exit()


def test_client_that_draws_the_console_as_warnings_has_only_warnings_there(session_of: Any) -> None:
    with session_of(add_up) as session:
        session.client.initialize(clientID="vscode")
        session.launch(stopAtEntri=True, logging={})
        session.client.wait_for_exit()
        lines = {body["output"]: body.get("category") for body in session.client.events("output")}
    plain = [text for text, category in lines.items() if category is None]
    assert [text.split(" ", 1)[0] for text in plain] == ["Loaded"] * (len(plain) - 1) + ["The"], lines
    assert plain[-1].endswith("has exited with code 6 (0x6).\n")
    assert [text for text, category in lines.items() if category == "console"] == [
        text for text in lines if "Did you mean 'stopAtEntry'?" in text
    ]
