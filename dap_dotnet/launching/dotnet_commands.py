"""Command lines of `dotnet` as they stand in configurations (`"program": "dotnet", "args": ["run", …]`), taken apart.

The host and the tools behind it start the program in another process; the debugger starts it itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

from msgspec import Struct, structs

from dap_dotnet.errors import LaunchError

_NOTHING = ("--no-restore", "--no-build", "--no-self-contained", "--interactive", "--no-dependencies", "--nologo")
_IGNORED = ("-v", "--verbosity")
_REFUSED = ("-a", "--arch", "--os", "-r", "--runtime", "--artifacts-path", "--property", "--sc", "--self-contained")
_WATCH_OPTIONS = ("--no-hot-reload", "--non-interactive", "--quiet", "-q", "--verbose", "--list")
_HOST_OPTIONS = ("--roll-forward", "--fx-version", "--depsfile", "--runtimeconfig", "--additionalprobingpath")


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
    if command == "exec" and words:
        command = words.pop(0)
    if command.lower().endswith((".dll", ".exe")):
        return Start(command, tuple(words))
    if command in _HOST_OPTIONS:
        raise LaunchError(
            f"'dotnet {command}' is not understood. Name the .dll as program; env can set DOTNET_ROLL_FORWARD."
        )
    given = f"'dotnet {command}' starts no program to debug" if command else "dotnet alone starts no program"
    raise LaunchError(f"{given}. Name a .dll or a project as program, or use 'run', 'watch' or 'exec' in args.")


def _watch(words: list[str]) -> Start:
    while words and words[0] in _WATCH_OPTIONS:
        words.pop(0)
    if words and words[0] == "run":
        words.pop(0)
    elif words and words[0] in ("test", "build", "msbuild"):
        raise LaunchError(f"'dotnet watch {words[0]}' starts no program to debug. Use 'dotnet watch run' in args.")
    remark = "'dotnet watch' is started once, as 'dotnet run': changed sources take effect with the next start."
    found = _run(words)
    return structs.replace(found, remark=remark)


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
                f"'dotnet run {word}' in args is not understood. Build with it, and name the .dll as program."
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


_OPTIONS = {
    **dict.fromkeys(("--project", "-p", "--file"), "program"),
    **dict.fromkeys(("-c", "--configuration"), "configuration"),
    **dict.fromkeys(("-f", "--framework"), "framework"),
    **dict.fromkeys(("-lp", "--launch-profile"), "profile"),
    **dict.fromkeys(("-e", "--environment"), "environment"),
}
"""Options of `dotnet run` with a value, and what is made of it."""
