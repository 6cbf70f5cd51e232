"""A headless Chromium, driven by its DevTools protocol over a pipe: what a person sees of VS Code in a browser."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import TracebackType
from typing import Any

_OPTIONS = (
    *("--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-dev-shm-usage"),
    *("--window-size=1280,800", "--remote-debugging-pipe", "about:blank"),
)
# Chromium reads commands from descriptor 3 and writes answers to 4.
_START = (
    "import os, sys; r, w = map(int, sys.argv[1:3]); os.dup2(r, 3); os.dup2(w, 4); os.execv(sys.argv[3], sys.argv[3:])"
)
_CALL_S = 30.0
_KEYS = {"Enter": 13, "Escape": 27, "ArrowRight": 39, **{f"F{number}": 111 + number for number in range(1, 13)}}
_MODIFIERS = {"Alt": 1, "Control": 2, "Meta": 4, "Shift": 8}

_WAIT = """
new Promise((resolve, reject) => {
    const end = Date.now() + %d;
    const look = () => {
        const value = (() => { try { return (%s); } catch { return undefined; } })();
        if (value || Date.now() > end) {
            clearInterval(timer);
            value ? resolve(value) : reject(new Error("not within the time"));
        }
    };
    const timer = setInterval(look, 50);
    look();
})
"""


class BrowserError(Exception):
    """Chromium refused a call, ended, or did not answer in time."""


class Browser:
    """One Chromium with one page. For one thread."""

    def __init__(self, program: str, folder: Path) -> None:
        """Start it with its profile in `folder`."""
        from_us, self._to_browser = os.pipe()
        self._from_browser, to_us = os.pipe()
        command = [program, f"--user-data-dir={folder / 'chromium'}", *_OPTIONS]
        with (folder / "chromium.log").open("wb") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-c", _START, str(from_us), str(to_us), *command],
                pass_fds=(from_us, to_us),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        os.close(from_us)
        os.close(to_us)
        self._received = b""
        self._last_id = 0
        self._session: str | None = None

    def __enter__(self) -> Browser:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self._to_browser)
        os.close(self._from_browser)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def open(self, address: str) -> None:
        """Go to an address, on the page that is there."""
        targets = self._call("Target.getTargets")["targetInfos"]
        (page,) = [target["targetId"] for target in targets if target["type"] == "page"]
        self._session = self._call("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
        self._call("Page.navigate", url=address)

    def wait_for(self, condition: str, what: str, timeout_s: float = 30.0) -> Any:
        """The value of a JavaScript expression as soon as it is true. Raises AssertionError that names `what`."""
        expression = _WAIT % (timeout_s * 1000, condition)
        answer = self._call(
            "Runtime.evaluate", timeout_s + _CALL_S, expression=expression, awaitPromise=True, returnByValue=True
        )
        assert "exceptionDetails" not in answer, f"{what} did not come within {timeout_s:g} s; the page:\n{self.text()}"
        return answer["result"].get("value")

    def text(self) -> str:
        """What the page shows, roughly."""
        answer = self._call("Runtime.evaluate", expression="document.body.innerText", returnByValue=True)
        return str(answer["result"].get("value", ""))

    def press(self, combination: str) -> None:
        """Press and release keys such as `F5` or `Control+G`."""
        *modifiers, key = combination.split("+")
        bits = sum(_MODIFIERS[modifier] for modifier in modifiers)
        is_letter = len(key) == 1
        event: dict[str, Any] = {
            "key": key.lower() if is_letter else key,
            "code": f"Key{key.upper()}" if is_letter else key,
            "windowsVirtualKeyCode": ord(key.upper()) if is_letter else _KEYS[key],
            "modifiers": bits,
        }
        self._call("Input.dispatchKeyEvent", type="rawKeyDown", **event)
        self._call("Input.dispatchKeyEvent", type="keyUp", **event)

    def click(self, element: str, what: str, timeout_s: float = 30.0) -> None:
        """Click in the middle of the element that a JavaScript expression gives, once it is there."""
        x, y = self.hover(element, what, timeout_s)
        for event in ("mousePressed", "mouseReleased"):
            self._call("Input.dispatchMouseEvent", type=event, x=x, y=y, button="left", clickCount=1)

    def hover(self, element: str, what: str, timeout_s: float = 30.0) -> tuple[float, float]:
        """Move the mouse to the middle of an element, once it is there; where that is."""
        middle = "box => box.width > 0 && [box.x + box.width / 2, box.y + box.height / 2]"
        x, y = self.wait_for(f"({middle})(({element}).getBoundingClientRect())", what, timeout_s)
        self._call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
        return x, y

    def type(self, text: str) -> None:
        """Put text where the cursor is."""
        self._call("Input.insertText", text=text)

    def _call(self, method: str, timeout_s: float = _CALL_S, **parameters: Any) -> dict[str, Any]:
        self._last_id += 1
        message: dict[str, Any] = {"id": self._last_id, "method": method, "params": parameters}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._to_browser, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + timeout_s
        while True:
            answer = self._next(deadline, method)
            if answer.get("id") == self._last_id:  # others are events
                break
        if "error" in answer:
            raise BrowserError(f"{method}: {answer['error']}")
        result: dict[str, Any] = answer["result"]
        return result

    def _next(self, deadline: float, waiting_for: str) -> dict[str, Any]:
        while b"\0" not in self._received:
            ready, _, _ = select.select([self._from_browser], [], [], max(0.0, deadline - time.monotonic()))
            chunk = os.read(self._from_browser, 1 << 16) if ready else b""
            if not chunk:
                raise BrowserError(f"{waiting_for}: Chromium {'did not answer in time' if not ready else 'has ended'}.")
            self._received += chunk
        message, _, self._received = self._received.partition(b"\0")
        decoded: dict[str, Any] = json.loads(message)
        return decoded
