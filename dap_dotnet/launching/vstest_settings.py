"""The run settings of a test run (.runsettings), out of a file and of options of `dotnet test`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from xml.etree import ElementTree

from msgspec import Struct

from dap_dotnet.errors import LaunchError

_IGNORED = ("--nologo", "--no-build", "--no-restore", "--interactive", "--no-dependencies")
_WITH_VALUE = frozenset(
    ["-s", "--settings", "-d", "--diag", "-l", "--logger", "--results-directory", "--test-adapter-path"]
)
_IGNORED_WITH_VALUE = ("-v", "--verbosity")


class RunOptions(Struct, frozen=True):
    """What options of `dotnet test` amount to."""

    settings: str
    """The XML."""
    console_arguments: tuple[str, ...] = ()
    """For the test platform's program."""


def run_options(arguments: Sequence[str], folder: str, settings_file: str | None = None) -> RunOptions:
    """The settings and options for `arguments`, whose paths are relative to `folder`. Raises `LaunchError`.

    `settings_file` is the project's own, where `arguments` name none.
    """
    words = list(arguments)
    inline: list[str] = []
    if "--" in words:
        split = words.index("--")
        words, inline = words[:split], words[split + 1 :]
    file = settings_file
    console: list[str] = []
    paths: list[tuple[str, str]] = []
    loggers: list[str] = []
    while words:
        word = words.pop(0)
        name, mark, value = word.partition("=") if word.startswith("--") else (word, "", "")
        if name in _IGNORED:
            continue
        if name not in _WITH_VALUE and name not in _IGNORED_WITH_VALUE:
            raise LaunchError(
                f"The option {word} of dotnet test is not supported when its tests are debugged. Leave it out of args; "
                "--settings names a file with further settings."
            )
        if not mark:
            if not words:
                raise LaunchError(f"'dotnet test {name}' in args needs a value.")
            value = words.pop(0)
        if name in ("-s", "--settings"):
            file = os.path.join(folder, value)
        elif name in ("-d", "--diag"):
            console.append(f"--diag:{os.path.join(folder, value)}")
        elif name in ("-l", "--logger"):
            loggers.append(value)
        elif name == "--results-directory":
            paths.append(("ResultsDirectory", os.path.join(folder, value)))
        elif name == "--test-adapter-path":
            paths.append(("TestAdaptersPaths", os.path.join(folder, value)))
    root = _read(file)
    for element, value in paths:
        _set(root, ["RunConfiguration", element], value)
    for logger in loggers:
        _add_logger(root, logger)
    for assignment in inline:
        path, mark, value = assignment.partition("=")
        if not mark or not path:
            raise LaunchError(f"'{assignment}' after -- in args is no run setting: write NAME.NAME=VALUE.")
        _set(root, path.split("."), value)
    _set(root, ["RunConfiguration", "BatchSize"], "1")  # each result when it is there, not ten at a time
    return RunOptions(ElementTree.tostring(root, encoding="unicode"), tuple(console))


def _read(file: str | None) -> ElementTree.Element:
    if file is None:
        return ElementTree.Element("RunSettings")
    try:
        root = ElementTree.parse(file).getroot()
    except (OSError, ElementTree.ParseError) as error:
        raise LaunchError(f"The run settings {file} cannot be read: {error}.") from error
    if root.tag != "RunSettings":
        raise LaunchError(f"{file} has no run settings: its root is {root.tag}, not RunSettings.")
    return root


def _set(root: ElementTree.Element, path: Sequence[str], value: str) -> None:
    element = root
    for name in path:
        child = element.find(name)
        element = ElementTree.SubElement(element, name) if child is None else child
    element.text = value


def _add_logger(root: ElementTree.Element, logger: str) -> None:
    name, *parameters = logger.split(";")
    run = root.find("LoggerRunSettings")
    run = ElementTree.SubElement(root, "LoggerRunSettings") if run is None else run
    loggers = run.find("Loggers")
    loggers = ElementTree.SubElement(run, "Loggers") if loggers is None else loggers
    attributes = {"uri" if "://" in name else "friendlyName": name, "enabled": "True"}
    element = ElementTree.SubElement(loggers, "Logger", attributes)
    for parameter in parameters:
        key, _, value = parameter.partition("=")
        configuration = element.find("Configuration")
        configuration = ElementTree.SubElement(element, "Configuration") if configuration is None else configuration
        ElementTree.SubElement(configuration, key).text = value
