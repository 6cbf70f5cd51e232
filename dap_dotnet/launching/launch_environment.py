"""The environment that a launch gives to its program."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from dap_dotnet.launching.arguments import LaunchArguments
from dap_dotnet.launching.env_file import read_env_file


def launch_environment(
    arguments: LaunchArguments, own: Mapping[str, str] = os.environ, of_profile: Mapping[str, str] | None = None
) -> dict[str, str]:
    """The whole environment: our `own`, then the launch profile's, then `envFile`, then `env`. Raises LaunchError."""
    environment = {**own, **(of_profile or {})}
    if arguments.env_file:
        folder = os.path.expanduser(arguments.cwd) if arguments.cwd else os.getcwd()
        environment.update(read_env_file(Path(folder, os.path.expanduser(arguments.env_file))))
    for name, value in arguments.env.items():
        if value is None:
            environment.pop(name, None)
        else:
            environment[name] = value
    return environment
