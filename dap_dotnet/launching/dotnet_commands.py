"""Command lines of `dotnet` as they stand in configurations (`"program": "dotnet", "args": ["run", …]`), taken apart.

The host and the tools behind it start the program in another process; the debugger starts it itself.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePath

from msgspec import Struct, structs

from dap_dotnet.errors import LaunchError

_NOTHING = ("--no-restore", "--no-build", "--no-self-contained", "--interactive", "--no-dependencies", "--nologo")
_IGNORED = ("-v", "--verbosity")
_REFUSED = ("-a", "--arch", "--os", "-r", "--runtime", "--artifacts-path", "--property", "--sc", "--self-contained")
_WATCH_OPTIONS = ("--no-hot-reload", "--non-interactive", "--quiet", "-q", "--verbose", "--list")
_HOST_OPTIONS = ("--roll-forward", "--fx-version", "--depsfile", "--runtimeconfig", "--additionalprobingpath")


_WATCH_REMARK = "'dotnet watch' is started once, as 'dotnet run': changed sources take effect with the next start."
_REFUSED_TESTS = (*_REFUSED, "-o", "--output", "-t", "--list-tests", "--test-modules")
_WITH_VALUE = (
    *("-s", "--settings", "-l", "--logger", "--results-directory", "-v", "--verbosity", "--collect", "-d", "--diag"),
    *("--test-adapter-path", "--blame-crash-dump-type", "--blame-hang-timeout", "--blame-hang-dump-type"),
)
"""Options of `dotnet test` with a value, which are handed on."""


class Start(Struct, frozen=True):
    """What a command line starts. Empty strings stand for what it does not say."""

    program: str
    """A .dll, a project, a folder or a C# file; relative to the working directory."""
    arguments: tuple[str, ...] = ()
    framework: str = ""
    configuration: str = ""
    profile: str = ""
    without_profile: bool = False
    environment: tuple[tuple[str, str], ...] = ()
    tests: str | None = None
    """Set where it runs tests: which of them; empty for all."""
    remark: str = ""
    """For the user: what is done in another way than the command line says."""


def is_dotnet(program: str) -> bool:
    """Whether a configuration's program is `dotnet` itself."""
    return PurePath(program.strip()).name in ("dotnet", "dotnet.exe")


def take_apart(arguments: Sequence[str]) -> Start:
    """What `dotnet ARGUMENTS` starts. Raises `LaunchError` for what starts no program, or cannot be understood."""
    words = list(arguments)
    command = words.pop(0) if words else ""
    if command == "run":
        return _run(words)
    if command == "watch":
        return _watch(words)
    if command == "test":
        return _test(words)
    if command == "exec" and words:
        command = words.pop(0)
    if command.lower().endswith((".dll", ".exe")):
        return Start(command, tuple(words))
    if command in _HOST_OPTIONS:
        raise LaunchError(
            f"'dotnet {command}' is not supported. Name the .dll as program; env can set DOTNET_ROLL_FORWARD."
        )
    given = f"'dotnet {command}' starts no program to debug" if command else "dotnet alone starts no program"
    raise LaunchError(f"{given}. Name a .dll or a project as program, or use 'run', 'watch', 'exec' or 'test' in args.")


def _watch(words: list[str]) -> Start:
    while words and words[0] in _WATCH_OPTIONS:
        words.pop(0)
    if words and words[0] == "run":
        words.pop(0)
    elif words and words[0] == "test":
        return structs.replace(_test(words[1:]), remark=_WATCH_REMARK.replace("run", "test"))
    elif words and words[0] in ("build", "msbuild"):
        raise LaunchError(f"'dotnet watch {words[0]}' starts no program to debug. Use 'dotnet watch run' in args.")
    return structs.replace(_run(words), remark=_WATCH_REMARK)


def _test(words: list[str]) -> Start:
    """As `dotnet test` reads them: what decides the build is taken out, all else goes to the run."""
    known: dict[str, str] = {}
    environment: list[tuple[str, str]] = []
    rest: list[str] = []
    while words:
        word = words.pop(0)
        if word == "--":
            rest += [word, *words]
            break
        name, mark, value = _divided(word)
        if name in _REFUSED_TESTS or name.startswith(("-p:", "--property:", "/")):
            raise LaunchError(f"'dotnet test {word}' in args is not supported. Build with it, and name the .dll.")
        member = _TEST_OPTIONS.get(name)
        if not mark and (member is not None or name in _WITH_VALUE):
            if not words:
                raise LaunchError(f"'dotnet test {name}' in args needs a value.")
            value = words.pop(0)
        if member == "environment":
            key, _, text = value.partition("=")
            environment.append((key, text))
        elif member is not None:
            known[member] = value
        elif word.startswith("-"):
            if word not in _NOTHING:
                rest += [word, value] if value and not mark else [word]
        elif "program" in known:
            raise LaunchError(f"'dotnet test' in args names both {known['program']} and {word}: name one project.")
        else:
            known["program"] = word
    return Start(
        program=known.get("program", "."),
        arguments=tuple(rest),
        framework=known.get("framework", ""),
        configuration=known.get("configuration", ""),
        environment=tuple(environment),
        tests=known.get("filter", ""),
    )


def _divided(word: str) -> tuple[str, str, str]:
    """An option's name, and what is written behind it with a `=` or `:`."""
    found = re.match(r"(--?[\w-]+)([=:])(.*)", word, re.DOTALL)
    return (found[1], found[2], found[3]) if found is not None else (word, "", "")


def _run(words: list[str]) -> Start:
    """As `dotnet run` reads them: what it does not know goes to the program, and all that follows `--`."""
    known: dict[str, str] = {}
    environment: list[tuple[str, str]] = []
    rest: list[str] = []
    while words:
        word = words.pop(0)
        if word == "--":
            rest += words
            break
        name, has_value, value = word.partition("=") if word.startswith("-") else (word, "", "")
        if name in _REFUSED or name.startswith(("-p:", "--property:")):
            raise LaunchError(
                f"'dotnet run {word}' in args is not supported. Build with it, and name the .dll as program."
            )
        member = _OPTIONS.get(name)
        if word == "--no-launch-profile":
            known["without_profile"] = "yes"
        elif member is not None:
            if not has_value and not words:
                raise LaunchError(f"'dotnet run {name}' in args needs a value.")
            value = value if has_value else words.pop(0)
            if member == "environment":
                key, _, text = value.partition("=")
                environment.append((key, text))
            else:
                known[member] = value
        elif name in _IGNORED:
            if not has_value and words:
                words.pop(0)
        elif word not in _NOTHING:
            rest.append(word)
    if "program" not in known and rest and rest[0].endswith(".cs"):
        known["program"] = rest.pop(0)
    return Start(
        program=known.get("program", "."),
        arguments=tuple(rest),
        framework=known.get("framework", ""),
        configuration=known.get("configuration", ""),
        profile=known.get("profile", ""),
        without_profile="without_profile" in known,
        environment=tuple(environment),
    )


_TEST_OPTIONS = {
    **dict.fromkeys(("--project", "--solution"), "program"),
    **dict.fromkeys(("-c", "--configuration"), "configuration"),
    **dict.fromkeys(("-f", "--framework"), "framework"),
    **dict.fromkeys(("-e", "--environment"), "environment"),
    "--filter": "filter",
}
"""Options of `dotnet test` with a value, and what is made of it."""
_OPTIONS = {
    **dict.fromkeys(("--project", "-p", "--file"), "program"),
    **dict.fromkeys(("-c", "--configuration"), "configuration"),
    **dict.fromkeys(("-f", "--framework"), "framework"),
    **dict.fromkeys(("-lp", "--launch-profile"), "profile"),
    **dict.fromkeys(("-e", "--environment"), "environment"),
}
"""Options of `dotnet run` with a value, and what is made of it."""
