"""`launchBrowser`: when the browser opens, with what, and what is told when it cannot. The opener is a script."""

from __future__ import annotations

import json
import os
import select
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.fake_debuggee.machine import Machine

LISTENING = "info: Microsoft.Hosting.Lifetime[14]\n      Now listening on: {}\n"
DEADLINE_S = 10.0
SCRIPT = """#!{python}
import json, os, sys
fds = sorted(int(name) for name in os.listdir("/proc/self/fd"))
targets = [os.readlink(f"/proc/self/fd/{{fd}}") for fd in fds if os.path.exists(f"/proc/self/fd/{{fd}}")]
with open({fifo!r}, "w") as told:
    told.write(json.dumps([sys.argv[1:], targets, os.getsid(0) == os.getpid()]) + "\\n")
sys.exit({exit_code})
"""


class Opener:
    """A program that tells what it was started with."""

    def __init__(self, folder: Path, exit_code: int = 0) -> None:
        fifo = folder / "told"
        os.mkfifo(fifo)
        self._fd = os.open(fifo, os.O_RDWR)
        self._text = b""
        self.path = folder / "open it"
        self.path.write_text(SCRIPT.format(python=sys.executable, fifo=str(fifo), exit_code=exit_code))
        self.path.chmod(0o755)

    def close(self) -> None:
        os.close(self._fd)

    def started(self) -> Any:
        """Arguments, what its descriptors are, whether it has a session of its own. Waits for the next start."""
        while b"\n" not in self._text:
            assert select.select([self._fd], [], [], DEADLINE_S)[0], "no browser was opened"
            self._text += os.read(self._fd, 65536)
        line, self._text = self._text.split(b"\n", 1)
        return json.loads(line)

    @property
    def was_started_again(self) -> bool:
        return bool(self._text or select.select([self._fd], [], [], 0)[0])


@pytest.fixture
def opener(tmp_path: Path) -> Iterator[Opener]:
    made = Opener(tmp_path)
    yield made
    made.close()


def by(opener: Opener, **options: Any) -> dict[str, Any]:
    return {"linux": {"command": str(opener.path), **options}}


def writes(*texts: str) -> Callable[[Machine], int]:
    def program(machine: Machine) -> int:
        with machine.call("Main", args=[]):
            for text in texts:
                machine.write(text)
            machine.spin(threading.Event())
        return 0

    return program


def console(session: Any) -> list[str]:
    return [body["output"] for body in session.client.events("output") if body["category"] == "console"]


@pytest.mark.parametrize("is_shown", [True, False])
def test_browser_opens_where_the_program_listens(session_of: Any, opener: Opener, is_shown: bool) -> None:
    with session_of(writes(LISTENING.format("http://localhost:5080"))) as session:
        session.launch(launchBrowser=by(opener), logging={"programOutput": is_shown})
        arguments, descriptors, is_apart = opener.started()
        assert arguments == ["http://localhost:5080"]
        assert descriptors[:3] == ["/dev/null"] * 3
        assert not any(target.startswith(("socket:", "pipe:")) for target in descriptors)
        assert is_apart
        assert not any("launchBrowser" in line for line in console(session))


def test_only_the_first_address_opens_and_restart_opens_again(session_of: Any, opener: Opener) -> None:
    text = LISTENING.format("https://[::]:7001") + LISTENING.format("http://0.0.0.0:5001")
    with session_of(writes(text[:40], text[40:60], text[60:])) as session:
        session.launch(launchBrowser=by(opener))
        assert opener.started()[0] == ["https://localhost:7001"]
        session.client.wait_for("output", where=lambda body: "5001" in body["output"])
        session.client.request("restart")
        assert opener.started()[0] == ["https://localhost:7001"]
        assert not opener.was_started_again


def test_arguments_are_split_before_the_address_is_put_in(session_of: Any, opener: Opener) -> None:
    address = "http://localhost:1/$(id);x&y"
    with session_of(writes(LISTENING.format(address))) as session:
        session.launch(launchBrowser={"args": "--new 'a b' ${auto-detect-url}/swagger", **by(opener)})
        assert opener.started()[0] == ["--new", "a b", address + "/swagger"]


def test_message_to_the_debugger_counts(session_of: Any, opener: Opener) -> None:
    """The output itself may go to a terminal."""

    def program(machine: Machine) -> int:
        with machine.call("Main", args=[]):
            machine.log("Microsoft.Hosting.Lifetime: Information: Now listening on: http://localhost:1")
            machine.spin(threading.Event())
        return 0

    with session_of(program) as session:
        session.launch(launchBrowser=by(opener))
        assert opener.started()[0] == ["http://localhost:1"]


@pytest.mark.parametrize("exit_code", [None, 3])
def test_browser_that_cannot_be_opened_is_told_in_one_line(session_of: Any, tmp_path: Path, exit_code: Any) -> None:
    opener = Opener(tmp_path, exit_code or 0)
    if exit_code is None:
        opener.path.unlink()
    with session_of(writes(LISTENING.format("http://localhost:5080"))) as session:
        session.launch(launchBrowser=by(opener))
        session.client.wait_for("output", where=lambda body: "launchBrowser" in body["output"])
        (line,) = [line for line in console(session) if "launchBrowser" in line]
    opener.close()
    why = "No such file or directory" if exit_code is None else "failed with exit code 3"
    assert why in line
    assert line.endswith("The program is at http://localhost:5080\n")


@pytest.mark.parametrize(
    "attributes",
    [
        {"serverReadyAction": {"action": "openExternally"}},
        {"launchBrowser": {"enabled": False}},
        {"launchBrowser": False},
        {"launchBrowser": None},
    ],
)
def test_no_browser_is_opened(session_of: Any, opener: Opener, attributes: dict[str, Any]) -> None:
    browser = attributes.get("launchBrowser", {})
    browser = {**browser, **by(opener)} if isinstance(browser, dict) else browser
    before = set(threading.enumerate())  # that of a test before may still wait for its opener to end
    with session_of(writes(LISTENING.format("http://localhost:5080"), "after\n")) as session:
        session.launch(**{**attributes, "launchBrowser": browser})
        session.client.wait_for("output", where=lambda body: body["output"].endswith("after\n"))
        assert session.debuggee is not None
        assert "browser" not in [thread.name for thread in threading.enumerate() if thread not in before]
    assert not opener.was_started_again


def test_arguments_that_cannot_be_split_are_told(session_of: Any) -> None:
    with session_of() as session:
        session.launch(launchBrowser={"args": "'"})
        session.client.wait_for_exit()
        assert any(line.startswith("launchBrowser has no effect: its args") for line in console(session))
