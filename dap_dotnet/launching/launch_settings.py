"""launchSettings.json: the profiles with which `dotnet run` starts a program."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct

from dap_dotnet.errors import LaunchError
from dap_dotnet.launching.plain_files import open_to_read

_STARTED = ("project", "executable")
"""Kinds of profiles that `dotnet run` starts itself."""
_LARGEST_BYTES = 1 << 20
# What has no end goes to that of the file: searched for from each of its beginnings, it would take for ever.
_TEXT = r'("[^"\\]*(?:\\.[^"\\]*)*"?)'
_COMMENT = re.compile(_TEXT + r"|//[^\n]*|/\*.*?(\*/|\Z)", re.DOTALL)
_TRAILING_COMMA = re.compile(_TEXT + r"|,(?=\s*[}\]])", re.DOTALL)


class Profile(Struct, frozen=True):
    """A profile. Empty strings stand for what it does not say."""

    name: str
    arguments: tuple[str, ...] = ()
    environment: Mapping[str, str] = {}
    """With the variables for its name and its addresses, as `dotnet run` sets them."""
    executable: str = ""
    """Only of profiles for other programs than the project's own."""
    working_directory: str = ""
    launch_url: str = ""
    """The page to begin with: an address, or a path at the program's own."""


def find_settings(folder: Path, project: Path | None) -> Path | None:
    """The file for a project, or for a program in the working directory `folder`; None where there is none."""
    names = ["Properties/launchSettings.json"]
    if project is not None and project.suffix == ".vbproj":
        names = ["My Project/launchSettings.json"]
    elif project is not None and project.suffix == ".cs":
        names = [f"{project.stem}.run.json", *names]
    return next((folder / name for name in names if os.path.isfile(folder / name)), None)


def read_profile(path: Path, name: str | None, variables: Mapping[str, str]) -> Profile | None:
    """The profile with this name (in any letter case); with None the first that can be started, None without one.

    `%NAME%` in its environment is replaced from `variables`. Raises `LaunchError` for a file that cannot be read, and
    for a name that is not there or is of another kind.
    """
    profiles = _profiles(path)
    if name is None:
        return next((_profile(key, found, variables) for key, found in profiles.items() if _can_start(found)), None)
    key = next((known for known in profiles if known.lower() == name.lower()), None)
    startable = [known for known, found in profiles.items() if _can_start(found)]
    if key is None:
        import difflib

        close = difflib.get_close_matches(name, startable, n=1)
        hint = f" Did you mean '{close[0]}'?" if close else ""
        raise LaunchError(f"{path} has no profile '{name}'; it has {', '.join(profiles) or 'none'}.{hint}")
    if key not in startable:
        kind = profiles[key].get("commandName")
        others = f" Use one of {', '.join(startable)}." if startable else ""
        raise LaunchError(f"The profile '{key}' of {path} has the type {kind}, which needs another tool.{others}")
    return _profile(key, profiles[key], variables)


def split_arguments(line: str) -> list[str]:
    r"""Split `commandLineArgs` as .NET does: double quotes hold together, and a backslash only escapes a quote."""
    found: list[str] = []
    current: list[str] = []
    """Empty between two arguments."""
    is_quoted = False
    for slashes, character in re.findall(r"(\\*)([^\\]?)", line):
        text = slashes + character
        if character == '"':
            text = "\\" * (len(slashes) // 2) + '"' * (len(slashes) % 2)
            is_quoted ^= len(slashes) % 2 == 0
        elif character.isspace() and not is_quoted:
            text = slashes
        if text or character == '"':
            current.append(text)
        if character.isspace() and not is_quoted and current:
            found.append("".join(current))
            current = []
    return [*found, "".join(current)] if current else found


def _profiles(path: Path) -> dict[str, dict[str, Any]]:
    try:
        with open_to_read(path) as file:
            content = file.read(_LARGEST_BYTES + 1)
        if len(content) > _LARGEST_BYTES:
            raise LaunchError(f"{path} has more than 1 MB. Correct launchSettingsFilePath.")
        text = content.decode("utf-8-sig")
        profiles = json.loads(_without_comments(text))["profiles"]
        return {str(name): profile for name, profile in profiles.items() if isinstance(profile, dict)}
    except OSError as error:
        raise LaunchError(f"{path} cannot be read: {error.strerror}. Correct launchSettingsFilePath.") from error
    except (UnicodeDecodeError, RecursionError) as error:
        raise LaunchError(f"{path} is not a launchSettings.json.") from error
    except json.JSONDecodeError as error:
        raise LaunchError(
            f"{path} is not valid JSON: line {error.lineno}, column {error.colno}: {error.msg}."
        ) from error
    except (KeyError, TypeError, AttributeError) as error:
        raise LaunchError(f"{path} has no profiles. Correct launchSettingsFilePath.") from error


def _without_comments(text: str) -> str:
    """Blank out comments and trailing commas, which .NET takes; lines and columns stay."""

    def blank(found: re.Match[str]) -> str:
        is_open = found[0].startswith("/*") and not found[2]
        return found[0] if found[1] or is_open else re.sub(r"[^\n]", " ", found[0])

    return _TRAILING_COMMA.sub(blank, _COMMENT.sub(blank, text))


def _can_start(profile: Mapping[str, Any]) -> bool:
    return str(profile.get("commandName", "")).lower() in _STARTED


def _profile(name: str, found: Mapping[str, Any], variables: Mapping[str, str]) -> Profile:
    def text(key: str) -> str:
        value = found.get(key)
        return value if isinstance(value, str) else ""

    environment = {"DOTNET_LAUNCH_PROFILE": name}
    if text("applicationUrl"):
        environment["ASPNETCORE_URLS"] = text("applicationUrl")
    of_profile = found.get("environmentVariables")
    for key, value in of_profile.items() if isinstance(of_profile, dict) else ():
        environment[str(key)] = _expanded(value if isinstance(value, str) else json.dumps(value), variables)
    is_executable = str(found.get("commandName")).lower() == "executable"
    return Profile(
        name,
        tuple(split_arguments(text("commandLineArgs"))),
        environment,
        _expanded(text("executablePath"), variables) if is_executable else "",
        _expanded(text("workingDirectory"), variables),
        text("launchUrl"),
    )


def _expanded(text: str, variables: Mapping[str, str]) -> str:
    return re.sub(r"%([^%]+)%", lambda found: variables.get(found[1], found[0]), text)
