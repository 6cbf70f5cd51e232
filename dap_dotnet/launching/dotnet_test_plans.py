"""What a launch of tests amounts to: the project that is built, and then the command that runs its tests."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path

from msgspec import structs

from dap_dotnet.errors import LaunchError
from dap_dotnet.launching.arguments import LaunchArguments
from dap_dotnet.launching.dotnet_commands import Start
from dap_dotnet.launching.launch_environment import launch_environment
from dap_dotnet.launching.plans import LaunchPlan
from dap_dotnet.launching.projects import BuildOptions, find_test_project
from dap_dotnet.launching.vstest_hosts import filter_arguments, platform_command, runs_itself
from dap_dotnet.launching.vstest_settings import run_options
from dap_dotnet.runtime.model import LaunchSpec, TestRun

_XUNIT_ADAPTER = "xunit.runner.visualstudio.testadapter.dll"


def plan_tests(arguments: LaunchArguments, start: Start, own: Mapping[str, str] = os.environ) -> LaunchPlan:
    """As `plans.plan_launch`, for `start`, whose program is a project of tests or a .dll. Raises `LaunchError`."""
    cwd = os.path.abspath(os.path.expanduser(arguments.cwd)) if arguments.cwd else None
    path = Path(os.path.normpath(os.path.join(cwd or os.getcwd(), os.path.expanduser(start.program))))
    project = find_test_project(path)
    if project is None and not (path.suffix.lower() == ".dll" and os.path.isfile(path)):
        raise LaunchError(f"There are no tests at {path}. Name a project, a folder or solution with one, or a .dll.")
    environment = launch_environment(arguments, own)
    environment.update({name: value for name, value in start.environment if name not in arguments.env})
    return LaunchPlan(
        program=str(project.path if project is not None else path),
        project=project,
        build=BuildOptions(
            arguments.target_framework or start.framework, arguments.build_configuration or start.configuration
        ),
        arguments=start.arguments,
        working_directory=cwd or str(path if os.path.isdir(path) else path.parent),
        environment=environment,
        tests=arguments.test_filter or start.tests or "",
        remarks=tuple(_remarks(arguments, start)),
    )


def tests_to_start(plan: LaunchPlan, assembly: Path, resolve: Callable[[LaunchPlan, Path], LaunchSpec]) -> LaunchSpec:
    """How to run the tests in an assembly: by the test platform's host, or as the program that they are.

    `resolve` finds out how to start a program. Raises `LaunchError`.
    """
    if runs_itself(assembly):
        arguments = [*filter_arguments(assembly, plan.tests or ""), *plan.arguments]
        return resolve(structs.replace(plan, arguments=arguments), assembly)
    folder = plan.working_directory or os.getcwd()
    own = plan.project.run_settings() if plan.project is not None else None
    options = run_options(plan.arguments, folder, own)
    return LaunchSpec(
        (*platform_command(plan.environment), *options.console_arguments),
        folder,
        plan.environment,
        ends_children=True,
        tests=TestRun(str(assembly), plan.tests or "", options.settings, plan.build.framework),
    )


def remark_on_filter(assembly: Path, test_filter: str) -> str | None:
    """A warning of a filter that finds nothing, after which a run ends as if it had passed; None: nothing is known.

    xunit's adapter (xunit.runner.visualstudio) has no property Name, which others have.
    """
    has_name = re.search(r"(?<!\w)Name\s*!?[=~]", test_filter, re.IGNORECASE) is not None
    if not has_name or not (assembly.parent / _XUNIT_ADAPTER).is_file():
        return None
    return (
        "The filter names the property Name, which tests of xunit have only as a trait: DisplayName and "
        "FullyQualifiedName find tests by their names."
    )


def _remarks(arguments: LaunchArguments, start: Start) -> list[str]:
    found = [start.remark] if start.remark else []
    if arguments.stops_at_entry:
        found.append("'stopAtEntry' has no effect on tests: set a breakpoint in a test.")
    if arguments.chosen_console != "internalConsole":
        found.append("Tests run in the debug console, not in a terminal.")
    return found
