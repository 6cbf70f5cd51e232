"""What a launch of tests amounts to."""

from __future__ import annotations

from pathlib import Path

import pytest

from dap_dotnet.errors import LaunchError
from dap_dotnet.launching import dotnet_test_plans, plans
from dap_dotnet.launching.arguments import LaunchArguments
from dap_dotnet.launching.plans import LaunchPlan
from dap_dotnet.launching.projects import BuildOptions, Project, find_test_project
from dap_dotnet.protocol.reading import read
from dap_dotnet.runtime.model import LaunchSpec

TESTS = (
    '<Project Sdk="Microsoft.NET.Sdk"><ItemGroup><PackageReference Include="Microsoft.NET.Test.Sdk" Version="18" />'
    "</ItemGroup></Project>"
)
APP = '<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup><OutputType>Exe</OutputType></PropertyGroup></Project>'


def plan(own=None, **attributes) -> LaunchPlan | None:
    arguments = read(LaunchArguments, attributes, "launch")
    wanted = plans.tests_wanted(arguments)
    return dotnet_test_plans.plan_tests(arguments, wanted, own or {}) if wanted is not None else None


def write(path: Path, text: str = "") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


@pytest.fixture
def project(tmp_path):
    return write(tmp_path / "Tests" / "Tests.csproj", TESTS)


@pytest.fixture
def made(project):
    write(project.parent / "bin" / "testhost.dll")
    return project.parent / "bin" / "Tests.dll"


@pytest.fixture
def sdk(tmp_path):
    root = tmp_path / "dotnet"
    write(root / "sdk" / "10.0.100" / "vstest.console.dll")
    (root / "shared").mkdir()
    write(root / "dotnet", "\x7fELF").chmod(0o755)
    return {"DOTNET_ROOT": str(root)}


def not_resolved(plan: LaunchPlan, assembly: Path) -> LaunchSpec:
    raise AssertionError("it is no program")


def test_project_of_tests(project, made, sdk):
    options = ["-v", "n", "--", "NUnit.NumberOfTestWorkers=1"]
    read = plan(sdk, testProject=str(project.parent), testFilter="Name=A", args=options, targetFramework="net8.0")
    assert read is not None
    assert (read.project, read.tests, read.build) == (Project(project), "Name=A", BuildOptions("net8.0", ""))
    spec = dotnet_test_plans.tests_to_start(read, made, not_resolved)
    assert spec.command == (f"{sdk['DOTNET_ROOT']}/dotnet", f"{sdk['DOTNET_ROOT']}/sdk/10.0.100/vstest.console.dll")
    assert spec.working_directory == str(project.parent)
    assert spec.tests is not None
    assert (spec.tests.assembly, spec.tests.filter, spec.tests.target_framework) == (str(made), "Name=A", "net8.0")
    assert "<NUnit><NumberOfTestWorkers>1</NumberOfTestWorkers></NUnit>" in spec.tests.settings


def test_command_line_of_dotnet_test(project, made, sdk):
    args = ["test", "--no-build", "--filter", "Name=A", "Tests.csproj", "-c", "Release", "--logger", "trx", "-e", "A=1"]
    read = plan(sdk, program="dotnet", args=args, cwd=str(project.parent), testFilter="Name=B")
    assert read is not None
    assert (read.project, read.tests, read.environment["A"]) == (Project(project), "Name=B", "1")
    assert read.build == BuildOptions("", "Release")
    spec = dotnet_test_plans.tests_to_start(read, made, not_resolved)
    assert spec.tests is not None
    assert '<Logger friendlyName="trx" enabled="True" />' in spec.tests.settings


def test_assembly_of_tests_is_not_built(made, sdk):
    write(made)
    read = plan(sdk, testProject=str(made))
    assert read is not None
    assert (read.project, read.program) == (None, str(made))
    spec = dotnet_test_plans.tests_to_start(read, made, not_resolved)
    assert spec.tests is not None
    assert spec.tests.assembly == str(made)


def test_settings_that_the_project_names(project, made, sdk):
    settings = write(project.parent / "own.runsettings", "<RunSettings><MSTest><A>1</A></MSTest></RunSettings>")
    element = "<RunSettingsFilePath>$(MSBuildProjectDirectory)\\own.runsettings</RunSettingsFilePath>"
    write(project, TESTS.replace("<ItemGroup>", f"<PropertyGroup>{element}</PropertyGroup><ItemGroup>"))
    read = plan(sdk, testProject=str(project))
    assert read is not None
    spec = dotnet_test_plans.tests_to_start(read, made, not_resolved)
    assert spec.tests is not None
    assert "<MSTest><A>1</A></MSTest>" in spec.tests.settings
    write(settings, "no XML")
    with pytest.raises(LaunchError, match=r"The run settings .*own\.runsettings cannot be read"):
        dotnet_test_plans.tests_to_start(read, made, not_resolved)


def test_executable_of_tests_is_started_as_a_program(project, made, sdk):
    write(made.parent / "xunit.v3.core.dll")
    found = plan(sdk, testProject=str(project), args=["-method", "A.B"])
    assert found is not None
    started = []

    def resolve(plan: LaunchPlan, assembly: Path) -> LaunchSpec:
        started.append((list(plan.arguments), assembly))
        return LaunchSpec((), "/", {})

    assert dotnet_test_plans.tests_to_start(found, made, resolve).tests is None
    assert started == [(["-method", "A.B"], made)]


def test_program_is_no_test(project):
    assert plan(program=str(project)) is None


@pytest.mark.parametrize("name", ["None.csproj", "None.dll", "notes.txt"])
def test_what_has_no_tests_is_refused(tmp_path, name):
    write(tmp_path / "notes.txt")
    with pytest.raises(LaunchError, match=r"There is no|There are no tests"):
        plan(testProject=str(tmp_path / name))


def test_remarks_on_what_tests_cannot_have(project):
    found = plan(testProject=str(project), stopAtEntry=True, console="integratedTerminal")
    assert found is not None
    assert len(found.remarks) == 2


def test_solution_has_one_project_of_tests(tmp_path, project):
    app = write(tmp_path / "App" / "App.csproj", APP)
    names = [path.relative_to(tmp_path) for path in (app, project)]
    solution = write(
        tmp_path / "All.slnx", "<Solution>" + "".join(f'<Project Path="{n}" />' for n in names) + "</Solution>"
    )
    assert find_test_project(solution) == find_test_project(tmp_path) == Project(project)
    second = write(tmp_path / "More" / "More.csproj", TESTS)
    write(solution, solution.read_text().replace("</Solution>", f'<Project Path="{second}" /></Solution>'))
    with pytest.raises(LaunchError, match=r"several test projects: .* Name one of them as testProject"):
        find_test_project(solution)


@pytest.mark.parametrize(
    ("test_filter", "is_told"),
    [
        ("Name=Adds", True),
        ("Category=Slow&(name!~Adds)", True),
        ("", False),
        ("FullyQualifiedName~Adds|DisplayName=Adds", False),
        ("DisplayName=Name", False),
    ],
)
def test_filter_that_xunit_does_not_know_is_told(tmp_path, test_filter, is_told):
    assembly = tmp_path / "Tests.dll"
    assert dotnet_test_plans.remark_on_filter(assembly, test_filter) is None  # NUnit and MSTest know it
    (tmp_path / "xunit.runner.visualstudio.testadapter.dll").touch()
    assert (dotnet_test_plans.remark_on_filter(assembly, test_filter) is not None) is is_told
