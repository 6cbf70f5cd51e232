"""The browser that opens once a web program listens: `launchBrowser`.

ASP.NET Core says where it listens in a line of its log, which comes on the standard output, or as a message to the
debugger where the output goes to a terminal. The browser is opened by a program of its own, without a shell: nothing
that the debuggee writes is read as a command.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import threading
from collections.abc import Callable
from urllib.parse import urljoin, urlsplit

from dap_dotnet.launching.arguments import LaunchArguments
from dap_dotnet.launching.option_groups import BrowserCommand, LaunchBrowser

URL_VARIABLE = "${auto-detect-url}"
_PAGE_VARIABLE = "${page}"
_LISTENING = re.compile(r"Now listening on:\s*[\"']?(https?://[A-Za-z0-9._~:/?#\[\]@!$&()*+,;=%-]+)")
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
_OPENERS = {"darwin": "open"}
_MAX_LINE = 4096
"""How much of a line that has not ended is kept, in characters."""
_FAILS_WITHIN_S = 15.0
"""An opener that ends later was the browser itself, and its exit code is not news."""


class BrowserOpener:
    """Opens the browser once, at the first line that names an address. Not thread-safe, but for `report`'s thread."""

    def __init__(self, command: list[str], report: Callable[[str], None], page: str = "") -> None:
        """`command`: the words of the opener, with `URL_VARIABLE` in them. `report` gets one line, on any thread.

        `page`: the profile's `launchUrl`.
        """
        self._command = command
        self._report = report
        self._page = page
        self._unfinished: dict[str, str] = {}
        self._is_done = False

    def written(self, stream: str, text: str) -> None:
        """The program wrote `text`, from somewhere in a line to somewhere in a line of `stream`."""
        if self._is_done:
            return
        text = self._unfinished.get(stream, "") + text
        end = text.rfind("\n") + 1
        self._unfinished[stream] = text[end:][:_MAX_LINE]
        url = listening_at(text[:end])
        if url is not None:
            self._is_done = True
            self._unfinished.clear()
            threading.Thread(target=self._open, args=(url,), name="browser", daemon=True).start()

    def _open(self, url: str) -> None:
        page = page_at(url, self._page)
        command = [page if word == _PAGE_VARIABLE else word.replace(URL_VARIABLE, url) for word in self._command]
        try:
            opener = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            self._report(f"No browser was opened (launchBrowser): {command[0]}: {reason}. The program is at {url}")
            return
        try:
            exit_code = opener.wait(_FAILS_WITHIN_S)
        except subprocess.TimeoutExpired:
            opener.wait()
            return
        if exit_code:
            self._report(
                f"No browser was opened (launchBrowser): {command[0]} failed with exit code {exit_code}. "
                f"The program is at {url}"
            )


def opener_of(arguments: LaunchArguments, report: Callable[[str], None], page: str = "") -> BrowserOpener | None:
    """What opens the browser that a configuration asks for; None where it asks for none, or the client opens it.

    `page`: the profile's `launchUrl`, opened unless the configuration says what. `report` gets a line when it cannot be
    opened, on any thread.
    """
    asked = LaunchBrowser() if arguments.launch_browser is True else arguments.launch_browser
    if not isinstance(asked, LaunchBrowser) or not asked.enabled or arguments.server_ready_action:
        return None
    ours: BrowserCommand = {"darwin": asked.osx, "win32": asked.windows}.get(sys.platform, asked.linux)
    program = ours.command.strip() or _OPENERS.get(sys.platform, "xdg-open")
    try:
        return BrowserOpener([program, *_words(ours.args or asked.args or [_PAGE_VARIABLE])], report, page)
    except ValueError as error:
        report(f"launchBrowser has no effect: its args cannot be split as a shell would: {error}.")
        return None


def page_at(url: str, page: str) -> str:
    """The address of a `launchUrl` of a program that listens at `url`; `url` itself where it is none for a browser."""
    try:
        joined = urljoin(f"{url}/", page) if page else url
    except ValueError:
        return url
    return joined if joined.startswith(("http://", "https://")) else url


def listening_at(text: str) -> str | None:
    """The first address in lines of output that a browser can open; None if there is none.

    An address that stands for all of the machine's becomes localhost.
    """
    for match in _LISTENING.finditer(_COLOURS.sub("", text)) if "Now listening on:" in text else ():
        url = match.group(1)
        try:
            parts = urlsplit(url)
            host, port = parts.hostname, parts.port
        except ValueError:
            continue
        if not host or parts.netloc == "unix:" or parts.username is not None:
            continue
        if host in ("0.0.0.0", "::", "+", "*"):
            url = parts._replace(netloc="localhost" if port is None else f"localhost:{port}").geturl()
        return url
    return None


def _words(args: list[str] | str) -> list[str]:
    return shlex.split(args) if isinstance(args, str) else list(args)
