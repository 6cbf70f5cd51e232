"""From a path that a user calls the program to the project that is built for it."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from dap_dotnet.errors import LaunchError

if TYPE_CHECKING:
    from xml.etree import ElementTree

PROJECT_SUFFIXES = (".csproj", ".fsproj", ".vbproj")
SOLUTION_SUFFIXES = (".sln", ".slnx")
_FILTER_SUFFIX = ".slnf"
_NAMED_SUFFIXES = (*SOLUTION_SUFFIXES, _FILTER_SUFFIX)
"""Of solutions; a filter counts where it is named, not where its folder is."""
_PROJECT_OF_SOLUTION = re.compile(r'^\s*Project\("[^"]*"\)\s*=\s*"[^"]*",\s*"([^"]+)"', re.MULTILINE)
_PROGRAM_SDKS = ("Microsoft.NET.Sdk.Web", "Microsoft.NET.Sdk.Worker", "Microsoft.NET.Sdk.BlazorWebAssembly")
_TEST_PACKAGES = frozenset(["microsoft.net.test.sdk", "mstest", "tunit", "xunit.v3"])
_TEST_SDK = "MSTest.Sdk"


class BuildOptions(Struct, frozen=True):
    """Which of a project's outputs is wanted; empty means the project's own default."""

    framework: str = ""
    configuration: str = ""

    def to_arguments(self) -> list[str]:
        """For `dotnet build`."""
        framework = ["-f", self.framework] if self.framework else []
        return framework + (["-c", self.configuration] if self.configuration else [])


class Project(Struct, frozen=True):
    """What `dotnet build` takes: a project file, or a C# file that is a program by itself."""

    path: Path

    @property
    def folder(self) -> Path:
        """Where it lies."""
        return self.path.parent

    @property
    def names(self) -> tuple[str, ...]:
        """What MSBuild calls it: versions differ for a C# file."""
        return (self.path.stem, self.path.name) if self.is_file_based else (self.path.stem,)

    @property
    def is_file_based(self) -> bool:
        """Whether it is a C# file without a project."""
        return self.path.suffix.lower() == ".cs"

    def frameworks(self) -> list[str]:
        """What `TargetFrameworks` lists in the project file itself; empty where it is not there, or computed."""
        text = _property(self.path, "TargetFrameworks")
        return [name.strip() for name in text.split(";") if name.strip()] if "$(" not in text else []

    def is_program(self) -> bool:
        """Whether the project file says that it makes a program, and not one of tests."""
        if self.is_file_based:
            return True
        root = _root(self.path)
        if root is None or self.is_test():
            return False
        is_executable = _property(self.path, "OutputType").lower() in ("exe", "winexe")
        return is_executable or root.get("Sdk", "").partition("/")[0] in _PROGRAM_SDKS

    def is_test(self) -> bool:
        """Whether the project file says that it contains tests."""
        packages = [str(item.get("Include", "")).lower() for item in _elements(self.path, "PackageReference")]
        root = _root(self.path)
        has_sdk = root is not None and root.get("Sdk", "").partition("/")[0] == _TEST_SDK
        return has_sdk or not _TEST_PACKAGES.isdisjoint(packages) or self._says("IsTestProject")

    def assembly_name(self) -> str:
        """What its assembly is called, as far as the project file itself says."""
        name = _property(self.path, "AssemblyName")
        return name if name and "$(" not in name else self.path.stem

    def run_settings(self) -> str | None:
        """The file with settings for runs of its tests that it names; None where it names none, or in other words."""
        text = _property(self.path, "RunSettingsFilePath")
        for name in ("MSBuildProjectDirectory", "MSBuildThisFileDirectory", "ProjectDir"):
            text = text.replace(f"$({name})", f"{self.folder}/")
        return os.path.normpath(self.folder / text.replace("\\", "/")) if text and "$(" not in text else None

    def _says(self, name: str) -> bool:
        return _property(self.path, name).lower() == "true"


def find_project(path: Path) -> Project | None:
    """The project that `path` stands for: a project file, a folder or solution with one, a C# file. Reads files only.

    None for any other path, which may be a program. Raises `LaunchError` where there is no project, or not only one.
    """
    suffix = path.suffix.lower()
    if suffix in PROJECT_SUFFIXES or suffix in _NAMED_SUFFIXES or suffix == ".cs":
        if not os.path.isfile(path):
            raise LaunchError(f"There is no {path}. Correct program in the launch configuration.")
        if suffix in _NAMED_SUFFIXES:
            return _of_solution(path)
        beside = _projects_in(path.parent) if suffix == ".cs" else []
        return Project(beside[0] if len(beside) == 1 else path)
    if not os.path.isdir(path):  # no OSError for a name that is too long
        return None
    projects = _projects_in(path)
    if projects:
        return Project(_only(projects, f"The folder {path} has several projects"))
    solutions = _files_in(path, SOLUTION_SUFFIXES)
    return _of_solution(_only(solutions, f"The folder {path} has several solutions")) if solutions else None


def find_test_project(path: Path) -> Project | None:
    """As `find_project`, but of the projects of a solution those count that contain tests."""
    solution = _solution_of(path)
    if solution is None:
        return find_project(path)
    tests = [project.path for project in projects_with_tests(path)]
    return Project(_only(tests, f"The solution {solution.name} has several test projects", "testProject"))


def projects_with_tests(path: Path) -> list[Project]:
    """The projects with tests that a path stands for: a project, a solution or a folder. Raises `LaunchError`."""
    solution = _solution_of(path)
    if solution is not None:
        tests = [project for project in map(Project, _projects_of(solution)) if project.is_test()]
        if not tests:
            raise LaunchError(f"No project of the solution {solution} contains tests. Name the project as testProject.")
        return tests
    if os.path.isdir(path):
        projects = _projects_in(path)
    else:
        projects = [path] if path.suffix.lower() in PROJECT_SUFFIXES and os.path.isfile(path) else []
    if not projects:
        raise LaunchError(f"There are no tests at {path}. Name a project, a folder or solution with one, or a .dll.")
    return [Project(project) for project in projects]


def _solution_of(path: Path) -> Path | None:
    """The solution that is named, or that a folder without projects has; None where it is none of these."""
    if os.path.isdir(path) and not _projects_in(path):
        solutions = _files_in(path, SOLUTION_SUFFIXES)
        return _only(solutions, f"The folder {path} has several solutions") if solutions else None
    return path if path.suffix.lower() in _NAMED_SUFFIXES and os.path.isfile(path) else None


def _projects_in(folder: Path) -> list[Path]:
    return _files_in(folder, PROJECT_SUFFIXES)


def _files_in(folder: Path, suffixes: Collection[str]) -> list[Path]:
    try:
        return [found for found in sorted(folder.iterdir()) if found.suffix.lower() in suffixes]
    except OSError:
        return []


def _only(paths: Sequence[Path], problem: str, attribute: str = "program") -> Path:
    if len(paths) > 1:
        raise LaunchError(f"{problem}: {', '.join(path.name for path in paths)}. Name one of them as {attribute}.")
    return paths[0]


def _of_solution(path: Path) -> Project:
    programs = [project for project in map(Project, _projects_of(path)) if project.is_program()]
    if not programs:
        raise LaunchError(f"No project of the solution {path} builds a program. Name the project to start as program.")
    problem = f"The solution {path.name} has several projects that build programs"
    return Project(_only([project.path for project in programs], problem))


def _projects_of(solution: Path) -> Iterator[Path]:
    folder = solution.parent
    if solution.suffix.lower() == _FILTER_SUFFIX:
        folder, names = _filtered(solution)
    elif solution.suffix.lower() == ".slnx":
        names = [str(element.get("Path", "")) for element in _elements(solution, "Project")]
    else:
        names = _PROJECT_OF_SOLUTION.findall(_text(solution))
    for name in names:
        path = folder / name.replace("\\", "/")
        if path.suffix.lower() in PROJECT_SUFFIXES and path.is_file():
            yield path


def _filtered(path: Path) -> tuple[Path, list[str]]:
    """The folder of the solution that a filter belongs to, and the projects that it leaves, relative to that."""
    try:
        solution = json.loads(_text(path))["solution"]
        names = [name for name in solution["projects"] if isinstance(name, str)]
        return Path(os.path.normpath(path.parent / solution["path"].replace("\\", "/"))).parent, names
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise LaunchError(f"{path} is not a solution filter. Name the solution or a project as program.") from error


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig", errors="replace")
    except OSError as error:
        raise LaunchError(f"{path} cannot be read: {error.strerror}.") from error


def _root(path: Path) -> ElementTree.Element | None:
    """None where the file is not XML, which its build reports better."""
    from xml.etree import ElementTree

    try:
        return ElementTree.fromstring(_text(path).encode())
    except ElementTree.ParseError:
        return None


def _elements(path: Path, name: str) -> list[ElementTree.Element]:
    root = _root(path)
    # Old projects have a namespace.
    return [] if root is None else [element for element in root.iter() if element.tag.rpartition("}")[2] == name]


def _property(path: Path, name: str) -> str:
    return next((element.text.strip() for element in _elements(path, name) if element.text), "")
