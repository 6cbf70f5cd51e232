"""What a launch configuration amounts to: the program or the project, its arguments, folder and environment."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from dap_dotnet.errors import LaunchError
from dap_dotnet.launching.arguments import DEFAULT_PROFILE, LaunchArguments
from dap_dotnet.launching.dotnet_commands import Start, is_dotnet, take_apart
from dap_dotnet.launching.foreign_paths import local_path
from dap_dotnet.launching.launch_environment import launch_environment
from dap_dotnet.launching.launch_settings import Profile, find_settings, read_profile
from dap_dotnet.launching.programs import default_folder
from dap_dotnet.launching.projects import BuildOptions, Project, find_project


class LaunchPlan(Struct, frozen=True):
    """What is to be started. With a `project` its `program` comes from the build."""

    program: str
    """As the user names it, relative to `working_directory`; for a project the path of its file."""
    project: Project | None
    build: BuildOptions
    arguments: Sequence[str]
    working_directory: str | None
    """None: to be chosen by where the program is."""
    environment: Mapping[str, str]
    """The whole of it."""
    tests: str | None = None
    """Set for a run of tests: which of them, empty for all."""
    remarks: tuple[str, ...] = ()
    """Sentences for the user."""
    launch_url: str = ""
    """The profile's."""


def plan_launch(arguments: LaunchArguments, own: Mapping[str, str] = os.environ) -> LaunchPlan:
    """Read what a configuration says, with the launch profile and the files that it names. Starts nothing.

    Paths are the system's. Raises `LaunchError`.
    """
    cwd = os.path.abspath(os.path.expanduser(arguments.cwd)) if arguments.cwd else None
    start = _start(arguments.program, arguments.args)
    project = _project(cwd, start)
    profile = _profile(arguments, start, cwd, project, own)
    folder = cwd or (str(project.folder) if project is not None else None)
    if profile is not None and profile.executable:
        start = _start(str(_absolute(folder, profile.executable)), start.arguments or profile.arguments)
        if start.tests is not None:
            raise LaunchError(f"The profile '{profile.name}' runs tests. Name their project as testProject.")
        project = _project(folder, start)
    if profile is not None and profile.working_directory and not cwd:
        folder = str(_absolute(folder, profile.working_directory))
    environment = launch_environment(arguments, own, profile.environment if profile is not None else None)
    environment.update({name: value for name, value in start.environment if name not in arguments.env})
    return LaunchPlan(
        program=str(project.path) if project is not None else start.program,
        project=project,
        build=BuildOptions(
            arguments.target_framework or start.framework, arguments.build_configuration or start.configuration
        ),
        arguments=start.arguments or (profile.arguments if profile is not None else ()),
        working_directory=folder,
        environment=environment,
        remarks=(start.remark,) if start.remark else (),
        launch_url=profile.launch_url if profile is not None else "",
    )


def tests_wanted(arguments: LaunchArguments) -> Start | None:
    """The tests that a configuration asks for: `testProject`, or `dotnet test`; else None. Raises `LaunchError`."""
    if arguments.test_project:
        return Start(arguments.test_project, tuple(arguments.args), tests=arguments.test_filter)
    start = _start(arguments.program, arguments.args)
    return start if start.tests is not None else None


def _start(program: str, arguments: Sequence[str]) -> Start:
    return take_apart(arguments) if is_dotnet(program) else Start(program, tuple(arguments))


def _project(folder: str | None, start: Start) -> Project | None:
    return find_project(_absolute(folder, start.program)) if "\0" not in start.program else None


def _absolute(folder: str | None, path: str) -> Path:
    base = folder or os.getcwd()
    return Path(os.path.normpath(os.path.join(base, os.path.expanduser(local_path(path, base)))))


def _profile(
    arguments: LaunchArguments, start: Start, cwd: str | None, project: Project | None, own: Mapping[str, str]
) -> Profile | None:
    name = arguments.launch_settings_profile
    if name == DEFAULT_PROFILE:
        name = start.profile or DEFAULT_PROFILE
    if not name or start.without_profile:
        return None
    if arguments.launch_settings_file_path:
        settings: Path | None = _absolute(cwd, arguments.launch_settings_file_path)
    elif project is not None:
        settings = find_settings(project.folder, project.path)
    else:
        settings = find_settings(Path(cwd or default_folder(_absolute(cwd, start.program), os.getcwd())), None)
    if settings is None:
        return None
    return read_profile(settings, None if name == DEFAULT_PROFILE else name, own)
